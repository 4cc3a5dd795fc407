"""Sections of a card: a label with a text of any length beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sheetgen.model.designs.card_files import CardEntry
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft
from sheetgen.plan.cards.rows import MOST_LINES, text_strips
from sheetgen.plan.cards.runs import HEAD, WHAT, Run, figure_runs, wide
from sheetgen.plan.fit import PADDING, paragraphs, width, wrap

LABEL, MORE, ABOUT = "label", "more", "about"
"""Places beside a text: beside its first line, and beside its second for the rest of a long label
or for what qualifies the label."""


def section_strips(
    entry: CardEntry, stem: str, values: CardContext, kind: CardKind
) -> Iterator[StripDraft]:
    """Yield the strips of a list whose rows have `label`, `about` and `text`.

    The words on both sides of the entry's `strong` are bold, up to a comma or a full stop.
    """
    for row in values.rows(stem):
        text = row.get("text", "")
        apart = _apart(text, entry.strong) if entry.strong else ()
        strong = _strong(text, apart, kind) if apart else None
        first, *rest = [strong] if strong else text_strips(text, kind, entry)
        label, about = _labelled(row.get(LABEL, ""), kind), row.get(ABOUT, "")
        texts = {LABEL: label[0], **first.texts}
        if about and first.name.endswith("-1") and _in_line(label[0], about, kind):
            texts[f"{LABEL}.{WHAT}"], about = about, ""
        second = label[1:] or ([about] if about else [])
        if second and first.name.endswith("-1"):
            first = _deeper(first)
        if second:
            texts[MORE if label[1:] else ABOUT] = second[0]
        yield replace(first, texts=texts)
        yield from (replace(part, attached=True) for part in rest)


def _labelled(label: str, kind: CardKind) -> Sequence[str]:
    """Return a label in one line or two; words are not broken."""
    place = kind.places[f"{kind.text()}-2"][LABEL]
    role = kind.tokens.roles[place.role]
    metrics, room = kind.metrics[role.face], place.box.width - 2 * PADDING
    if " " not in label or width(label, metrics, role.size) <= room:
        return [label]
    first, *more = wrap(label, room, metrics, role.size)
    return [first, " ".join(more)]


def _in_line(label: str, about: str, kind: CardKind) -> bool:
    assert kind.plate is not None
    place = kind.places[f"{kind.text()}-2"][LABEL]
    runs = figure_runs(label, {WHAT: about}, place.role, kind.tokens)
    return bool(runs) and wide(runs, kind.plate) <= place.box.width - 2 * PADDING


def _deeper(part: StripDraft) -> StripDraft:
    (line,) = part.runs["text"]
    empty: tuple[Run, ...] = ((" ", line[0][1]),)
    return replace(part, name=f"{part.name[:-1]}2", runs={"text": [line, empty]})


def _apart(text: str, between: str) -> tuple[int, ...]:
    """Return the ends of the words before, of `between`, and of the words after it, or ()."""
    start = text.find(between)
    if start < 0:
        return ()
    after = start + len(between)
    cut = re.search(r"[,.;]", text[after:])
    return start, after, after + cut.start() if cut else len(text)


def _strong(text: str, apart: Sequence[int], kind: CardKind) -> StripDraft | None:
    """Return a text with bold words, broken as if all of it were bold; None if it is too long."""
    place = kind.places[f"{kind.text()}-1"]["text"]
    role = kind.tokens.roles[place.role]
    head = kind.tokens.roles[place.role + HEAD]
    room = place.box.width - 2 * PADDING
    lines = paragraphs(text, room, kind.metrics[head.face], role.size)
    if len(lines) > MOST_LINES:
        return None
    cuts = (0, *apart, len(text))
    roles = (place.role + HEAD, place.role, place.role + HEAD, place.role)
    runs, at = [], 0
    for line in lines:
        at = text.index(line, at)
        end = at + len(line)
        pieces = zip(pairwise(cuts), roles, strict=True)
        found = tuple((text[max(a, at) : min(b, end)], name) for (a, b), name in pieces)
        runs.append(tuple(run for run in found if run[0]))
        at = end
    name = f"{kind.text()}-{len(lines)}"
    return StripDraft(name, {"text": "\n".join(lines)}, below=kind.air, runs={"text": runs})
