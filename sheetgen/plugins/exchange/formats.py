"""The formats of `sheetgen export` and `sheetgen import`, and the interface of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, Source
from sheetgen.plugin import ExchangeFormat, resolve
from sheetgen.prints.characters import Character
from sheetgen.prints.encounter import CheckedEncounter
from sheetgen.readback.merging import MergedFile
from sheetgen.records import frozen
from sheetgen.registry import plugins


@frozen
class ExportRequest:
    """What to export: checked characters and other entries of one ruleset, without errors."""

    # The complete ruleset, with tables and cards. The rules of an entry's own kind are those of its
    # `Character`.
    rules: Ruleset
    options: Mapping[str, Value]  # The ruleset's options, as they are played.
    characters: tuple[Character, ...]  # In their order; none without a build.
    # Whether the ruleset as a whole is exported: all its entries, things and tables.
    stock: bool = False
    encounters: tuple[CheckedEncounter, ...] = ()

    @property
    def builds(self) -> tuple[tuple[Build, Character], ...]:
        """The builds, each with its character."""
        return tuple((one.build, one) for one in self.characters if one.build is not None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all builds."""
        return tuple(build.name for build, _ in self.builds)

    def kind_of(self, one: Character) -> str:
        """Return the kind of an entry, `character` for a character."""
        if one.kind is None:
            return "character"
        own = one.kind.one, one.kind.label, one.kind.folder
        kinds = self.rules.kinds.items()  # loaded again, so that its kinds are other objects
        return next(str(id_) for id_, k in kinds if (k.one, k.label, k.folder) == own)


@frozen
class ExportResult:
    """Files by their relative paths with `/`, and findings about what has no place in them."""

    files: Mapping[str, bytes]
    findings: tuple[Finding, ...] = ()
    # The names of what is in a file, if the file's name does not say them.
    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@frozen
class ImportRequest:
    """What to import."""

    path: Path  # The file, or the folder if the format has folders. It may come from a stranger.
    rules: Ruleset  # The complete ruleset.
    # The folder of the author's files; None to only report what would be written.
    into: Path | None = None
    # Options of the ruleset, as `--set` sets them.
    options: Mapping[str, str] = field(default_factory=dict)
    what: str = ""  # What the file holds: a kind of file, or a part of the ruleset; "" to find out.


@frozen
class ImportResult:
    """New YAML files by relative path, existing files as they change, and findings."""

    texts: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    # Existing files that the import changes, each with the digest of what was read.
    merged: tuple[tuple[MergedFile, str], ...] = ()
    # New pictures by relative path, without metadata.
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    # Lines of what was read, by the name in findings, for excerpts.
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)


def refused(code: codes.Code, place: Path | str, message: str, hint: str) -> ImportResult:
    """Return the result of an import that reads nothing, with the reason."""
    return ImportResult({}, (Finding(code, Span(str(place)), message, hint),))


Exporter: TypeAlias = Callable[[ExportRequest], ExportResult]
Importer: TypeAlias = Callable[[ImportRequest], ImportResult]


FORMATS: Final[Mapping[str, ExchangeFormat]] = {
    name: format_ for plugin in plugins() for name, format_ in plugin.formats.items()
}
"""The formats of all plug-ins by name."""


def find_importer(path: Path) -> Importer | None:
    """Return the function that imports the file or folder at `path`; None if there is none."""
    for one in FORMATS.values():
        is_folder = any(os.path.exists(path / mark) for mark in one.folder_marks)
        if one.importer and (is_folder or (path.suffix.lower() or path.name) in one.suffixes):
            found: Importer = resolve(one.importer)
            return found
    return None


def no_place_note(format_: str, what: str, carried: str) -> Finding:
    """Return the finding that a format has no place for `what`; `carried` says where it goes."""
    message = f"{format_} has no place for {what}; {carried}"
    return Finding(codes.NO_PLACE_IN_FORMAT, Span("--to"), message, "", Severity.NOTE)


def find_pictures(format_: str, request: ExportRequest) -> tuple[Finding, ...]:
    """Return the finding that a format takes no pictures, if a build has one."""
    note = no_place_note(format_, "pictures", "only the names of their files are exported")
    return (note,) if any(build.pictures for build, _ in request.builds) else ()


def source_data(source: Source | None) -> dict[str, Any]:
    """Return the keys of an author's entry as plain data."""
    root = node_data(source.root) if source is not None and source.root is not None else {}
    return root if isinstance(root, dict) else {}


def node_data(node: Node) -> Any:
    """Return a node as plain data; a quoted scalar is a text."""
    if isinstance(node, Pairs):
        return {key.raw: node_data(below) for key, below in node.entries}
    if isinstance(node, Many):
        return [node_data(item) for item in node.items]
    return node.raw if node.quoted or isinstance(node.value, str) else node.value


def find_ruleset_name(rules: Ruleset, into: Path | None) -> Any:
    """Return what a file writes under `ruleset`: a name, several, or a path."""
    names = str(rules.id).split("+")
    if all(Path(o.folder).parent == rulesets_folder() for o in rules.composition.origins):
        return names if len(names) > 1 else names[0]
    folder = os.path.relpath(rules.composition.origins[-1].folder, into or Path())
    return folder if "/" in folder else f"./{folder}"
