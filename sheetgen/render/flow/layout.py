"""Lay out HTML as PDF with WeasyPrint, which can load only the assets that it is given.

WeasyPrint needs libraries of the system; if they are missing, there is a finding.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sheetgen.bounds import BoundExceeded, limit_block, pass_memory_error, shell_limit
from sheetgen.diag import codes
from sheetgen.diag.findings import PROGRAM, Finding, Span
from sheetgen.diag.words import pip_hint
from sheetgen.records import frozen

_PX: Final = 0.75  # points of the engine's unit
# Points by which two texts, or a place and something else, may overlap: slack of their boxes.
_TEXTS, _PLACES = 1.0, 2.1
# A text of so few letters belongs to the place that it is in, such as the D of a dice code.
_UNIT: Final = 2
_ASCENT, _DESCENT = 0.66, 0.2  # extent of letters above and below their baseline, of their size
_EDGE: Final = 1.5  # points by which letters may leave the printable page
_UNPRINTED: Final = 7.7 * 72 / 25.4  # points at the foot of paper that printers leave
_PAPER: Final = 180 * 72 / 25.4  # points: the height of a page of paper is more
PAGE_EDGE: Final = "the edge of the page"
# Places that are mostly empty, and set their words at one end: texts may reach into them.
_QUIET: Final = ("onward.", "continued")
# Endings of places that print only while the place of the same name is empty, or below it.
_TWINS: Final = ("_blank", "_short", "_disc")


class Crowded(ValueError):
    """A blank prints something over something else: `pairs` of words or labels of places."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        super().__init__(pairs)  # these are what pickling keeps
        self.pairs = pairs

    def __str__(self) -> str:
        return "; ".join(f"“{one}” over “{other}”" for one, other in self.pairs[:3])


@dataclass(slots=True)
class _Inked:
    """A line of text, or a place, in points from the top left of the page."""

    left: float
    top: float
    right: float
    foot: float
    words: str
    name: str = ""
    column: float = math.inf  # the right edge of the section that a text is in


def check_room(document: Any) -> None:
    """Raise `Crowded` if parts of a laid-out document are over each other or leave the page."""
    pairs: list[tuple[str, str]] = []
    for page in document.pages:
        box = page._page_box
        found = sorted(_list_inked(box), key=lambda one: one.top)
        for at, one in enumerate(found):
            for other in found[at + 1 :]:
                if other.top > one.foot:
                    break
                across = min(one.right, other.right) - max(one.left, other.left)
                down = min(one.foot, other.foot) - other.top
                slack = _PLACES if one.name or other.name else _TEXTS
                if min(across, down) > slack and not _belong(one, other):
                    pairs.append((one.words, other.words))
        end = foot = (box.content_box_y() + box.height) * _PX + _EDGE
        high = box.margin_height() * _PX
        if high > _PAPER:  # what is smaller is cut from paper
            foot = min(foot, high - _UNPRINTED + _EDGE)
        right = (box.content_box_x() + box.width) * _PX + _EDGE
        for one in found:
            # A publisher's logo may lose its edge on some printers, as all that stands in the foot.
            low = one.foot > (end if one.name == "logo" else foot)
            if low or (one.right > right and not one.name):
                pairs.append((one.words, PAGE_EDGE))
            elif one.right > one.column + _EDGE:
                pairs.append((one.words, "the next column"))
        # Texts of the foot of a page that a rule of what is above it runs through.
        boxes = [part for part, _ in _walk(box, math.inf)]
        feet = [part for part in boxes if part.element_tag == "footer"]
        texts = [one for part in feet for one in _list_inked(part)]
        inside = {id(part) for foot in feet for part, _ in _walk(foot, math.inf)}
        for part in boxes if texts else ():
            if id(part) in inside or not getattr(part, "border_bottom_width", 0):
                continue
            left, foot = part.border_box_x() * _PX, part.border_box_y() * _PX
            foot, right = foot + part.border_height() * _PX, left + part.border_width() * _PX
            for one in texts:
                beside = min(right, one.right) > max(left, one.left)
                if one.top < foot < one.foot + _EDGE and beside:
                    pairs.append((one.words, "a rule above it"))
    if pairs:
        raise Crowded(list(dict.fromkeys(pairs)))


def _list_inked(whole: Any) -> Iterator[_Inked]:
    from weasyprint.formatting_structure.boxes import TextBox

    for box, column in _walk(whole, math.inf):
        is_place = box.element_tag == "input"
        is_die = box.element_tag == "i" and "die" in str(box.element.get("class")).split()
        name = str(box.element.get("name")).split("|")[3] if is_place else ""
        if is_die or (is_place and not name.startswith(_QUIET)):
            left, top = box.content_box_x() * _PX, box.content_box_y() * _PX
            right, foot = left + box.width * _PX, top + box.height * _PX
            words = "a die" if is_die else str(box.element.get("title") or name)
            yield _Inked(left, top, right, foot, words, name, column if is_die else math.inf)
        elif not is_place and isinstance(box, TextBox) and box.text.strip():
            size, left = box.style["font_size"] * _PX, box.position_x * _PX
            base = (box.position_y + box.baseline) * _PX
            top, foot = base - _ASCENT * size, base + _DESCENT * size
            right, words = left + box.width * _PX, box.text.strip()
            yield _Inked(left, top, right, foot, words, column=column)


def _walk(box: Any, column: float) -> Iterator[tuple[Any, float]]:
    """Yield a box and those in it, each with the right edge of its section."""
    if box.element_tag == "section":
        column = (box.border_box_x() + box.border_width()) * _PX
    yield box, column
    for child in getattr(box, "children", ()):
        yield from _walk(child, column)


def _belong(one: _Inked, other: _Inked) -> bool:
    """Whether two things may share a spot: a unit in its place, one place for two cases, steps."""
    if not one.name and not other.name:
        return False
    if one.name and other.name:
        short, long = sorted((one.name, other.name), key=len)
        if long.removeprefix(short) in _TWINS or f"to_draw.{short}" == long:
            return True
        drawn = short in ("art", "to_draw.art")  # an empty sheet has its offers in that frame
        if long.startswith(f"offer.{short}.") or (drawn and long.startswith("offer.")):
            return True
        # Names of steps of a track: each is printed at some of the boxes only.
        stems = {name.rpartition(".")[0] for name in (short, long)}
        return len(stems) == 1 and stems.pop().endswith(".step")
    text = other if one.name else one
    return len(text.words) <= _UNIT or not any(map(str.isalnum, text.words))


if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

# How to install Pango, by `sys.platform`.
_PACKAGES: Final = {
    "linux": "`apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` (Debian, Ubuntu), "
    "`dnf install pango` (Fedora) or `pacman -S pango` (Arch)",
    "darwin": "`brew install pango`",
    "win32": "`pacman -S mingw-w64-ucrt-x86_64-pango` in MSYS2, and name the folder of its DLLs "
    "in WEASYPRINT_DLL_DIRECTORIES",
}
# WeasyPrint's message about the first library that it did not find.
_LIBRARY: Final = re.compile(r"load library '(?:lib)?([\w.+-]+?)'")
# Longest `data:` address, in characters; drawings in style sheets have hundreds.
DATA_LIMIT: Final = 2_000_000
# Processor time of a layout, and more for each megabyte of markup: 1,000 rows take 6 s.
_SECONDS: Final = 25
_SECONDS_PER_MEGABYTE: Final = 40
_LEAST_MEMORY: Final = 400_000_000
# WeasyPrint makes a widget of the content box of an input that has an appearance. Whatever a
# template sets for its inputs on screen must not move or lose a place.
_PLATE_STYLE: Final = """
.place { appearance: auto !important; border: 0 !important; padding: 0 !important }
"""


class NoEngine(Exception):
    """The layout engine is needed and cannot be loaded; `hint` says what to install."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint

    def finding(self) -> Finding:
        """Return the finding, which is about this machine and not about a file."""
        hint = f"{self.hint}; `sheetgen doctor` says what works without it"
        message = f"this print has to be laid out; {self}"
        return Finding(codes.NO_ENGINE, Span(PROGRAM), message, hint)


def load_engine() -> Any:
    """Return the module `weasyprint`, or raise `NoEngine`; importing it takes half a second."""
    allowed = shell_limit("AS")
    if allowed is not None and allowed < _LEAST_MEMORY:  # its libraries would end the process
        message = f"the layout engine needs {_LEAST_MEMORY // 1_000_000} MB of memory; "
        message += f"`ulimit -v` allows {allowed // 1_000_000} MB"
        raise NoEngine(message, "raise the limit with `ulimit -v`")
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # It prints advice.
            import weasyprint
    except ImportError as error:
        message = f"the layout engine cannot be loaded: {error}"
        raise NoEngine(message, pip_hint("weasyprint")) from None
    except OSError as error:
        named = _LIBRARY.search(str(error))
        library = f"the library `{named[1]}`, which comes with Pango" if named else str(error)
        message = f"the layout engine cannot be loaded: the system lacks {library}"
        raise NoEngine(message, f"install Pango: {install_hint(sys.platform)}") from None
    return weasyprint


def install_hint(platform: str) -> str:
    """Return what to install for the engine on `platform`, as `sys.platform` spells it."""
    return _PACKAGES.get(platform, _PACKAGES["linux"])


class LayoutError(ValueError):
    """The layout engine warned about markup or style: `complaints`, one line each."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__(complaints)  # these are what pickling keeps
        self.complaints = complaints

    def __str__(self) -> str:
        return "; ".join(self.complaints)


def lay_out(
    html: str,
    assets: Mapping[str, bytes],
    *,
    variant: str | None = "pdf/ua-1",
    forms: bool = False,
    identifier: bytes = b"sheetgen",
    complaints: list[str] | None = None,
    finish: Callable[[Any], None] | None = None,
    inspect: Callable[[Any], None] | None = None,
) -> bytes:
    """Return `html` as PDF; equal input gives equal bytes.

    Args:
        assets: Files for `asset:NAME` addresses in the markup, by name.
        variant: One of WeasyPrint's PDF variants; the default writes a structure tree.
        forms: Whether inputs become widgets.
        identifier: The file's `/ID`.
        complaints: Takes the engine's warnings, one line each. Without it, a warning is an
            error, since what the engine ignores is missing from the page.
        finish: Changes the engine's file, a `pydyf.PDF`, before it is written.
        inspect: Is called with the laid-out document before it is written.

    Raises:
        LayoutError: The engine warned, and no `complaints` were given.
        NoEngine: It cannot be loaded.
    """
    weasyprint = load_engine()
    warnings: list[str] = []
    options = {
        "stylesheets": [weasyprint.CSS(string=_PLATE_STYLE)] if forms else None,
        "pdf_forms": forms,
        "pdf_variant": variant,
        "pdf_identifier": identifier,
        "presentational_hints": False,
    }
    finisher = (lambda _, pdf: finish(pdf)) if finish is not None else None
    with _laying_out(html, assets, warnings) as document:
        pages = document.render(**options)
        if inspect is not None:
            inspect(pages)
        pdf = pages.write_pdf(finisher=finisher, **{**weasyprint.DEFAULT_OPTIONS, **options})
    if complaints is not None:
        complaints.extend(warnings)
    elif warnings:
        raise LayoutError(warnings)
    assert isinstance(pdf, bytes)
    return pdf


@frozen
class BlockMeasure:
    """A block of a page, an `article`: lengths in points from the top of the page."""

    number: int  # its place among all blocks, from 0
    top: float
    foot: float
    parts: tuple[tuple[str, float], ...]  # the names (`data-part`) and feet of its parts


@frozen
class PageMeasure:
    """Where a page's content begins and ends at most, and the blocks on it."""

    top: float
    foot: float
    blocks: tuple[BlockMeasure, ...]


def measure_pages(html: str, assets: Mapping[str, bytes]) -> tuple[PageMeasure, ...]:
    """Return the pages that `html` takes; warnings are reported when it is laid out."""
    numbers: dict[Any, int] = {}

    def foot(box: Any) -> float:
        return float(box.border_box_y() + box.border_height()) * _PX

    def measure(page: Any) -> PageMeasure:
        blocks = []
        for block in _list_boxes(page, lambda box: box.element_tag == "article"):
            number = numbers.setdefault(block.element, len(numbers))
            parts = _list_boxes(block, lambda box: bool(box.element is not None and _part(box)))
            feet = tuple((_part(box), foot(box)) for box in parts)
            blocks.append(BlockMeasure(number, block.border_box_y() * _PX, foot(block), feet))
        top = page.content_box_y() * _PX
        return PageMeasure(top, top + page.height * _PX, tuple(blocks))

    with _laying_out(html, assets, []) as document:
        return tuple(measure(page._page_box) for page in document.render().pages)


def _part(box: Any) -> str:
    return str(box.element.get("data-part") or "")


def _list_boxes(whole: Any, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Yield the outermost boxes of elements that are wanted, in reading order."""
    for box in getattr(whole, "children", ()):
        if wanted(box) and not box.element_tag.endswith(("::before", "::after")):
            yield box
        else:
            yield from _list_boxes(box, wanted)


def closed_fetcher(assets: Mapping[str, bytes]) -> URLFetcher:
    """Return a URL fetcher for `assets` and short `data:` addresses, which refuses all others."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class ClosedFetcher(URLFetcher):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__(allowed_protocols=("data",), allow_redirects=False)

        def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
            scheme, _, name = url.partition(":")
            if scheme == "asset" and name in assets:
                return URLFetcherResponse(url, assets[name])
            if scheme == "data" and len(url) <= DATA_LIMIT:
                return super().fetch(url, headers)
            raise ValueError(f"`{url[:60]}` is not among the assets")

    return ClosedFetcher()


@contextlib.contextmanager
def _laying_out(html: str, assets: Mapping[str, bytes], warnings: list[str]) -> Iterator[Any]:
    """Bound a layout, and raise a `LayoutError` for whatever goes wrong in the engine.

    Markup and styles may be a stranger's, and the engine raises anything on some of them. The
    block gets the document; `warnings` takes the warnings and errors that the engine logs.
    """
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warnings.append(record.getMessage())

    weasyprint = load_engine()
    seconds = _SECONDS + len(html) // 1_000_000 * _SECONDS_PER_MEGABYTE
    logger, handler = logging.getLogger("weasyprint"), Handler(logging.WARNING)
    logger.addHandler(handler)
    try:
        with limit_block(seconds, "laying it out"):
            yield weasyprint.HTML(string=html, base_url=None, url_fetcher=closed_fetcher(assets))
    except (Crowded, OSError):
        raise
    except (RecursionError, SyntaxError):  # Python nests 100 parentheses
        raise LayoutError(["elements, styles or selectors are nested too deep"]) from None
    except ArithmeticError:
        raise LayoutError(["a size is too large, or too small, to be laid out"]) from None
    except BoundExceeded as error:
        raise LayoutError([str(error)]) from None
    except Exception as error:
        pass_memory_error(error)
        name = type(error).__name__
        raise LayoutError([f"the layout engine failed with {name}: {error}"]) from error
    finally:
        logger.removeHandler(handler)
