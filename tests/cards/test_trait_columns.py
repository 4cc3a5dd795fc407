"""Half-letter cards list all skills of a ruleset, also those that a homebrew adds."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest

from tests.pictures.test_page_pictures import printed

NEW = [*("Kites", "Rope Work", "Diving", "Stilts", "Juggling", "Escape", "Mimicry", "Skating")]
NEW += ["Zero Gravity Manoeuvres", "Knife Throwing at Close Quarters"]


SPREAD = ("strength", "technical", "perception")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "parents", "times"),
    [("d6-pips", SPREAD, 2), ("hyperspace-d6", SPREAD, 2), ("d6-pips", ("dexterity",), 1)],
)
def test_no_skill_is_lost(base: str, parents: tuple[str, ...], times: int, tmp_path: Path) -> None:
    """Lists that fit repeat the NPC's own skills; lists that are too long are left out."""
    traits = "".join(
        f"      new_{n}: {{name: {name}, under: {parents[n % len(parents)]}, text: New}}\n"
        for n, name in enumerate(NEW)
    )
    (tmp_path / "traits.yaml").write_text(f"groups:\n  skills:\n    traits:\n{traits}")
    (tmp_path / "ruleset.yaml").write_text(
        f"id: brew\ntitle: Brew\nextends: {base}\nversion: 1\nformat: 1\nlang: en\n"
        "credit: {short: Mine, long: Mine, licence: none stated}\n"
    )
    npc = tmp_path / "npc.yaml"
    skills = ", ".join(f"{name}: {3 + n % 3}D" for n, name in enumerate(NEW))
    npc.write_text(
        "ruleset: .\nkind: npc\ngroup: Crew\nentries:\n  - name: Rigger\n"
        f"    attributes: {{DEX: 3D, KNO: 2D, STR: 2D}}\n    skills: {{{skills}}}\n"
    )
    words = ("cards", npc, "--size", "half-letter", "--single")
    (content,) = printed(tmp_path / "out", *map(str, words)).values()
    document = pypdfium2.PdfDocument(content)
    assert len(document) == 1
    width, height = document[0].get_size()
    text = document[0].get_textpage().get_text_bounded(0, 0, width, height)
    assert [name for name in NEW if " ".join(text.split()).count(name) != times] == []
