"""What words of a stat block mean by a ruleset: its keys, traits, groups and computed values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from sheetgen.diag.findings import Checked
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.kinds import read_export_map
from sheetgen.load.shapes import Shaper
from sheetgen.model.build import code_text, parse_code, parse_step_die
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Text, rule_model
from sheetgen.rules.index import Names, folded, index_of, names_of

MAP_FILE: Final = "text.yaml"  # in the folder `exports` of a ruleset
_FEW: Final = 12  # traits of a group that are abbreviated
RATED_KINDS: Final = ("ratings", "codes")


@rule_model
class TextMap:
    """How other people write the ruleset's stat blocks: `exports/text.yaml` of a ruleset."""

    # The kind of file that a block becomes; without it, the kind that most values fit.
    kind: Text | None = None
    # Further names of keys, traits, groups and things, by id.
    names: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    # Words behind the number of a key that say no more than the key does, by id.
    units: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    # Keys of the line below the name; the first that the kind has counts.
    below: tuple[Text, ...] = ()
    # Keys of paragraphs with a title of their own, such as `Brave. It never flees.`
    prose: tuple[Text, ...] = ()
    # Keys of what is not understood; without them, the text with several lines.
    notes: tuple[Text, ...] = ()
    headings: tuple[Text, ...] = ()  # Headings that say nothing of their own, such as `Statistics`.


def load_text_map(rules: Ruleset) -> Checked[TextMap]:
    """Return the map of a ruleset for texts; an empty one if it has none."""
    read = read_export_map(rules, MAP_FILE)
    if read.value is None:
        return Checked(TextMap(), read.findings)
    shaper = Shaper()
    found: TextMap | None = shaper.read(read.value, TextMap, MAP_FILE)
    return Checked(found or TextMap(), (*read.findings, *shaper.findings))


_SECOND: Final = re.compile(
    r"(?<![\w'])([^\W\d][\w']{1,20}(?: [\w']{1,20}){0,2}) ?\(([^\W\d][^()\d\n]{1,30})\)"
)
"""A name with another in brackets."""

Sort: TypeAlias = Literal["key", "trait", "group", "derived", "skip"]


class Meaning(NamedTuple):
    """What a name means: its sort, and its id."""

    sort: Sort
    id: str


_DOTS: Final = "●•★⚫◆■⬤"
_ALL_DOTS: Final = f"{_DOTS}○◯◦☆⚪◇□"
VALUE: Final = re.compile(
    r"(?<![\w./+%~<>≤≥≈-])(?<!\d,)(?>1[dDwW]\d{1,2}(?!\d|\s?[+-])"
    r"|[+-]?\d{1,3}\s?[dDwW](?![^\W\d])(?:6(?!\d))?(?:\s?[+-]\s?\d{1,2})?(?!\s?[+-]\s?\d)"
    r"|[dDwW]\d{1,3}(?:\s?\+\s?\d{1,2})?|\+\s?\d{1,4}%?|-\d{1,4}%?"
    r"|\d{1,3}(?:,\d{3})+|\d{1,6}(?:\s?%)?"
    rf"|[{_ALL_DOTS}]{{1,12}})"
    rf"(?![\w/%+{_ALL_DOTS}]|[.,]\d|-\d|\s-\s\d|\s?x\d|\s?/\s?\d|\s(?:or|to)\s[dDwW]?\d)"
)
"""A value: a code, a die (`W` in German), a number, dots. Nothing in it is tried twice.

What may be two values is none: `3D-4D`, `3D or 4D`, `4D+`.
"""


def read_value(raw: str, rating: str, *, pips: bool) -> str | int | None:
    """Return a rating as a file has it; None if `raw` is none of this sort."""
    plain = re.sub("[dwW]", "D", "".join(raw.split()))
    if re.match(r"[+-]?0\d", plain):
        return None
    if rating == "dice":
        plain = re.sub(r"D6(?!\d)", "D", plain)
        found = parse_code(plain, pips=pips) if "D" in plain else None
        return (
            code_text(found, pips=pips) if isinstance(found, int) and plain[0] not in "+-" else None
        )
    if rating == "die":
        die = plain.lower().removeprefix("1")
        return die if parse_step_die(die) else None
    if plain[:1] in _ALL_DOTS:
        return sum(plain.count(dot) for dot in _DOTS) if rating in ("dots", "rank") else None
    if re.fullmatch(r"[+-]?\d{1,4}%?", plain) is None:
        return None
    number = int(plain.rstrip("%"))
    return number if rating == "signed" or plain[0] not in "+-" else None


class Words:
    """The names of a kind of file, with those that other people use.

    Attributes:
        rated, raised: The keys that take ratings, or only names, of the traits of a group.
        groups: Groups with such a key.
        keys: Names of keys: ids, labels, aliases; those of characters' keys, too.
        group_names: Names of groups with a key: labels, ids, what one trait is called.
        derived: Names of computed values that have a label.
        notes_key: The key that takes what is not understood; "" for none.
    """

    def __init__(self, rules: Ruleset, more: TextMap, base: Ruleset, own: str = "") -> None:
        """Collect the names of `rules`, those of the kind `own`; `base` is the ruleset."""
        self.rules, self.more, self.index = rules, more, index_of(rules)
        keys, values = rules.character, rules.derived
        self.name_key = next((str(i) for i in keys if folded(str(i)) == "name"), "")
        lines = [str(i) for i, k in keys.items() if k.kind == "text" and k.lines]
        self.notes_key = self.first(more.notes) or (lines[-1] if lines else "")
        self.rated: dict[str, str] = {}
        self.raised: dict[str, str] = {}
        for id_, key in keys.items():
            taken = self.rated if key.kind in RATED_KINDS else self.raised
            for group in key.of or (id_,) if key.kind in (*RATED_KINDS, "raises") else ():
                taken.setdefault(str(group), str(id_))
        self.groups = [str(g) for g in rules.groups if g in self.rated or g in self.raised]
        self.traits, self.find = cache(self._find_traits), cache(self._find)
        self._seconds: dict[str, str] = {}
        self._headings = {*map(folded, more.headings)}
        kinds = [kind for i, kind in base.kinds.items() if str(i) == own]
        self._own_key = str(kinds[0].based_on or "") if kinds else ""
        named_so = (own, *(str(word) for kind in kinds for word in (kind.one, kind.label)))
        self._own_names = {*map(folded, named_so)} if self.name_key else set()

        def named(things: Iterable[tuple[str, str, Iterable[str]]]) -> Names:
            listed = [(i, n, [*others, *more.names.get(i, ())]) for i, n, others in things]
            return names_of(listed, rules.spellings)

        also = {str(i): (k.label, *k.aliases) for i, k in base.character.items()}
        held = ((str(i), k, also.get(str(i), ())) for i, k in keys.items())
        self.keys = named((i, k.label or i, [i, *k.aliases, *filter(None, o)]) for i, k, o in held)
        groups = ((g, rules.groups[g]) for g in self.groups)
        self.group_names = named((g, rule.label or g, [g, rule.one]) for g, rule in groups)
        labelled = ((str(i), value) for i, value in values.items() if value.label)
        self.derived = named((i, v.label, [i] if not v.place else []) for i, v in labelled)
        self.gear = named((str(i), item.name, item.aliases) for i, item in rules.gear.items())
        self._others = {}  # further names of traits; the ruleset's own come before
        for g in self.groups:
            traits = (str(t) for t in rules.groups[g].traits if str(t) in more.names)
            self._others[g] = named((t, t, ()) for t in traits)

    def learn_translations(self, plain: str) -> None:
        """Take `Name (translation)` for the name, if several traits of a group have one.

        A single one may be a narrow use of the trait.
        """
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for match in _SECOND.finditer(plain):
            traits = () if self.traits(match[2]) else self.traits(match[1])
            if len(traits) == 1 and len(self.rules.groups[self.group_of(traits[0])].traits) <= _FEW:
                named = found.setdefault(self.group_of(traits[0]), {})
                named[traits[0]] = folded(match[0]), match[1]
        for named in found.values():
            if len(named) > 2 and len({whole for whole, _ in named.values()}) == len(named):
                self._seconds |= dict(named.values())

    def _find_traits(self, name: str, groups: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the traits that a name may mean, among those of some groups or of all."""
        if not _is_name(name):
            return ()
        held = [g for g in self.groups if not groups or g in groups]
        found = [t for g in held for t in self.index.by_group[g].find(name)]
        found = found or [t for g in held for t in self._others[g].find(name)]
        short = folded(name)
        if not found and 3 <= len(short) <= 4:  # an abbreviation: `Ref` for Reflexes
            few = (g for g in held if len(self.rules.groups[g].traits) <= _FEW)
            names = ((t, one.name) for g in few for t, one in self.rules.groups[g].traits.items())
            found = [str(t) for t, name in names if folded(name).startswith(short)]
        if not found and groups:  # in a list of its own, the last words of a name are enough
            named = ((t, one.name) for g in held for t, one in self.rules.groups[g].traits.items())
            ends = [str(t) for t, name in named if folded(name).endswith(f" {short}")]
            found = ends if len(ends) == 1 else []
        return tuple(dict.fromkeys(found))

    def _find(self, name: str, groups: tuple[str, ...] = ()) -> list[Meaning]:
        """Return what a name may mean; in a list of some groups, their traits come first."""
        if not _is_name(name):
            return []
        if groups and (inner := self.traits(name, groups)):
            return [Meaning("trait", t) for t in inner]
        found = [Meaning("key", k) for k in self.keys.find(name)]
        if found in ([], [Meaning("key", self._own_key)]) and folded(name) in self._own_names:
            found = [Meaning("key", self.name_key)]  # `Vehicle: Ore Hauler`
        found += [Meaning("trait", t) for t in self.traits(name)]
        found += [Meaning("group", g) for g in self.group_names.find(name)]
        found += [Meaning("derived", d) for d in self.derived.find(name)]
        if not found and folded(name) in self._seconds:
            return self.find(self._seconds[folded(name)], groups)
        if not found and folded(name) in self._headings:
            found.append(Meaning("skip", ""))
        return found

    def key(self, id_: str) -> Key:
        """Return the rule of a key."""
        return next(k for i, k in self.rules.character.items() if i == id_)

    def group_of(self, trait: str) -> str:
        """Return the group of a trait."""
        return self.index.traits[trait][0]

    def rating(self, trait: str, raw: str) -> str | int | None:
        """Return a rating of a trait as a file has it; None if `raw` is none."""
        rule = self.rules.groups[self.group_of(trait)]
        return read_value(raw, str(rule.rating or "dots"), pips=self.rules.pips)

    def fits(self, meaning: Meaning, raw: str) -> bool:
        """Whether a value may be one of what a name means."""
        if meaning.sort == "trait":
            return self.rating(meaning.id, raw) is not None
        if meaning.sort == "key":
            key = self.key(meaning.id)
            return key.kind == "number" and read_integer(raw) is not None
        return meaning.sort == "derived"

    def shown(self, meaning: Meaning) -> str:
        """Return the name of a trait or a key in the words of the rules."""
        names = self.index.titles if meaning.sort == "trait" else self.keys.shown
        return names.get(meaning.id, meaning.id)

    def example(self, meaning: Meaning) -> str:
        """Return a hint how to write a value of a trait or a key."""
        if meaning.sort == "trait":
            rating = str(self.rules.groups[self.group_of(meaning.id)].rating)
            value = {"dice": "3D", "die": "d8", "signed": "+2"}.get(rating, "2")
            return f"write one value, such as `{self.shown(meaning)} {value}`"
        key = self.key(meaning.id)
        if key.kind == "choice":
            catalogues = (self.index.by_catalogue[str(of)] for of in key.of or (meaning.id,))
            return suggestion("", [name for one in catalogues for name in one.shown.values()])
        if key.kind == "number":
            return f"write one whole number, such as `{self.shown(meaning)} 2`"
        return "move it to the key that it belongs to, or leave it there"

    def first(self, names: Iterable[str]) -> str:
        """Return the first of some keys that the kind has; "" for none."""
        return next((str(name) for name in names if name in self.rules.character), "")


def _is_name(text: str) -> bool:
    return len(text) <= 60 and any(map(str.isalpha, text)) and not any(map(text.count, _ALL_DOTS))


def read_integer(raw: str) -> int | None:
    """Return a whole number as people write it: `10`, `+3`, `1,000`; None for other values."""
    plain = "".join(raw.split()).replace(",", "")
    return int(plain) if re.fullmatch(r"[+-]?\d{1,9}", plain) else None
