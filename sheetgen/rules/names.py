"""Lookup of ids by names as authors write them, without regard to case, hyphens and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final, TypeAlias

from sheetgen.diag.findings import Hint
from sheetgen.diag.near import nearest, suggestion
from sheetgen.records import frozen

_TIMES = re.compile(
    r"\s*(?:[x×]\s*(N)|(?<=\s)(N)\s*[x×])\s*$|^(N)\s*[x×]\s+".replace("N", "[1-9][0-9]{0,3}"),
    re.IGNORECASE,
)

_OTHERWISE = re.compile(r"([1-9][0-9]{0,3})\s+(.+)|(.+?)\s*\(([^()]+)\)")


@lru_cache(maxsize=8192)
def exact_form(name: str) -> str:
    """Return `name` without regard to case and to the length of blanks, and to nothing else."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


@lru_cache(maxsize=8192)
def folded(name: str) -> str:
    """Return `name` in the form in which names are compared.

    It is in lower case without apostrophes and dots, and without accents of Latin and Greek
    letters: in other scripts a mark makes another letter. Any other sequence of punctuation and
    spaces becomes one space, unless nothing else is in the name.
    """
    plain = without_apostrophes(name)
    if name.isascii():
        words = re.findall(r"[a-z0-9]+", plain.casefold())
    else:
        plain = unicodedata.normalize("NFKD", plain).casefold()
        plain = unicodedata.normalize("NFC", _ACCENTS.sub(_without_accents, plain))
        kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in plain)
        words = "".join(kept).split()
    return " ".join(words) or exact_form(name)


def without_apostrophes(name: str) -> str:
    """Return `name` without apostrophes, dots, joiners and variation selectors."""
    return _BETWEEN_LETTERS.sub("", name)


_ACCENTS: Final = re.compile(r"(\w)([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+)")
_BETWEEN_LETTERS: Final = re.compile("['`.’‘´…\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")


def _without_accents(found: re.Match[str]) -> str:
    script = unicodedata.name(found[1], "").partition(" ")[0]
    return found[1] if script in ("LATIN", "GREEK") else found[0]


def file_stem(name: str) -> str:
    """Return a name as the stem of a file's name, in lower case with hyphens for blanks.

    Accents and signs such as `+` stay: the files of `C` and `C+` have different names. Signs that
    command lines or Windows read otherwise do not: `$ ^ < > | ~ = ` and the backtick.
    """
    plain = unicodedata.normalize("NFC", without_apostrophes(name)).casefold()
    return "-".join("".join(c if _is_plain(c) else " " for c in plain).split())


def _is_plain(sign: str) -> bool:
    if sign.isascii():
        return sign.isalnum() or sign in "+#"
    return unicodedata.category(sign)[0] in "LMNS"


def _joined(name: str) -> str:
    """Return the folded form without blanks: `Thing-a-bob` is `thingabob`."""
    return folded(name).replace(" ", "")


_FORMS: Final = (str.strip, exact_form, folded, _joined)
"""The forms in which names are compared, the strictest first."""


def closest_names(word: str, names: Iterable[str]) -> frozenset[str]:
    """Return those of `names` that `word` means: an exact name wins over a similar one."""
    known = tuple(names) if word.strip() else ()
    for form in _FORMS:
        if found := frozenset(name for name in known if form(name) == form(word)):
            return found
    return frozenset()


def split_times(text: str) -> tuple[str, int]:
    """Return `text` without its count, and the count: 2 for `Thing x2`."""
    match = _TIMES.search(text)
    if match is None:
        return text.strip(), 1
    times = int(next(group for group in match.groups() if group))
    return (text[: match.start()] + text[match.end() :]).strip(), times


def split_count(text: str) -> tuple[str, str]:
    """Return a name, and the count or detail next to it in an unusual form.

    `2 Things` and `Thing (2)` have a count, `Thing (old)` a detail; others have neither.
    """
    match = _OTHERWISE.fullmatch(text.strip())
    if match is None:
        return text.strip(), ""
    beside = (match[1] or match[4]).strip()
    number = beside.strip("xX× ")
    return (match[2] or match[3]).strip(), number if number.isdecimal() else beside


@frozen
class Names:
    """The names of some things; several names may mean one thing.

    Attributes:
        ids: The ids of each folded name, with blanks and without; several if it is ambiguous.
        exact: The ids of each name as `exact_form` has it.
        shown: The name to show, by id.
        others: Further names in their spelling, for near matches.
    """

    ids: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, str]
    spellings: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    exact: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, name: str) -> tuple[str, ...]:
        """Return the ids that `name` may mean: none, one or several."""
        key = folded(name)
        if found := self.exact.get(exact_form(name)) or self.ids.get(key):
            return found
        plain = self._plain(key)
        one = self._plain(_singular(plain))
        forms = plain, one, plain + "s"
        for form in (*forms, *(form.replace(" ", "") for form in forms)):
            if form in self.ids:
                return self.ids[form]
        return ()

    def _plain(self, key: str) -> str:
        """Return `key` with each word in the ruleset's spelling."""
        if not self.spellings:
            return key
        return " ".join(self.spellings.get(word, word) for word in key.split(" "))

    def hint(self, word: str) -> str:
        """Return a hint for a misspelt name: those it may mean, the nearest, or else all names."""
        if several := self.find(word)[1:]:
            names = (self.shown[id_] for id_ in (*self.find(word)[:1], *several))
            return f"write one of: {', '.join(f'`{name}`' for name in names)}"
        plain = split_times(word)[0]
        near = nearest(plain, (*self.others, *self.shown.values()))
        if near:
            return Hint(f"did you mean `{near}`?", plain, near)
        return suggestion(plain, self.shown.values())


def names_of(
    things: Iterable[tuple[str, str, Iterable[str]]], spellings: Mapping[str, str]
) -> Names:
    """Return the names of `things`, each an id, a name and aliases.

    A name takes precedence over an alias: if one thing is called `Study` and another has that as
    an alias, the name means the first.
    """
    exact: tuple[_Ids, _Ids] = {}, {}
    like: tuple[_Ids, _Ids] = {}, {}
    shown: dict[str, str] = {}
    others: list[str] = []
    fold = {folded(a): folded(b) for a, b in spellings.items()}
    for id_, name, aliases in things:
        shown[id_] = name
        others += aliases
        for rank, words in enumerate(((id_, *aliases), (name,))):
            for word in words:
                key = folded(word)
                plain = " ".join(fold.get(part, part) for part in key.split(" "))
                exact[rank].setdefault(exact_form(word), {})[id_] = None
                like[rank].setdefault(key, {})[id_] = None
                like[rank].setdefault(plain, {})[id_] = None
    ids = like[0] | like[1]
    joined: _Ids = {}
    for key, found in ids.items():
        if " " in key:
            joined.setdefault(key.replace(" ", ""), {}).update(found)
    return Names(
        {key: tuple(found) for key, found in (joined | ids).items()},
        shown,
        fold,
        tuple(others),
        {key: tuple(found) for key, found in (exact[0] | exact[1]).items()},
    )


_Ids: TypeAlias = dict[str, dict[str, None]]
"""Ids in order, by the form of a name."""


def _singular(key: str) -> str:
    return key[:-1] if key.endswith("s") else key


def spelling_hint(names: Names, raw: str, details: Collection[str] | None = None) -> str:
    """Return how to write a known name that has a count or a detail beside it; "" for others.

    Args:
        details: The possible details; None if there may be any.
    """
    name, beside = split_count(raw)
    found = names.find(name) if beside else ()
    if len(found) != 1:
        return ""
    shown = names.shown[found[0]]
    if beside.isdecimal():
        return f"write `{shown} x{beside}`"
    detail = beside if details is None else folded(beside)
    return f"write `{{{shown}: {detail}}}`" if details is None or detail in details else ""
