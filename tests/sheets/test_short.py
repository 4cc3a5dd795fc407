"""Short sheets: what a character has, and nothing else, on as much paper as it needs."""

from __future__ import annotations

import pymupdf
import pytest

from sheetgen.plan.contexts import build_short_sheet
from sheetgen.prints.characters import Character
from sheetgen.prints.sheet import SheetRequest, print_short_sheets
from sheetgen.units import PAPER_SIZES
from tests.ink.collisions import find_collisions
from tests.printing import CHARACTERS, FULLEST, character_at, character_from
from tests.render.ua_rules import faults

OF_GAME = {id_: [p for p in CHARACTERS if p.parent.name == id_] for id_ in FULLEST}


def text_of(pdf: bytes) -> list[str]:
    with pymupdf.open(stream=pdf) as document:
        return [page.get_text() for page in document]


def printed_short(paths: list[object], paper: str = "a4", theme: str = "standard") -> bytes:
    return printed_all([character_at(path) for path in paths], paper, theme)  # type: ignore[arg-type]


def printed_all(found: list[Character], paper: str, theme: str = "standard") -> bytes:
    request = SheetRequest(formats=("pdf",), paper=paper, theme=theme)  # type: ignore[arg-type]
    results = [*print_short_sheets(found, request)]
    (made,) = [one.files["pdf"] for one in results if one.files]
    return made


@pytest.mark.parametrize("id_", FULLEST)
def test_it_has_what_the_character_has_and_no_more(id_: str) -> None:
    one = character_at(FULLEST[id_])
    assert one.build is not None
    assert one.rules is not None
    short = build_short_sheet(one.build, one.rules)
    listed = [row["cells"][0] for part in short["lists"] for row in part["rows"]]
    for rows in one.build.rows.values():
        for row in rows:
            assert next(iter(row.values())) in listed
    traits = {row["name"] for part in short["groups"] for row in part["rows"]}
    inner = {str(id_) for id_, group in one.rules.groups.items() if group.internal}
    own = [r for r in one.build.ratings.values() if r.own and r.total > 0]
    assert {r.name for r in own if r.group not in inner} <= traits
    assert not {r.name for r in own if r.group in inner} & traits
    nothing = {r.name for r in one.build.ratings.values() if r.total <= 0}
    assert not nothing & traits


def test_each_column_says_whose_it_is() -> None:
    first, *_ = text_of(printed_short(OF_GAME["narrative-powers"]))
    assert first.count("CALLED CALLA") + first.count("called Calla") == 2


def test_what_is_used_up_has_boxes() -> None:
    one = character_at(FULLEST["narrative-powers"])
    assert one.build is not None
    assert one.rules is not None
    short = build_short_sheet(one.build, one.rules)
    uses = {part["label"]: [row["uses"] for row in part["rows"]] for part in short["lists"]}
    assert uses["Once an encounter"] == [1]
    assert uses["Once a day"] == [1]
    assert not any(uses["At will"])
    (path,) = [p for p in CHARACTERS if p.stem == "pell_marrow"]
    thrown = character_at(path)
    assert thrown.build is not None
    assert thrown.rules is not None
    lists = build_short_sheet(thrown.build, thrown.rules)["lists"]
    (grenade,) = [r for p in lists for r in p["rows"] if r["cells"][0] == "Frag Grenade ×3"]
    assert grenade["uses"] == 3
    assert grenade["cells"][1:3] == ["4D", "3D"]


@pytest.mark.many
@pytest.mark.parametrize("paper", ["a4", "letter", "a5", "half-letter"])
def test_several_share_a_page_of_their_paper(paper: str) -> None:
    paths = [p for p in OF_GAME["hyperspace-d6"] if p.stat().st_size < 520][:4]
    pdf = printed_short([*paths], paper)
    with pymupdf.open(stream=pdf) as document:
        wide, high = PAPER_SIZES[paper]
        sizes = {
            (round(p.rect.width / 72 * 25.4), round(p.rect.height / 72 * 25.4)) for p in document
        }
        assert sizes == {(round(wide), round(high))}
        abreast = 2 if paper in ("a4", "letter") else 1
        assert len(document) <= -(-len(paths) // abreast) + (abreast == 1) * len(paths)
        least = min(
            span["size"]
            for page in document
            for block in page.get_text("dict")["blocks"]
            for line in block.get("lines", ())
            for span in line["spans"]
            if span["text"].strip()
        )
        assert least >= 8 - 0.01
    assert find_collisions(pdf, 8.0) == []


@pytest.mark.parametrize(("id_", "paper"), [("narrative-powers", "a4"), ("d6-pips", "a5")])
def test_long_words_stay_in_their_column(id_: str, paper: str) -> None:
    """A word of 80 letters made each block wider than its column, over the next one."""
    word = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
    text = FULLEST[id_].read_text(encoding="utf-8").partition("notes:")[0]
    told = f"{text}\nnotes: {word} and {word.lower()}\ngoals: [Ask the {word}]\n"
    pdf = printed_all([character_from(told, id_)], paper)
    assert find_collisions(pdf, 8.0) == []
    assert word in "".join(filter(str.isalpha, "".join(text_of(pdf))))


@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_accents_of_a_long_name_stay_clear_of_the_line_above(theme: str) -> None:
    """The italics of this game hang low, and a caron on a capital rises high."""
    text = FULLEST["keyword-dots"].read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("name:")]
    named = "name: Quartermaster-General Gyges Æsir Žluťoučký Überwachung, Šťastný Åby of Ǖ"
    pdf = printed_all([character_from("\n".join([*lines, named]), "keyword-dots")], "a4", theme)
    assert find_collisions(pdf, 8.0) == []


@pytest.mark.parametrize(("id_", "state"), [("d6-pips", "Wounded"), ("narrative-powers", "Winded")])
def test_states_have_boxes(id_: str, state: str) -> None:
    text = FULLEST[id_].read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("condition:")]
    one = character_from("\n".join([*lines, f"condition: {state}"]), id_)
    assert one.build is not None
    assert one.rules is not None
    ((label, states),) = build_short_sheet(one.build, one.rules)["states"]
    assert label == "Condition"
    assert [name for name, on in states if on] == [state]
    assert [*dict(states)] == [e.name for e in one.rules.choices["condition"].entries.values()]
    printed = " ".join(" ".join(text_of(printed_all([one], "a4"))).split())
    assert all(name in printed for name in dict(states))


@pytest.mark.many
@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("id_", FULLEST)
def test_they_are_read_aloud_in_order(id_: str, theme: str) -> None:
    assert faults(printed_short([*OF_GAME[id_][:3]], theme=theme)) == []


@pytest.mark.parametrize("game", ["d20", "percentile"])
def test_any_ruleset_has_short_sheets(game: str) -> None:
    from tests.shelf import OWN

    path = OWN / "shapes" / game / "long.yaml"
    pages = text_of(printed_short([path]))
    build = character_at(path).build
    assert build is not None
    assert build.name.split()[0] in " ".join(pages)
