"""Whatever a file holds, reading it ends soon, with a tree or with findings; never otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sheetgen.diag.findings import Finding, Span, finding_data, show, split_lines
from sheetgen.load.files import decode_text
from sheetgen.load.yaml.tree import MOST_NODES, parse_yaml, read_source, scalar
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from tests.effort import at_most_calls

MOST_CALLS = 3_000_000
"""Of the processor: a hang is what is looked for, not a busy machine."""

LIKE_YAML = st.text(
    st.sampled_from(
        [*"ab:-,[]{}&*!|>'\"%@`?# \n\t\r0.~<=", "\u2028", "\x85", "\ufeff", "é", "\0", "\ud800"]
    ),
    max_size=60,
)


def nodes(node: Node | None) -> Iterator[Node]:
    if node is None:
        return
    yield node
    if isinstance(node, Pairs):
        for key, below in node.entries:
            yield key
            yield from nodes(below)
    elif isinstance(node, Many):
        for item in node.items:
            yield from nodes(item)


def place_is_there(finding: Finding, lines: list[str]) -> None:
    """Assert that a finding points into its file, and can be shown."""
    span = finding.span
    assert 1 <= span.line <= len(lines)
    text = lines[span.line - 1]
    assert 1 <= span.column <= max(1, len(text) + 1)
    assert 1 <= span.width <= max(1, len(text) - span.column + 2)
    shown = show(finding, lines, colour=True)
    assert shown.startswith(f"{span.file}:{span.line}:{span.column}: ")
    assert finding_data(finding)["line"] == span.line


def read(text: str) -> tuple[Finding, ...]:
    with at_most_calls(MOST_CALLS):
        result = parse_yaml(text, "any.yaml")
    assert result.value is not None or result.findings
    lines = split_lines(text.lstrip("\ufeff"))
    for finding in result.findings:
        place_is_there(finding, lines)
    if result.value is not None:
        for node in nodes(result.value.root):
            assert 1 <= node.span.line <= len(lines)
            if (
                isinstance(node, ScalarNode)
                and node.raw
                and not node.quoted
                and node.span.width > 1
            ):
                line = lines[node.span.line - 1]
                begins = line[node.span.column - 1 :]
                assert begins[:1] in (node.raw[:1], "|", ">", "&", "!", "*"), (begins, node.raw)
    return result.findings


@given(st.text() | LIKE_YAML)
@example('name: "Vex\n')
@example("a: &a [*a]")
@example("when: 2001-99-99")
@example("\x00")
@example("\ufeffname: Vex")
@example("a: 1\na: 2")
@example("a: 1\r\na: 2\r\n")
@example("a: 1\ra: 2\r")
@example("a: '\u2028'\na: 2")
@example("{? [a] : b}")
@example("\ud800: 1")
@example("a: 1e999")
@example("!!python/object/apply:os.system ['true']")
@example("&a a: *a")
@example("- - - -")
@example("%YAML 1.1\n---\na: 1\n...\n---\nb: 1")
def test_any_text_is_read_or_refused(text: str) -> None:
    read(text)


@given(st.binary(max_size=200))
@example(b"\xff\xfea\x00")
@example(b"name: Ren\xe9e")
@example(b"\xef\xbb\xbfname: Vex")
@example(b"a: \xed\xa0\x80")
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    path = Path("any.yaml")
    result = read_bytes(content, path)
    assert result


def read_bytes(content: bytes, path: Path) -> bool:
    """Read `content` as a file's; True if there is a mapping or a finding."""
    text = decode_text(content, Span(str(path)))
    if text.value is None:
        for finding in text.findings:
            place_is_there(finding, split_lines(content.decode("utf-8", "replace")))
        return bool(text.findings)
    read(text.value[0])
    return True


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12)
)
ATTACKS = {
    "aliases": (BOMB, "SG004"),
    "aliases of long texts": (f"a: &a {'x' * 500_000}\nb: [{'*a, ' * 9}]", "SG004"),
    "merges": (MERGES, "SG006"),
    "brackets": ("[" * 100_000, "SG004"),
    "braces": ("{" * 100_000, "SG004"),
    "braces with keys": ("{a: " * 50_000, "SG004"),
    "dashes": ("- " * 100_000, "SG004"),
    "question marks": ("? " * 100_000, "SG004"),
    "indents": ("".join(f"{' ' * n}a:\n" for n in range(1500)), "SG004"),
    "many values": ("[" + "1," * (MOST_NODES + 1) + "]", "SG004"),
    "quotes": ("'" * 99_999, "SG003"),
    "an open quote": ('"' + "x" * 1_000_000, "SG003"),
    "a tab": ("a:\n\tb: 1", "SG003"),
    "a NUL": ("a: \0", "SG003"),
    "a surrogate": ("a: \ud800", "SG003"),
    "a control": ("a: \x07", "SG003"),
    "a tag": ("a: !!python/name:os.system x", "SG006"),
    "a local tag": ("a: !x y", "SG006"),
    "a merge": ("a: &a {b: 1}\nc: {<<: *a}", "SG006"),
    "two documents": ("a: 1\n---\nb: 1", "SG006"),
    "a list as key": ("[a]: 1", "SG006"),
    "itself": ("a: &a [*a]", "SG003"),
    "anchors": ("".join(f"- &a{n} x\n" for n in range(60_000)) + "- *none", "SG003"),
}


@pytest.mark.many
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_in_time(name: str) -> None:
    text, code = ATTACKS[name]
    assert [finding.code.id for finding in read(text)] == [code]


HARMLESS = {
    "a byte order mark": "\ufeffname: Vex",
    "Windows": "name: Vex\r\nxp: 1\r\n",
    "old Macs": "name: Vex\rxp: 1\r",
    "a long line": "name: " + "x" * 1_000_000,
    "many lines": "a:\n" + "".join(f"  k{n}: {n}\n" for n in range(50_000)),
    "forty deep": "[" * 39 + "]" * 39,
    "digits": "a: " + "9" * 100_000,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_odd_but_harmless_is_read(name: str) -> None:
    assert read(HARMLESS[name]) == ()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        *(("no", "no"), ("on", "on"), ("1:30", "1:30"), ("010", 10), ("1_000", "1_000")),
        *(("2001-99-99", "2001-99-99"), ("1e3", 1000.0), ("true", True), ("~", None), ("", None)),
        *(("3D", "3D"), ("-7", -7), ("+2", 2), ("0x1F", "0x1F"), (".5", 0.5), ("=", "=")),
    ],
)
def test_plain_words_mean_what_editors_show(raw: str, value: object) -> None:
    found = scalar(raw)
    assert found == value
    assert type(found) is type(value)


def test_a_folder_and_a_missing_file_are_findings(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml", Path("a\0b.yaml"), Path("x" * 5000)):
        result = read_source(path)
        assert result.value is None
        assert [finding.code.id for finding in result.findings] == ["SG001"]
