"""A small blank sheet with places of every kind, and its tokens: what the press is tried on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from sheetgen.model.prints import Role, Setting, Shape, Tick, Tokens
from sheetgen.render.fonts.fonts import Face, build_face

FILES: Mapping[str, tuple[str, str]] = {
    "text-400": ("font_source_sans_pro", "SourceSansPro-Regular.ttf"),
    "text-600": ("font_source_sans_pro", "SourceSansPro-Semibold.ttf"),
    "text-i": ("font_source_sans_pro", "SourceSansPro-It.ttf"),
    "head-700": ("font_manrope", "Manrope-Bold.ttf"),
}

TOKENS = Tokens(
    colours={"ink": "#1c1c1c", "accent": "#B8391B", "grey": "#8a8a8a"},
    faces={face: name for face, (_, name) in FILES.items()},
    roles={
        "value": Role("text-400", 9, 7, baseline=3),
        "number": Role("text-600", 10, 7, align="center"),
        "right": Role("text-400", 9, 7, align="right", baseline=3),
        "note": Role("text-i", 9, 7, leading=12),
        "name": Role("text-400", 8, 7, baseline=3),
        "name-bought": Role("text-600", 8, 7, baseline=3, colour="accent"),
        "stamp": Role("head-700", 14, 10, align="center", colour="accent"),
    },
    shapes={
        "ring": Shape(
            "M.5 0C.776 0 1 .224 1 .5C1 .776 .776 1 .5 1C.224 1 0 .776 0 .5C0 .224 .224 0 .5 0Z",
            0.5,
            "",
            "grey",
            0.6,
        ),
        "disc": Shape(
            "M.5 0C.776 0 1 .224 1 .5C1 .776 .776 1 .5 1C.224 1 0 .776 0 .5C0 .224 .224 0 .5 0Z",
            1.2,
            "ink",
        ),
        "star": Shape(
            "M.5 0L.62 .38L1 .38L.69 .62L.81 1L.5 .77L.19 1L.31 .62L0 .38L.38 .38Z", 0.5, "accent"
        ),
        "slash": Shape("M0 1L1 0", 0.5, "", "ink", 1),
        "closed": Shape("M0 .5L1 .5", 1, "", "grey", 0.5),
        "bar": Shape("M0 0L1 0L1 1L0 1Z", 0, "accent"),
    },
    ticks={"dot": Tick("ring", "disc"), "hit": Tick("ring", "slash")},
)

STYLE = """
@page { size: 105mm 148mm; margin: 8mm;
        @bottom-right { content: counter(page) "/" counter(pages); font: 7pt Text } }
@font-face { font-family: Text; font-weight: 400; src: url(asset:text-400) }
@font-face { font-family: Text; font-weight: 600; src: url(asset:text-600) }
@font-face { font-family: Head; font-weight: 700; src: url(asset:head-700) }
html { font: 8pt/1.3 Text; color: #1c1c1c }
h1, h2 { font: 700 12pt Head; margin: 0 0 2mm } h2 { font-size: 9pt }
.place { flex: none; appearance: none; display: inline-block; vertical-align: bottom }
.row { display: flex; height: 5mm; align-items: end; border-bottom: .3pt solid #ccc }
.row > span { width: 20mm } .text { width: 24mm; height: 5mm }
.tick { width: 3mm; height: 3mm; margin: 1mm } .lines { display: block; width: 80mm; height: 25mm }
.mark { width: 20mm; height: 4.5mm } .over { break-before: page }
td, th { text-align: left; padding: 0; border: .3pt solid #999; font-weight: 600 }
"""

PLACE = '<input type="checkbox" class="place {kind}" name="p|{kind}|{role}|{name}" title="{label}">'


def place(kind: str, role: str, name: str, label: str = "") -> str:
    """Return the markup of one place."""
    return PLACE.format(kind=kind, role=role, name=name, label=label or name.replace(".", " "))


def blank(rows: int = 3, ticks: int = 5, lang: str = "en") -> str:
    """Return a two-page sheet with `rows` rows of a text and `ticks` ticks each."""
    lines = "".join(
        f'<div class="row"><span>Row {n}</span>{place("mark", "name", f"rows.{n}.name")}'
        f"{place('text', 'value', f'rows.{n}.text', f'Row {n} – text')}"
        + "".join(place("tick", "dot", f"rows.{n}.{t}") for t in range(1, ticks + 1))
        + "</div>"
        for n in range(1, rows + 1)
    )
    return f"""<!doctype html><html lang="{lang}"><head><title>Blank</title>
<style>{STYLE}</style></head>
<body><main><section><h1>Blank sheet</h1>
<div class="row"><label>Name</label>{place("text", "value", "name", "Name (of the character)")}
{place("text", "number", "level", "Level")}{place("text", "right", "xp.left", "XP left")}</div>
{lines}<div>{place("mark", "", "bar")}{place("mark", "stamp", "stamp")}</div></section>
<section class="over"><h2>Overleaf</h2>{place("lines", "note", "notes", "Notes")}
<table><thead><tr><th scope="col">What</th><th scope="col">Cost</th></tr></thead>
<tbody><tr><th scope="row">Step</th><td>{place("text", "number", "ledger.1.cost")}</td></tr></tbody>
</table><ul><li>One point</li><li>Another <a href="https://example.org/x">with a link</a></li></ul>
<p>{place("tick", "hit", "wounds.box.1")}{place("tick", "hit", "wounds.box.2")} wounds</p>
</section></main></body></html>"""


@cache
def faces() -> Mapping[str, Face]:
    """Return the faces that `TOKENS` names, made from the font packages."""
    return {
        face: build_face(resources.files(package).joinpath("files", name).read_bytes())
        for face, (package, name) in FILES.items()
    }


def one_line(text: str, size: float = 9, role: str = "") -> Setting:
    """Return `text` set on one line."""
    return Setting(text, (text,), size, role)
