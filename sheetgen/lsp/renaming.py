"""Ids of a ruleset: where they are defined, and how one is renamed in all files that use it.

What uses an id is known to the checks only: they tell names of groups, pools and keys apart, and
read formulas. So an id is renamed where it is defined, and then wherever `check` misses it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Final

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.spans import Span, split_lines
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.authors.sorts import find_ruleset_above
from sheetgen.load.files import file_names, read_text, read_unsaved, yaml_files
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import is_ruleset, layers_of
from sheetgen.lsp.files import OpenFile, Texts
from sheetgen.lsp.text.positions import OpenText
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text

_ID: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_DOTTED: Final = re.compile(r"\w+(?:\.\w+)*")
_SPELLINGS: Final = "spellings"
_MOST_ROUNDS: Final = 20
_MOST_FILES: Final = 500


class CannotRename(ValueError):
    """An id that cannot be renamed; the text says why."""


def find_ids(file: OpenFile, offset: int) -> list[Text]:
    """Return the ids that the word at an offset of a ruleset's file may mean.

    They are the keys that define these ids: the one at the offset, or else all with that id.
    """
    if file.rules is None or file.kind not in ("ruleset", "module"):
        return []
    text, known = OpenText(file.text), list(_definitions(file.rules))
    for id_ in known:
        start, end = text.span_offsets(id_.span)
        if id_.span.file == str(file.path) and start <= offset <= end:
            return [id_] if file.text[start:end] == id_ else []
    word = word_at(file.text, offset)
    if word is None:
        return []
    # A part of a name with dots, such as `choices.knack`, or all of it, such as an option's.
    dotted = next(m for m in _DOTTED.finditer(file.text) if m.start() <= word[0] < m.end())
    names = dotted[0], file.text[slice(*word)]
    found = ([id_ for id_ in known if _name(id_) == name] for name in names)
    return next(filter(None, found), [])


def word_at(text: str, offset: int) -> tuple[int, int] | None:
    """Return the offsets of the part of a name that an offset is in or beside."""
    words = re.finditer(r"\w+", text)
    return next((m.span() for m in words if m.start() <= offset <= m.end()), None)


def _definitions(rules: Ruleset) -> Iterator[Text]:
    """Yield the keys of a ruleset's files that define ids."""
    holders = [getattr(rules, field.name) for field in fields(rules) if field.name != _SPELLINGS]
    holders += [group.traits for group in rules.groups.values()]
    holders += [catalogue.entries for catalogue in rules.choices.values()]
    holders += [rules.odds.rolls, rules.odds.grids] if rules.odds is not None else []
    for holder in holders:
        if isinstance(holder, Mapping):
            yield from (key for key in holder if isinstance(key, Text))


def _name(id_: str) -> str:
    """Return an id without the parameters of a formula."""
    return id_.partition("(")[0]


def rename_id(file: OpenFile, offset: int, new: str, texts: Texts) -> dict[str, str]:
    """Return the texts of all files that change, by their real paths.

    Raises:
        CannotRename: There is no id at the offset, or `new` cannot be its name.
    """
    ids = find_ids(file, offset)
    if len(ids) != 1:
        raise CannotRename(
            "several things have this id: rename it where one of them is defined"
            if ids
            else "there is no id of this ruleset here, or the file has errors"
        )
    if not _ID.fullmatch(new):
        raise CannotRename(f"`{new}` is no id: use lower-case letters, digits and `_`")
    shipped = os.path.realpath(rulesets_folder())
    if _is_in(ids[0].span.file, shipped) and not _is_in(file.path, shipped):
        raise CannotRename(f"`{_name(ids[0])}` is in a ruleset that comes with sheetgen")
    assert file.rules is not None
    keys = {id_.span for id_ in _definitions(file.rules)} - {ids[0].span}
    files = _files_to_check(ids[0], texts)
    return _Renaming(_name(ids[0]), new, dict(texts), files, keys).apply(ids[0].span)


def _is_in(path: str | Path, folder: str) -> bool:
    return os.path.realpath(path).startswith(folder + os.sep)


def _files_to_check(id_: Text, texts: Texts) -> list[Path]:
    """Return the files of the ruleset that defines an id, and of the overlays beside it.

    Characters and other files below that do not name the id are left out.
    """
    folder = find_ruleset_above(Path(id_.span.file))
    assert folder is not None
    own = os.path.realpath(folder)
    try:
        beside = [folder.parent / name for name in sorted(file_names(folder.parent))]
    except OSError:
        beside = [folder]
    using = [o for o in beside if is_ruleset(o) and own in map(os.path.realpath, layers_of(o))]
    files = islice((path for one in using for path in yaml_files(one)), _MOST_FILES)
    named = re.compile(_name(id_).replace("_", r"[\W_]*"), re.IGNORECASE)
    return [p for p in files if is_ruleset(p.parent) or named.search(_read(p, texts))]


def _read(path: Path, texts: Texts) -> str:
    text = texts.get(os.path.realpath(path))
    if text is None:
        read = read_text(path).value
        text = read[0] if read is not None else ""
    return text


def _end_of_lines(text: str, start: int, end: int) -> int:
    """Return the end of a value of several lines, whose first line ends at `end`; or `end`."""
    if text[end : end + 1] not in ("\r", "\n"):
        return end
    line = text[max(text.rfind(mark, 0, start) for mark in "\r\n") + 1 : start]
    indent = len(line) - len(line.lstrip(" -"))
    further = re.compile(rf"(?:[\r\n]+(?: {{{indent + 1},}}[^\r\n]*)?)*")
    return further.match(text, end).end()  # type: ignore[union-attr]


class _Renaming:
    """The texts of files while an id in them is renamed."""

    def __init__(
        self, old: str, new: str, texts: dict[str, str], files: list[Path], keys: set[Span]
    ) -> None:
        self.old, self.new, self.texts, self.files, self.keys = old, new, texts, files, keys
        self.changed: dict[str, str] = {}

    def apply(self, place: Span) -> dict[str, str]:
        """Rename the id at the key that defines it, and wherever it is missed then."""
        before = Counter(map(self._key, self._findings()))
        places = {place}
        for _ in range(_MOST_ROUNDS):
            # From the end, so that places before it stay where they are.
            for span in sorted(places, reverse=True):
                self._replace(span)
            known, missed = before.copy(), []
            for finding in self._findings():
                key = self._key(finding)
                known[key] -= 1
                missed += [finding] if known[key] < 0 else []
            if not missed:
                return self.changed
            places = set(filter(None, map(self._place, missed)))
            if not places or places & self.keys:  # Another thing is tied to it by having its id.
                raise CannotRename(f"{missed[0].span}: {missed[0].message}")
        raise CannotRename(f"too much depends on `{self.old}`")

    def _findings(self) -> list[Finding]:
        with read_unsaved(self.texts):
            try:
                checked = check_paths(self.files, {}, rulesets=RulesetCache())
                return [finding for one in checked for finding in one.findings]
            except DesignError as error:
                return list(error.findings)

    def _key(self, finding: Finding) -> tuple[object, ...]:
        """Return what stays of a finding when ids in its line and in its message change."""
        message = re.sub(rf"\b{re.escape(self.new)}\b", self.old, finding.message)
        return finding.code.id, finding.span.file, finding.span.line, message

    def _place(self, finding: Finding) -> Span | None:
        """Return the first place of the old id within a finding's span, or in a value of lines.

        The span of such a value is its first line.
        """
        text = OpenText(_read(Path(finding.span.file), self.texts))
        start, end = text.span_offsets(finding.span)
        word = re.compile(rf"(?<![\w-]){re.escape(self.old)}(?![\w-])")
        found = word.search(text.text, start, max(end, _end_of_lines(text.text, start, end)))
        if found is None:
            return None
        before = split_lines(text.text[: found.start()].lstrip("\ufeff"))
        return Span(finding.span.file, len(before), len(before[-1]) + 1, len(self.old))

    def _replace(self, span: Span) -> None:
        text = OpenText(_read(Path(span.file), self.texts))
        start, _ = text.span_offsets(span)
        changed = text.text[:start] + self.new + text.text[start + len(self.old) :]
        real = os.path.realpath(span.file)
        self.texts[real] = self.changed[real] = changed
