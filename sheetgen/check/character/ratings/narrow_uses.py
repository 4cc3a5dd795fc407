"""Narrow uses of traits, with codes of their own: `SKILL (use) 5D+1`.

The step `read_narrow_uses` compares the texts of keys with `narrows` with the traits that they
are uses of. It puts the price of all steps above these traits into `draft.numbers`, so that a
rule of the ruleset can compare it with what the author paid.
"""

from __future__ import annotations

import re
from typing import Final

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import list_items
from sheetgen.check.character.ratings.limits import limit_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.model.codes import parse_code
from sheetgen.model.rulesets.keys import Key
from sheetgen.records import frozen
from sheetgen.rules.names import folded

MOST_STEPS: Final = 300
"""The most steps that a use may be above its trait: each has a price, which takes time."""

_FORM: Final = re.compile(r"(.+?)\s*\(([^()]*)\)\s*:?\s*(.*)")


@frozen
class NarrowUse:
    """A use of `trait` with its whole code; `what` is the text before the code."""

    what: str
    trait: str
    code: int
    span: Span


def read_narrow_uses(draft: Draft) -> None:
    """Report uses of traits that do not exist, or are too low or too high, and count the price."""
    for id_, key, _ in draft.ruleset_keys("texts"):
        if key.narrows:
            uses = find_narrow_uses(draft, id_, key, report=True)
            draft.numbers[id_] = _price(draft, key, uses)


def find_narrow_uses(
    draft: Draft, id_: str, key: Key, *, report: bool = False
) -> tuple[NarrowUse, ...]:
    """Return the uses that a key lists and that can be read; with `report`, report the others."""
    places = [item.span for item in list_items(draft.entries[id_])]
    texts = draft.lists.get(id_, ())
    if len(places) != len(texts):
        places = [draft.entries[id_].span] * len(texts)
    before: set[tuple[str, str]] = set()
    kept, uses = len(draft.findings), []
    for text, span in zip(texts, places, strict=True):
        use = _read(draft, key, text, span)
        if use is None:
            continue
        same = use.trait, folded(use.what.partition("(")[2])
        if same in before:
            message = f"`{use.what}` is listed twice"
            draft.report(codes.REPEATED, span, message, "keep one of the two")
            continue
        before.add(same)
        _check(draft, use)
        uses.append(use)
    if not report:
        del draft.findings[kept:]
    return tuple(uses)


def _read(draft: Draft, key: Key, text: str, span: Span) -> NarrowUse | None:
    match = _FORM.fullmatch(text.strip())
    groups = tuple(map(str, key.narrows))
    one = draft.rules.groups[groups[0]].one
    if match is None:
        message = f"`{text}` does not say which {one} it is a use of"
        hint = f"write `{key.example.strip('[]') or 'Name (use) 5'}`"
        draft.report(codes.WRONG_TYPE, span, message, hint)
        return None
    names = draft.index.among(groups)
    found = names.find(match[1])
    if len(found) != 1:
        message = f"there is no {one} `{match[1]}`"
        draft.report(codes.UNKNOWN_NAME, span, message, names.hint(match[1]))
        return None
    trait, what = found[0], f"{match[1].strip()} ({match[2].strip()})"
    code = parse_code(match[3], pips=draft.rules.pips) if draft.in_dice(trait) else None
    if code is None and match[3].isascii() and match[3].isdigit() and len(match[3]) < 5:
        code = int(match[3])
    if not isinstance(code, int):
        message = f"`{what}` has no code" if not match[3] else f"`{match[3]}` is no code"
        shown = _shown(draft, trait, draft.total(trait) + 1)
        hint = f"write its whole code, such as `{what} {shown}`"
        draft.report(codes.WRONG_TYPE, span, message, hint, Severity.WARNING)
        return None
    return NarrowUse(what, trait, code, span)


def _shown(draft: Draft, trait: str, steps: int) -> str:
    return draft.rules.rating_text(draft.group_of(trait) or "", steps)


def _check(draft: Draft, use: NarrowUse) -> None:
    total, name = draft.total(use.trait), draft.name_of(use.trait)
    limit = limit_of(draft, use.trait)
    own = use.code - total + draft.own(use.trait)
    code, whole = _shown(draft, use.trait, use.code), _shown(draft, use.trait, total)
    if use.code < total:
        message = f"`{use.what}` is {code}; {name} alone is {whole}"
        hint = f"leave it out, or raise it above {whole}"
        draft.report(codes.BELOW_GRANT, use.span, message, hint, Severity.WARNING)
    elif (limit is not None and own > limit) or use.code - total > MOST_STEPS:
        most = total + min(
            MOST_STEPS, MOST_STEPS if limit is None else limit - draft.own(use.trait)
        )
        message = f"`{use.what}` is {code}; at most {_shown(draft, use.trait, most)}"
        draft.report(codes.ABOVE_LIMIT, use.span, message, "lower it")


def step_price(draft: Draft, key: Key, trait: str, code: int) -> int:
    """Return the price of the step of a use that reaches `code`."""
    n = code - draft.total(trait) + draft.own(trait)
    return draft.eval_int(key.price, n=n, total=code) if key.price is not None else 0


def _price(draft: Draft, key: Key, uses: tuple[NarrowUse, ...]) -> int:
    """Return the price of all steps above the traits, but for the `count` of creation.

    A step of creation is below those that were bought later, so it is one of the first; of
    several uses the dearest has it.
    """
    left: list[list[int]] = []
    for use in uses:
        first = draft.total(use.trait) + 1
        codes_ = range(first, min(use.code, first - 1 + MOST_STEPS) + 1)
        left.append([step_price(draft, key, use.trait, code) for code in codes_])
    free = draft.early_int(key.count, final=False) if key.count is not None else 0
    for _ in range(min(free, sum(map(len, left)))):
        max(filter(None, left), key=lambda prices: prices[0]).pop(0)
    return sum(map(sum, left))
