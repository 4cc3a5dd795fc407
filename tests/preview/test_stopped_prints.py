"""Prints that a preview stops: the finding says why."""

from __future__ import annotations

from pathlib import Path

from sheetgen.plugins.editor.preview.previewer import PreviewRequest
from sheetgen.plugins.editor.preview.server import ChildProcess, print_or_finding, serve_prints


def test_a_stopped_print_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_text("ruleset: d6-pips\nname: Ada\n", encoding="utf-8")
    prints = ChildProcess(serve_prints, path)
    try:
        result = print_or_finding(
            prints, path, PreviewRequest(), lambda seconds: "it took too long"
        )
    finally:
        prints.end()
    assert not result.content
    assert "SG624" in str(result.facts)
    assert "this print was stopped: it took too long" in str(result.facts)
