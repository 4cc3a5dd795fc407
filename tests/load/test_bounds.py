"""Work in a child process: what it returns, what it raises, and the bound that it exceeds."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sheetgen.load.bounds import Exceeded, bounded
from sheetgen.load.cache import cache_path, cached, with_checksum
from sheetgen.load.rows import read_rows


def endless() -> int:
    while True:
        pass


def test_a_result_and_an_error_come_back() -> None:
    assert bounded(lambda: {"a": [1, b"x" * 1_000_000]}) == {"a": [1, b"x" * 1_000_000]}
    with pytest.raises(ZeroDivisionError):
        bounded(lambda: 1 / 0)


def test_each_bound_is_named() -> None:
    with pytest.raises(Exceeded, match="more than 100 MB of memory"):
        bounded(lambda: len(b"x" * 500_000_000), 100)
    with pytest.raises(Exceeded, match="more than 8 s of processor time"):
        bounded(lambda: os.kill(os.getpid(), signal.SIGXCPU))
    with pytest.raises(Exceeded, match="crashed"):
        bounded(lambda: os.kill(os.getpid(), signal.SIGTERM))


def test_processor_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sheetgen.load.bounds.SECONDS", 1)
    with pytest.raises(Exceeded, match="more than 1 s of processor time"):
        bounded(endless)


def test_a_wide_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(50_000)) + "\n", encoding="utf-8")
    (finding,) = read_rows(path).findings
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
    path.parent.mkdir(parents=True)
    kept = with_checksum(b'{"dice": [1, 2, 3]}')
    path.write_bytes(kept)
    assert cached("a.odds") == b'{"dice": [1, 2, 3]}'
    path.write_bytes(damage(kept))  # type: ignore[operator]
    assert cached("a.odds") is None
    path.unlink()
    path.mkdir()
    assert cached("a.odds") is None
