"""Work in a child process: what it returns, what it raises, and the bound that it exceeds."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sheetgen import bounds
from sheetgen.books.workers import failed_print
from sheetgen.bounds import (
    BoundExceeded,
    begin_next_page,
    limit_block,
    run_bounded,
    seconds_for,
)
from sheetgen.diag.findings import Finding, Span
from sheetgen.load.cache import cache_path, read_cache, store_in_cache
from sheetgen.plugins.farm.stores import read_file
from tests.cli.commands import ROOT
from tests.shelf import TESTS

pytestmark = pytest.mark.slow


def endless() -> int:
    while True:
        pass


def test_a_result_and_an_error_come_back() -> None:
    assert run_bounded(lambda: {"a": [1, b"x" * 1_000_000]}) == {"a": [1, b"x" * 1_000_000]}
    with pytest.raises(ZeroDivisionError):
        run_bounded(lambda: 1 / 0)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, 0])
def test_temporary_files_of_a_child_are_removed(
    end: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def job() -> str:
        folder = tempfile.mkdtemp()
        (Path(folder) / "font").write_bytes(b"x")
        os.kill(os.getpid(), end)
        return folder

    if end:
        with pytest.raises(BoundExceeded):
            run_bounded(job)
    else:
        assert run_bounded(job).startswith(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_each_bound_is_named() -> None:
    with pytest.raises(BoundExceeded, match="more than 100 MB of memory"):
        run_bounded(lambda: len(b"x" * 500_000_000), 100)
    with pytest.raises(BoundExceeded, match="more than 8 s of processor time"):
        run_bounded(lambda: os.kill(os.getpid(), signal.SIGXCPU))
    with pytest.raises(BoundExceeded, match="crashed"):
        run_bounded(lambda: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(BoundExceeded, match="the system ended the process of reading it"):
        run_bounded(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_a_bound_of_a_child_is_no_limit_of_the_shell() -> None:
    def job() -> str:
        with pytest.raises(BoundExceeded) as exceeded, limit_block(5, "it"):
            bytes(2_000_000_000)
        return str(exceeded.value)

    assert run_bounded(job, 100) == "it takes more than 768 MB of memory"


def test_limits_of_the_shell_are_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that exceeds these is not refused for ever: the next shell may allow more."""
    monkeypatch.setattr(bounds, "shell_limit", {"AS": 90_000_000, "CPU": 3}.get)
    jobs: list[tuple[Callable[[], object], str]] = [
        (lambda: len(b"x" * 2_000_000_000), "more memory than `ulimit -v` allows, 90 MB"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "more memory than `ulimit -v` allows"),
        (
            lambda: os.kill(os.getpid(), signal.SIGXCPU),
            "processor time than `ulimit -t` allows, 3 s",
        ),
    ]
    for job, reason in jobs:
        with pytest.raises(BoundExceeded, match=reason) as exceeded:
            run_bounded(job)
        assert not exceeded.value.limit
    found = failed_print(Span("a.yaml"), MemoryError())
    assert found.message == "this print needs more memory than `ulimit -v` allows, 90 MB"
    assert "report" not in found.hint


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux")
@pytest.mark.parametrize("kilobytes", [150_000])
def test_a_low_limit_of_the_shell_is_told_without_a_message_of_a_library(
    kilobytes: int, tmp_path: Path
) -> None:
    line = f"ulimit -v {kilobytes}; {shlex.quote(sys.executable)} -m sheetgen tables d6-pips"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"`ulimit -v` allows {kilobytes * 1024 // 1_000_000} MB" in done.stderr
    assert "Traceback" not in done.stderr
    assert "GLib" not in done.stderr


@pytest.mark.parametrize("ends", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_child_never_returns_to_its_caller(ends: type[BaseException]) -> None:
    def job() -> None:
        raise ends

    parent = os.getpid()
    with pytest.raises(BoundExceeded, match="crashed"):
        run_bounded(job)
    assert os.getpid() == parent


def test_an_answer_that_is_nested_too_deep() -> None:
    def job() -> list[object]:
        nested: list[object] = []
        for _ in range(100_000):
            nested = [nested]
        return nested

    with pytest.raises(BoundExceeded, match="nested too deep"):
        run_bounded(job)


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def no() -> int:
        raise BlockingIOError(11, "no more processes")

    monkeypatch.setattr("os.fork", no)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(
        BoundExceeded, match="no process can be started to read it: no more processes"
    ):
        run_bounded(lambda: 1)
    assert len(os.listdir("/dev/fd")) == before


def test_time_for_a_large_file() -> None:
    assert [seconds_for(size) for size in (0, 1_900_000, 10_000_000, 10**9)] == [8, 8, 98, 300]


BEGIN = "from sheetgen.bounds import run_bounded\n"
IGNORED = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
THREAD = "from threading import Event, Thread; Thread(target=Event().wait, daemon=True).start()"
SEVEN = "assert run_bounded(lambda: 7) == 7; print('once')"
PROGRAMS = {
    "text in a buffer": ("print('once', end=''); run_bounded(lambda: print('x' * 99_999))", ""),
    "no standard streams": ("assert run_bounded(lambda: 7) == 7; open('ok', 'w')", "<&- >&- 2>&-"),
    "SIGCHLD ignored": (f"{IGNORED}\n{SEVEN}", ""),
    "a thread": (f"{THREAD}\n{SEVEN}", ""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_state_a_program_is_in(name: str, tmp_path: Path) -> None:
    program, streams = PROGRAMS[name]
    words = f"{shlex.quote(sys.executable)} -W error -c {shlex.quote(BEGIN + program)} {streams}"
    env = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    done = subprocess.run(
        ["/bin/sh", "-c", words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "ok").exists() if streams else done.stdout.strip() == "once"


def test_an_interrupt_ends_the_child(tmp_path: Path) -> None:
    program = (
        "import os, time\n"
        "def job():\n"
        "    open('new', 'w').write(str(os.getpid())); os.rename('new', 'child'); time.sleep(60)\n"
        "run_bounded(job)"
    )
    env = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    words = [sys.executable, "-c", BEGIN + program]
    with subprocess.Popen(words, cwd=tmp_path, env=env, stderr=subprocess.PIPE) as process:
        for _ in range(600):
            if (tmp_path / "child").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.communicate(timeout=300)[1]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "child").read_text()), 0)


def test_processor_time_is_bounded() -> None:
    with pytest.raises(BoundExceeded, match="more than 1 s of processor time"):
        run_bounded(endless, seconds=1)


def test_each_page_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def pages() -> str:
        for page in range(1, 4):
            begin_next_page()
            while time.process_time() < 0.8 * page:
                pass
        return "done"

    monkeypatch.setattr("sheetgen.bounds.SECONDS", 1)
    assert run_bounded(pages, seconds=100) == "done"
    with pytest.raises(BoundExceeded, match="more than 1 s of processor time"):
        run_bounded(endless, seconds=100)


def test_a_wide_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(50_000)) + "\n", encoding="utf-8")
    findings: list[Finding] = []
    assert not list(read_file(path, findings))
    (finding,) = findings
    assert finding.message == "50,000 columns; at most 1,000 are read"


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: b"",
        lambda kept: kept[:-1],
        lambda kept: kept[: len(kept) // 2],
        lambda kept: kept + b"x",
        lambda kept: b"\0" * len(kept),
        lambda kept: b"null",
        lambda kept: kept[:-3] + b"zzz",
    ],
)
def test_a_damaged_entry_of_the_cache_is_not_taken(
    damage: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = cache_path("a.odds")
    store_in_cache("a.odds", b'{"dice": [1, 2, 3]}')
    kept = path.read_bytes()
    assert read_cache("a.odds") == b'{"dice": [1, 2, 3]}'
    path.write_bytes(damage(kept))  # type: ignore[operator]
    assert read_cache("a.odds") is None
    path.unlink()
    path.mkdir()
    assert read_cache("a.odds") is None
