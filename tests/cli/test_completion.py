"""What the shell completes, asked as bash and zsh ask it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import ruleset_ids
from tests.cli.commands import ROOT, run_apart

LINES = {
    "sheetgen ca": ["cards"],
    "sheetgen new ch": ["character"],
    "sheetgen sheet --theme la": ["large-print"],
    "sheetgen sheet --paper ": ["a4", "letter"],
    "sheetgen tables ": list(ruleset_ids()),
    "sheetgen odds 5D --ruleset narr": ["narrative-powers"],
    "sheetgen odds narr": ["narrative-powers"],
    "sheetgen schema hyperspace-d6 --kind ": [
        "character",
        "npc",
        "vehicle",
        "encounter",
        "ruleset",
    ],
    "sheetgen schema hyperspace-d6 --kind mo": ["module"],
    "sheetgen list hyperspace-d6 sp": ["species"],
    "sheetgen list hyperspace-d6 ve": ["vehicle"],
    "sheetgen list the": ["themes"],
    "sheetgen explain SG20": ["SG201", "SG202"],
    "sheetgen screen hyperspace-d6 --panels g": ["gm"],
    "sheetgen tables hyperspace-d6 --set gear.unp": ["gear.unpriced=refuse", "gear.unpriced=grant"],
    "sheetgen sheet bo.yaml --set gear.unp": ["gear.unpriced=refuse"],
}


def completed(line: str, shell: str, cwd: Path) -> list[str]:
    words = line.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(at)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
    }[shell]
    env = {
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        "HOME": str(cwd),
        "PYTHONPATH": str(ROOT),
        "_SHEETGEN_COMPLETE": f"complete_{shell}",
        **asked,
    }
    return run_apart(cwd=cwd, env=env).out.split("\n")


@pytest.mark.many
@pytest.mark.parametrize(("line", "offered"), LINES.items())
def test_bash_completes(line: str, offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "bo.yaml").write_text("ruleset: hyperspace-d6\nname: Bo\n")
    assert completed(line, "bash", tmp_path)[: len(offered)] == offered


def test_kinds_and_names_are_those_of_the_ruleset(tmp_path: Path) -> None:
    assert "vehicle" in completed("sheetgen cards hyperspace-d6 --kind ", "bash", tmp_path)
    names = completed("sheetgen cards hyperspace-d6 --kind vehicle --name ", "bash", tmp_path)
    assert len(names) > 20


def test_zsh_completes(tmp_path: Path) -> None:
    assert '"large-print"' in "\n".join(completed("sheetgen sheet --theme la", "zsh", tmp_path))


def test_a_wrong_line_offers_nothing_and_says_nothing(tmp_path: Path) -> None:
    said = completed("sheetgen cards no-such-game --kind ", "bash", tmp_path)
    assert [word for word in said if word] == []
