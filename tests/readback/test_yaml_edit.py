"""Edits by places: what was wanted stands there, and every other line is what it was."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sheetgen.load.yaml.edit import (
    CannotEdit,
    add_entry,
    append_items,
    drop_entry,
    parse_spots,
    put_value,
    rename_key,
)
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from tests.readback.sheets import CHARACTERS

QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)

TEXT = st.text(
    st.sampled_from(list("ab Z09.,:;#'\"-[]{}&*!|>%@`?/\\~é—→😀\tyno\n")), max_size=24
).map(lambda t: t.strip("\n"))
VALUES = st.one_of(TEXT, st.integers(-99, 999), st.booleans())
NAMES = st.text(st.sampled_from(list("abcXYZ 12'-é")), min_size=1, max_size=8).map(str.strip)
KEYS = NAMES.filter(lambda n: n and isinstance(scalar(n), str) and n[0] not in "-'")


def data(node: Node | None) -> Any:
    """Return what our own reader makes of a file: another reader than the editor's."""
    if isinstance(node, Pairs):
        return {key.raw: data(below) for key, below in node.entries}
    if isinstance(node, Many):
        return [data(item) for item in node.items]
    assert isinstance(node, ScalarNode) or node is None
    return node.value if node is not None else None


def read(text: str) -> Any:
    parsed = parse_yaml(text, "x.yaml")
    assert parsed.value is not None, (text, parsed.findings)
    return data(parsed.value.root)


def leaf(value: Any, flow: bool, draw: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    plain = value.isalpha() and isinstance(scalar(value), str)
    kind = draw(st.sampled_from(["plain", "single", "double"] if plain else ["single", "double"]))
    simple = "\n" not in value and "\t" not in value
    if kind == "plain":
        return str(value)
    if kind == "single" and simple:
        return "'" + value.replace("'", "''") + "'"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("\t", "\\t") + '"'


def flowed(value: Any, draw: Any) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"'{k.replace(chr(39), chr(39) * 2)}': {flowed(v, draw)}" for k, v in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(flowed(item, draw) for item in value) + "]"
    return leaf(value, True, draw)


def block(value: Any, indent: str, draw: Any) -> list[str]:
    """Return the lines of a mapping or list, in a style that is drawn."""
    lines = []
    entries = value.items() if isinstance(value, dict) else [("-", item) for item in value]
    for key, below in entries:
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(st.sampled_from(["", f"{indent}# a comment: [1", indent])))
        name = key if isinstance(value, list) else f"'{key.replace(chr(39), chr(39) * 2)}':"
        tail = draw(st.sampled_from(["", "", "", "  # why: so", " #"]))
        if isinstance(below, (dict, list)) and below and draw(st.booleans()):
            if isinstance(value, list):
                inner = block(below, indent + "  ", draw)
                inner = [
                    line for line in inner if line.strip() and not line.strip().startswith("#")
                ]
                lines.append(f"{indent}- {inner[0].strip()}")
                lines += inner[1:]
            else:
                lines.append(f"{indent}{name}{tail}")
                lines += block(below, indent + draw(st.sampled_from(["  ", "    "])), draw)
        else:
            lines.append(f"{indent}{name} {flowed(below, draw)}{tail}")
    return lines


STRUCTURES = st.dictionaries(
    KEYS,
    st.recursive(
        VALUES,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)
        ),
        max_leaves=8,
    ),
    min_size=1,
    max_size=6,
)


@st.composite
def files(draw: Any) -> tuple[str, Any]:
    """Draw a file in some style, and what it holds."""
    value = draw(STRUCTURES)
    sign = draw(st.sampled_from(["\n", "\r\n"]))
    text = sign.join(block(value, "", draw)) + draw(st.sampled_from(["", sign]))
    return text, value


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = []
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in entries:
        found.append((*above, key))
        if isinstance(below, (dict, list)):
            found += paths(below, (*above, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def others_stay(before: str, after: str, path: tuple[Any, ...]) -> None:
    """Check that lines before and behind the entry at `path` are as they were, byte for byte."""
    root = parse_spots(before)
    assert root is not None
    parent, spot = root.at(path[:-1]), root.at(path)
    number = parent.place(path[-1]) if parent.keys else path[-1]
    start = parent.keys[number].start if parent.keys else spot.start
    first = before.rfind("\n", 0, start) + 1
    last = before.find("\n", spot.end)
    tail = before[last:] if last >= 0 else ""
    assert after[:first] == before[:first]
    assert after.endswith(tail)


@pytest.mark.slow
@QUICK
@given(files(), st.data())
def test_a_value_is_put(file: tuple[str, Any], drawn: Any) -> None:
    text, value = file
    assert read(text) == value
    path = drawn.draw(st.sampled_from(paths(value)))
    new = drawn.draw(VALUES)
    wanted = copy.deepcopy(value)
    at(wanted, path[:-1])[path[-1]] = new
    try:
        after = put_value(text, path, new)
    except CannotEdit:
        assert isinstance(at(value, path), (dict, list))  # with comments in it
        assert "#" in text
        return
    assert read(after) == wanted
    others_stay(text, after, path)


@pytest.mark.slow
@QUICK
@given(files(), st.data())
def test_an_entry_is_added(file: tuple[str, Any], drawn: Any) -> None:
    text, value = file
    maps = [(), *(p for p in paths(value) if isinstance(at(value, p), dict))]
    path, key = drawn.draw(st.sampled_from(maps)), drawn.draw(KEYS)
    holder = at(value, path)
    assume(key not in holder)
    after_key = drawn.draw(st.sampled_from([None, *holder]))
    new = drawn.draw(st.one_of(VALUES, st.just(["one", "two, three"]), st.just({"k": 1, "l": "m"})))
    after = add_entry(text, path, key, new, after_key)
    wanted = copy.deepcopy(value)
    at(wanted, path)[key] = new
    assert read(after) == wanted
    kept = [line for line in text.splitlines(keepends=True) if line.strip()]
    flow = len(after.splitlines()) == len(text.splitlines())
    new_lines = after.splitlines(keepends=True)
    missing = [line for line in kept if line not in new_lines and line.rstrip("\r\n") != kept[-1]]
    assert len(missing) <= (1 if flow else 0)
    order = list(at(read(after), path))
    if after_key is not None:
        assert order[order.index(after_key) + 1] == key


@pytest.mark.slow
@QUICK
@given(files(), st.data())
def test_an_item_is_added(file: tuple[str, Any], drawn: Any) -> None:
    text, value = file
    lists = [p for p in paths(value) if isinstance(at(value, p), list)]
    assume(lists)
    path, new = drawn.draw(st.sampled_from(lists)), drawn.draw(VALUES)
    wanted = copy.deepcopy(value)
    at(wanted, path).append(new)
    assert read(append_items(text, path, [new])) == wanted


@pytest.mark.slow
@QUICK
@given(files(), st.data())
def test_an_entry_goes_and_comments_stay(file: tuple[str, Any], drawn: Any) -> None:
    text, value = file
    path = drawn.draw(st.sampled_from(paths(value)))
    try:
        after = drop_entry(text, path)
    except CannotEdit:
        assume(False)
        return
    wanted = copy.deepcopy(value)
    while len(path) > 1 and len(at(wanted, path[:-1])) == 1:
        path = path[:-1]  # what is empty goes too
    gone = at(wanted, path[:-1]).pop(path[-1])
    found = read(after)
    assert found == wanted or (found is None and not wanted)
    assert after.count("# a comment") == text.count("# a comment")
    if not isinstance(gone, dict | list):  # what stands beside a part of it goes with it
        assert after.count("# why") == text.count("# why")


@pytest.mark.slow
@QUICK
@given(files(), st.data())
def test_a_key_is_renamed(file: tuple[str, Any], drawn: Any) -> None:
    text, value = file
    keyed = [p for p in paths(value) if isinstance(p[-1], str)]
    path, name = drawn.draw(st.sampled_from(keyed)), drawn.draw(KEYS)
    assume(name not in at(value, path[:-1]))
    after = rename_key(text, path, name)
    found = at(read(after), path[:-1])
    assert list(found) == [name if k == path[-1] else k for k in at(value, path[:-1])]


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_editor(text: str) -> None:
    for act in (
        lambda: put_value(text, ("a",), "b"),
        lambda: add_entry(text, (), "a", "b"),
        lambda: append_items(text, ("a",), ["b"]),
        lambda: drop_entry(text, ("a",)),
    ):
        try:
            act()
        except CannotEdit:
            continue


@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: path.stem)
def test_every_value_of_a_character_can_be_written_again(path: Path) -> None:
    """Writing what stands there already changes no byte, in every shipped style."""
    text = path.read_text(encoding="utf-8")
    value = parse_spots(text).data()
    for place in paths(value):
        old = at(value, place)
        if not isinstance(old, (dict, list)):
            assert put_value(text, place, old) == text, place


def test_a_quote_stays_a_quote_and_a_block_a_block() -> None:
    text = "a: 'one'  # why\nb: \"two\"\nc: |\n  three\n  four\n\nd: five\n"
    text = put_value(
        put_value(put_value(put_value(text, ("a",), "1's"), ("b",), "x"), ("c",), "y\nz"),
        ("d",),
        "6",
    )
    assert text == "a: '1''s'  # why\nb: \"x\"\nc: |\n  y\n  z\n\nd: \"6\"\n"


def test_json_stays_json() -> None:
    text = '{"a": 1, "b": ["x"]}'
    assert (
        append_items(add_entry(text, (), "c", "d"), ("b",), ["y"])
        == '{"a": 1, "b": ["x", "y"], "c": "d"}'
    )


def test_an_alias_is_not_touched() -> None:
    text = "a: &x {k: 1}\nb: *x\n"
    with pytest.raises(CannotEdit):
        put_value(text, ("a",), 2)
    with pytest.raises(CannotEdit):
        put_value(text, ("b", "k"), 2)


def test_comments_in_what_would_be_replaced_are_not_lost() -> None:
    with pytest.raises(CannotEdit):
        put_value("a:\n  # mine\n  b: 1\n", ("a",), 2)


def test_the_comment_of_a_first_key_stays() -> None:
    text = "gear:\n  - name: Rope  # why: so\n    cost: 2\n  - name: Lamp\n"
    after = drop_entry(text, ("gear", 0, "name"))
    assert after == "gear:\n  - # why: so\n    cost: 2\n  - name: Lamp\n"
