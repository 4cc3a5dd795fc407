"""What a build has, thing by thing: choices, powers, items and states, with the build's figures.

Decks of a character and the rules that it uses show the same parts. Figures are those of the
sheet: rows of its lists, ratings and rolls of the build. Nothing is computed here a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from sheetgen.check.character.items import has_tags
from sheetgen.check.character.picks import focus_label
from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.rulesets import origin_of
from sheetgen.model.build import Build, Owned, Pick, Rating, counted_name, pick_line, rolled_text
from sheetgen.model.rulesets.prints import DECK, OTHERS
from sheetgen.model.rulesets.ruleset import Kind, Ruleset, rating_columns
from sheetgen.model.rulesets.traits import Choice, Grants, ItemRows
from sheetgen.model.source import Formula, Text
from sheetgen.plan.sheets.view import View, roll_words
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import filled, signed_text
from sheetgen.rules.index import folded
from sheetgen.rules.tables.things import (
    RulesetScope,
    Thing,
    ThingScope,
    grant_texts,
    tags_of,
    things,
)

STATES: Final = "conditions"  # what selects the states of a build
_SHORT: Final = 24  # the most letters of a figure; a longer one is shown as a text
_MOST_BOXES: Final = 14  # on a card
_BARE: Final = ("text", "special", "note", "computed", "conditional")  # columns without a label
_FACT: Final = re.compile(r"\bfact\.(\w+)")
_Had: TypeAlias = Pick | Owned | Rating
_Row: TypeAlias = tuple[str, Mapping[str, str], str]  # a list of the sheet, a row, its roll


@frozen
class BuildPart:
    """One thing that a build has."""

    ids: tuple[str, ...]  # what selects it: lists, a key, a catalogue or group, card sets
    heading: str  # what all things of its sort are called
    one: str  # what it is, in a word
    name: str
    figures: tuple[tuple[str, str], ...] = ()  # texts with their labels, as the sheet shows them
    texts: tuple[tuple[str, str], ...] = ()  # what the rules say about it; the head may be empty
    of: str = ""  # in the ruleset it is `things(rules, of)[id]`, if it is no author's own
    id: str = ""
    source: str = ""  # where its rule comes from, if not from the game itself
    thing: Thing | None = None
    gives: str = ""  # what it grants
    attacks: bool = False  # whether it is an item whose list shows how it is used
    emblem: str = ""
    listed: bool = True  # whether a list of the sheet or a card set has it
    boxes: int = 0  # how many boxes are ticked as it is used up
    span: Span | None = None


def is_short(text: str) -> bool:
    """Return whether a text fits in a row of figures; longer ones and sentences are paragraphs."""
    return len(text) <= _SHORT and not text.endswith(".")


def words_of_id(id_: object) -> str:
    """Return the words for an id that has no label."""
    return str(id_).replace("_", " ").capitalize()


def list_build_parts(build: Build, rules: Ruleset, view: View) -> list[BuildPart]:
    """Return the parts of a build: who it is, rows of its lists, other things, states, ratings.

    `rules` are the complete ruleset of the build, and `view` is its view.
    """
    rows: dict[int, list[_Row]] = {}
    lines: list[BuildPart] = []
    for id_, rule in rules.lists.items():
        found, shown = _listed(build, rules, rule), build.rows.get(id_, ())
        texts = build.lists.get(str(rule.of), ())  # of a key of the file; they come first
        if len(shown) != len(texts) + len(found):
            continue
        things_of: list[_Had | None] = [*(None for _ in texts), *found]
        for number, (thing, row) in enumerate(zip(things_of, shown, strict=True), 1):
            rolled = view.texts.get(f"{id_}.{number}.roll.text")
            one: _Row = str(id_), row, rolled.text if rolled else ""
            if thing is not None:
                rows.setdefault(id(thing), []).append(one)
                continue
            label, name = rule.label or words_of_id(id_), next(iter(row.values()), "")
            part = BuildPart((str(rule.of),), label, label, name)
            lines.append(_finish(part, [one], rules, build))
    for id_, key in rules.character.items():
        label = key.label or words_of_id(id_)
        for text in build.lists.get(id_, ()) if key.narrows else ():
            name, _, code = text.rpartition(" ")  # a narrow use of a trait, and its own rating
            rated = words_of_id(rules.groups[key.narrows[0]].rating or "rating")
            lines.append(BuildPart((str(id_),), label, label, name, ((rated, code),)))
    groups = {str(id_) for id_, group in rules.groups.items() if not group.internal}
    ratings = [one for one in build.ratings.values() if one.own and one.group in groups]
    every: list[_Had] = [*build.picks, *build.items, *ratings]
    order = {str(id_): place for place, id_ in enumerate(rules.lists)}
    every.sort(key=lambda one: order[rows[id(one)][0][0]] if id(one) in rows else len(order))
    described = ((_describe(one, build, rules), rows.get(id(one), [])) for one in every)
    parts = [_finish(*one, rules, build) for one in described]
    first = [part for part in parts if not part.listed and part.of.startswith("choices.")]
    last = [part for part in parts if part.of.startswith("groups.")]
    rest = [part for part in parts if part not in first and part not in last]
    every_part = [*first, *rest, *lines, *_states(build, rules), *last]
    return [
        one if one.emblem else replace(one, emblem=_part_emblem(one, rules)) for one in every_part
    ]


def find_emblem(build: Build, rules: Ruleset, kind: Kind | None = None) -> str:
    """Return the emblem of a build, its picture where it has no portrait; "" for none.

    A character has that of a choice under one of the keys of `likeness`; a file of a kind one by
    its name, by that of the file that it starts from, or by its group.
    """
    if kind is None:
        picks = [pick for key in rules.likeness for pick in build.picks if pick.key == key]
        return next((str(rules.emblems[p.entry]) for p in picks if p.entry in rules.emblems), "")
    by_name = {folded(str(name)): str(of) for name, of in kind.emblems.items()}
    names = map(folded, (build.name, build.base, build.texts.get("group", ""), OTHERS))
    return next((by_name[name] for name in names if name in by_name), "")


def _part_emblem(part: BuildPart, rules: Ruleset) -> str:
    tags = tags_of(part.thing) if part.thing else ()
    names = {part.id, *part.ids, *map(str, tags)}
    return next((str(of) for name, of in rules.emblems.items() if name in names), "")


def list_named_parts(
    parts: Sequence[BuildPart], build: Build, rules: Ruleset
) -> Iterator[BuildPart]:
    """Yield what the parts of a build name and nobody picks: actions, ranges, conditions."""
    keys = {str(id_): key for id_, key in rules.character.items() if not key.passing}
    picked = {*keys, *(str(of) for key in keys.values() for of in key.of)}
    figures = {
        folded(word) for p in parts for _, text in p.figures for word in re.split("[,;]", text)
    }
    said = " ".join(text for part in parts for _, text in (*part.figures, *part.texts))
    words, known = {*re.findall(r"\w+", said)}, {part.name for part in parts}
    for id_, catalogue in rules.choices.items():
        for name, entry in catalogue.entries.items() if id_ not in picked else ():
            named = folded(entry.name) in figures or (len(entry.name) > 3 and entry.name in words)
            if named and entry.text and entry.name not in known:
                heading, of = catalogue.label or words_of_id(id_), f"choices.{id_}"
                texts = (("", str(filled(entry.text, _scope(entry, rules, build)))),)
                sort = (str(id_),), heading, catalogue.one, str(entry.name)
                yield BuildPart(*sort, (), texts, of, str(name), _source(of, name, rules))


def _listed(build: Build, rules: Ruleset, rule: ItemRows) -> list[_Had]:
    """Return what has the rows of a list, in their order."""
    what, _, catalogue = rule.of.partition(".")
    if rule.of in rules.groups:
        return [one for one in build.ratings.values() if one.group == rule.of and one.own]
    if what != "choices":
        items = (one for one in build.items if rule.of in ("gear", one.key))
        return [one for one in items if has_tags(rule, one.tags)]
    entries = rules.choices[catalogue].entries
    found: list[_Had] = []
    for pick in (pick for pick in build.picks if pick.catalogue == catalogue):
        tags = entries[pick.entry].tags if pick.entry in entries else ()
        names = (pick.entry, catalogue, f"{catalogue}.{pick.entry}", *tags)
        found += [pick] if has_tags(rule, names) else []
    return found


def _describe(thing: _Had, build: Build, rules: Ruleset) -> BuildPart:
    """Return what the build and the ruleset say of a thing, before its rows are known."""
    if isinstance(thing, Rating):
        group, trait = rules.groups[thing.group], rules.groups[thing.group].traits.get(thing.id)
        written, bare = (rules.rating_text(thing.group, n) for n in (thing.total, thing.own))
        links = (letter for letter, traits in build.links.items() if thing.id in traits)
        figures = (
            (words_of_id(group.rating or "rating"), written if thing.total else bare),
            ("Own", bare if thing.total != thing.own else ""),
            ("Stars", str(thing.stars or "")),
            *rating_columns(build, rules, thing).items(),
            ("Roll", roll_words(build.rolls.get(f"{thing.group}.{thing.id}", ()))),
            ("Die", build.pinned.get(thing.id, "")),
            ("Link", ", ".join(links)),
        )
        told = (trait.text, trait.note) if trait else ()
        said = [("", str(filled(one, _scope(trait, rules, build)))) for one in told if trait]
        return BuildPart(
            (thing.group,), group.label or words_of_id(thing.group), group.one, thing.name, figures,
            (*said, ("", thing.detail)), f"groups.{thing.group}", thing.id,
            span=thing.place,
        )  # fmt: skip
    key = rules.character.get(thing.key)
    label = key.label if key else ""
    if isinstance(thing, Owned):
        item = rules.gear.get(thing.item)
        labels = {str(id_): rule.label or words_of_id(id_) for id_, rule in rules.derived.items()}
        changed = (f"{signed_text(n)} {labels[id_]}" for id_, n in thing.modifies.items() if n)
        texts = [str(filled(item.text, _scope(item, rules, build)))] if item else []
        texts += [thing.special, thing.conditional, ", ".join(changed)]
        return BuildPart(
            (thing.key, "gear"), label or words_of_id(thing.key or "gear"), "gear",
            counted_name(thing),
            combat_figures(thing, rules),
            tuple(("", text) for text in texts), "gear", thing.item,
            boxes=thing.count if 1 < thing.count <= _MOST_BOXES else 0, span=thing.span,
        )  # fmt: skip
    catalogue = rules.choices[thing.catalogue]
    entry, said = catalogue.entries.get(thing.entry), [("", str(thing.text))]
    if entry is not None:
        giving = replace(entry, requires=None)
    else:  # an author's own choice as the ruleset would have it: with the steps that it gives
        whys = thing.name, focus_label(thing)
        steps = {
            one.id: sum(p.steps for p in one.parts if p.kind == "grant" and p.why in whys)
            for one in build.ratings.values()
        }
        raised = {id_: Formula(number, thing.span) for id_, number in steps.items() if number}
        giving = Choice(Text(thing.name, thing.span), grants=Grants(raised))
    scope = _scope(giving, rules, build)
    given = "; ".join(grant_texts(rules, giving, scope))
    if entry is not None:
        for number, section in enumerate(entry.sections, 1):
            own = build.sections.get((thing.catalogue, thing.entry, number))
            head = f"{section.label} ({section.about})" if section.about else section.label
            said.append((head, own or str(filled(section.text, scope))))
    because = next((one.name for one in build.picks if one.name == thing.because), "")
    return BuildPart(
        tuple(filter(None, (thing.key, thing.catalogue))),
        label or catalogue.label or words_of_id(thing.catalogue), catalogue.one,
        pick_line(thing, build),
        (("Comes with", because),), tuple(said), f"choices.{thing.catalogue}", thing.entry,
        gives=given, span=thing.span,
    )  # fmt: skip


def combat_figures(item: Owned, rules: Ruleset) -> tuple[tuple[str, str], ...]:
    """Return attack and damage of an item as players write them: `3D` of a game with dice."""
    dice = any(group.rating == "dice" for group in rules.groups.values())
    numbers = {"attack": item.attack, "damage": item.damage}
    plain = {name: "" if number is None else str(number) for name, number in numbers.items()}
    if dice:
        plain = {name: rolled_text(item, name, pips=rules.pips) for name in numbers}
    return tuple((words_of_id(name), item.rolled.get(name, plain[name])) for name in numbers)


def _scope(thing: Thing, rules: Ruleset, build: Build) -> ThingScope:
    return ThingScope(rules, RulesetScope(rules, build.options), thing)


def _finish(part: BuildPart, rows: Sequence[_Row], rules: Ruleset, build: Build) -> BuildPart:
    """Return a part with the columns of its rows, and what its card sets say of it."""
    thing = things(rules, part.of).get(part.id)
    figures: list[tuple[str, str]] = []
    texts: list[tuple[str, str]] = []
    own = part.figures if part.of == "gear" else ()
    for _, row, roll in rows:
        for name, text in [*row.items()][1:]:
            label = "" if name in _BARE else words_of_id(name)
            if text.isdigit():  # a number of dice or of pips is written as a code
                text = dict(own).get(label, text)
            (figures if label else texts).append((label, text))
        figures.append(("Roll", roll))
    figures += () if rows and own else part.figures
    lists = [rules.lists[of] for of, _, _ in rows]
    columns = " ".join(text for rule in lists for text in rule.columns.values())
    sets = {str(id_): one for id_, one in rules.card_sets.items() if thing and part.of in one.of}
    for card_set in sets.values():
        assert thing is not None
        scope, tags = _scope(thing, rules, build), {*map(str, tags_of(thing)), part.id}
        facts = thing.facts if isinstance(thing, Choice) else {}
        for name in _FACT.findall(" ".join(card_set.texts.values())):
            if name in facts and name not in _FACT.findall(columns):
                figures.append((words_of_id(name), str(filled(facts[name], scope))))
        pictures = ((name, str(of)) for name, of in card_set.emblems.items() if name != DECK)
        emblem = next((of for name, of in pictures if name in tags), "")
        part = replace(
            part,
            one=filled(card_set.texts.get("kind", ""), scope) or part.one,
            emblem=emblem or str(card_set.emblems.get(OTHERS, "")),
            boxes=part.boxes or int(bool(filled(card_set.texts.get("spent", ""), scope))),
        )
    keys = part.ids if part.of.startswith("groups.") else ()
    # No text is kept that another one, or a figure, contains.
    said, kept = {text for _, text in figures}, list[tuple[str, str]]()
    for head, text in (*texts, *part.texts):
        new = text.strip() and text not in said
        if new and not any(folded(text) in folded(other) for _, other in kept):
            kept = [one for one in kept if one[0] or folded(one[1]) not in folded(text)]
            kept.append((head, text.strip()))
    return replace(
        part,
        ids=tuple(dict.fromkeys((*keys, *(of for of, _, _ in rows), *part.ids, *sets))),
        heading=(lists[0].label or words_of_id(rows[0][0])) if rows else part.heading,
        figures=tuple(dict.fromkeys((label, text) for label, text in figures if text)),
        texts=tuple(kept),
        source=_source(part.of, part.id, rules),
        thing=thing,
        attacks=part.of == "gear" and any(one.where and len(one.columns) > 1 for one in lists),
        listed=bool(rows or sets),
    )


def _source(of: str, id_: str, rules: Ruleset) -> str:
    """Return where a rule comes from: an overlay, a house rule, or the author; "" if the game."""
    found = things(rules, of)
    key = next((one for one in found if one == id_), None)
    if key is None:
        return "own"
    origin = origin_of(rules, key.span) if isinstance(key, Text) else None
    title = origin.title if origin and origin != rules.composition.origins[0] else ""
    entry = found[key]
    own = f"{entry.origin} rule" if isinstance(entry, Choice) and entry.origin else ""
    return ", ".join(filter(None, (title, own)))


def _states(build: Build, rules: Ruleset) -> Iterator[BuildPart]:
    """Yield flags that are set, and the state to which the marks of each track led."""
    kind = words_of_id(STATES), "condition"
    for id_, key in rules.character.items():
        if key.kind == "flag" and build.numbers.get(id_):
            name, texts = key.label or words_of_id(id_), (("", key.text),) if key.text else ()
            yield BuildPart((str(id_), STATES), *kind, name, texts=texts)
    for id_, places in build.steps.items():
        track, (boxes, marked) = rules.tracks[id_], build.marked[id_]
        reached = [name for name, box in zip(track.steps, places, strict=True) if 0 < box <= marked]
        if reached:
            figures = ((track.label or words_of_id(id_), f"{marked} of {boxes}"),)
            ids = str(id_), str(reached[-1]), STATES
            yield BuildPart(ids, *kind, words_of_id(reached[-1]), figures)
