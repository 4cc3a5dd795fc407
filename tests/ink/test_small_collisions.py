"""The checker finds each kind of collision on a tiny page, and leaves its clean twin alone."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from tests.ink.collisions import find_collisions
from tests.ink.page_ink import MM

Draw = Callable[[pymupdf.Page], None]
BLACK, RED, WHITE = (0, 0, 0), (0.72, 0.22, 0.1), (1, 1, 1)


def _page(draw: Draw, width: float = 210, height: float = 297) -> bytes:
    document = pymupdf.open()
    draw(document.new_page(width=width * MM, height=height * MM))
    return bytes(document.tobytes())


def _text(page: pymupdf.Page, x: float, y: float, text: str, size: float = 10, **more: str) -> None:
    page.insert_text((x, y), text, fontsize=size, **more)


def _length(text: str, size: float) -> float:
    return float(pymupdf.get_text_length(text, fontsize=size))


def _figures(gap: float) -> Draw:
    """Hull and Shields of a vehicle card, in big figures."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "-10", 22, fontname="hebo")
        end = 100 + pymupdf.get_text_length("-10", "hebo", 22)
        _text(page, end + gap, 100, "8", 22, fontname="hebo")

    return draw


def _grid_by_chart(gap: float) -> Draw:
    """The last column of a grid, and the labels of the chart beside it."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "20")
        _text(page, 100 + _length("20", 10) + gap, 100, "100")

    return draw


def _grid_over_axis(page: pymupdf.Page) -> None:
    page.draw_line((106, 60), (106, 140), color=BLACK, width=0.8)
    _text(page, 100, 100, "94")


def _foot(gap: float) -> Draw:
    """A reminder in large print, and the credit under it."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 400, "Each action after the first: −1D to all", 13)
        _text(page, 104, 400 + gap, "Mechanics after a rules update; no text reproduced", 12)

    return draw


def _name(lift: float) -> Draw:
    """A name on a card, over the thick rule and the tick below it."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Apprentice", 14, fontname="hebo")
        page.draw_rect((96, 101 + lift, 200, 102 + lift), color=None, fill=BLACK)
        page.draw_rect((96, 102 + lift, 130, 106 + lift), color=None, fill=RED)

    return draw


def _group(gap: float) -> Draw:
    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Group of 5", fontname="hebo")
        end = 100 + pymupdf.get_text_length("Group of 5", "hebo", 10)
        _text(page, end + gap, 100, "Battle armour", fontname="helv")

    return draw


def _plate(under: bool) -> Draw:
    """The label of a cost on a line; its white ground covers the line if it is painted later."""

    def draw(page: pymupdf.Page) -> None:
        page.draw_line((80, 96), (140, 96), color=BLACK, width=0.7)
        if under:
            page.draw_circle((106, 96), 11, color=None, fill=WHITE)
        _text(page, 100, 100, "15")

    return draw


def _clipped(room: float) -> Draw:
    """A label in a drawing whose viewport ends inside it."""

    def draw(page: pymupdf.Page) -> None:
        form = pymupdf.open()
        small = form.new_page(width=60, height=12 - room)
        small.insert_text((10, 10 - room), "8D", fontsize=12)
        page.show_pdf_page(pymupdf.Rect(100, 100, 160, 112 - room), form, 0)

    return draw


def _notes(gap: float) -> Draw:
    """Notes under two neighbours in a row."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "over four sides", 7)
        _text(page, 100 + _length("over four sides", 7) + gap, 100, "off damage", 7)

    return draw


def _at(x: float, y: float) -> Draw:
    return lambda page: _text(page, x * MM, y * MM, "Nobody reads this")


def _field(top: float) -> Draw:
    """A label, and the field below it."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Dexterity", 9)
        widget = pymupdf.Widget()
        widget.field_name, widget.field_type = "dexterity", pymupdf.PDF_WIDGET_TYPE_TEXT
        widget.rect = pymupdf.Rect(100, 100 + top, 160, 120)
        page.add_widget(widget)

    return draw


def _sentence(page: pymupdf.Page) -> None:
    """Words of two weights, their unit, a footnote's mark, a letter painted twice."""
    _text(page, 100, 100, "Blasters ", fontname="hebo")
    x = 100 + pymupdf.get_text_length("Blasters ", "hebo", 10)
    _text(page, x, 100, "to hit, ", fontname="helv")
    _text(page, 100, 150, "12", 16)
    _text(page, 100 + _length("12", 16), 150, "D", 9)
    _text(page, 100, 200, "17", 12)
    _text(page, 100 + _length("17", 12), 196, "2", 6)
    _text(page, 100, 250, "Bold", 12)
    _text(page, 100, 250, "Bold", 12)


def _struck(page: pymupdf.Page) -> None:
    _text(page, 100, 100, "not this one", 10)
    page.draw_rect((100, 96.2, 100 + _length("not this one", 10), 96.8), color=None, fill=BLACK)


def _lines(gap: float, size: float = 9) -> Draw:
    """A label, and the smaller remark below it: a descender over an ascender."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Agility", size)
        _text(page, 100, 100 + gap, "lift things", 7)

    return draw


def _paragraph(lead: float) -> Draw:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((100, 100), ["playing", "fiddle"], fontsize=10, lineheight=lead / 10)

    return draw


def _two_fields(left: float) -> Draw:
    """Two fields on a line."""

    def draw(page: pymupdf.Page) -> None:
        for name, x in (("first", 100), ("second", left)):
            widget = pymupdf.Widget()
            widget.field_name, widget.field_type = name, pymupdf.PDF_WIDGET_TYPE_TEXT
            widget.rect = pymupdf.Rect(x, 100, x + 60, 120)
            page.add_widget(widget)

    return draw


def _white(top: float) -> Draw:
    """A word, and a white ground that is painted later."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Hull", 14)
        page.draw_rect((90, top, 200, 140), color=None, fill=WHITE)

    return draw


def _chart(left: float, fill: tuple[float, float, float] | None) -> Draw:
    """A grid of odds, and a chart whose frame has its own ground."""

    def draw(page: pymupdf.Page) -> None:
        for n in range(10):
            for row in range(6):
                _text(page, 100 + 24 * n, 100 + 16 * row, f"{n}{row}")
        page.draw_rect((left, 80, left + 150, 190), color=BLACK, fill=fill, width=0.5)
        page.draw_bezier((left, 190), (left + 60, 190), (left + 90, 80), (left + 150, 80))

    return draw


def _dice(gap: float) -> Draw:
    """The attack and the damage of a weapon, each with its unit as text of its own."""

    def draw(page: pymupdf.Page) -> None:
        x = 100.0
        for number in ("8", "6"):
            _text(page, x, 100, number, 12)
            x += _length(number, 12)
            _text(page, x, 100, "D", 8)
            x += _length("D", 8) + gap

    return draw


def _unlevel(down: float) -> Draw:
    """Two figures whose baselines differ by a rounding."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100.4, "12", 12)
        _text(page, 100 + _length("12", 12) + 2, 100.4 + down, "30", 12)

    return draw


def _column(width: float) -> Draw:
    """Rows of a column with rules between them, and one long text."""

    def draw(page: pymupdf.Page) -> None:
        for row in range(5):
            y = 100 + 16 * row
            page.draw_line((100, y + 4), (260, y + 4), color=BLACK, width=0.4)
            _text(page, 100, y, "A row")
        _text(page, 100 + width - _length("leaves its column", 10), 132, "leaves its column")

    return draw


def _picture(top: float) -> Draw:
    """A credit, and a picture that is painted later."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Drawn by nobody", 7)
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 8, 8))
        pixels.clear_with(90)
        page.insert_image(pymupdf.Rect(90, top, 190, top + 60), pixmap=pixels)

    return draw


def _disc(page: pymupdf.Page) -> None:
    """A label in a disc that covers the line beside the label."""
    page.draw_line((112, 60), (112, 140), color=BLACK, width=0.4)
    page.draw_circle((106, 96), 12, color=BLACK, fill=WHITE)
    _text(page, 100, 100, "8D", 8)


def _by_a_line(gap: float) -> Draw:
    """A word, and the line between it and the next column."""

    def draw(page: pymupdf.Page) -> None:
        _text(page, 100, 100, "Cover")
        x = 100 + _length("Cover", 10) + gap
        page.draw_line((x, 60), (x, 140), color=BLACK, width=0.4)

    return draw


CASES = {
    "a credit right under a text": (_foot(9), "too near"),
    "a remark right under its label": (_lines(7.6), "too near"),
    "lines of a paragraph set solid": (_paragraph(9), "too near"),
    "a field over another": (_two_fields(150), "a field over a field"),
    "a letter half under a ground": (_white(95), "covered"),
    "a word under a ground": (_white(80), "covered"),
    "a chart over a grid": (_chart(280, None), "text over a line"),
    "a chart on its ground over a grid": (_chart(280, WHITE), "covered"),
    "two dice codes read as one": (_dice(1), "too near"),
    "figures a rounding apart": (_unlevel(0.3), "too near"),
    "text outside its column": (_column(190), "text outside its column"),
    "a picture over a credit": (_picture(96), "covered"),
    "a word on a line between columns": (_by_a_line(0.1), "too near"),
    "text past the paper": (_at(215, 150), "text in the margin"),
    "text cut by the paper": (_at(208, 150), "text in the margin"),
    "figures read as one": (_figures(1.5), "too near"),
    "a grid runs into a chart": (_grid_by_chart(2), "too near"),
    "a figure on an axis": (_grid_over_axis, "text over a line"),
    "a reminder over the credit": (_foot(4), "text over text"),
    "descenders on the accent bar": (_name(0), "text over a rule"),
    "descenders on the tick alone": (_name(-3), "text over an edge"),
    "a label touches its text": (_group(0.3), "too near"),
    "a label on a line": (_plate(False), "text over a line"),
    "a label is cut off": (_clipped(3.5), "clipped"),
    "notes of neighbours run together": (_notes(1.2), "too near"),
    "text at the edge of the paper": (_at(4, 150), "text in the margin"),
    "a field over its label": (_field(-6), "a field over a label"),
}
CLEAN = {
    "a remark under its label": _lines(10.5),
    "lines of a paragraph": _paragraph(12),
    "two fields": _two_fields(162),
    "a word above a ground": _white(108),
    "a chart beside a grid": _chart(350, WHITE),
    "two dice codes": _dice(8),
    "a text inside its column": _column(150),
    "a picture under a credit": _picture(104),
    "a word beside a line": _by_a_line(3),
    "a label in a disc on a line": _disc,
    "figures apart": _figures(8),
    "a grid beside a chart": _grid_by_chart(8),
    "a reminder above the credit": _foot(14),
    "a name above its bar": _name(4),
    "a label beside its text": _group(4),
    "a label on its own ground": _plate(True),
    "a whole label": _clipped(-4),
    "notes of neighbours": _notes(4),
    "text inside the margin": _at(9, 150),
    "a field under its label": _field(3),
    "words of one sentence": _sentence,
    "a struck word": _struck,
}


@pytest.mark.parametrize("case", CASES)
def test_a_collision_is_found(case: str) -> None:
    draw, kind = CASES[case]
    found = find_collisions(_page(draw))
    assert kind in {one.kind for one in found}, found


@pytest.mark.parametrize("case", CLEAN)
def test_a_clean_page_has_none(case: str) -> None:
    assert [str(one) for one in find_collisions(_page(CLEAN[case]))] == []


def test_a_finding_names_page_place_and_words() -> None:
    (one,) = find_collisions(_page(_figures(1.5)))
    assert str(one).startswith("page 1 at 42.4, 29.7 mm: too near: ")
    assert "“-10” and “8”, " in one.words


def test_a_card_keeps_its_text_from_the_knife() -> None:
    def card(page: pymupdf.Page) -> None:
        _text(page, 10, 20, "Knight")

    near = find_collisions(_page(lambda page: _text(page, 4, 20, "Knight"), 63, 88))
    assert [one.kind for one in near] == ["text in the margin"]
    assert find_collisions(_page(card, 63, 88)) == []
