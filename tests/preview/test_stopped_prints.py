"""Prints that a preview stops: the finding says why."""

from __future__ import annotations

from pathlib import Path

from sheetgen.plugins.editor.preview.previewer import Previewer, PreviewRequest
from sheetgen.plugins.editor.preview.server import ChildProcess


def test_a_stopped_print_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text("ruleset: d6-pips\nname: Ada\n", encoding="utf-8")
    prints = ChildProcess(Previewer, path)
    try:
        result = prints.run(PreviewRequest(), lambda seconds: "it took too long")
    finally:
        prints.end()
    assert not result.content
    assert "SG624" in str(result.facts)
    assert "this print was stopped: it took too long" in str(result.facts)
