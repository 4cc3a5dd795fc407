"""What all kinds of prints share: the context of a run, and the result of one print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sheetgen.diag.findings import DesignError, Finding
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.themes import find_theme, is_own_theme
from sheetgen.load.rulesets.content import templates_folder
from sheetgen.model.prints import Plan
from sheetgen.model.requests import FilePart, PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PrintIdentity
from sheetgen.model.source import Source
from sheetgen.prints.picture_options import find_option_conflicts
from sheetgen.records import frozen
from sheetgen.render.plates.plate_store import PlateStore
from sheetgen.rules.index import file_stem as file_stem

if TYPE_CHECKING:
    from sheetgen.prints.rulesets import CheckedRuleset


@dataclass(slots=True)
class PrintContext:
    """What the prints of one run share. A new context sees files that have changed.

    Attributes:
        drafts: The folder for PDFs that are written page by page; None holds them in memory.
        checked: Checked rulesets, by their folders, options, and whether with a proof.
    """

    drafts: Path | None = None
    rulesets: RulesetCache = field(default_factory=RulesetCache)
    plates: PlateStore = field(default_factory=PlateStore)
    checked: dict[tuple[object, ...], CheckedRuleset] = field(default_factory=dict)


@frozen
class PrintResult:
    """Finished files of one thing by format, and all findings about it.

    Attributes:
        plan: Of a sheet; the press prints it again, alone or among others.
        words: Words that the pattern of an output's name may use; empty if nothing is printed.
        stem: What a command calls the files, if not `words["stem"]`.
        drafts: Files that were too long to be held, written as drafts already.
        source: The author's file; findings show its lines.
        inputs: Folders of the rulesets and designs that the print depends on.
        withheld: Whether the build has errors, and a draft of it could be printed.
        subjects: The names of what is printed, if not `words["name"]` alone.
        pages: Of cards that are printed one a page: what each page shows.
        more: Further files. Pictures among them are rendered as they are taken, one at a time.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    stem: str = ""
    drafts: Mapping[str, Path] = field(default_factory=dict)
    source: Source | None = None
    inputs: frozenset[str] = frozenset()
    withheld: bool = False
    subjects: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    more: Iterable[FilePart] = ()

    def parts(self) -> Iterator[FilePart]:
        """Yield all files that are held or rendered, but no drafts; only once."""
        for format_, content in self.files.items():
            yield FilePart("", format_, partial(bytes, content))
        yield from self.more

    def identify(self, request: PrintRequest, format_: str) -> PrintIdentity | None:
        """Return what a file of this print is a print of."""
        if not self.words:
            return None
        paper = "" if format_ in ("md", "csv", "json", "zip") else request.paper
        names = self.subjects or (self.words.get("name") or self.words["stem"],)
        return PrintIdentity(self.words.get("ruleset", ""), request.kind, paper, names)


def input_folders(rules: Ruleset | None, *designs: str) -> frozenset[str]:
    """Return the folders of a ruleset, with those that it extends, and of designs."""
    origins = rules.composition.origins if rules is not None else ()
    folders = (str(templates_folder() / design) for design in designs)
    return frozenset((*(origin.folder for origin in origins), *folders))


def name_words(rules: Ruleset, what: str) -> dict[str, str]:
    """Return the words for the name of a print of a ruleset."""
    id_ = str(rules.id)
    return {"stem": f"{id_}-{what}", "name": rules.title, "ruleset": id_, "kind": what, "n": "1"}


def finish_prints(
    printer: Printer, request: PrintRequest, context: PrintContext
) -> Iterator[PrintResult]:
    """Yield what `printer` prints, with pictures, and PDFs finished for a printer or as PDF/A."""
    if conflicts := find_option_conflicts(request):
        yield PrintResult(findings=conflicts)
        return
    preset = None
    if is_own_theme(request.theme):
        try:
            find_theme(request.theme)  # its notes are for `check`: a print need not repeat them
        except DesignError as error:
            yield PrintResult(findings=error.findings)
            return
    if request.preset:
        from sheetgen.load.designs.designs import load_presets  # Most runs need none of it.

        preset = load_presets()[request.preset]
        request = replace(request, calc=request.calc and preset.scripts)
    if request.picture_formats:
        printer = _with_pictures(printer)
    if preset is None and not request.archive:
        yield from printer(request, context)
        return
    from sheetgen.finish.finishing import finish_files

    for result in printer(request, context):
        stem = result.stem or result.words.get("stem", "")
        done = finish_files(result.files, stem, preset, request.archive)
        findings = (*result.findings, *done.findings)
        yield replace(result, files=done.value or {}, findings=findings)


def _with_pictures(printer: Printer) -> Printer:
    """Return a printer that adds pictures of the pages of each PDF."""

    def print_pictures(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
        from sheetgen.finish.pictures import picture_files

        keep = "pdf" in request.formats
        others = (format_ for format_ in request.formats if format_ not in request.picture_formats)
        inner = replace(
            request,
            formats=tuple(dict.fromkeys((*others, "pdf"))),
            calc=request.calc and keep,  # nobody types into a picture
        )
        for result in printer(inner, context):
            if "pdf" not in result.files:
                yield result
                continue
            made = picture_files(result.files["pdf"], request, result.pages)
            yield replace(
                result,
                files={k: v for k, v in result.files.items() if keep or k != "pdf"},
                findings=(*result.findings, *made.findings),
                more=chain(result.more, made.value or ()),
            )

    return print_pictures


Printer: TypeAlias = Callable[[PrintRequest, PrintContext], Iterable[PrintResult]]
"""A function that prints one kind of things, such as `print_cards`."""
