"""Lookup of ids by names as authors write them, without regard to case, hyphens and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from functools import lru_cache

from sheetgen.diag.findings import Hint
from sheetgen.diag.near import nearest, suggestion
from sheetgen.records import frozen

_TIMES = re.compile(
    r"\s*(?:[x×]\s*(N)|(?<=\s)(N)\s*[x×])\s*$|^(N)\s*[x×]\s+".replace("N", "[1-9][0-9]{0,3}"),
    re.IGNORECASE,
)

_OTHERWISE = re.compile(r"([1-9][0-9]{0,3})\s+(.+)|(.+?)\s*\(([^()]+)\)")


@lru_cache(maxsize=8192)
def folded(name: str) -> str:
    """Return `name` in the form in which names are compared.

    It is in lower case without accents, apostrophes and dots. Any other sequence of punctuation
    and spaces becomes one space.
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"['’‘`´.…]", "", plain)
    return " ".join(re.split(r"[\W_]+", plain)).strip()


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
        ids: The ids of each folded name; several if the name is ambiguous.
        shown: The name to show, by id.
        others: Further names in their spelling, for near matches.
    """

    ids: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, str]
    spellings: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    def find(self, name: str) -> tuple[str, ...]:
        """Return the ids that `name` may mean: none, one or several."""
        key = folded(name)
        if key in self.ids:
            return self.ids[key]
        plain = self._plain(key)
        one = self._plain(_singular(plain))
        for form in (plain, one, plain + "s"):
            if form in self.ids:
                return self.ids[form]
        return ()

    def _plain(self, key: str) -> str:
        """Return `key` with each word in the ruleset's spelling."""
        if not self.spellings:
            return key
        return " ".join(self.spellings.get(word, word) for word in key.split(" "))

    def hint(self, word: str) -> str:
        """Return a hint for a misspelt name: the nearest name, or else all names."""
        near = nearest(word, (*self.others, *self.shown.values()))
        if near:
            return Hint(f"did you mean `{near}`?", word, near)
        return suggestion(word, self.shown.values())


def names_of(
    things: Iterable[tuple[str, str, Iterable[str]]], spellings: Mapping[str, str]
) -> Names:
    """Return the names of `things`, each an id, a name and aliases.

    A name takes precedence over an alias: if one thing is called `Study` and another has that as
    an alias, the name means the first.
    """
    own: dict[str, list[str]] = {}
    also: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    others: list[str] = []
    fold = {folded(a): folded(b) for a, b in spellings.items()}
    for id_, name, aliases in things:
        shown[id_] = name
        _add(own, name, id_, fold)
        for alias in (id_, *aliases):
            _add(also, alias, id_, fold)
        others += aliases
    ids = {key: tuple(found) for key, found in (also | own).items()}
    return Names(ids, shown, fold, tuple(others))


def _add(ids: dict[str, list[str]], name: str, id_: str, spellings: Mapping[str, str]) -> None:
    key = folded(name)
    plain = " ".join(spellings.get(word, word) for word in key.split(" "))
    for form in {key, plain}:
        found = ids.setdefault(form, [])
        if id_ not in found:
            found.append(id_)


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
