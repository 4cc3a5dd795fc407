"""What is shown about the word under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sheetgen.check.character.builds import build_rating
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.schemas.descriptions import escaped
from sheetgen.lsp.files import OpenFile, RulesReader, Texts
from sheetgen.lsp.prices import next_step
from sheetgen.lsp.text.places import KEY, CursorPlace, find_place
from sheetgen.lsp.things import TRAIT, NamedThing, describe_thing, find_key, find_things


def hover_text(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> tuple[str, int, int] | None:
    """Return Markdown about the word at an offset, and the offsets of the word; None for none."""
    place = find_place(file.text, offset)
    if place is None or not place.word:
        return None
    draft = reader.draft(file, place, texts)
    parts = [part for thing in find_things(file, place) for part in _of_thing(file, thing, draft)]
    if not parts:
        parts = list(_of_key(file, place, reader, draft))
    text = "\n\n".join(dict.fromkeys(filter(None, parts)))
    return (text, place.start, place.end) if text else None


def _of_thing(file: OpenFile, thing: NamedThing, draft: Draft | None) -> Iterator[str]:
    if thing.sort == TRAIT and draft is not None and draft.group_of(thing.id):
        yield _rating(draft, thing.id)
        step = next_step(draft, thing.id)
        yield f"Next step: {escaped(step)}" if step else ""
    rules = file.rules
    assert rules is not None
    yield describe_thing(rules, thing)


def _rating(draft: Draft, trait: str) -> str:
    """Return a trait's rating, and where it comes from."""
    rating = build_rating(draft, trait)
    shown = partial(draft.rules.rating_text, rating.group)
    text = f"**{escaped(rating.name)}**"
    if rating.total or rating.own:
        text += f" {shown(rating.total)}"
    if 0 < rating.own != rating.total:
        text += f" ({shown(rating.own)} of its own)"
    if rating.limit is not None:
        text += f", at most {shown(rating.limit)}"
    parts = (
        f"- {escaped(part.why)}: {'−' if part.steps < 0 else '+'}{shown(abs(part.steps))}"
        for part in rating.parts
    )
    return "\n".join((text, "", *parts)) if rating.parts else text


def _of_key(
    file: OpenFile, place: CursorPlace, reader: RulesReader, draft: Draft | None
) -> Iterator[str]:
    """Yield what there is about a key or value, and the points that the key pays with or earns."""
    schema = reader.schema(file)
    if schema is None:
        return
    is_key = place.sort == KEY
    node = schema.at((*place.path, place.word) if is_key else place.path)
    yield node.text() if is_key else node.values().get(place.word, node.text())
    found = find_key(draft.rules, (*place.path, place.word)) if draft is not None else None
    if draft is None or found is None or found[2] or not is_key:
        return
    for id_, pool in draft.rules.pools.items():
        if found[0] in (pool.adds, found[1].pool, id_) and id_ in draft.lines:
            gained = sum(line.gained for line in draft.lines[str(id_)])
            left = draft.left(str(id_))
            numbers = f"{gained} gained, {gained - left} spent, {left} left".replace("-", "−")
            yield f"{escaped(pool.label)}: {numbers}"
