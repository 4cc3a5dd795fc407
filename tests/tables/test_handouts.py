"""Handouts: Markdown in the face of a game, with blocks of its rules inside."""

from __future__ import annotations

import html
import re
from itertools import islice
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sheetgen.diag.codes import TOO_MUCH
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import set_apostrophes
from sheetgen.plugins.tabletop.handouts import HandoutRequest, print_handouts
from sheetgen.prints.cards import thing_cards
from sheetgen.prints.characters import load_stock_characters
from sheetgen.prints.kinds import PrintContext
from sheetgen.rules.tables.compute import CHARACTERS
from tests.cli.commands import ROOT, run
from tests.render.ua_rules import faults

HEAD = "---\nruleset: hyperspace-d6\n---\n\n"
SAMPLE = ROOT / "content" / "handouts" / "hyperspace-d6" / "toll-at-the-bridge.md"


def _blocks(rules: Ruleset) -> dict[str, list[str]]:
    """Return lines that name a block of each kind, with what it has to show."""
    lines: dict[str, list[str]] = {}
    for kind, of in rules.kinds.items():
        hidden = of.block.hidden if of.block else ()
        for one in islice(load_stock_characters(rules, str(kind), {}), 2):
            assert one.build is not None
            values = (d for id_, d in one.build.derived.items() if id_ not in hidden and d.label)
            known = [d.shown for d in values if d.shown not in ("", "0")]
            lines[f"![[{kind}: {one.build.name}]]"] = [one.build.name, *known]
    for set_ in map(str, rules.card_sets):
        if set_ != "odds":
            card = next(iter(thing_cards(rules, set_, {})), None)
            lines |= {f"![[{set_}: {card.about.name}]]": [card.about.name]} if card else {}
    tables = ((id_, one) for id_, one in rules.tables.items() if one.of != CHARACTERS)
    for id_, table in islice(tables, 3):
        lines[f"![[table: {id_}]]"] = [table.label]
    for grid in islice(rules.odds.grids.values() if rules.odds else (), 1):
        lines[f"![[odds: {grid.label}]]"] = [grid.label]
    return lines


def _words(page: str) -> str:
    body = page[page.index("<main") :]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def _print(text: str, folder: Path) -> tuple[str, list[str]]:
    """Return the HTML of a handout and its findings, as code and place."""
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    request = HandoutRequest((str(path),), formats=("html",))
    results = [*print_handouts(request, PrintContext())]
    found = [f"{f.code.id}:{f.span.line}:{f.span.column}" for r in results for f in r.findings]
    pages = [data.decode() for r in results for data in r.files.values()]
    return (pages or [""])[0], found


@pytest.mark.many
@pytest.mark.parametrize("game", ruleset_ids())
def test_every_kind_of_block_of_each_game(game: str, tmp_path: Path) -> None:
    rules = load_ruleset(rulesets_folder() / game, complete=True).value
    assert rules is not None
    blocks = _blocks(rules)
    path = tmp_path / "blocks.md"
    path.write_text(f"---\nruleset: {game}\n---\n# All\n\n" + "\n\n".join(blocks), encoding="utf-8")
    request = HandoutRequest((str(path),), formats=("pdf", "html"))
    results = [*print_handouts(request, PrintContext())]
    assert not [f.message for r in results for f in r.findings if f.severity.name == "ERROR"]
    files = results[-1].files
    shown = _words(files["html"].decode())
    for line, expected in blocks.items():
        for text in expected:
            assert " ".join(set_apostrophes(text).split()) in shown, (line, text)
    assert faults(files["pdf"]) == []


def test_stat_blocks_leave_out_what_counts_nothing(tmp_path: Path) -> None:
    """No nought behind the large figures, no steps of computing; a character names what it has."""
    hero = ROOT / "content" / "characters" / "narrative-powers" / "wen_darro.yaml"
    (tmp_path / "hero.yaml").write_bytes(hero.read_bytes())
    text = "---\nruleset: narrative-powers\n---\n\n![[npc: Barrow Cantor]]\n\n![[hero.yaml]]\n"
    shown, hero_shown = _print(text, tmp_path)[0].split("Wen Darro")[:2]
    npc, hero_words = _words(shown), hero_shown.split("</article>")[0]
    assert "Soak vs unholy 2" in npc
    for missing in ("Soak vs fire", "Class threshold", "3 × vs weapon"):
        assert missing not in npc
    assert "Split Volley" in hero_words
    assert "When a neighbor provokes" not in hero_words
    assert len(hero_words) < 6000


@pytest.mark.slow
def test_the_sample_prints_as_one_tagged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("handout", str(SAMPLE))
    assert said.status == 0, said.err
    with pikepdf.open("output/toll-at-the-bridge.pdf") as pdf:
        assert len(pdf.pages) <= 3
    assert faults(Path("output/toll-at-the-bridge.pdf").read_bytes()) == []


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("![[npc: Stormtroper]]", "SG201", "Stormtrooper"),
        ("![[tabel: difficulties]]", "SG201", "table"),
        ("![[gear: nothing like it]]", "SG201", ""),
        ("![[table: difficulty]]", "SG201", "difficulties"),
        ("![[odds: what]]", "SG501", "Odds of success"),
        ("![[Stormtrooper]]", "SG201", ""),
        ("![[gone.yaml]]", "SG001", ""),
        ("before ![[npc: Stormtrooper]]", "SG010", "line of its own"),
    ],
)
def test_what_cannot_be_found_is_a_finding_at_its_place(
    line: str, code: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(f"{HEAD}# Title\n\n{line}\n", encoding="utf-8")
    said = run("handout", "page.md")
    assert said.status == 1
    place = "page.md:7:" if code != "SG001" else "gone.yaml:1:1"
    assert f"{place}" in said.err
    assert f"[{code}]" in said.err
    assert hint in said.err
    assert not Path("output/page.pdf").exists()


@pytest.mark.parametrize(
    ("head", "place"),
    [
        ("", "SG012:1:1"),
        ("hello", "SG012:1:1"),
        ("---\n---\n", "SG012:1:1"),
        ("---\n- a\n---\n", "SG010:2:1"),
        ("---\nruleset: [\n---\n", "SG003:3:1"),
        ("---\nruleset: x\n", "SG012:1:1"),
    ],
)
def test_a_head_that_cannot_be_read(head: str, place: str, tmp_path: Path) -> None:
    assert _print(head, tmp_path) == ("", [place])


def test_markup_of_strangers_is_text(tmp_path: Path) -> None:
    text = "<script>alert(1)</script> [x](javascript:alert(2)) ![p](http://a.example/b.png)"
    page, found = _print(HEAD + text, tmp_path)
    assert "&lt;script&gt;" in page
    assert 'href="javascript' not in page
    assert "a.example" not in page[page.index("<main") :]
    assert found == ["SG902:5:57"]


def test_what_is_nested_too_deep_is_told(tmp_path: Path) -> None:
    _, found = _print(HEAD + "> " * 300 + "deep", tmp_path)
    assert f"{TOO_MUCH.id}:5:1" in found


_WORD = st.text(st.characters(categories=("Ll", "Lu", "Nd"), max_codepoint=0x17F), min_size=1)
_LINE = st.tuples(
    st.sampled_from(
        ("", "# ", "### ", "- ", "1. ", "> ", "> [!note] ", "> [!wide]\n> ", "**", "\\page\n\n")
    ),
    st.lists(_WORD, min_size=1, max_size=6),
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(_LINE, min_size=1, max_size=8))
def test_no_word_is_lost(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, list[str]]]
) -> None:
    text = "\n\n".join(mark + " ".join(words) for mark, words in lines)
    page, found = _print(HEAD + text, tmp_path_factory.mktemp("handout"))
    assert not [one for one in found if not one.startswith("SG303")]
    shown = _words(page)
    for _, words in lines:
        for word in words:
            assert word in shown


def test_a_handout_is_checked_with_the_options_of_the_command(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("---\nruleset: d6-pips\n---\n# Rain\n", "utf-8")
    assert run("check", page).status == 0
    said = run("check", page, "--set", "creation.points=many")
    assert (said.status, "`creation.points` cannot be `many`" in said.err) == (2, True)


def test_an_entry_of_a_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text(HEAD + "# First\n\ntext\n", encoding="utf-8")
    Path("b.md").write_text(HEAD + "# Second\n\ntext\n", encoding="utf-8")
    Path("book.yaml").write_text("entries:\n  - handouts: ['*.md']\n", encoding="utf-8")
    said = run("build", "book.yaml", "--jobs", "1")
    assert said.status == 0, said.err
    assert {path.name for path in Path().glob("**/*.pdf")} == {"a.pdf", "b.pdf"}


def _picture(folder: Path, name: str) -> None:
    Image.new("RGB", (400, 300), "white").save(folder / name)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A *b* from [c](http://d.example) `e`\n\nf", "<h1>A b from c e</h1>"),
        ("> [!note] A **b** c\n> d", "<strong>b</strong> c</p><p>d</p>"),
        ("> [!note]- Folded\n> d", '<p class="box-title">Folded</p><p>d</p>'),
        ("> [!note] *a\n> b* c\n> d", '<p class="box-title"><em>a\nb</em> c</p><p>d</p>'),
        ("> [!wide]\n> ![m](map.png)", "<figure><img"),
        ("> [!wide]\n>\n> ![[table: difficulties]]\n>\n> b\n\nc", '</div><div class="text"><p>c'),
        ("a\n\n# B\n\n## C\n\n> [!wide]\n> d", '<div class="text whole"><h2 class="level-2">B'),
        ("![a **b**](map.png)", 'alt="a b"'),
        ("![m](<my map.png>)", 'alt="m"'),
        ("![m](map%20ü.png)", 'alt="m"'),
        ("[![m](map.png)](http://d.example)", "<figure><a"),
        ("write `![[npc: x]]` and `\\page`", "<code>![[npc: x]]</code>"),
        ("##\n\nb", '<div class="text">\n<p>b'),
        ("| a | b |\n|:-:|--:|\n| 1 | 2 |", '<td class="mid">1</td>\n<td class="f">2</td>'),
    ],
)
def test_what_markdown_means(text: str, shown: str, tmp_path: Path) -> None:
    for name in ("map.png", "my map.png", "map ü.png"):
        _picture(tmp_path, name)
    page, found = _print(HEAD + text, tmp_path)
    assert found == []
    body = re.sub(r">\s+<(?=/?(div|p|blockquote|figure|h1))", "><", page)
    assert re.sub(r">\s+<(?=/?(div|p|blockquote|figure|h1))", "><", shown) in body
    assert len(re.findall("<div", body)) == len(re.findall("</div", body))


@pytest.mark.parametrize(("columns", "spans"), [(1, False), (2, False), (3, True)])
def test_a_table_that_is_wider_than_a_column_spans_all(
    columns: int, spans: bool, tmp_path: Path
) -> None:
    cells = "| Alphabetical | Two | Gammamillion | Delta | 1,000,000 |"
    text = f"a\n\n## B\n\n{cells}\n|---|---|---|---|---|\n{cells}\n\nc"
    page, found = _print(HEAD.replace("---\n\n", f"columns: {columns}\n---\n\n") + text, tmp_path)
    assert found == []
    assert ('</div><div class="text whole"><h2' in page) == spans
    assert len(re.findall("<div", page)) == len(re.findall("</div", page))


def test_headings_stay_with_a_wide_table(tmp_path: Path) -> None:
    text = "a\n\n## B\n\n![[table: conditions]]"
    page, found = _print(HEAD.replace("hyperspace-d6", "narrative-powers") + text, tmp_path)
    assert found == []
    assert '</div><div class="text whole"><h2 class="level-2">B' in page


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("> a\n>\n> \\page", ["SG010:7:3"]),
        ("- a\n\n  \\column", ["SG010:7:3"]),
        ("a\n\\page\nb", ["SG010:6:1"]),
        ("| a |\n|---|\n| ![[npc: Stormtrooper]] |", ["SG010:7:3"]),
        ("![[npc: Stormtrooper|small]]", ["SG201:5:1"]),
        ("![[]]\n\n![[npc:]]", ["SG201:5:1", "SG201:7:1"]),
        ("a\n\n[b]: c\n[d]: http://e.example", ["SG201:7:1", "SG201:8:1"]),
        ("a[^1]\n\n[^1]: b", ["SG201:7:1"]),
        ("a\n![b](map.png 'c') d", ["SG010:5:1"]),
        ("", ["SG007:4:1"]),
    ],
)
def test_words_that_are_not_printed_are_told(text: str, places: list[str], tmp_path: Path) -> None:
    _picture(tmp_path, "map.png")
    _, found = _print(HEAD + text, tmp_path)
    assert found == places


@pytest.mark.slow
def test_lists_links_and_pictures_have_the_tags_of_pdf_ua(tmp_path: Path) -> None:
    _picture(tmp_path, "map.png")
    inside = ("> a", "### a", "```\n  a\n  ```", "a\n\n  b\n\n  - c", "| a |\n  |---|\n  | b |")
    inside = (*inside, "![m](map.png)", "![[npc: Stormtrooper]]", "![[odds: 5D vs 14]]", "")
    text = "\n\n".join(f"- {one}" for one in inside)
    text += "\n\n[![m](map.png)](http://d.example) and [a ![](map.png)](http://e.example)"
    (tmp_path / "page.md").write_text(f"{HEAD}# T\n\n{text}\n", encoding="utf-8")
    request = HandoutRequest((str(tmp_path / "page.md"),), formats=("pdf",))
    files = [*print_handouts(request, PrintContext())][-1].files
    assert faults(files["pdf"]) == []


def test_hostile_brackets_are_read_once(tmp_path: Path) -> None:
    page, found = _print(f"{HEAD}a {'![[' * 2000}{'![[' + ' ' * 20_000}x", tmp_path)
    assert page
    assert found == []
