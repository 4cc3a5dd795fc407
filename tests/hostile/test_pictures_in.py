"""Pictures of strangers: files outside the folder, bombs, and drawings that run or load things."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sheetgen.diag.findings import Span
from sheetgen.load.pictures import read_picture_file
from sheetgen.load.svg import sanitise_svg
from sheetgen.model.pictures import PictureError
from sheetgen.model.source import Text

CANARY = b"the secret"
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def code_of(folder: Path, name: str) -> str:
    span = Span(str(folder / "hero.yaml"), 1, 1, 1)
    found = read_picture_file(Text(name, span))
    assert found.value is None
    (finding,) = found.findings
    assert finding.severity.word == "warning"
    assert finding.span is span
    return finding.code.id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.jpg").write_bytes(CANARY)
    folder = tmp_path / "hero"
    (folder / "inner").mkdir(parents=True)
    (folder / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    (folder / "up").symlink_to(tmp_path)
    (folder / "round").symlink_to(folder / "round")
    (folder / "inner.jpg").symlink_to(folder / "inner" / "real.jpg")
    (folder / "inner" / "real.jpg").write_bytes(b"inside")
    os.mkfifo(folder / "pipe.jpg")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../secret.jpg",
        "inner/../../secret.jpg",
        "..\\secret.jpg",
        "link.jpg",
        "up/secret.jpg",
        "/etc/passwd",
        "/dev/zero",
        "//server/share.jpg",
        "C:\\secret.jpg",
        "file:///etc/passwd",
        "http://localhost/face.jpg",
        "data:image/png;base64,AAAA",
    ],
)
def test_nothing_outside_the_folder_is_read(name: str, folder: Path) -> None:
    assert code_of(folder, name) == "SG902"


@pytest.mark.parametrize(
    "name", ["pipe.jpg", "inner", "round", "", "none.jpg", "a\0b.jpg", "x" * 5000, "a\nb"]
)
def test_what_is_no_file_is_not_opened(name: str, folder: Path) -> None:
    assert code_of(folder, name) == "SG901"


def test_a_link_within_the_folder_is_followed(folder: Path) -> None:
    found = read_picture_file(Text("inner.jpg", Span(str(folder / "hero.yaml"))))
    assert found.value is not None
    assert found.value[1] == b"inside"


def test_a_large_file_is_not_read(folder: Path) -> None:
    with (folder / "large.jpg").open("wb") as file:
        file.truncate(60_000_000)
    assert code_of(folder, "large.jpg") == "SG904"


PATTERNS = "".join(
    f'<pattern id="p{n}"><rect fill="url(#p{n - 1})"/><rect fill="url(#p{n - 1})"/></pattern>'
    for n in range(1, 40)
)
USES = "".join(
    '<g id="a' + str(n) + '">' + f'<use href="#a{n - 1}"/>' * 10 + "</g>" for n in range(1, 12)
)
HARMFUL = {
    "deep": "<g>" * 5000 + "</g>" * 5000,
    "itself": '<g id="a"><use href="#a"/></g>',
    "many": "<rect/>" * 30_000,
    "patterns": PATTERNS + '<rect fill="url(#p39)"/>',
    "uses": USES,
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_drawing_that_costs_much_is_refused(name: str) -> None:
    with pytest.raises(PictureError):
        sanitise_svg(f"{HEAD}{HARMFUL[name]}</svg>".encode())


def test_text_in_fonts_of_the_machine_is_dropped() -> None:
    drawn = sanitise_svg(
        f'{HEAD}<rect/><text style="font: 9px X">A<tspan>B</tspan></text></svg>'.encode()
    )
    assert drawn.has_text
    assert not drawn.dropped
    assert b"<rect" in drawn.content
    assert b"A" not in drawn.content
    assert b"tspan" not in drawn.content


def test_entities_are_refused() -> None:
    laughs = "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};">' for n in range(1, 40))
    with pytest.raises(PictureError, match="entities"):
        sanitise_svg(f"<!DOCTYPE svg [{laughs}]>{HEAD}<text>&l39;</text></svg>".encode())


def test_default_values_of_attributes_are_refused() -> None:
    many = f'<!DOCTYPE svg [<!ATTLIST g d CDATA "{"M1 1" * 5000}">]>{HEAD}{"<g/>" * 19_000}</svg>'
    with pytest.raises(PictureError, match="default values"):
        sanitise_svg(many.encode())
    declared = f"<!DOCTYPE svg [<!ATTLIST g d CDATA #IMPLIED>]>{HEAD}<g/></svg>"
    assert b"<g>" in sanitise_svg(declared.encode()).content


@pytest.mark.parametrize("encoding", ["utf-7", "shift_jis", "idna", "rot13", "undefined", "mbcs"])
def test_an_encoding_that_the_parser_lacks_is_a_finding(encoding: str) -> None:
    with pytest.raises(PictureError, match="encoding"):
        sanitise_svg(f'<?xml version="1.0" encoding="{encoding}"?>{HEAD}</svg>'.encode())


@pytest.mark.parametrize(
    "part",
    [
        "<script>alert(1)</script>",
        '<rect onclick="alert(1)"/>',
        '<image href="file:///etc/passwd"/>',
        '<image xlink:href="http://localhost/x.png"/>',
        '<use xlink:href="http://localhost/x.svg#a"/>',
        '<style>@import "http://localhost/x.css";</style>',
        "<style>rect { fill: url(http://localhost/x) }</style>",
        "<style>rect { fill: u\\72l(http://localhost/x) }</style>",
        '<rect style="fill: url(file:///etc/passwd)"/>',
        "<rect fill=\"url( 'http://localhost/x#a' )\"/>",
        '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="x"/></foreignObject>',
        '<a href="javascript:alert(1)"><rect/></a>',
        '<rect><animate attributeName="href" to="javascript:alert(1)"/></rect>',
        "<metadata>localhost</metadata><!-- localhost --><title>localhost</title>",
        '<rect xmlns:i="http://localhost/i" i:label="localhost" data-x="localhost"/>',
        '<?xml-stylesheet href="http://localhost/x.css"?><rect/>',
    ],
)
def test_nothing_that_runs_or_loads_is_left(part: str) -> None:
    content = sanitise_svg(f"{HEAD}{part}</svg>".encode()).content.decode()
    for word in ("script", "alert", "localhost", "passwd", "import", "url(", "iframe", "animate"):
        assert word not in content, content


def test_shapes_and_gradients_stay() -> None:
    drawing = (
        '<defs><linearGradient id="g"><stop offset="1" stop-color="red"/></linearGradient></defs>'
        "<style>.a { fill: url(#g) }</style>"
        '<a href="https://example.org"><path class="a" d="M0 0L9 9" style="stroke: #fff"/></a>'
    )
    head = HEAD.replace(">", ' width="2in" viewBox="0 0 4 2">')
    clean = sanitise_svg(f"{head}{drawing}</svg>".encode())
    assert (clean.width, clean.height) == (192, 96)
    assert clean.dropped == ()
    for part in ("url(#g)", "stop-color", "M0 0L9 9", "stroke: #fff", 'class="a"'):
        assert part in clean.content.decode()
