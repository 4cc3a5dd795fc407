"""Tags of printed cards: all letters belong to one, and replacements say the same or more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.cli.commands import run

DECKS = (("d6-pips", "npc"), ("hyperspace-d6", "vehicle"), ("narrative-powers", "npc"))
SHOWS = ("Tj", "TJ", "'", '"')


def _operators(content: Any) -> list[tuple[list[Any], str]]:
    return [
        (list(one.operands), str(one.operator)) for one in pikepdf.parse_content_stream(content)
    ]


def _artifacts(page: Any) -> list[str]:
    """Return what shows text in artifacts that are not repeated footers."""
    forms = {
        name: [operator for _, operator in _operators(form)]
        for name, form in page.Resources.XObject.items()
    }
    assert not any(o in ("BDC", "BMC", "EMC") for used in forms.values() for o in used)
    found, within = [], ""
    for operands, operator in _operators(page):
        if operator in ("BMC", "BDC"):
            assert not within  # tags and artifacts do not nest
            footer = operator == "BDC" and "/Pagination" in str(operands[1].get("/Type", ""))
            within = "footer" if footer else str(operands[0])
        elif operator == "EMC":
            within = ""
        drawn = forms[str(operands[0])] if operator == "Do" else [operator]
        if within == "/Artifact" and any(one in SHOWS for one in drawn):
            found.append(str(operands))
    return found


@pytest.mark.parametrize(("ruleset", "kind"), DECKS)
def test_no_letters_are_decoration(ruleset: str, kind: str, tmp_path: Path) -> None:
    said = run("cards", ruleset, "--kind", kind, "--out", tmp_path)
    with pikepdf.open(Path(said.out.strip())) as pdf:
        for page in pdf.pages:
            assert _artifacts(page) == []
        cards = [one for one in pdf.Root.StructTreeRoot.K.K if one.S == "/Sect"]
        for card in cards:
            assert [str(kid.S) for kid in card.K].count("/H1") == 1
            assert card.K[0].S == "/H1"
            assert "/Alt" not in card.K[0]
        alone = [kid for card in cards for kid in card.K if "/ActualText" in kid]
        assert not any(str(kid.ActualText).startswith("Dexterity") for kid in alone)
        told = [str(kid.Alt) for card in cards for kid in card.K if "/Alt" in kid]
        assert told
