"""Texts of random NPCs come back equal in each style, and no word of any text is lost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.plugins.exchange.pasted.layout import strip_markup
from sheetgen.plugins.exchange.words import Words, load_text_map
from sheetgen.rules.index import folded, index_of
from tests.exchange.test_pasted import data_of, left_in, pasted, rules_of

Values = dict[str, dict[str, str]]
Style = Callable[[str, Values], str]


def _flat(values: Values) -> list[tuple[str, str]]:
    return [pair for group in values.values() for pair in group.items()]


def _lines(name: str, values: Values) -> str:
    return "\n".join([name, *(f"{trait}: {value}" for trait, value in _flat(values))])


def _commas(name: str, values: Values) -> str:
    return name + "\n" + ", ".join(f"{trait} {value}" for trait, value in _flat(values))


def _wrapped(name: str, values: Values) -> str:
    parts = [f"{trait} {value}" for trait, value in _flat(values)]
    rows = (", ".join(parts[at : at + 2]) for at in range(0, len(parts), 2))
    return name + "\n" + ",\n".join(rows)


def _first(name: str, values: Values) -> str:
    return f"# {name}\n\n" + "; ".join(f"{value} {trait}" for trait, value in _flat(values))


def _bullets(name: str, values: Values) -> str:
    rows = "\n".join(f"* **{trait}** – {value}" for trait, value in _flat(values))
    return f"**{name}**\n\n{rows}"


def _table(name: str, values: Values) -> str:
    rows = "\n".join(f"| {trait} | {value} |" for trait, value in _flat(values))
    return f"## {name}\n\n| | |\n|---|---|\n{rows}"


def _wide(name: str, values: Values) -> str:
    heads, cells = zip(*_flat(values), strict=True)
    rule = "|".join("---" for _ in range(len(heads) + 1))
    return f"| Name | {' | '.join(heads)} |\n|{rule}|\n| {name} | {' | '.join(cells)} |"


def _wiki(name: str, values: Values) -> str:
    rows = "\n|-\n".join(f"| '''{trait}'''\n| {value}" for trait, value in _flat(values))
    return f"== {name} ==\n{{|\n{rows}\n|}}"


def _brackets(name: str, values: Values) -> str:
    return f"{name}\n" + ", ".join(f"{trait.upper()} ({value})" for trait, value in _flat(values))


STYLES: list[Style] = [_lines, _commas, _wrapped, _first, _bullets, _table, _wide, _wiki, _brackets]


def values_of(rules: str, kind: str) -> st.SearchStrategy[Values]:
    """Return ratings of traits whose names mean one thing each, by the key of the file."""
    whole = rules_of(rules)
    own = kind_rules(whole, kind)
    words = Words(own, load_text_map(whole).value or pytest.fail("no map"), whole)
    pairs: dict[str, list[tuple[str, str]]] = {}
    for group, key in words.rated.items():
        rule = own.groups[group]
        for trait in rule.traits.values():
            title = index_of(own).titles[next(i for i, t in rule.traits.items() if t is trait)]
            stored = [m for m in words.find(title) if m.sort != "derived"]
            numbers = [m for m in stored if m.sort == "key"]
            if len(stored) == 1 and not numbers and "/" not in title:
                pairs.setdefault(key, []).append((title, rule.rating or "dots"))

    def value(rating: str) -> st.SearchStrategy[str]:
        if rating == "dice":
            pips = ["", "+1", "+2"] if own.pips else [""]
            return st.builds("{}D{}".format, st.integers(1, 9), st.sampled_from(pips))
        if rating == "die":
            return st.sampled_from(["d4", "d6", "d8", "d10", "d12"])
        return st.integers(1, 5).map(str)

    def some(titles: list[tuple[str, str]]) -> st.SearchStrategy[dict[str, str]]:
        few = st.lists(st.sampled_from(titles), min_size=2, max_size=8, unique=True)
        return few.flatmap(lambda kept: st.fixed_dictionaries({t: value(r) for t, r in kept}))

    return st.fixed_dictionaries({key.replace("_", " "): some(t) for key, t in pairs.items()})


KINDS = [
    ("d6-pips", "npc"),
    ("hyperspace-d6", "npc"),
    ("keyword-dots", "npc"),
    ("narrative-powers", "npc"),
    ("saltglass", "minion"),
]


@pytest.mark.many
@pytest.mark.parametrize(("rules", "kind"), KINDS)
@given(data=st.data())
def test_values_come_back_in_each_style(rules: str, kind: str, data: st.DataObject) -> None:
    values = data.draw(values_of(rules, kind))
    style = data.draw(st.sampled_from(STYLES))
    text = style("Vell of the Nine", values)
    result = pasted(rules, text, kind)
    found = data_of(result)
    assert len(found) == 1, text
    assert found[0].pop("name") == "Vell of the Nine"
    assert {key: found[0][key] for key in values} == values, text
    assert left_in(result) == [], text


_PIECES = st.one_of(
    st.sampled_from(
        ["Dex 3D", "Dodge 4D+1", "blaster", "Move: 10", "Gear: pistol (4D), club", "Special:", "#"]
    ),
    st.sampled_from(
        ["STR DEX", "**bold**", "|", "a | b", "\n", "\n\n", "; ", "(", "Name: Oss", "x2"]
    ),
    st.from_regex(r"[A-Za-z]{1,9}", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}D?", fullmatch=True),
)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["d6-pips", "narrative-powers", "saltglass"])
@given(pieces=st.lists(_PIECES, max_size=40), gap=st.sampled_from([" ", "\n", ", "]))
def test_each_word_is_placed_or_in_the_notes(rules: str, pieces: list[str], gap: str) -> None:
    text = "Oss Tarn\n" + gap.join(pieces)
    result = pasted(rules, text)
    if not result.texts:
        return
    known = {word for name in _names(rules) for word in folded(name).split()}
    written = "\n".join(result.texts.values())
    there = set(re.findall(r"\w+", folded(written)))
    plain = strip_markup("x", text).plain
    lost = [w for w in re.findall(r"\w+", folded(plain)) if w not in there | known]
    assert not [w for w in lost if not _is_count(w, written)], (text, written)


def _is_count(word: str, written: str) -> bool:
    return re.fullmatch(r"x?\d+d?x?", word) is not None and word.strip("xd") in written


def _names(rules: str) -> set[str]:
    """Return all names of a ruleset that a text may use for what is placed."""
    whole = rules_of(rules)
    more = load_text_map(whole).value
    found = {name for names in (more.names.values() if more else ()) for name in names}
    found |= set(more.headings) if more else set()
    for trait_id, (_, trait) in index_of(whole).traits.items():
        found |= {trait_id, trait.name, trait.short, *trait.aliases}
    for one in (whole, *whole.kinds.values()):
        for id_, key in one.character.items():
            found |= {str(id_), key.label, *key.aliases}
        for id_, group in one.groups.items():
            found |= {str(id_), group.label, group.one}
            found |= {n for t in group.traits.values() for n in (t.name, t.short, *t.aliases)}
        for id_, item in one.gear.items():
            found |= {str(id_), item.name, *item.aliases}
    return {name[:n] for name in found for n in (3, 4, len(name))}
