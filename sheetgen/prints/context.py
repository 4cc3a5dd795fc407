"""What all kinds of prints share: the context of a run, and the result of one print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sheetgen.data import templates_folder
from sheetgen.diag.findings import Finding
from sheetgen.load.characters import RulesetCache
from sheetgen.materials.plates import PlateStore
from sheetgen.model.prints import Plan
from sheetgen.model.requests import FileFormat, FilePart, PrintRequest, RequestT
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PrintIdentity
from sheetgen.model.source import Source
from sheetgen.records import frozen
from sheetgen.rules.index import file_stem as file_stem

if TYPE_CHECKING:
    from sheetgen.prints.rulesets import CheckedRuleset


@dataclass(slots=True)
class PrintContext:
    """What the prints of one run share. A new context sees files that have changed."""

    # The folder for PDFs that are written page by page; None holds them in memory.
    drafts: Path | None = None
    rulesets: RulesetCache = field(default_factory=RulesetCache)
    plates: PlateStore = field(default_factory=PlateStore)
    # Checked rulesets, by their folders, options, and whether with a proof.
    checked: dict[tuple[object, ...], CheckedRuleset] = field(default_factory=dict)


@frozen
class PrintResult:
    """Finished files of one thing by format, and all findings about it."""

    files: Mapping[FileFormat, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None  # Of a sheet; the press prints it again, alone or among others.
    # Words that the pattern of an output's name may use; empty if nothing is printed.
    words: Mapping[str, str] = field(default_factory=dict)
    stem: str = ""  # What a command calls the files, if not `words["stem"]`.
    # Files that were too long to be held, written as drafts already.
    drafts: Mapping[FileFormat, Path] = field(default_factory=dict)
    source: Source | None = None  # The author's file; findings show its lines.
    # Folders of the rulesets and designs that the print depends on.
    inputs: frozenset[str] = frozenset()
    withheld: bool = False  # Whether the build has errors, and a draft of it could be printed.
    subjects: tuple[str, ...] = ()  # The names of what is printed, if not `words["name"]` alone.
    pages: tuple[str, ...] = ()  # Of cards that are printed one a page: what each page shows.
    # Further files. Pictures among them are rendered as they are taken, one at a time.
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


Printer: TypeAlias = Callable[[RequestT, PrintContext], Iterable[PrintResult]]
"""A function that prints one kind of things, such as `print_cards`."""
