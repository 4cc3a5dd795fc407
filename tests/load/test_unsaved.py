"""Unsaved texts take the place of files on disk, in this process and in another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.load.cache import (
    read_shared_texts,
    share_text,
    shared_texts_folder,
    withdraw_all_texts,
    withdraw_text,
)
from sheetgen.load.files import read_text, read_unsaved


def test_unsaved_text_is_read_through_a_link_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "ada.yaml").write_text("name: Ada\n")
    (tmp_path / "link.yaml").symlink_to("ada.yaml")
    with read_unsaved({str((tmp_path / "ada.yaml").resolve()): "name: Bea\n"}):
        read = read_text(tmp_path / "link.yaml").value
        assert read is not None
        assert read[0] == "name: Bea\n"
    read = read_text(tmp_path / "link.yaml").value
    assert read is not None
    assert read[0] == "name: Ada\n"


def test_texts_are_shared_until_they_are_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    share_text("/a.yaml", "a: 😀\n")
    share_text("/b.yaml", "b: 1\n")
    share_text("/a.yaml", "a: 2\n")
    assert read_shared_texts() == {"/a.yaml": "a: 2\n", "/b.yaml": "b: 1\n"}
    withdraw_text("/a.yaml")
    assert read_shared_texts() == {"/b.yaml": "b: 1\n"}
    withdraw_all_texts()
    assert read_shared_texts() == {}


def test_texts_of_a_server_that_has_ended_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code = "from sheetgen.load.cache import share_text; share_text('/a.yaml', 'a: 1')"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
    assert any(shared_texts_folder().iterdir())
    assert read_shared_texts() == {}
    assert not any(shared_texts_folder().iterdir())


def test_damaged_entries_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    share_text("/a.yaml", "a: 1\n")
    (shared_texts_folder() / f"{os.getpid()}-other.json").write_text("[1")
    assert read_shared_texts() == {"/a.yaml": "a: 1\n"}
