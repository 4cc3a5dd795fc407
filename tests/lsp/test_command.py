"""The command `lsp`, what it needs, and files that name their schema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.plugins.editor import commands
from tests.cli.commands import ROOT, run, run_apart
from tests.shelf import skip_without


def test_without_the_extra_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    said = run("lsp")
    assert (said.status, said.out) == (1, "")
    assert said.err == "Error: the server needs pygls; install it: `pip install pygls`\n"


@pytest.mark.slow
@pytest.mark.parametrize("length", ["9" * 5000, "9" * 15])
def test_a_length_that_is_none_ends_the_server_with_a_line(length: str) -> None:
    pytest.importorskip("pygls")
    words = [sys.executable, "-m", "sheetgen", "lsp"]
    sent = f"Content-Length: {length}\r\n\r\n{{".encode()
    found = subprocess.run(words, input=sent, capture_output=True, check=False)
    assert found.returncode == 1
    assert found.stderr.startswith(b"Error: the editor sent what is no message")
    assert found.stderr.count(b"\n") == 1


def test_other_commands_do_not_import_the_server(tmp_path: Path) -> None:
    code = (
        "import sys; from sheetgen.cli import app\n"
        "try: app(['new', 'character', 'd6-pips', 'A'], prog_name='sheetgen')\n"
        "except SystemExit: pass\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('pygls', 'lsprotocol')))\n"
        "print([m for m in sys.modules if m.startswith('sheetgen.plugins.editor.lsp')])\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-2:] == ["[]", "[]"]


@pytest.mark.slow
def test_new_files_name_a_schema_that_is_installed(tmp_path: Path) -> None:
    def new(*words: str) -> str:
        said = run_apart("new", *words, cwd=tmp_path)
        assert said.status == 0, said.err
        return (tmp_path / said.out.strip()).read_text().split("\n")[0]

    assert "$schema" not in new("character", "hyperspace-d6", "First")
    assert run_apart("schema", ".", "--install", cwd=tmp_path).status == 0
    (tmp_path / "crew").mkdir()
    comment = "# yaml-language-server: $schema="
    name = "schemas/hyperspace-d6-character.json"
    assert new("character", "hyperspace-d6", "Second") == f"{comment}{name}"
    below = new("character", "hyperspace-d6", "Third", "--out", "crew/third.yaml")
    assert below == f"{comment}../{name}"
    assert "$schema" not in new("npc", "hyperspace-d6", "--name", "Fourth")  # It is of no file yet.
    assert run_apart("schema", ".", "--install", cwd=tmp_path).status == 0
    assert new("npc", "hyperspace-d6", "--name", "Fifth").endswith("hyperspace-d6-npc.json")
    assert run_apart("check", ".", cwd=tmp_path).status == 0


def test_the_extension_of_vs_code_starts_this_command() -> None:
    folder = ROOT / "docs/editors/vscode"
    package = json.loads((folder / "package.json").read_text())
    command = package["contributes"]["configuration"]["properties"]["sheetgen.command"]
    assert command["default"] == ["sheetgen", "lsp"]
    assert package["license"] == "MIT"
    if shutil.which("node") is None:
        skip_without("node", "it reads the extension")
    subprocess.run(["node", "--check", folder / package["main"]], check=True)


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes no current folder")
def test_in_a_deleted_folder_a_new_file_is_a_finding(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os; from sheetgen.cli.console import run; os.rmdir(os.getcwd()); run()"
    words = [sys.executable, "-c", code, "new", "character", "keyword-dots", "Ada"]
    said = subprocess.run(words, cwd=gone, capture_output=True, text=True, check=False)
    assert (said.returncode, "error[SG401]" in said.stderr) == (1, True), said.stderr
    assert "Traceback" not in said.stderr
