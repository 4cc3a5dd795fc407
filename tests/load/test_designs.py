"""Mistakes in design files are findings at their place: never a traceback, never silence."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sheetgen.data import data_folder
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.load.designs.designs import (
    check_design,
    load_card,
    load_design,
    load_page_design,
    load_presets,
)
from sheetgen.load.designs.templates import load_scene, sheet_ids, theme_ids
from sheetgen.load.designs.themes import find_theme, load_face
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.materials.plates import render_plate_markup
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from sheetgen.plan.cards.cards import boxes_of
from sheetgen.plan.cards.kinds import CardContext, Subject
from sheetgen.plan.contexts import build_blank_context
from sheetgen.plan.imposition import CARDS
from tests.samples import ALL
from tests.shelf import TESTS, ruleset

pytestmark = pytest.mark.many

TOP = TESTS.parent / "templates"
FILES = sorted(path.relative_to(TOP).as_posix() for path in TOP.rglob("*.yaml"))


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Return a copy of all designs that prints are made from: the text of each YAML file."""
    top = tmp_path_factory.mktemp("designs") / "templates"
    shutil.copytree(data_folder() / "templates", top)
    (top.parent / "content").symlink_to(data_folder() / "content")
    return {top / name: (top / name).read_text(encoding="utf-8") for name in FILES}


@pytest.fixture
def designs(copied: dict[Path, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the copy, whose files have their own text again after the test."""
    top = next(iter(copied)).parents[FILES[0].count("/")]
    monkeypatch.setattr("sheetgen.data.data_folder", lambda: top.parent)
    yield top
    for path, text in copied.items():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def findings_of(name: str) -> tuple[Finding, ...]:
    """Return what loading the designs that a file belongs to says."""
    folder, _, file = name.partition("/")
    theme = Path(file).stem if file.startswith("themes/") else "standard"
    if file == "presets.yaml":
        load_presets.cache_clear()
        try:
            load_presets()
        except DesignError as error:
            return error.findings
        return ()
    if (TOP / folder / "card.yaml").is_file() or folder == "_cards":
        design = "thing-card" if folder == "_cards" else folder
        return load_card(design, theme, "poker", CARDS["poker"]).findings
    if folder == "_faces":
        try:
            return load_page_design(theme, "a4", face=load_face(Path(file).stem)).findings
        except DesignError as error:
            return error.findings
    if folder == "_scenes":
        tokens = find_theme("standard").tokens("_tables")
        try:
            load_scene(replace(tokens, css={**tokens.css, "scene": Path(file).stem}))
        except DesignError as error:
            return error.findings
        return ()
    if folder == "_dice":
        return load_design("narrative-powers", theme, "a4").findings
    if folder.startswith("_") and folder != "_shared":
        more = () if folder == "_tables" else (folder,)
        return load_page_design(theme, "a4", *more).findings
    return load_design("plain" if folder == "_shared" else folder, theme, "a4").findings


@pytest.mark.parametrize("name", FILES)
def test_our_files_are_clean(name: str, designs: Path) -> None:
    assert findings_of(name) == ()


def test_hints_list_strips_in_order(designs: Path) -> None:
    file = designs / "thing-card" / "card.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"strip: [a-z-]+", "strip: qqqq", text, count=1), encoding="utf-8")
    hints = [f.hint for f in findings_of("thing-card/card.yaml") if "`qqqq`" in f.message]
    listed = [hint.partition(": ")[2].removesuffix(", …").split(", ") for hint in hints]
    assert listed
    assert all(names == sorted(names) for names in listed)


def _leaves(node: Node, keys: bool = False) -> Iterator[ScalarNode]:
    """Yield the keys, or the values, below a node."""
    for key, below in node.entries if isinstance(node, Pairs) else ():
        if keys:
            yield key
        yield from _leaves(below, keys)
    for item in node.items if isinstance(node, Many) else ():
        yield from _leaves(item, keys)
    if isinstance(node, ScalarNode) and not keys:
        yield node


def _changed(text: str, leaf: ScalarNode, new: str) -> str:
    lines = text.splitlines(keepends=True)
    line, at = lines[leaf.span.line - 1], leaf.span.column - 1
    lines[leaf.span.line - 1] = line[:at] + new + line[at + leaf.span.width :]
    return "".join(lines)


@pytest.mark.parametrize("name", FILES)
def test_every_misspelt_key_is_a_finding(name: str, designs: Path) -> None:
    path = designs / name
    text = path.read_text(encoding="utf-8")
    root = parse_yaml(text, name).value
    assert root is not None
    assert isinstance(root.root, Pairs)
    silent = []
    alike = dict(reversed([*_known_keys(root.root, name)]))
    for depth in {len(above) for above in alike}:
        # Keys of the items of a list are read alike; those of one depth do not hide each other.
        keys = [key for above, key in alike.items() if len(above) == depth]
        for key in _unreported(path, name, text, keys):
            path.write_text(_misspell(text, [key]), encoding="utf-8")
            if not findings_of(name):
                silent.append(f"{key.span.line}: {key.raw}")
    assert silent == []


def _unreported(path: Path, name: str, text: str, keys: list[ScalarNode]) -> list[ScalarNode]:
    """Return which of `keys` have no finding at their places if all of them are misspelt."""
    path.write_text(_misspell(text, keys), encoding="utf-8")
    said = {(f.span.line, f.span.column) for f in findings_of(name) if f.span.file == str(path)}
    starts = [(key.span.line, key.span.column) for key in keys]
    shifts = [sum(a == line and b < at for a, b in starts) for line, at in starts]
    spots = zip(keys, starts, shifts, strict=True)
    return [key for key, (line, at), shift in spots if (line, at + shift) not in said]


def _misspell(text: str, keys: list[ScalarNode]) -> str:
    for key in sorted(keys, key=lambda one: one.span.column, reverse=True):
        text = _changed(text, key, f"{key.raw}x")
    return text


def _known_keys(
    node: Node, name: str, path: tuple[str, ...] = ("",)
) -> Iterator[tuple[tuple[str, ...], ScalarNode]]:
    """Yield the keys whose names are fixed, and their paths; names in tokens are used by others."""
    above = path[-1]
    for key, below in node.entries if isinstance(node, Pairs) else ():
        named = above in ("names", "less", "noted", "words", "run", "tracks")
        named |= above in ("shapes", "strips", "texts")
        named |= bool(re.fullmatch(r"(a4|letter)(-large)?", above)) or above in ("cards", "modules")
        tokens = Path(name).name != "sheet.yaml" and Path(name).name != "card.yaml"
        named |= tokens and above in ("colours", "fonts", "letters", "roles", "ticks", "css")
        named |= name.endswith("presets.yaml") and not above
        if not named:
            yield (*path, key.raw), key
        yield from _known_keys(below, name, (*path, key.raw))
    for item in node.items if isinstance(node, Many) else ():
        yield from _known_keys(item, name, (*path, ""))


WRONG = ("[[x]]", "{zz: 1}", "wounnds", "-3.5")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [(name, w) for n, name in enumerate(FILES) for w in (WRONG if ALL else WRONG[n % 2 :: 2])],
)
def test_a_value_of_the_wrong_kind_never_raises(name: str, wrong: str, designs: Path) -> None:
    path = designs / name
    text = path.read_text(encoding="utf-8")
    root = parse_yaml(text, name).value
    assert root is not None
    assert root.root is not None
    leaves = [*_leaves(root.root)]
    step = max(1, len(leaves) // 20)
    said = 0
    for leaf in leaves[WRONG.index(wrong) * step // len(WRONG) :: step]:  # each wrong one elsewhere
        path.write_text(_changed(text, leaf, wrong), encoding="utf-8")
        said += bool(findings_of(name))
    assert said or not leaves


NPC = "hyperspace-d6-npc/card.yaml"
NAMES = [
    (
        NPC,
        "when: weapons.1.attack",
        "when: weapons.1.atack",
        "weapons.1.atack",
    ),
    (
        NPC,
        "when: weapons.1.attack",
        "when: weapon.1.attack",
        "weapon.1.attack",
    ),
    (NPC, "[kind.text, group]}", "[kind.text, gruop]}", "gruop"),
    (NPC, "unless: force", "unless: forse", "forse"),
    ("thing-card/card.yaml", "when: hero.value", "when: hero.valu", "hero.valu"),
    ("thing-card/card.yaml", "{emblem: emblem}", "{emblem: emblm}", "emblm"),
    (NPC, 'inside: "−{n}D"', 'inside: "−{m}D"', "−{m}D"),
    ("power-card/card.yaml", "dice: you", "dice: yuo", "yuo"),
    ("d6-pips/sheet.yaml", "if_there: [difficulties", "if_there: [dificulties", "dificulties"),
    ("d6-pips/sheet.yaml", "tables: [improvement]", "tables: [improvment]", "improvment"),
]


@pytest.mark.parametrize(("name", "old", "new", "wrong"), NAMES)
def test_a_name_that_leads_nowhere_is_a_finding(
    name: str, old: str, new: str, wrong: str, designs: Path
) -> None:
    path = designs / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = check_design(path)
    assert found
    lines = path.read_text(encoding="utf-8").splitlines()
    for one in found:
        assert one.hint
        assert one.code.id == "SG310"
        assert lines[one.span.line - 1][one.span.column - 1 :].startswith(wrong), found


@pytest.mark.parametrize("theme", theme_ids())
def test_a_theme_that_is_broken_names_its_place(theme: str, designs: Path) -> None:
    path = designs / "_shared" / "themes" / f"{theme}.yaml"
    path.write_text("colours:\n  inkk: '#000000'\n", encoding="utf-8")
    (finding,) = load_design("plain", theme, "a4").findings
    assert (finding.span.line, finding.span.column) == (2, 3)
    assert finding.hint == "did you mean `ink`?"


def test_a_table_that_a_ruleset_lacks_is_a_finding_of_its_sheet(designs: Path) -> None:
    path = designs / "d6-pips" / "sheet.yaml"
    text = path.read_text(encoding="utf-8").replace("tables: [improvement]", "tables: [improvment]")
    path.write_text(text, encoding="utf-8")
    design = load_design("d6-pips", "standard", "a4").value
    assert design is not None
    with pytest.raises(DesignError, match="improvment"):
        build_blank_context(ruleset("d6-pips"), design.facts, ("standard", "a4"))


def test_a_track_that_a_card_lacks_is_a_finding_where_the_design_names_it(designs: Path) -> None:
    path = designs / "hyperspace-d6-npc" / "card.yaml"
    text = path.read_text(encoding="utf-8").replace("track: wounds", "track: wounnds")
    path.write_text(text, encoding="utf-8")
    design = load_card("hyperspace-d6-npc", "standard", "poker", CARDS["poker"]).value
    assert design is not None
    (entry,) = (entry for entry in design.facts["order"] if entry.track)
    with pytest.raises(DesignError) as raised:
        boxes_of(entry.track, Subject("Trooper", CardContext(), tracks={"wounds": 4}))
    (finding,) = raised.value.findings
    assert finding.hint == "did you mean `wounds`?"
    assert text.splitlines()[finding.span.line - 1][finding.span.column - 1 :].startswith("wounnds")


def test_a_value_that_a_template_misses_is_a_finding(designs: Path) -> None:
    """Rows are named by templates, so that only these know a misspelt name."""
    design = load_design("keyword-dots", "standard", "a4").value
    assert design is not None
    rules = ruleset("keyword-dots")
    context = build_blank_context(rules, design.facts, ("standard", "a4"))
    lacking = {**design.facts, "rows": {"a4": {"specialz": 7}}}
    with pytest.raises(DesignError) as raised:
        render_plate_markup(design, design.template, {**context, "sheet": lacking})
    assert raised.value.findings[0].span.file.endswith(".j2")


def test_steps_of_a_track_can_be_drawn_on_every_sheet() -> None:
    for sheet in sheet_ids():
        design = load_design(sheet, "standard", "a4").value
        assert design is not None
        assert "step" in design.tokens.shapes
        assert "step" in design.tokens.css["tick-wound-also"].split()
