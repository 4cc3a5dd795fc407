"""Combine the prints of several entries in one PDF, with a cover and page numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Span
from sheetgen.finish import merging
from sheetgen.finish.saving import finish_files
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.designs import engine_version, load_page_design, load_presets
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.templates import load_scene
from sheetgen.load.designs.themes import Face, credited_face, find_theme, load_face
from sheetgen.load.files import note_read, read_document
from sheetgen.load.pictures import find_brand, read_ruleset_pictures
from sheetgen.load.rulesets.rulesets import FACE_FILE, load_ruleset
from sheetgen.materials.plates import build_picture_file, prepare_picture
from sheetgen.model.books import CombinedFile
from sheetgen.model.pictures import BrandPictures, PreparedPicture, list_credits
from sheetgen.model.requests import PrintRequest
from sheetgen.model.seals import sealed
from sheetgen.render.flow.layout import LayoutError, NoEngine
from sheetgen.render.flow.rendering import LOGO, LOGO_SIZE, PageStyle
from sheetgen.render.flow.screen_pages import FOLDER, ContentsLine, CoverText, render_cover
from sheetgen.units import PAPERS, paper_points
from sheetgen.write import cannot_write, write_draft

_FACE: Final = "text-600"  # Typeface of page numbers.
_MOST_LINES: Final = 30  # of contents that name parts of entries: more would not fit a page
_FEWEST_LINES: Final = 3
_FEWEST_PAGES: Final = 9  # The fewest parts and pages of a book that needs contents.
_CLEAR: Final = 1.0  # Points between page numbers and the margin that a printer keeps empty.


def combine_parts(
    file: CombinedFile,
    parts: Sequence[tuple[str, Path]],
    request: PrintRequest,
    drafts: Path,
    rulesets: Sequence[Path] = (),
) -> Checked[Path]:
    """Return the draft of a combined file, whose `parts` have the ids of entries, or findings."""
    read = [read_document(path) for _, path in parts]
    if lost := [finding for one in read for finding in one.findings]:
        return Checked(None, tuple(lost))
    name = f"{file.name}.pdf"
    try:
        merged = _merge(file, parts, [one.value or b"" for one in read], request, rulesets)
        if merged.value is None:
            return Checked(None, merged.findings)
        preset = load_presets().get(request.preset)
        done = finish_files({"pdf": merged.value}, name, preset, request.archive)
        data = (done.value or {}).get("pdf")
        draft = write_draft(drafts, sealed(name, data)) if data is not None else None
        return Checked(draft, (*merged.findings, *done.findings))
    except merging.BrokenPart as error:
        span = Span(str(parts[error.at][1])) if error.at >= 0 else file.place
        message = f"it cannot become a part of `{name}`: {error}"
        hint = "build again with `--force`"
        return Checked(None, (Finding(codes.PART_MISSING, span, message, hint),))
    except DesignError as error:
        return Checked(None, error.findings)
    except NoEngine as error:
        return Checked(None, (error.finding(),))
    except LayoutError as error:
        span = Span(f"templates/{FOLDER}")
        return Checked(None, (Finding(codes.BAD_TEMPLATE, span, str(error)),))
    except OSError as error:
        return Checked(None, (cannot_write(name, error),))


def entry_title(id_: str, labels: Iterable[str] = ()) -> str:
    """Return the title of an entry that has only an id; capitals of words in `labels` stay."""
    spelt = {word.casefold(): word for word in labels if word[1:] != word[1:].lower()}
    words = (spelt.get(word, word) for word in id_.replace("-", " ").replace("_", " ").split())
    title = " ".join(words)
    return title[:1].upper() + title[1:] or id_


def _merge(
    file: CombinedFile,
    parts: Sequence[tuple[str, Path]],
    data: Sequence[bytes],
    request: PrintRequest,
    rulesets: Sequence[Path],
) -> Checked[bytes]:
    """Return all parts as one PDF; `BrokenPart` if one of them cannot be read."""
    paper = request.paper if request.paper in PAPERS else PAPERS[0]
    infos = [merging.part_info(one, at) for at, one in enumerate(data)]
    found = load_page_design(request.theme, paper, FOLDER, face=_face(file, infos, rulesets))
    if found.value is None:
        return Checked(None, found.findings)
    texts, tokens, faces = found.value
    titles = dict(zip(file.of, file.titles, strict=False))
    untitled = any(not titles.get(id_) for id_, _ in parts)
    loaded = [load_ruleset(folder).value for folder in rulesets] if untitled else []
    kinds = (kind for rules in loaded if rules is not None for kind in rules.kinds.values())
    labels = [label for kind in kinds for label in (kind.one, kind.label)]
    members = [
        merging.MergePart(info.title or path.stem, one, titles.get(id_) or entry_title(id_, labels))
        for (id_, path), info, one in zip(parts, infos, data, strict=True)
    ]
    credits = list_credits(info.subject for info in infos)
    subject = " ".join(line if line[-1] in ".!?" else f"{line}." for line in credits)
    lang = next((info.lang for info in infos if info.lang), "en")
    title = file.title or file.name
    cover = None
    findings: tuple[Finding, ...] = ()
    if file.cover is not None:
        for _, picture in request.pictures:
            note_read(Path(picture.path))
        read = [read_ruleset_pictures(folder) for folder in rulesets]
        near, far = (BrandPictures(cover=file.cover.picture),), [one for one in read if one]
        brand = find_brand(request, ("logo", "cover"), near=near, far=far)
        findings = brand.findings
        pictures: dict[str, PreparedPicture] = {}
        for key, picture in (brand.value or {}).items():
            box = LOGO_SIZE if key == LOGO else paper_points(paper)
            made = prepare_picture(picture, box)
            findings += made.findings
            pictures |= {key: made.value} if made.value is not None else {}
            credits += (picture.credit,) if picture.credit else ()
        context: Mapping[str, Any] = {
            "title": title,
            "lang": lang,
            "paper": paper,
            "theme": find_theme(request.theme).base,
            "credit": subject,
            "version": __version__,
        }
        paragraphs = (" ".join(part.split()) for part in file.cover.text.split("\n\n"))
        prose = [part for part in paragraphs if part]
        shown = file.cover.title or title
        front = CoverText(shown, file.cover.subtitle, prose, file.cover.foot, credits)
        fonts = {face: font_bytes(name) for face, name in faces.items()}
        assets = {key: build_picture_file(one)[1] for key, one in pictures.items()}
        style = PageStyle(texts, tokens, fonts, assets=assets)
        lines = partial(_contents, members, infos, file.duplex)
        scene = load_scene(tokens)
        # A cover with the same inputs comes from the cache, without layout.
        digests = {face: hashlib.sha256(font).hexdigest() for face, font in style.fonts.items()}
        drawn = [(name, one.key, one.alt, one.at) for name, one in pictures.items()]
        contents = [lines(pages) for pages in (1, 2, 3)]
        inputs = front, contents, context, texts, tokens, digests, drawn, scene
        text = repr((inputs, engine_version(), code_stamp()))
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
        key = f"{digest[:32]}.cover"
        if (cover := read_cache(key)) is None:
            cover = render_cover(front, lines, style, context, pictures, scene)
            store_in_cache(key, cover)
    face = font_bytes(faces[_FACE]) if file.numbers else None
    printer = load_presets().get(request.preset)
    safe = printer.safe + _CLEAR if printer is not None and printer.safe else 0.0
    document = merging.MergedInfo(title, lang, subject)
    size = tokens.length("size-folio")
    look = cover, face, safe
    merged = merging.merge_parts(members, document, *look, size=size, duplex=file.duplex)
    return Checked(merged, findings)


def _face(file: CombinedFile, infos: Sequence[merging.PartInfo], rulesets: Sequence[Path]) -> Face:
    """Return the cover's face, or that of the game with most pages; or raise `DesignError`."""
    if file.cover is None:
        return ()
    if (named := file.cover.face) is not None:
        own = Path(file.place.file).parent / named
        return load_face(str(own) if own.name == FACE_FILE else named)
    pages: Counter[str] = Counter()
    for info in infos:
        pages[info.subject] += info.pages
    return credited_face(pages.most_common(1)[0][0], rulesets) if pages else ()


def _contents(
    parts: Sequence[merging.MergePart], infos: Sequence[merging.PartInfo], duplex: bool, cover: int
) -> list[ContentsLine]:
    """Return a line for each entry and its parts, if they fit a page, or for the entries alone.

    If there is only one entry, each part has a line. A book in which everything is found by
    leafing through has no contents. `cover` pages are before the first part.
    """
    starts, count = [], cover
    for info in infos:
        count += count % 2 if duplex or info.duplex else 0  # as `merge_parts` does
        starts.append(count + 1)
        count += info.pages
    if len(parts) < _FEWEST_LINES or count - cover < _FEWEST_PAGES:
        return []
    lines = [ContentsLine(p.title, at, starts[at], below=True) for at, p in enumerate(parts)]
    groups = [list(group) for _, group in groupby(lines, lambda line: parts[line.part].entry)]
    if len(groups) < 2:
        return [replace(line, below=False) for line in lines]
    heads = [replace(g[0], label=parts[g[0].part].entry, below=False) for g in groups]
    if len(heads) + sum(len(g) for g in groups if g[1:]) > _MOST_LINES:
        return heads
    shown: list[ContentsLine] = []
    for head, group in zip(heads, groups, strict=True):
        tails = [line.label.rsplit(" · ", 1) for line in group if group[1:]]
        # The last part of their labels, such as the game, is left out if all share it.
        alike = len({tail[-1] for tail in tails}) == 1 and all(len(tail) == 2 for tail in tails)
        below = [replace(one, label=tail[0]) for one, tail in zip(group, tails, strict=False)]
        shown += [head, *(below if alike else group if group[1:] else ())]
    return shown
