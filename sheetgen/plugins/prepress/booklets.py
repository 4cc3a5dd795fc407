"""`sheetgen booklet`: any finished PDF as sheets to be folded and stapled in the fold.

Text stays searchable, and metadata stays. Tags are removed: their order would be that of the
sheets, not that of the pages.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final

import typer

from sheetgen.bounds import begin_next_page, pass_memory_error
from sheetgen.cli import console
from sheetgen.cli.outputs import OutputFiles, name_file
from sheetgen.cli.parameters import OUTPUT, File, FileOut, Force, Strict, option
from sheetgen.finish.saving import claims_of, precise_numbers, remove_keys, save_pdf, write_metadata
from sheetgen.model.requests import FilePart
from sheetgen.plugins.prepress.contents import (
    IDENTITY,
    Matrix,
    Rect,
    matrix_of,
    rect_of,
    transformed_box,
)
from sheetgen.plugins.prepress.inspection import open_untrusted, run_on_file
from sheetgen.plugins.prepress.printers import FOR_READERS, NotReady, flatten
from sheetgen.records import frozen
from sheetgen.units import MM, paper_points, parse_length

BOOKLET_PAPERS: Final = ("a3", "a4", "a5", "letter", "tabloid")  # that booklets are printed on


def command(
    file: File,
    paper: Annotated[
        str | None,
        option(
            "--paper",
            "The paper of the sheets. Default: one that holds two pages at their size.",
            choices=BOOKLET_PAPERS,
        ),
    ] = None,
    creep: Annotated[
        str,
        option(
            "--creep LENGTH",
            "Move the pages of each further sheet towards the fold, such as 0.1mm.",
            shown=True,
        ),
    ] = "0 mm",
    out: FileOut = OUTPUT,
    force: Force = False,
    strict: Strict = False,
) -> None:
    """Impose a PDF as a booklet: two pages on a side, in the order of folding.

    Print it on both sides at 100 per cent, flipped on the short edge. Fold the pile in the
    middle and staple the fold.

    Example: sheetgen booklet output/book.pdf

    Guide: docs/guides/print-shop.md
    """
    try:
        moved = float(parse_length(creep))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--creep") from None
    if not 0 <= moved <= float(parse_length("2mm")):
        raise typer.BadParameter("between 0 and 2 mm", param_hint="--creep")
    reporter = console.Reporter(strict)
    size = paper_points(paper) if paper else None
    booklet = run_on_file(file, lambda data: impose_booklet(data, size, moved))
    reporter.report(booklet.findings)
    if booklet.value is not None:
        folder, stem, _ = name_file(out, ["pdf"])
        with OutputFiles(folder, reporter, [file], force=force) as files:
            stem = stem or f"{file.stem}-booklet"
            files.write(stem, FilePart("", "pdf", partial(bytes, booklet.value)))
    reporter.exit()


def impose_booklet(
    data: bytes, paper: tuple[float, float] | None = None, creep: float = 0.0
) -> bytes:
    """Return the file `data` as a booklet; equal files give equal bytes.

    Args:
        data: Pages larger than the first in the orientation of most pages are scaled down.
        paper: Width and height of the sheet in points, in either orientation; pages are scaled
            down to fit, never up. None for a sheet that holds two pages at their size.
        creep: Points by which pages of each further sheet inside are moved to the fold.

    Raises:
        NotReady: It is encrypted, or its pages are damaged; others as by `open_untrusted`.
    """
    import pikepdf

    with open_untrusted(data) as pdf:
        if pdf.is_encrypted:
            raise NotReady("encryption")
        try:
            claimed_x = any(claim.startswith("PDF/X") for claim in claims_of(pdf))
            flatten(pdf)
            remove_keys(pdf.Root, *FOR_READERS)
            if claimed_x:
                remove_keys(pdf.docinfo, "/GTS_PDFXVersion")  # a claim about single pages
            forms = []
            for page in pdf.pages:
                begin_next_page()
                forms.append(pdf.make_indirect(page.as_form_xobject()))
            # A page that is turned among others is turned back, also if it is the first.
            sizes = [(x1 - x0, y1 - y0) for x0, y0, x1, y1 in map(_viewed_box, forms)]
            mostly_wide = sum(map(_is_wide, sizes)) * 2 > len(sizes)
            first = next(size for size in sizes if _is_wide(size) == mostly_wide)
            if paper is None:
                sheet = find_booklet_sheet(*first)
            else:  # the orientation in which two pages are largest
                sheet = max(
                    ((max(paper), min(paper)), (min(paper), max(paper))),
                    key=lambda sheet: _scale(sheet, first),
                )
            pages = [
                _sheet(pdf, forms, side, sheet, creep, first) for side in plan_sides(len(forms))
            ]
            del pdf.pages[:]
            for page in pages:
                pdf.pages.append(pikepdf.Page(page))
            pdf.Root.ViewerPreferences = pikepdf.Dictionary(
                DisplayDocTitle=True,
                PrintScaling=pikepdf.Name("/None"),
                Duplex=pikepdf.Name(f"/DuplexFlip{'Short' if sheet[0] > sheet[1] else 'Long'}Edge"),
            )
            write_metadata(pdf, {})
            return save_pdf(pdf)
        except NotReady:
            raise
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
            raise NotReady(f"damage ({type(error).__name__})") from None


def _viewed_box(form: Any) -> Rect:
    """Return the box of the page in a form XObject, as viewed."""
    return transformed_box(matrix_of(form.get("/Matrix", IDENTITY)), rect_of(form.BBox))


def _is_wide(size: tuple[float, float]) -> bool:
    return size[0] > size[1] * 1.01


def _scale(sheet: tuple[float, float], page: tuple[float, float]) -> float:
    return min(1.0, sheet[0] / 2 / page[0], sheet[1] / page[1])


def _sheet(
    pdf: Any,
    forms: list[Any],
    side: Side,
    sheet: tuple[float, float],
    creep: float,
    usual: tuple[float, float],
) -> Any:
    """Return one side of a sheet.

    Landscape pages among portrait ones are turned, and the other way round, all with their heads
    to the left: they are read with the booklet turned clockwise once.
    """
    import pikepdf

    half, parts, used = sheet[0] / 2, [], {}
    for left, number in ((True, side.left), (False, side.right)):
        if number is None:
            continue
        name = f"/P{number + 1}"
        used[name] = form = forms[number]
        x0, y0, x1, y1 = _viewed_box(form)
        size = (x1 - x0, y1 - y0)
        turned = _is_wide(size) != _is_wide(usual)
        size = (size[1], size[0]) if turned else size
        scale = _scale(sheet, size)
        scale = 1.0 if scale > 0.99 else scale  # two A5 pages are a millimetre narrower than A4
        wide, high = size[0] * scale, size[1] * scale
        shift = creep * side.sheet
        # Pages touch the fold, so that all margins are on the outside.
        x = half - wide + shift if left else half - shift
        y = (sheet[1] - high) / 2
        matrix: Matrix = (scale, 0, 0, scale, x - x0 * scale, y - y0 * scale)
        if turned:
            matrix = (0, scale, -scale, 0, x + y1 * scale, y - x0 * scale)
        clip = precise_numbers(0 if left else half, 0, half, sheet[1])
        parts.append(b"q %s re W n %s cm %s Do Q" % (clip, precise_numbers(*matrix), name.encode()))
    page = pikepdf.Dictionary(
        Type=pikepdf.Name.Page,
        MediaBox=[0, 0, round(sheet[0], 4), round(sheet[1], 4)],
        Resources=pikepdf.Dictionary(XObject=pikepdf.Dictionary(used)),
        Contents=pdf.make_indirect(pikepdf.Stream(pdf, b"\n".join(parts))),
    )
    return pdf.make_indirect(page)


@frozen
class Side:
    """One side of a sheet."""

    left: int | None  # A page number from 0; None for an empty page
    right: int | None
    sheet: int  # The number of the sheet; 0 is the outermost


def plan_sides(pages: int) -> tuple[Side, ...]:
    """Return the sides of a booklet of so many pages, front and back of each sheet."""
    count = -(-pages // 4) * 4

    def page(number: int) -> int | None:
        return number if number < pages else None

    sides = []
    for sheet in range(count // 4):
        first, last = 2 * sheet, count - 1 - 2 * sheet
        sides.append(Side(page(last), page(first), sheet))
        sides.append(Side(page(first + 1), page(last - 1), sheet))
    return tuple(sides)


def find_booklet_sheet(width: float, height: float) -> tuple[float, float]:
    """Return the size of a sheet for two pages: a standard paper if one is nearly as large."""
    for short, long in map(paper_points, BOOKLET_PAPERS):
        for paper in ((long, short), (short, long)):
            if abs(paper[0] - 2 * width) < 1.5 * MM and abs(paper[1] - height) < 1.5 * MM:
                return paper
    return 2 * width, height
