"""The index of a ruleset's names, built once for each ruleset."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from sheetgen.diag.findings import Hint, Span
from sheetgen.diag.words import nearest, suggestion
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import ITEM_KINDS, Ruleset
from sheetgen.model.rulesets.traits import Choice, Item, NamedAdvance, Trait
from sheetgen.model.source import LookupText, Text
from sheetgen.records import frozen

_HEAD = re.compile(r"(\w+)\(([\w, ]*)\)")


def attack_texts(item: Item) -> dict[str, Text]:
    """Return the texts of an item's attack and damage that it has, by name."""
    both = {"attack": item.attack, "damage": item.damage}
    return {name: text for name, text in both.items() if text is not None}


class Index:
    """The names of a ruleset's things; nothing changes them."""

    def __init__(self, ruleset: Ruleset) -> None:
        groups, choices, gear = ruleset.groups, ruleset.choices, ruleset.gear.values()
        entries = [entry for listed in choices.values() for entry in listed.entries.values()]

        def named(things: Iterable[tuple[str, str, Iterable[str]]]) -> Names:
            return names_of(things, ruleset.spellings)

        def called(things: Mapping[str, Choice | Item | NamedAdvance]) -> Names:
            return named((str(id_), thing.name, thing.aliases) for id_, thing in things.items())

        self.traits = {  # group id and trait, by trait id
            str(id_): (str(group_id), trait)
            for group_id, group in groups.items()
            for id_, trait in group.traits.items()
        }
        self.by_group = {
            str(id_): named(_called(trait_id, trait) for trait_id, trait in group.traits.items())
            for id_, group in groups.items()
        }
        self.all_traits = known = named(_called(id_, t) for id_, (_, t) in self.traits.items())
        self.titles = {  # the name to show: that of the trait, or an alias if another has the same
            id_: str(next((n for n in (t.name, *t.aliases) if len(known.find(n)) == 1), t.name))
            for id_, (_, t) in self.traits.items()
        }
        self.by_place = {str(id_): tuple(map(str, group.traits)) for id_, group in groups.items()}
        # Traits whose ratings an author writes; and those whose ratings include more than steps:
        # the trait that they are under, if that is added, what they need, and their base.
        self.stated = frozenset(id_ for id_, (of, _) in self.traits.items() if groups[of].stated)
        self.summed: dict[str, tuple[str, Text | None, Text | None]] = {}
        for id_, (of, trait) in self.traits.items():
            under = str((trait.under if groups[of].sums else None) or "")
            base = trait.base if trait.base is not None else groups[of].base
            if under or trait.needs is not None or base is not None:
                self.summed[id_] = under, trait.needs, base
        found: dict[str, tuple[tuple[str, ...], str]] = {}
        for head, text in ruleset.formulas.items():
            match = _HEAD.fullmatch(head.strip())
            name = match[1] if match else str(head)
            names = re.split(r"[,\s]+", match[2].strip()) if match and match[2] else []
            found[name] = tuple(n for n in names if n), str(text)
        for lookup in (LookupText(str(id_), table) for id_, table in ruleset.lookups.items()):
            found[lookup.name] = lookup.parameters, lookup
        self.formulas = found  # parameters and text, also of lookups
        self.by_catalogue = {str(id_): called(listed.entries) for id_, listed in choices.items()}
        self.gear = called(ruleset.gear)
        self.keys = named((str(i), str(i), key.aliases) for i, key in ruleset.character.items())
        self.required = {id_: key for id_, key in ruleset.character.items() if key.required}
        self.options: dict[str, Value] = {str(i): o.default for i, o in ruleset.options.items()}
        self.advances = called(ruleset.advances.named if ruleset.advances else {})
        tags = [*(tag for item in gear for tag in item.tags), *(t for e in entries for t in e.tags)]
        tags += [tag for listed in choices.values() if listed.custom for tag in listed.custom.tags]
        self.tags = frozenset(map(str, tags))
        self.facts = {str(name) for entry in entries for name in entry.facts}
        # The formulas by which choices and items change each derived value, and of each number of
        # things; the lists whose numbers formulas take: keys, catalogues, tags and ids.
        self.modifies = _by_name([*(e.modifies for e in entries), *(i.modifies for i in gear)])
        self.numbers = _by_name([thing.numbers for thing in numbered_things(ruleset)])
        keys = (id_ for id_, key in ruleset.character.items() if key.kind in LISTED_KINDS)
        ids = (id_ for listed in choices.values() for id_ in listed.entries)
        self.lists = frozenset(map(str, ("gear", *keys, *ruleset.gear, *choices, *ids, *tags)))
        self.together: dict[tuple[str, ...], Names] = {}  # a cache of the names of several groups

    def typed_part(self, trait: str) -> str:
        """Return what is typed on a sheet: `own` steps above a formula, else the whole `total`."""
        under, _, base = self.summed.get(trait, ("", None, None))
        plain = base is None or base.removeprefix("-").isdecimal()
        return "own" if under or not plain else "total"

    def among(self, groups: Iterable[str]) -> Names:
        """Return the names of the traits of several groups together."""
        chosen = tuple(groups)
        if len(chosen) == 1 and chosen[0] in self.by_group:
            return self.by_group[chosen[0]]
        if chosen not in self.together:
            ids = (id_ for of in chosen for id_ in self.by_place.get(of, ()))
            called = (_called(id_, self.traits[id_][1]) for id_ in ids)
            self.together[chosen] = names_of(called, self.all_traits.spellings)
        return self.together[chosen]


@lru_cache(maxsize=64)  # An editor's session loads a ruleset anew for each change of its files.
def index_of(ruleset: Ruleset) -> Index:
    """Return the index of `ruleset`; the latest are kept."""
    return Index(ruleset)


# Kinds of keys that are lists of things to formulas.
LISTED_KINDS: Final = (*ITEM_KINDS, "choice", "choices")
ITEM_NUMBERS: Final = ("any", "cost", "dice", "bonus")
"""Numbers of every item, besides those that the ruleset names; `any` is 1, for picks, too."""


def _by_name(things: Iterable[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the formulas of several mappings by their names, each once."""
    found: dict[str, dict[str, None]] = {}
    for name, formula in (pair for thing in things for pair in thing.items()):
        found.setdefault(str(name), {})[formula] = None
    return {name: tuple(formulas) for name, formulas in found.items()}


def numbered_things(ruleset: Ruleset) -> Iterator[Choice | Item]:
    """Yield the items and choices of a ruleset that have numbers."""
    yield from (item for item in ruleset.gear.values() if item.numbers)
    for listed in ruleset.choices.values():
        yield from (entry for entry in listed.entries.values() if entry.numbers)


def list_of_number(ruleset: Ruleset, name: str) -> str:
    """Return the list of things of `LIST.NUMBER`; an empty text for another name."""
    list_ = name.rpartition(".")[0]
    known = list_ in index_of(ruleset).lists
    return list_ if known and name not in ruleset.options and name not in ruleset.derived else ""


def number_formulas(ruleset: Ruleset, name: str) -> tuple[str, ...]:
    """Return the formulas that `LIST.NUMBER` may stand for; none for another name."""
    number = name.rpartition(".")[2]
    return index_of(ruleset).numbers.get(number, ()) if list_of_number(ruleset, name) else ()


def walk_model(model: Any) -> Iterator[Any]:
    """Yield `model` and every value in it, however deep."""
    yield model
    if is_dataclass(model) and not isinstance(model, Span):
        for field in fields(model):
            yield from walk_model(getattr(model, field.name))
    elif isinstance(model, Mapping):
        for value in model.values():
            yield from walk_model(value)
    elif isinstance(model, tuple):
        for value in model:
            yield from walk_model(value)


def _called(id_: str, trait: Trait) -> tuple[str, str, Iterable[str]]:
    return str(id_), trait.name, [*trait.aliases, *([trait.short] if trait.short else [])]


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

    def is_plain(sign: str) -> bool:
        if sign.isascii():
            return sign.isalnum() or sign in "+#"
        return unicodedata.category(sign)[0] in "LMNS"

    plain = unicodedata.normalize("NFC", without_apostrophes(name)).casefold()
    return "-".join("".join(c if is_plain(c) else " " for c in plain).split())


_FORMS: Final = (str.strip, exact_form, folded, lambda name: folded(name).replace(" ", ""))
"""The forms in which names are compared, the strictest first; `Thing-a-bob` is `thingabob`."""


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
    times = next(int(group) for group in match.groups() if group)
    return (text[: match.start()] + text[match.end() :]).strip(), times


def split_count(text: str) -> tuple[str, str]:
    """Return a name, and the count or detail beside it: `2 Things`, `Thing (2)`, `Thing (old)`."""
    match = _OTHERWISE.fullmatch(text.strip())
    if match is None:
        return text.strip(), ""
    beside = (match[1] or match[4]).strip()
    number = beside.strip("xX× ")
    return (match[2] or match[3]).strip(), number if number.isdecimal() else beside


@frozen
class Names:
    """The names of some things; several names may mean one thing."""

    # the ids of each folded name, with blanks and without; several if it is ambiguous
    ids: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, str]  # the name to show, by id
    spellings: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()  # further names in their spelling, for near matches
    # the ids of each name as `exact_form` has it
    exact: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, name: str) -> tuple[str, ...]:
        """Return the ids that `name` may mean: none, one or several."""
        key = folded(name)
        if found := self.exact.get(exact_form(name)) or self.ids.get(key):
            return found
        plain = self._plain(key)
        forms = plain, self._plain(plain[:-1] if plain.endswith("s") else plain), plain + "s"
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
        if near := nearest(plain, (*self.others, *self.shown.values())):
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
    ids_of = {key: tuple(found) for key, found in (joined | ids).items()}
    exact_of = {key: tuple(found) for key, found in (exact[0] | exact[1]).items()}
    return Names(ids_of, shown, fold, tuple(others), exact_of)


_Ids: TypeAlias = dict[str, dict[str, None]]  # ids in order, by the form of a name


def spelling_hint(names: Names, raw: str, details: Collection[str] | None = None) -> str:
    """Return how to write a known name with a count or one of `details` beside it, or ""."""
    name, beside = split_count(raw)
    found = names.find(name) if beside else ()
    if len(found) != 1:
        return ""
    shown = names.shown[found[0]]
    if beside.isdecimal():
        return f"write `{shown} x{beside}`"
    detail = beside if details is None else folded(beside)
    return f"write `{{{shown}: {detail}}}`" if details is None or detail in details else ""
