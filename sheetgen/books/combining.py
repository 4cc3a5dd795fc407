"""Combined files: the prints of several entries become one PDF, with a cover if one is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sheetgen import __version__
from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.finish.finishing import finished
from sheetgen.finish.merge.merging import MergedInfo, MergePart, merged
from sheetgen.finish.merge.parts import BrokenPart, PartInfo, part_info
from sheetgen.load.designs.designs import load_look
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.presets import presets
from sheetgen.load.documents import read_document
from sheetgen.model.books import CombinedFile, Cover, Order
from sheetgen.model.seals import sealed
from sheetgen.render.flow.cover_pages import FOLDER, ContentsLine, CoverText, render_cover
from sheetgen.render.flow.engine import NoEngine
from sheetgen.render.flow.flowing import PageStyle
from sheetgen.render.flow.pages import LayoutError
from sheetgen.units import PAPERS
from sheetgen.write.drafts import draft

_FACE: Final = "text-600"
"""Of page numbers."""

_CLEAR: Final = 1.0
"""Points between page numbers and what a printer wants kept empty."""


def combined(
    whole: CombinedFile, parts: Sequence[tuple[str, Path]], look: Order, drafts: Path
) -> Checked[Path]:
    """Return the draft of a combined file, or what keeps it from being made.

    Args:
        parts: PDFs in their order, each with the id of its entry.
        look: How its cover and its numbers are set, and whom it is made ready for.
        drafts: The folder of drafts.
    """
    read = [read_document(path) for _, path in parts]
    if lost := [finding for one in read for finding in one.findings]:
        return Checked(None, tuple(lost))
    name = f"{whole.name}.pdf"
    try:
        made = _merged(whole, parts, [one.value or b"" for one in read], look)
        if made.value is None:
            return Checked(None, made.findings)
        done = finished({"pdf": made.value}, name, presets().get(look.preset), look.archive)
        data = (done.value or {}).get("pdf")
        at = draft(drafts, sealed(name, data)) if data is not None else None
        return Checked(at, done.findings)
    except BrokenPart as error:
        span = Span(str(parts[error.at][1])) if error.at >= 0 else whole.place
        message = f"it cannot become a part of `{name}`: {error}"
        hint = "build again with `--force`"
        return Checked(None, (Finding(book_codes.PART_MISSING, span, message, hint),))
    except NoEngine as error:
        return Checked(None, (error.finding(whole.place),))
    except LayoutError as error:
        span = Span(f"templates/{FOLDER}")
        return Checked(None, (Finding(codes.BAD_TEMPLATE, span, str(error)),))
    except OSError as error:
        message = f"cannot write it: {(error.strerror or str(error)).lower()}"
        finding = Finding(codes.CANNOT_WRITE, Span(name), message, "choose another --out")
        return Checked(None, (finding,))


def entry_title(id_: str) -> str:
    """Return what readers see for the id of an entry."""
    words = " ".join(id_.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:] or id_


def _merged(
    whole: CombinedFile, parts: Sequence[tuple[str, Path]], data: Sequence[bytes], look: Order
) -> Checked[bytes]:
    """Return all parts as one PDF.

    Raises:
        BrokenPart: One of them cannot be read.
    """
    paper = look.paper if look.paper in PAPERS else PAPERS[0]
    found = load_look(look.theme, paper, FOLDER)
    if found.value is None:
        return Checked(None, found.findings)
    texts, tokens, faces = found.value
    infos = [part_info(one, at) for at, one in enumerate(data)]
    titles = dict(zip(whole.of, whole.titles, strict=False))
    members = [
        MergePart(info.title or path.stem, one, titles.get(id_) or entry_title(id_))
        for (id_, path), info, one in zip(parts, infos, data, strict=True)
    ]
    credits = tuple(dict.fromkeys(info.subject for info in infos if info.subject))
    subject = " ".join(said if said[-1] in ".!?" else f"{said}." for said in credits)
    lang = next((info.lang for info in infos if info.lang), "en")
    title = whole.title or whole.name
    cover = None
    if whole.cover is not None:
        fonts = {face: font_bytes(name) for face, name in faces.items()}
        told: Mapping[str, Any] = {
            "title": title,
            "lang": lang,
            "paper": paper,
            "theme": look.theme,
            "credit": subject,
            "version": __version__,
        }
        front = _front(whole.cover, title, credits)
        lines = partial(_contents, members, infos)
        cover = render_cover(front, lines, PageStyle(texts, tokens, fonts), told)
    face = font_bytes(faces[_FACE]) if whole.numbers else None
    printer = presets().get(look.preset)
    safe = printer.safe + _CLEAR if printer is not None and printer.safe else 0.0
    return Checked(merged(members, MergedInfo(title, lang, subject), cover, face, safe))


def _front(cover: Cover, title: str, credits: Sequence[str]) -> CoverText:
    paragraphs = [" ".join(part.split()) for part in cover.text.split("\n\n")]
    said = [part for part in paragraphs if part]
    return CoverText(cover.title or title, cover.subtitle, said, cover.foot, credits)


def _contents(
    parts: Sequence[MergePart], infos: Sequence[PartInfo], cover: int
) -> list[ContentsLine]:
    """Return a line for each entry, or for each part if there is one entry only.

    Args:
        cover: How many pages come before the first part.
    """
    starts, count = [], cover
    for info in infos:
        count += count % 2 if info.duplex else 0  # `merged` begins it on a new sheet of paper
        starts.append(count + 1)
        count += info.pages
    firsts = [next(group)[0] for _, group in groupby(enumerate(parts), lambda one: one[1].entry)]
    if len(firsts) > 1:
        return [ContentsLine(parts[at].entry, at, starts[at]) for at in firsts]
    return (
        [ContentsLine(p.title, at, starts[at]) for at, p in enumerate(parts)] if parts[1:] else []
    )
