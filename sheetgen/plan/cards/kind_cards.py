"""The texts of a card that is made from a kind's data, without a design of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.check.character.results.lists import has_tags
from sheetgen.model.build import Build, Owned, Rating, counted_name
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.kinds import CardContext, Subject
from sheetgen.plan.sheets.view import View

_ACROSS: Final = 4
"""Values in a row."""

_LONGEST_LABEL: Final = 13
"""Letters of a label that has room above a value; a value with a longer one is a line of text."""

_LONGEST_VALUE: Final = 5

_MOST_BOXES: Final = 14
"""Boxes that a track of the card can have; a longer track is a value."""

_ELSEWHERE: Final = ("name", "group")
"""Keys of a file that the head of the card shows."""


def build_general_subject(subject: Subject, build: Build, view: View, rules: Ruleset) -> Subject:
    """Return the subject of a card with all that its kind has: values, ratings, lists, texts.

    Args:
        view: The view of the build.
    """
    texts = {name: subject.texts[name] for name in _ELSEWHERE if subject.texts.get(name)}
    one = rules.composition.one
    texts["kind"] = one[:1].upper() + one[1:]
    tracks = {i: boxes for i, boxes in subject.tracks.items() if 0 < boxes <= _MOST_BOXES}
    figures: list[tuple[str, str]] = []
    lines: list[tuple[str, str]] = []
    for label, value in _values(build, view, rules, drawn=set(tracks)):
        fits = len(label) <= _LONGEST_LABEL and len(value) <= _LONGEST_VALUE
        (figures if fits else lines).append((label, value))
    for at, (label, value) in enumerate(figures):
        row, column = at // _ACROSS + 1, at % _ACROSS + 1
        texts[f"figures.{row}.label{column}"] = label
        texts[f"figures.{row}.value{column}"] = value
    for stem, ratings in _ratings(build, rules):
        for number, rating in enumerate(ratings, 1):
            texts[f"{stem}.{number}.name"] = rating.name
            texts[f"{stem}.{number}.code"] = _code(rating, rules)
    shown = [f"{label}: {value}" for label, value in (*lines, *_lines(build, view, rules))]
    texts |= {f"lines.{number}.text": line for number, line in enumerate(shown, 1)}
    texts |= {f"{i}.label": rules.tracks[i].label or _label(i) for i in tracks}
    return replace(subject, texts=CardContext(texts), tracks=tracks)


def _values(
    build: Build, view: View, rules: Ruleset, *, drawn: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield label and text of derived values and of numbers of the file, but for drawn tracks."""
    for id_, derived in rules.derived.items():
        if derived.label and id_ not in drawn and (shown := view.texts.get(f"{id_}.value")):
            yield derived.label, shown.text
    hidden = {str(track.marked) for track in rules.tracks.values()} | {"copies"}
    hidden |= {str(word) for pool in rules.pools.values() for word in (pool.adds, pool.override)}
    for id_, key in rules.character.items():
        if key.kind == "number" and id_ in build.numbers and id_ not in hidden:
            yield key.label or _label(id_), str(build.numbers[id_])


def _ratings(build: Build, rules: Ruleset) -> Iterator[tuple[str, list[Rating]]]:
    """Yield the ratings that are under no trait, then those below that have steps of their own."""
    every = [rating for rating in build.ratings.values() if rating.total > 0]
    traits = {id_: t for group in rules.groups.values() for id_, t in group.traits.items()}
    under = {str(id_) for id_, trait in traits.items() if trait.under is not None}
    yield "ratings", [rating for rating in every if rating.id not in under]
    yield "below", [rating for rating in every if rating.id in under and rating.own]


def _code(rating: Rating, rules: Ruleset) -> str:
    dice = rules.groups[rating.group].rating == "dice"
    return code_text(rating.total, pips=rules.pips) if dice else str(rating.total)


def _lines(build: Build, view: View, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield label and text of choices, lists, texts and what the file says besides."""
    listed = {*map(str, rules.lists), *(str(rows.of) for rows in rules.lists.values())}
    for id_, rows in build.rows.items():
        if rules.lists[id_].of not in rules.groups and (shown := [_row(row) for row in rows]):
            yield _label(id_), "; ".join(filter(None, shown))
    for id_, line in build.lines.items():
        if line:
            yield rules.texts[id_].label or _label(id_), line
    for id_, key in rules.character.items():
        name, label = str(id_), key.label or _label(id_)
        if name in _ELSEWHERE or name == "names" or key.kind == "number":
            continue
        if key.kind in ("item", "items"):
            text = ", ".join(_with_damage(one, rules) for one in _unlisted(build, rules, name))
        elif name in listed:
            continue
        elif key.kind == "choices":
            picks = [pick for pick in build.picks if pick.key == name]
            text = "; ".join(": ".join(filter(None, (p.name, p.text))) for p in picks)
        elif key.kind == "texts":
            text = "; ".join(build.lists.get(name, ()))
        else:
            text = view.texts[name].text if name in view.texts else ""
        if text:
            yield label, text


def _unlisted(build: Build, rules: Ruleset, key: str) -> Iterator[Owned]:
    """Yield the items under a key that no list shows."""
    lists = [rows for rows in rules.lists.values() if rows.of in ("gear", key)]
    for item in build.items:
        if item.key == key and not any(has_tags(rows, item.tags) for rows in lists):
            yield item


def _with_damage(item: Owned, rules: Ruleset) -> str:
    """Return an item that no list shows, with its damage: nothing else on the card has it."""
    if item.damage is None:
        return counted_name(item)
    dice = any(group.rating == "dice" for group in rules.groups.values())
    damage = code_text(item.damage, pips=rules.pips) if dice else str(item.damage)
    return f"{counted_name(item)} ({damage})"


def _row(row: Mapping[str, str]) -> str:
    """Return a row of a list: its first column, the others with their names behind it."""
    (_, first), *rest = row.items()
    more = ", ".join(f"{_label(name).lower()} {text}" for name, text in rest if text)
    return f"{first} ({more})" if first and more else first


def _label(id_: object) -> str:
    return str(id_).replace("_", " ").capitalize()
