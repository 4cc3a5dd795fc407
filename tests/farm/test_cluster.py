"""Books on a dask cluster: the same bytes as here, whoever dies."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import signal
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from distributed.scheduler import KilledWorker

from sheetgen.books.building import BuildOptions, build_book
from sheetgen.books.planning import plan_book
from sheetgen.diag.findings import Finding
from sheetgen.load.designs.designs import product_stamp
from sheetgen.plugins.farm import cluster
from sheetgen.plugins.farm.cluster import (
    ClusterError,
    check_workers,
    connect_cluster,
    run_on_cluster,
)
from tests.books.test_books import book, built, crowd_of, ids, tree
from tests.farm.clusters import RealCluster, start_module

pytestmark = pytest.mark.slow

COUNT = 16
KILLS = int(os.environ.get("SHEETGEN_KILLS", "1"))


class FakeClient:
    """A client that runs tasks at once; a chunk with a poisonous file loses its workers."""

    def __init__(self, poison: str = "", answers: dict[str, object] | None = None) -> None:
        self.poison, self.answers = poison, answers
        self.chunks: list[int] = []

    def nthreads(self) -> dict[str, int]:
        return {"a": 1, "b": 1}

    def run(self, ask: Callable[..., object], *args: object, **_: object) -> dict[str, object]:
        return {"a": ask(*args)} if self.answers is None else self.answers

    def submit(self, task: Callable[..., Any], packed: bytes, *args: Any, **_: Any) -> Any:
        chunk = pickle.loads(zlib.decompress(packed))
        self.chunks.append(len(chunk))
        poisonous = self.poison and any(self.poison in job.of[0] for job in chunk)
        return FakeFuture(None if poisonous else task(packed, *args))


class FakeFuture:
    def __init__(self, value: Any) -> None:
        self.value = value

    def result(self) -> Any:
        if self.value is None:
            raise KilledWorker("task", None, 1)  # type: ignore[arg-type]
        return self.value


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """Return the book of a crowd."""
    crowd_of(COUNT, tmp_path)
    return book(tmp_path, "{sheets: people}")


def build_on(client: Any, path: Path) -> list[Finding]:
    found: list[Finding] = []
    options = BuildOptions(lambda *args: run_on_cluster(client, *args))
    build_book(plan_book(path), options, found.extend)
    return found


def test_a_chunk_that_loses_its_workers_is_split_until_one_file_is_left(
    crowd: Path, tmp_path: Path
) -> None:
    built(crowd)
    expected = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    poison = tmp_path / "people" / "010-poison.yaml"
    shutil.copy(tmp_path / "people" / "010.yaml", poison)
    client = FakeClient("poison")
    found = build_on(client, crowd)
    assert ids(found) == ["SG706"]
    assert found[0].span.file == str(poison)
    outputs = {name for name in expected if not name.startswith(".")}
    results = tree(tmp_path / "out")
    assert {name: results.get(name) for name in outputs} == {n: expected[n] for n in outputs}
    assert not (tmp_path / "out" / ".sheetgen" / "drafts").exists()
    assert client.chunks.count(1) >= 3, "a single job is tried more than once"


def test_names_that_clash_between_chunks_are_found(crowd: Path, tmp_path: Path) -> None:
    same = book(tmp_path, "{sheets: people, name: same}")
    found = built(same)[1]
    expected = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    client = FakeClient()
    assert build_on(client, same) == found
    assert len(found) == COUNT - 1
    assert len(client.chunks) > 1
    assert tree(tmp_path / "out") == expected


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (("other", "x"), "another version of sheetgen"),
        ((product_stamp(), ""), "does not see"),
        (ModuleNotFoundError("none", name="sheetgen"), "has no module `sheetgen`"),
        (OSError("no font"), "cannot work: no font"),
    ],
)
def test_a_worker_that_is_not_fit_is_refused(answer: object, message: str, tmp_path: Path) -> None:
    client: Any = FakeClient(answers={"tcp://x": answer})
    with pytest.raises(ClusterError, match=message) as refused:
        check_workers(client, str(tmp_path), product_stamp())
    assert refused.value.finding.hint
    assert not list(tmp_path.iterdir()), "the probe is removed"


def test_without_the_extra_one_line_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(ClusterError) as refused, connect_cluster("local", 1):
        pass
    assert refused.value.finding.code.id == "SG708"
    assert "pip install distributed" in refused.value.finding.hint


def test_an_error_of_a_worker_ends_the_build_with_its_reason(
    crowd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(cluster, "run_jobs", fail)
    with pytest.raises(ClusterError, match="a worker failed: OSError: no room"):
        build_on(FakeClient(), crowd)
    assert not (tmp_path / "out" / ".sheetgen" / "drafts").exists()


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:9", "none.json", "bad.json", "foo://u:hush@x"]
)
def test_an_address_without_a_scheduler_is_a_finding(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 0.3)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text('{"address":')
    with (
        pytest.raises(ClusterError, match="no cluster with workers") as refused,
        connect_cluster(address, 1),
    ):
        pass
    assert "hush" not in refused.value.finding.message


# -- real processes -----------------------------------------------------------------


@pytest.fixture
def real(tmp_path: Path) -> Iterator[RealCluster]:
    found = RealCluster(tmp_path)
    found.start()
    yield found
    found.stop()


@pytest.mark.parametrize("seed", range(KILLS))
@pytest.mark.parametrize("victim", ["first", "scheduler", "client"])
def test_the_next_run_ends_as_one_that_nobody_killed(
    crowd: Path, tmp_path: Path, real: RealCluster, victim: str, seed: int
) -> None:
    built(crowd)
    expected = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    words = ["sheetgen", "build", str(crowd), "--quiet", "--cluster", str(real.file)]
    build = start_module(tmp_path, *words)
    while not (tmp_path / "out").exists():  # its workers are there
        time.sleep(0.02)
        assert build.poll() is None
    some = random.Random(f"{victim}{seed}").randint(0, len(expected) - 1)
    while len(list((tmp_path / "out").glob("*.pdf"))) < some and build.poll() is None:
        time.sleep(0.02)
    if victim == "client":
        with suppress(ProcessLookupError):  # it may have ended
            os.killpg(build.pid, signal.SIGKILL)
    else:
        real.kill(victim)
    build.wait()
    if victim == "scheduler":
        real.stop()
        real.start()
    assert start_module(tmp_path, *words).wait() == 0
    assert tree(tmp_path / "out") == expected
    assert not (tmp_path / "out" / ".sheetgen" / "drafts").exists()
