"""Kinds of cards, their subjects, and strips before they have places."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from math import ceil
from typing import Any, Final, TypeAlias, TypeVar

from sheetgen.check.character.items import has_tags
from sheetgen.load.designs.designs import Design
from sheetgen.model.build import Build, Rating, Value, counted_name
from sheetgen.model.designs import CardEntry, Changed
from sheetgen.model.pictures import Picture
from sheetgen.model.prints import FaceMetrics, Place, Plate, TextPiece, Tokens
from sheetgen.model.rulesets.prints import DECK, EMBLEM, OTHERS, CardSet, Column, OddsGrid
from sheetgen.model.rulesets.ruleset import (
    ITEM_KINDS,
    PARTS_OF_BLOCK,
    Ruleset,
    StatBlock,
    rating_columns,
)
from sheetgen.model.rulesets.traits import Choice
from sheetgen.model.source import Text
from sheetgen.plan.build_parts import BuildPart, combat_figures, is_short, words_of_id
from sheetgen.plan.fit import PADDING, width, wrap
from sheetgen.plan.sheets.view import View, roll_words
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import filled, placed_formulas
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.odds import HALF, GridError, cell_text, compute_grid
from sheetgen.rules.tables.compute import CHARACTERS
from sheetgen.rules.tables.things import ThingScope, tags_of, things

T = TypeVar("T")
FACE: Final = "face"  # `head-face` replaces `head` on a card with a picture in its head
_MOST_CACHED: Final = 20_000
DENSE: Final = "dense"  # the step of single cards that would continue on another face
TEXT: Final = "body"  # the names of strips of plain text begin with this; `body-3` has three lines


@dataclass
class CardKind:
    """A kind of card at one size, in points: the values of its `card.yaml`, and its plate."""

    size: tuple[float, float]
    heights: Mapping[str, float]  # heights of the strips by name, in the order of the plate's pages
    order: Sequence[CardEntry]  # the entries of a card; see docs/reference/card-designs.md
    foot: str  # the strip that ends each face
    air: float  # the space below a text
    steps: tuple[str, ...] = (TEXT,)  # tried until all fits on one face; or else the last is used
    step: str = TEXT  # the step that is being tried
    dense: bool = False  # whether strips `NAME-dense` replace others
    pictured: bool = False  # whether the first face has the picture of the subject
    drawings: frozenset[str] = frozenset()  # the drawings that the game's face has
    per_card: int = 1  # how many faces one card holds, one below the other
    changed: Changed | None = None  # words for figures that a key of the file raised
    # Places by strip and by name, without the strip's own name in front.
    places: Mapping[str, Mapping[str, Place]] = field(default_factory=dict)
    plate: Plate | None = None  # None before the layout
    # Results of `cached`: many cards have the same texts.
    cache: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False)

    @property
    def tokens(self) -> Tokens:
        """The tokens of the plate."""
        assert self.plate is not None
        return self.plate.tokens

    @cached_property
    def figure_roles(self) -> frozenset[str]:
        """The roles of figures whose units are smaller."""
        return frozenset(role for role in self.tokens.roles if role + UNIT in self.tokens.roles)

    @property
    def metrics(self) -> Mapping[str, FaceMetrics]:
        """The metrics of the plate, by face."""
        assert self.plate is not None
        return self.plate.metrics

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that the fonts of the plate have, and ASCII."""
        points = (face.advances for face in self.metrics.values())
        return frozenset(map(chr, {*range(128)}.union(*points)))

    @cached_property
    def pages(self) -> Mapping[str, int]:
        """The pages of the plate, by strip."""
        return {name: number for number, name in enumerate(self.heights)}

    @cached_property
    def entries(self) -> tuple[CardEntry, ...]:
        """The entries that a card may have in this step, but for pictures and what fills room."""
        every = (e for e in self.order if not e.picture and e.fill is None and self._shows(e))
        return tuple(entry for entry in every if not (self.pictured and entry.grows))

    def ordered(self, parts: tuple[str, ...]) -> tuple[CardEntry, ...]:
        """Return the entries with those of parts of the card in the order of `parts`."""

        def order() -> tuple[CardEntry, ...]:
            parted = [entry for entry in self.entries if entry.part in parts]
            moved = iter(sorted(parted, key=lambda entry: parts.index(str(entry.part))))
            return tuple(next(moved) if e.part in parts else e for e in self.entries)

        return self.cached(("ordered", self.step, self.dense, self.pictured, parts), order)

    @cached_property
    def fillers(self) -> tuple[CardEntry, ...]:
        """The entries that fill room that is left over in this step."""
        return tuple(e for e in self.order if e.strip and e.fill and self._shows(e))

    def _shows(self, entry: CardEntry) -> bool:
        return self.step in (entry.in_ or (self.step,)) and self.has(entry)

    def strip(self, name: str) -> str:
        """Return the strip that replaces `name` in this step."""
        own = f"{name}-{self.step}"
        dense = (f"{own}-{DENSE}", f"{name}-{DENSE}") if self.dense else ()
        return next((one for one in (*dense, own) if one in self.heights), name)

    def text(self, stem: str = "") -> str:
        """Return the first part of the names of text strips in this step, of the kind `stem`."""
        own = f"{stem}-{self.step}" if stem else self.step
        return own if f"{own}-1" in self.heights else stem or TEXT

    def has(self, entry: CardEntry) -> bool:
        """Return whether this size has the strip of an entry, and the face its drawing."""
        if entry.drawing is not None and entry.drawing not in self.drawings:
            return False
        return not entry.strip or self.strip(entry.strip[0]) in self.heights

    def cached(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return the value of `make()` for `key`, from the cache if it is there."""
        found = self.cache.get(key)
        if found is None:
            if len(self.cache) >= _MOST_CACHED:
                self.cache.clear()
            found = self.cache[key] = make()
        value: T = found
        return value

    def at(self, step: str) -> CardKind:
        """Return the kind in a step; the dense one keeps the size of texts of this one."""
        if step == DENSE:
            made = partial(replace, self, dense=True, air=self.air / 2)
        else:
            made = partial(replace, self, step=step)
        return self.cached(("at", self.step, step), made)

    def pictured_at(self) -> CardKind:
        """Return the kind for a card that shows an author's picture in place of the drawn one."""
        key = "pictured", self.step, self.dense
        return self.cached(key, lambda: replace(self, pictured=True))

    def variants(self, names: Sequence[str]) -> Sequence[str]:
        """Return the strips `NAME-face` of these, if the card shows a picture and has any."""
        own = [f"{n}-{FACE}" for n in names if self.strip(f"{n}-{FACE}") in self.heights]
        return own if self.pictured and own else names


@frozen
class StripDraft:
    """One strip before it has a place: its name, its content, and the space below it."""

    name: str
    texts: Mapping[str, str]  # by place; `PLACE.change` and `PLACE.note` follow a text
    marks: Mapping[str, str] = field(default_factory=dict)  # shapes by place
    below: float = 0
    runs: Mapping[str, Sequence[Sequence[Run]]] = field(default_factory=dict)  # instead of texts
    low: bool = False  # whether it is placed as far down as possible
    attached: bool = False  # whether it stays on one face with the strip before it
    splits: bool = False  # whether its lines go on on the next face, from the foot of this one
    grows: tuple[str, ...] = ()  # strips that replace it: the first that the room left over holds
    again: StripDraft | None = None  # the strip of column heads above it on a further face
    alt_text: str = ""  # the description of its shapes for screen readers
    alt_only: bool = False  # whether screen readers read `alt_text` instead of the texts


class CardContext(dict[str, str]):
    """Texts by name, with an index of the lists among them."""

    @cached_property
    def _lists(self) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
        return _index_lists(tuple(self))

    def rows(self, stem: str) -> list[dict[str, str]]:
        """Return the rows of a list in order: their texts by column."""
        rows: dict[int, dict[str, str]] = {}
        for name, number, column in self._lists.get(stem, ()):
            rows.setdefault(number, {})[column] = self[name]
        return [rows[n] for n in sorted(rows)]

    def list_texts(self, stem: str) -> tuple[object, ...]:
        """Return names and texts of a list; equal ones are equal rows."""
        names = self._lists.get(stem)
        return (names, *[self[name] for name, _, _ in names]) if names else ()


@lru_cache(maxsize=256)
def _index_lists(names: tuple[str, ...]) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
    """Return names such as `weapons.2.name` by list, with row and column; cards repeat names."""
    lists: dict[str, list[tuple[str, int, str]]] = {}
    for name in names:
        stem, _, rest = name.partition(".")
        number, _, column = rest.partition(".")
        if number.isdigit():
            lists.setdefault(stem, []).append((name, int(number), column))
    return {stem: tuple(listed) for stem, listed in lists.items()}


@frozen
class Subject:
    """The subject of a card: a build, or a thing of the ruleset."""

    name: str
    texts: CardContext  # its texts by name, as in a view
    numbers: Mapping[str, int] = field(default_factory=dict)  # whole numbers, which choose shapes
    tracks: Mapping[str, int] = field(default_factory=dict)  # the number of boxes of each track
    dice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # die by die, by place
    picture: Picture | None = None
    count: str = ""  # which card of how many of its deck it is: `3 of 36`
    order: tuple[str, ...] = ()  # the parts of its card, if their order is not the design's
    marked: Mapping[str, int] = field(default_factory=dict)  # marked boxes of each track


def build_card_kind(design: Design, plate: Plate | None = None) -> CardKind:
    """Return the kind of card that a design describes, with the places of its plate."""
    facts, card, names = design.facts, design.facts["card"], list(design.facts["heights"])
    # Without the strip's name in front: in a plate all names have to differ.
    places: dict[str, dict[str, Place]] = {name: {} for name in names if plate is not None}
    for place in plate.places if plate is not None else ():
        strip = names[place.page]
        places[strip][place.name.removeprefix(f"{strip.replace('-', '')}.")] = place
    steps = tuple(str(step) for step in facts.get("steps", (TEXT,)))
    return CardKind(
        size=(float(card["width"]), float(card["height"])),
        heights=facts["heights"],
        order=facts["order"],
        foot=str(facts["foot"].strip),
        air=float(facts["air"]),
        steps=steps,
        step=steps[0],
        drawings=frozenset(design.tokens.drawings),
        per_card=int(facts.get("per_card", 1)),
        changed=facts.get("changed"),
        places=places,
        plate=plate,
    )


# Keys of a file that the head of the card shows, or that name its copies; and its picture.
_ELSEWHERE: Final = ("name", "group", "names", EMBLEM)
_MOST_INSIDE: Final = 3  # the most letters of what a box leads to, if they stand in the box
_MOST_BOXES: Final = 14  # the most boxes of a track; a longer one is a line to write on
_LARGE: Final = 4  # how many figures are large


@frozen
class _Shown:
    """What a card shows of one key, value, list or text: lines under a label."""

    id: str
    part: str  # the part of the card where it stands by default
    label: str
    lines: tuple[str, ...]


def build_general_subject(
    subject: Subject,
    build: Build,
    view: View,
    rules: Ruleset,
    has: Sequence[BuildPart] | None = None,
) -> Subject:
    """Return the subject of a card with all that its kind has, in the parts of a stat block.

    `has` is what a character has. Its card is brief: it names what has rules on the sheet.
    """
    block, brief = rules.composition.block or StatBlock(), has is not None
    heads: dict[str, str] = {}
    if brief:  # values that the table of a party shows
        of_party = (table for table in rules.tables.values() if table.of == CHARACTERS)
        cells = [cell for table in of_party for cell in table.cells]
        heads = {id_: cell.head for cell in cells if (id_ := _value_in(cell, build, rules))}
        block = StatBlock(defences=tuple(Text(name, rules.place) for name in heads))
    named = [(str(id_), part) for part in _PARTS for id_ in getattr(block, part)]
    part_of, rank = dict(named), {id_: place for place, (id_, _) in enumerate(named)}
    last = len(rank)
    tracks = {i: boxes for i, boxes in subject.tracks.items() if boxes > 0}
    drawn = {i: boxes for i, boxes in tracks.items() if boxes <= _MOST_BOXES}
    parts: dict[str, list[_Shown]] = {part: [] for part in _PARTS}
    words = _words(build, view, rules) if has is None else _brief_words(has, build, rules)
    numbers = [*_numbers(build, view, rules, tracks if brief else tracks.keys() - block.defences)]
    if heads:
        numbers = [replace(o, label=heads[o.id]) for o in numbers if o.id in heads]
        numbers += [  # 0 is shown as a large figure, but not in a row below these
            _Shown(r.id, "defences", heads[r.id], (rules.rating_text(r.group, r.total),))
            for r in build.ratings.values()
            if r.id in heads and not _in_cells(r, rules)
            if r.total or len(heads[r.id]) <= _MOST_LABEL
        ]
    loads = _loads(rules)
    numbers = [  # nothing of something, such as no soak, is told by leaving it out
        one
        for one in numbers
        if one.id in block.defences or (one.id not in loads and not _is_nothing(one.lines[0]))
    ]
    ticks: list[tuple[str, str]] = []
    for id_, boxes in [*tracks.items()] if brief else ():
        label, on = rules.tracks[id_].label or words_of_id(id_), build.marked[id_][1]
        # Several of these fit on a line; others have no room.
        if (boxes == 1 or len(label) > _MOST_LABEL) and boxes < 7:
            ticks.append((label, "☑" * min(on, boxes) + "☐" * (boxes - on)))
        elif len(label) > _MOST_LABEL:
            numbers.append(_Shown(id_, "defences", label, (f"{on} of {boxes}",)))
        else:
            continue
        tracks.pop(id_), drawn.pop(id_, 0)
    for shown in sorted([*numbers, *words], key=lambda one: rank.get(one.id, last)):
        parts[part_of.get(shown.id, shown.part)].append(shown)
    texts = {name: subject.texts[name] for name in _ELSEWHERE if subject.texts.get(name)}
    one = rules.composition.one
    texts["kind"] = one[:1].upper() + one[1:]
    texts.setdefault(EMBLEM, _PERSON if brief else _ANYONE)
    line = []  # below the name; what is short has its label before it
    for shown in parts["headline"]:
        said = ", ".join(shown.lines)
        sentence = not brief and len(said) > _MOST_EPITHET
        label = f"{shown.label}:" if sentence else shown.label if len(said) <= 4 else ""
        line.append(f"{label} {said}".lstrip())
    texts |= {"headline.text": " · ".join(line)} if line else {}
    texts |= _figures(parts["defences"], _MOST_LABEL if brief else 13)
    for number, (label, text) in enumerate(ticks, 1):
        texts |= {f"ticks.{number}.name": label, f"ticks.{number}.code": text}
    for part in ("attacks", "abilities", "notes"):
        rows: list[dict[str, str]] = []  # what has several lines has a heading, all else its label
        for shown in parts[part]:
            first, *rest = shown.lines
            if not rest and part != "attacks":
                rows.append({"text": f"{shown.label}: {first}"})
            else:
                rows += [{"head": shown.label, "text": first}, *({"text": text} for text in rest)]
        every = ((n, pair) for n, row in enumerate(rows, 1) for pair in row.items())
        texts |= {f"{part}.{n}.{column}": text for n, (column, text) in every}
    part_of = {**{str(i): "hidden" for i, g in rules.groups.items() if g.internal}, **part_of}
    groups = sorted(rules.groups, key=lambda id_: rank.get(id_, last))
    groups = [id_ for id_ in groups if part_of.get(id_) != "hidden"]
    texts |= _ratings(build, rules, groups, {one.id for one in numbers}, brief=brief)
    labels = {i: rules.tracks[i].label or words_of_id(i) for i in tracks}
    texts |= {f"{i}.label": label for i, label in labels.items()}
    for number, i in enumerate((i for i in tracks if i not in drawn), 1):
        texts |= {f"tally.{number}.label": labels[i], f"tally.{number}.most": f"of {tracks[i]}"}
    for number, (id_, places) in enumerate(build.steps.items(), 1):
        if id_ in drawn:
            steps, names = view.texts[f"{id_}.steps"].text, [*map(str, rules.tracks[id_].steps)]
            if list(places) == [*range(1, drawn[id_] + 1)]:  # every box: no need to count
                if max(map(len, names)) <= _MOST_INSIDE:
                    texts |= {f"{id_}.inside.{n}": name for n, name in enumerate(names, 1)}
                    continue
                steps = " · ".join(name.replace("_", " ") for name in names)
            texts[f"legend.{number}.text"] = f"{labels[id_]}: {steps}"
    order = (*block.order, *(p for p in PARTS_OF_BLOCK if block.order and p not in block.order))
    return replace(subject, texts=CardContext(texts), tracks=drawn, order=order)


def _value_in(cell: Column, build: Build, rules: Ruleset) -> str:
    """Return the only derived value or rating in a cell such as `{code(n)}`, or nothing."""
    names = [name for formula in placed_formulas(cell.text) for name in re.findall(r"\w+", formula)]
    found = [name for name in names if name in rules.derived or name in build.ratings]
    return found[0] if len(found) == 1 and cell.each is None else ""


def _brief_words(has: Sequence[BuildPart], build: Build, rules: Ruleset) -> Iterator[_Shown]:
    """Yield who a character is, its attacks with their figures, and the names of all else."""
    names: dict[str, list[str]] = {}
    attacks: dict[str, list[str]] = {}
    room = _MOST_NAMED
    for part in (part for part in has if not part.of.startswith("groups.")):
        key = rules.character.get(part.ids[0])
        of_self = key is not None and key.kind == "choice" and not key.passing
        if of_self and len(part.name) <= room:
            room -= len(part.name) + 3
            yield _Shown(part.ids[0], "headline", "", (part.name,))
        elif part.attacks:
            figures = (pair for pair in part.figures if re.search(r"\d", pair[1]))
            words = ", ".join(f"{label.lower()} {text}" for label, text in figures)
            attacks.setdefault(part.heading, []).append(f"{part.name}: {_signs(words, rules)}")
        else:
            names.setdefault(part.heading, []).append(part.name)
    yield from (_Shown("", "attacks", head, tuple(lines)) for head, lines in attacks.items())
    yield from (_Shown("", "notes", head, ("; ".join(of),)) for head, of in names.items())
    said = [
        (key.label or words_of_id(id_), text)
        for id_, key in rules.character.items()
        if key.kind == "text" and not key.lines and id_ not in _ELSEWHERE
        if 0 < len(text := build.texts.get(id_, "")) <= _MOST_NAMED
    ]
    if said:
        first, *rest = said
        line = " · ".join((first[1], *(f"{label}: {text}" for label, text in rest)))
        yield _Shown("", "notes", first[0], (line,))


def _signs(words: str, rules: Ruleset) -> str:
    """Return `2 ability, 1 boost` with the names of dice as the ruleset spells signs to draw."""
    dice = {str(word).lower(): str(word) for word in rules.signs}
    return re.sub(r"(?<=\d )(\w+),?", lambda m: dice.get(m[1], m[0]), words)


def build_part_subject(part: BuildPart, whose: str, rules: Ruleset) -> Subject:
    """Return the subject of a card about one thing that a build has, on the card of a kind."""
    dice, facts, paragraphs = list[tuple[str, str]](), list[tuple[str, str]](), [*part.texts]
    # What the ruleset computes for the character replaces the same text with formulas.
    thing = part.thing
    if isinstance(thing, Choice) and thing.computed and ("", thing.text) in paragraphs:
        paragraphs.remove(("", thing.text))
    paragraphs += [("", part.gives)] if part.gives and not part.texts else []
    for label, text in (pair for pair in part.figures if pair[1] != part.one):
        if (drawn := _signs(text, rules)) != text:  # only paragraphs draw signs
            dice.append((label, drawn))
        elif not is_short(text):
            paragraphs.append((label, text))
        else:  # in a run of facts `Range 8` needs no label `Range`
            facts.append(("" if text.startswith(label) else label, text))
    shown = (_Shown("", "defences", label, (text,)) for label, text in facts)
    texts = {"name": part.name, "kind": part.one[:1].upper() + part.one[1:], "group": whose}
    texts |= _figures(shown, in_order=True) | {EMBLEM: part.emblem or _WORDS}
    for number, (head, text) in enumerate((*dice, *paragraphs), 1):
        texts[f"notes.{number}.text"] = f"{head}: {text}" if head else text
    texts |= {"used.label": "Used"} if part.boxes else {}
    return Subject(part.name, CardContext(texts), tracks={"used": part.boxes} if part.boxes else {})


# Pictures of who a card is about, of somebody or something of a stranger's kind, and of mere words.
_PERSON, _ANYONE, _WORDS = "person", "dice", "scroll"
_MOST_NAMED: Final = 40  # the most letters of a text on a brief card
_MOST_EPITHET: Final = 24  # … of a text in the headline that needs no label
_MOST_LABEL: Final = 9  # the most letters of the label of a large figure there
_MOST_WIDE: Final = 22  # … and of one that is half as wide as a card
_PARTS: Final = ("headline", *PARTS_OF_BLOCK, "hidden")


def _figures(shown: Iterable[_Shown], most: int = 13, *, in_order: bool = False) -> dict[str, str]:
    """Return the first four numbers as large figures, the others and words in a run.

    The label of a large figure has at most `most` letters; on cards that are not brief, those of
    two may be longer. With `in_order`, none is behind a word.
    """
    texts, small, large = dict[str, str](), 0, {"figures": 0, "wides": 0}
    for one in shown:
        value, kind = "; ".join(one.lines), "figures" if len(one.label) <= most else "wides"
        room = large["wides"] < 2 and most > _MOST_LABEL and len(one.label) <= _MOST_WIDE
        may = sum(large.values()) < _LARGE and not (in_order and small)
        may = may and (kind == "figures" or room)
        if may and len(value) <= 5 and FIGURE.fullmatch(value):
            large[kind] += 1
            stem, column = f"{kind}.1.", large[kind]
            texts |= {f"{stem}label{column}": one.label, f"{stem}value{column}": value}
        else:
            small += 1
            texts |= {f"facts.{small}.name": one.label, f"facts.{small}.code": value}
    return texts


def _in_cells(rating: Rating, rules: Ruleset) -> bool:
    """Whether a rating is of a small group of short names, which is drawn as cells."""
    group = rules.groups[rating.group]
    traits, beside = group.traits.values(), sum(bool(c.label) for c in group.columns.values())
    most = 3 if beside == 1 else 5  # a column takes the place of the rating: `STR 18`, `+4`
    return 3 <= len(traits) <= 8 and max(len(t.short or t.name) for t in traits) <= most


def _ratings(
    build: Build, rules: Ruleset, groups: Iterable[str], shown: Collection[str], *, brief: bool
) -> dict[str, str]:
    """Return small groups as cells, all other ratings that the file has in a run.

    `shown` are the ids of ratings that the card has elsewhere; the run leaves them out.
    """
    texts, row, number, keys = dict[str, str](), 0, 0, list[str]()
    key_of = {str(g): id_ for id_, key in rules.character.items() for g in key.of}
    for id_ in groups:
        traits = rules.groups[id_].traits
        short = {str(t): trait.short or trait.name for t, trait in traits.items()}
        found = [rating for rating in build.ratings.values() if rating.group == id_]
        rated = [(r, list(rating_columns(build, rules, r).values())) for r in found]
        if found and _in_cells(found[0], rules):
            words = [*short.values(), *(rules.rating_text(id_, r.total) for r in found)]
            narrow = max(map(len, words)) <= 3 and not any(len(row) == 1 for _, row in rated)
            across = len(short) if len(short) <= 6 or narrow else 4
            for at, (rating, beside) in enumerate(rated):
                label, value = short[rating.id], rules.rating_text(id_, rating.total)
                if len(beside) == 1:
                    label, value = f"{label} {value}", beside[0]
                stem, column = f"cells.{row + at // across + 1}", at % across + 1
                texts |= {f"{stem}.label{column}": label, f"{stem}.value{column}": value}
            row += -(-len(rated) // across)
            continue
        for rating, beside in rated:
            trait = traits.get(rating.id)
            follows = trait is not None and (trait.base is not None or trait.under is not None)
            rated_at_all = rating.own or (rating.total and not follows)
            if rating.id in shown or not rated_at_all:
                continue  # what follows from others is not repeated
            number += 1
            code = rules.rating_text(id_, rating.total)
            code += f" ({beside[0]})" if len(beside) == 1 else ""
            keys += [key_of.get(id_, id_)]  # attributes have lines of their own, above skills
            stem = f"{'ratings' if brief or keys[0] == keys[-1] else 'learned'}.{number}"
            texts |= {f"{stem}.name": rating.name, f"{stem}.code": code}
    return texts


def _numbers(build: Build, view: View, rules: Ruleset, tracks: Collection[str]) -> Iterator[_Shown]:
    """Yield derived values and numbers of the file, but for those of tracks."""
    for id_, derived in rules.derived.items():
        if derived.label and id_ not in tracks and (shown := view.texts.get(f"{id_}.value")):
            yield _Shown(str(id_), "defences", derived.label, (shown.text,))
    hidden = {str(track.marked) for track in rules.tracks.values()} | {"copies"}
    hidden |= {str(word) for pool in rules.pools.values() for word in (pool.adds, pool.override)}
    for id_, key in rules.character.items():
        if key.kind == "number" and id_ in build.numbers and id_ not in hidden:
            number = str(build.numbers[id_])
            yield _Shown(str(id_), "defences", key.label or words_of_id(id_), (number,))


def _words(build: Build, view: View, rules: Ruleset) -> Iterator[_Shown]:
    """Yield choices, lists, texts and what the file says besides."""
    listed = {*map(str, rules.lists), *(str(rows.of) for rows in rules.lists.values())}
    loads = _loads(rules)
    for id_, rows in build.rows.items():
        rule = rules.lists[id_]
        if rule.of not in rules.groups and rows:
            of = rules.character.get(rule.of)
            of_gear = rule.of == "gear" or (of is not None and of.kind in ITEM_KINDS)
            names = {n for n, t in rule.columns.items() if loads.isdisjoint(re.findall(r"\w+", t))}
            cells = ({n: text for n, text in row.items() if n in names} for row in rows)
            lines = tuple(filter(None, map(_row, cells)))
            part = "attacks" if of_gear and len(names) > 1 else "notes"
            lines = lines if len(names) > 1 else ("; ".join(lines),)
            yield _Shown(str(id_), part, rule.label or words_of_id(id_), lines)
    for id_, line in build.lines.items():
        # A text without a label is there for the kind's own design.
        if line and (rules.texts[id_].label or rules.sheet is None):
            yield _Shown(str(id_), "notes", rules.texts[id_].label or words_of_id(id_), (line,))
    part = "headline"
    for id_, key in rules.character.items():
        name, label = str(id_), key.label or words_of_id(id_)
        if name in _ELSEWHERE or key.kind == "number":
            continue
        if key.kind not in ("text", "choice") or key.lines:
            part = "notes"
        said: list[str] = []
        if key.kind in ITEM_KINDS:  # those that no list shows, with their damage
            lists = [rows for rows in rules.lists.values() if rows.of in ("gear", name)]
            unlisted = []
            for item in build.items:
                if item.key == name and not any(has_tags(rows, item.tags) for rows in lists):
                    _, (_, damage) = combat_figures(item, rules)
                    rolled = ", ".join(filter(None, (item.rolled.get("attack"), damage)))
                    unlisted.append(counted_name(item) + (f" ({rolled})" if rolled else ""))
            said = [", ".join(unlisted)]
        elif name in listed:
            continue
        elif key.kind == "choices":
            picks = (pick for pick in build.picks if pick.key == name)
            said = [": ".join(filter(None, (p.name, p.text))) for p in picks]
        elif key.kind == "texts":
            said = [*build.lists.get(name, ())]
        elif name in view.texts:
            said = [view.texts[name].text]
        if any(said):
            fits = part == "headline" and len(said[0]) <= 40
            yield _Shown(name, part if fits else "notes", label, tuple(said))


def _loads(rules: Ruleset) -> set[str]:
    """Return what tells how much somebody carries, which does not matter in a fight.

    These are derived values without a `use` that add up gear, others with the unit of such a
    value, and the numbers of gear that are added up.
    """
    without = {str(id_): one for id_, one in rules.derived.items() if not one.use}
    added = {id_: re.findall(r"\bgear\.(\w+)", one.value or "") for id_, one in without.items()}
    units = {without[id_].unit for id_, names in added.items() if names} - {""}
    alike = {id_ for id_, one in without.items() if added[id_] or one.unit in units}
    return alike.union(*added.values())


def _is_nothing(text: str) -> bool:
    """Whether a figure is 0 or a dash: `+0`, `0 lb`, `–`."""
    return text in "–—" or {letter for letter in text if letter.isnumeric()} == {"0"}


def _row(row: Mapping[str, str]) -> str:
    """Return a row of a list: its first column, the others with their names before them."""
    (_, first), *rest = row.items()
    bare = ("text", "special", "note")
    named = ((words_of_id(name).lower() if name not in bare else "", text) for name, text in rest)
    said = (pair for pair in named if pair[1] and not _is_nothing(pair[1]))
    more = ", ".join(" ".join(filter(None, pair)) for pair in said)
    if re.match(rf"{re.escape(first)}(?!\w)", more):  # a text may begin with the name
        return more
    return f"{first}: {more}" if first and more else first or more


SECTIONS = "sections"  # a list that a card set may have: the sections of each choice, in order
HEADS, ROWS = "heads", "rows"  # lists of a grid's card: column heads, and the rows of the grid


def build_thing_subject(
    card_set: CardSet, scope: ThingScope, build: Build | None = None, *, undefined: bool = False
) -> Subject:
    """Return the subject of a thing's card, with the texts of its card set.

    Args:
        build: The build that chose it; what it rolls for the choice is drawn as dice.
        undefined: Whether to note its words that the rules do not define.

    Raises:
        FormulaError: A text or a grid of odds cannot be computed.
    """
    texts = {place: filled(text, scope) for place, text in card_set.texts.items()}
    if isinstance(scope.thing, OddsGrid):
        texts |= build_odds_texts(scope.rules, scope.thing, scope.options)
    every = (pair for of in card_set.of for pair in things(scope.rules, str(of)).items())
    ids = (id_ for id_, thing in every if thing is scope.thing)
    known = {*tags_of(scope.thing), *ids}
    emblems = card_set.emblems
    found = (p for name, p in emblems.items() if name in known and name != DECK)
    if picture := next(found, emblems.get(OTHERS)):
        texts[EMBLEM] = str(picture)
    if not isinstance(scope.thing, Choice):
        return Subject(texts["name"], CardContext(texts))
    entry = scope.thing
    own: dict[int, str] = {}  # sections whose text has figures of the choice's owner
    for (catalogue, id_, number), text in build.sections.items() if build is not None else ():
        if scope.rules.choices[catalogue].entries.get(id_) is entry:
            own[number] = text
    for number, section in enumerate(entry.sections if SECTIONS in card_set.lists else (), 1):
        place = f"{SECTIONS}.{number}"
        text, about = own.get(number) or filled(section.text, scope), section.about
        label = f"{section.label} ({about})" if about else section.label
        texts |= {f"{place}.label": section.label, f"{place}.text": text}
        texts |= {f"{place}.about": about} if about else {}
        texts[f"{place}.line"] = f"{label}: {text}"
    for number, word in enumerate(entry.undefined if undefined else (), start=1):
        texts[f"undefined.{number}.text"] = f"“{word}” is not defined in the rules."
    pool: tuple[tuple[str, int], ...] = ()
    if entry.roll is not None and build is not None:
        roll = str(entry.roll)
        rating = build.ratings.get(roll)
        pool = build.rolls.get(f"{rating.group}.{roll}" if rating else roll, ())
    places = [str(p) for p, what in card_set.rolls.items() if what == "roll"] if pool else []
    texts |= {f"{place}.roll.text": roll_words(pool) for place in places}
    dice = tuple(die for die, count in pool for _ in range(count))
    return Subject(texts["name"], CardContext(texts), dice=dict.fromkeys(places, dice))


def build_odds_texts(
    rules: Ruleset, grid: OddsGrid, options: Mapping[str, Value]
) -> Mapping[str, str]:
    """Return the texts of a card about a grid of odds, computed exactly.

    `heads.1.N.label` names a column. `rows.R.code` names a row if all names are codes such
    as 3D, else `rows.R.label`. A chance of one half or more is `rows.R.N.good`, any other
    `rows.R.N.value`, both in whole per cent; `rows.R.N.share` is the fraction.
    `rows.R.said` and `heads.1.said` are for screen readers.

    Raises:
        FormulaError: A row, a column or a formula of the roll cannot be computed.
    """
    try:
        computed = compute_grid(rules, "", replace(grid, curves=False), options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    columns, signs = computed.columns, {"<": "under ", ">": "over ", "–": "0"}
    texts = {f"{HEADS}.1.{number}.label": column for number, column in enumerate(columns, 1)}
    texts[f"{HEADS}.1.said"] = f"Per cent, against {', '.join(columns)}"
    name = "code" if all(FIGURE.fullmatch(row) for row in computed.rows) else "label"
    for place, (row, cells) in enumerate(zip(computed.rows, computed.cells, strict=True), 1):
        texts[f"{ROWS}.{place}.{name}"] = row
        spoken = []
        for number, (column, chance) in enumerate(zip(columns, cells, strict=True), 1):
            text = cell_text(chance)
            cell = f"{ROWS}.{place}.{number}"
            texts[f"{cell}.{'good' if chance >= HALF else 'value'}"] = text
            texts[f"{cell}.share"] = str(chance)
            spoken.append(f"{column} {signs.get(text[0], text[0])}{text[1:]}%")
        texts[f"{ROWS}.{place}.said"] = f"{row}: {', '.join(spoken)}"
    return texts


Run: TypeAlias = tuple[str, str]  # a text, and its role
UNIT, HEAD = "-unit", "-head"
"""Suffixes of the roles of a number's unit, and of the words that begin a text. Both are
optional."""

WHAT, CHANGE, NOTE = "what", "change", "note"
"""After the name of a text and a dot: what a figure counts, by how much it was raised, and the
letter of its footnote."""

# Suffixes of the texts that follow a text, in this order; their roles are `ROLE-what` etc.
TAILS: Final[tuple[str, ...]] = (WHAT, CHANGE, NOTE)
FIGURE: Final = re.compile(r"(\D*?)([−+]?\d+)(\D{0,2}(?:\+\d)?)")  # with prefix, unit: −1D, 4D+2


def figure_runs(text: str, tails: Mapping[str, str], role: str, tokens: Tokens) -> tuple[Run, ...]:
    """Return a text as runs, if it is a figure whose parts have roles of their own."""
    unit = role + UNIT
    figure = FIGURE.fullmatch(text) if unit in tokens.roles else None
    parts = [(text, role)]
    if figure is not None:
        before, number, after = figure.groups()
        parts = [(before, unit), (number, role), (after, unit)]
    for what in TAILS:
        if what in tails and (name := f"{role}-{what}") in tokens.roles:
            parts.append((f" {tails[what]}" if what == WHAT else tails[what], name))
    runs = tuple((part, name) for part, name in parts if part)
    return runs if figure is not None or len(runs) > 1 else ()


def tails_of(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that follow the text `name`, by suffix."""
    return {what: text for what in TAILS if (text := texts.get(f"{name}.{what}"))}


def headed(line: str, role: str, tokens: Tokens, most: int, after: str = ":") -> tuple[Run, ...]:
    """Return the first line of a text with its head as a run of its own, or ().

    A head has at most `most` letters, and ends with `after`.
    """
    words, end, rest = line.partition(after)
    if not end or not rest or len(words) > most or role + HEAD not in tokens.roles:
        return ()
    return (words + end, role + HEAD), (rest, role)


def wide(runs: Iterable[Run], kind: CardKind) -> float:
    """Return the width of runs at full size, in points."""
    roles = kind.tokens.roles
    return sum(width(t, kind.metrics[roles[r].face], roles[r].size) for t, r in runs)


def break_runs(
    groups: Iterable[tuple[Run, ...]], gap: str, place: Place, kind: CardKind, role: str = ""
) -> list[tuple[Run, ...]]:
    """Return groups of runs in lines; a group is broken only if `place` is too narrow for it.

    A gap is as wide as in `role`, or in that of the first run behind it.
    """
    every, room = [*groups], place.box.width - 2 * PADDING

    def broken(room: float) -> list[tuple[Run, ...]]:
        lines: list[tuple[Run, ...]] = []
        for group in every:
            longer = (*lines[-1], (gap, role or group[0][1]), *group) if lines else group
            if lines and wide(longer, kind) <= room:
                lines[-1] = longer
            elif least_scale(group, place, kind):
                lines.append(group)
            else:
                lines += _broken(group, place.box.width - 2 * PADDING, kind)
        return lines

    lines = broken(room)
    if 1 < len(lines) < len(every) and lines[-1] == every[-1]:  # the last is alone on its line
        others = (broken(room * share / 20) for share in range(19, 11, -1))
        company = (o for o in others if len(o) == len(lines) and o[-1] != every[-1])
        lines = next(company, lines)
    return lines


def align_runs(
    groups: Sequence[tuple[Run, ...]], gap: str, place: Place, kind: CardKind
) -> list[tuple[Run, ...]]:
    """Return groups of runs in one line, or in lines of as many columns as `place` has room for."""
    if not groups:
        return []
    role = groups[0][-1][1]
    lines, apart = break_runs(groups, gap, place, kind, role), wide([(gap, role)], kind)
    step = max(wide(group, kind) for group in groups) + apart
    across = int((place.box.width - 2 * PADDING + apart) / step)
    if len(lines) < 2 or across < 2:
        return lines
    across = ceil(len(groups) / ceil(len(groups) / across))
    rows = (groups[at : at + across] for at in range(0, len(groups), across))
    return [
        tuple(run for one in row[:-1] for run in _padded(one, step, role, kind)) + row[-1]
        for row in rows
    ]


def _padded(group: tuple[Run, ...], step: float, role: str, kind: CardKind) -> tuple[Run, ...]:
    return *group, (" " * round((step - wide(group, kind)) / wide([(" ", role)], kind)), role)


def least_scale(runs: Sequence[Run], place: Place, kind: CardKind) -> float:
    """Return the scale at which a line of runs fits `place`; 0 if it would be too small to read."""
    own, room = kind.tokens.roles[place.role], place.box.width - 2 * PADDING
    scale = min(1.0, room / wide(runs, kind))
    return scale if scale * own.size >= own.least else 0.0


def _broken(group: Sequence[Run], room: float, kind: CardKind) -> list[tuple[Run, ...]]:
    """Return a group in several lines: its longest run is wrapped, the others stay beside it."""
    at = max(range(len(group)), key=lambda n: wide(group[n : n + 1], kind))
    (text, name), rest = group[at], wide((*group[:at], *group[at + 1 :]), kind)
    role = kind.tokens.roles[name]
    kept = room - rest if rest < room / 2 else room
    lines: list[tuple[Run, ...]] = [
        ((line, name),) for line in wrap(text, kept, kind.metrics[role.face], role.size)
    ]
    lines[0] = (*group[:at], *lines[0])
    lines[-1] = (*lines[-1], *group[at + 1 :])
    return lines


def set_runs(
    lines: Sequence[Sequence[Run]], place: Place, kind: CardKind, most: float = 1.0
) -> tuple[TextPiece, ...]:
    """Return lines of runs as pieces, scaled to `most`, or less if a line is too wide.

    No piece is smaller than the least size of its role: numbers shrink before small units do.
    """
    own = kind.tokens.roles[place.role]
    room = place.box.width - 2 * PADDING

    def sized(run: Run, scale: float) -> tuple[float, float]:
        role = kind.tokens.roles[run[1]]
        size = round(max(min(role.least, role.size), role.size * scale), 2)
        return size, width(run[0], kind.metrics[role.face], size)

    scale = most
    for _ in range(3):
        widest = max(sum(sized(run, scale)[1] for run in line) for line in lines)
        if widest <= room:
            break
        scale = max(own.least / own.size, scale * room / widest)
    pieces = []
    for number, line in enumerate(lines):
        x, up = 0.0, (len(lines) - 1 - number) * own.leading
        if own.align != "left":
            spare = place.box.width - sum(sized(run, scale)[1] for run in line)
            x = spare if own.align == "right" else spare / 2
        elif line[0][0].startswith("1") and line[0][1] + UNIT in kind.tokens.roles:
            x = -0.035 * own.size  # its stem aligns with the label above it
        for text, name in line:
            size, across = sized((text, name), scale)
            pieces.append(TextPiece(text, name, size, round(x, 2), round(across, 2), up, number))
            x += across
    return tuple(pieces)
