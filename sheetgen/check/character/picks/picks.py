"""Picks: what the file picks from each catalogue of choices, and what those bring along.

The step `read_picks` fills `draft.picks`; `check_picks` runs once all ratings are known.
"""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.trait_names import find_key_for, find_trait
from sheetgen.check.character.keys.values import (
    is_blank,
    list_entries,
    list_items,
    parse_times,
)
from sheetgen.check.character.picks.grants import granting_picks, grants_of
from sheetgen.check.character.picks.spreads import custom_choice, custom_keys, spread_points
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Severity
from sheetgen.diag.words import a
from sheetgen.model.build import Pick, refused_name
from sheetgen.model.rulesets.choices import Catalogue, Choice
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded, spelling_hint, split_times


def read_picks(draft: Draft) -> None:
    """Read the picks of the file, then add the picks that these bring along."""
    for id_, key, node in draft.file_keys("choice", "choices"):
        if is_blank(node):
            continue
        catalogue = str(key.of[0]) if key.of else id_
        nodes = list_entries(node) if key.kind == "choices" else list_items(node)
        before = len(draft.picks)
        for item in nodes:
            _read_pick(draft, id_, catalogue, item)
        if key.kind == "choice":
            _check_count(draft, key, catalogue, node, before)
    for pick in tuple(granting_picks(draft)):
        _bring(draft, pick, ())


def _bring(draft: Draft, pick: Pick, above: tuple[str, ...]) -> None:
    """Add what `pick` brings along, and what that brings along in turn.

    Args:
        above: The choices that brought `pick` along; none of them is brought by it again.
    """
    for grants in grants_of(draft, pick):
        before = len(draft.picks)
        for catalogue, entry in grants.set.items():
            _set(draft, pick, str(catalogue), str(entry))
        for entry in grants.take:
            for _ in range(pick.times if entry not in above else 0):
                _take(draft, pick, str(entry))
        for brought in draft.picks[before:]:
            _bring(draft, brought, (*above, brought.entry))


def _most(draft: Draft, key: Key) -> int:
    """Return how many choices may be picked under `key`; 0 for any number."""
    if key.kind != "choice":
        return 0
    return draft.early_int(key.most, final=False) if key.most is not None else 1


def _check_count(draft: Draft, key: Key, catalogue: str, node: Node, before: int) -> None:
    """Report more picks, or a pick taken more times, than `key` allows."""
    most, picks = _most(draft, key), draft.picks[before:]
    unread = len(list_items(node)) - len(picks)
    taken = unread + sum(pick.times for pick in picks)
    if taken > most:
        one = draft.rules.choices[catalogue].one
        room = f"one {one}" if most == 1 else f"at most {most} times {a(one)}"
        message = f"{room} can be picked here; {taken} are picked"
        hint = "keep one" if most == 1 else f"keep {most} at most"
        draft.report(codes.WRONG_COUNT, node.span, message, hint)
    if most == 1:  # Later steps need each of them once.
        draft.picks[before:] = [
            pick if pick.times == 1 else replace(pick, times=1) for pick in picks
        ]


def _read_pick(draft: Draft, key: str, catalogue_id: str, node: Node) -> None:
    """Read one pick: a name, `Name x2`, `{Name: detail}` or `{custom: …}`."""
    catalogue = draft.rules.choices[catalogue_id]
    detail: Node | None = None
    name = node
    if isinstance(node, Pairs):
        if any(folded(leaf.raw) == "custom" for leaf, _ in node.entries):
            custom_choice(draft, key, catalogue_id, node)
            return
        if len(node.entries) != 1:
            keys = custom_keys(catalogue)
            meant = [leaf for leaf, _ in node.entries if folded(leaf.raw) not in keys]
            if len(meant) == 1 and keys:
                message = f"there is no key `{meant[0].raw}` in {a(catalogue.one)} of one's own"
                hint = Hint("write `custom: Name`", meant[0].raw, "custom")
                draft.report(codes.UNKNOWN_KEY, meant[0].span, message, hint)
                return
            message = f"write one {catalogue.one} here: a name, or `Name: detail`"
            own = "write one of your own as `{custom: Name, …}`" if catalogue.custom else ""
            draft.report(codes.WRONG_TYPE, node.span, message, own)
            return
        name, detail = node.entries[0]
    if not isinstance(name, ScalarNode):
        draft.report(codes.WRONG_TYPE, node.span, f"write the name of {a(catalogue.one)} here")
        return
    pick = _named(draft, key, catalogue_id, catalogue, name)
    if pick is not None:
        draft.picks.append(_read_detail(draft, pick, detail))


def _named(
    draft: Draft, key: str, catalogue_id: str, catalogue: Catalogue, name: ScalarNode
) -> Pick | None:
    names = draft.index.by_catalogue[catalogue_id]
    found, count = names.find(name.raw), 1
    refused = Pick(key, catalogue_id, "", refused_name(name.raw), name.span)
    if not found:
        plain, count = split_times(name.raw)
        found = names.find(plain)
    if len(found) == 1:
        shown = str(catalogue.entries[found[0]].name)
        text = draft.fill_options(catalogue.entries[found[0]].text)
        return Pick(key, catalogue_id, found[0], shown, name.span, count, text=text)
    if found:
        options = ", ".join(f"`{catalogue.entries[id_].name}`" for id_ in found)
        draft.report(codes.AMBIGUOUS, name.span, f"`{name.raw}` may be {options}")
        draft.refused_picks.append(refused)
        return None
    hint = spelling_hint(names, name.raw) or find_key_for(draft, name.raw)
    hint = hint or names.hint(name.raw)
    message = f"there is no {catalogue.one} `{name.raw}`"
    if not catalogue.open:
        draft.report(codes.UNKNOWN_NAME, name.span, message, hint)
        draft.refused_picks.append(refused)
        return None
    message = f"the rules list no {catalogue.one} `{name.raw}`; it is kept, without limits"
    draft.report(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
    return Pick(key, catalogue_id, "", name.raw, name.span, count)


def _read_detail(draft: Draft, pick: Pick, detail: Node | None) -> Pick:
    """Return `pick` with the detail that its entry asks for, such as a trait."""
    entry = draft.entry_of(pick)
    if entry is None:
        return replace(pick, named=detail.raw) if isinstance(detail, ScalarNode) else pick
    spread = entry.grants.spread if entry.grants else None
    if spread is not None:
        spread_points(draft, pick, spread, detail)
        if pick.times == 1 or _most(draft, draft.rules.character[pick.key]) == 1:
            return pick
        message = f"`{pick.name}` is taken {pick.times} times, but has points only once"
        draft.report(codes.WRONG_COUNT, pick.span, message, "write it out for each take")
        return replace(pick, times=1)
    if entry.asks is None and entry.may_say and isinstance(detail, ScalarNode):
        return replace(pick, named=detail.raw)
    if entry.asks is None and isinstance(detail, ScalarNode) and type(detail.value) is int:
        return replace(pick, times=pick.times * (parse_times(draft, detail, pick.name) or 1))
    if entry.asks is None:
        if entry.may_say and detail is not None and not is_blank(detail):
            message = f"what `{pick.name}` says has to be text"
            draft.report(
                codes.ASKS, detail.span, message, f"write `{{{pick.name}: in your words}}`"
            )
        elif detail is not None and not is_blank(detail):
            message = f"`{pick.name}` takes no detail"
            draft.report(codes.ASKS, detail.span, message, f"write `{pick.name}` alone")
        return pick
    if detail is None or is_blank(detail):
        group = draft.rules.groups.get(entry.asks)
        what = group.one if group else "text"
        first = next((str(t.name) for t in group.traits.values()), "…") if group else "…"
        message = f"`{pick.name}` has to name {a(what)}"
        draft.report(
            codes.ASKS, pick.span, message, f"write `{{{pick.name}: {first}}}`, or another"
        )
        return pick
    if entry.asks not in draft.rules.groups:
        return replace(pick, named=detail.raw if isinstance(detail, ScalarNode) else "")
    found = find_trait(draft, detail, (str(entry.asks),))
    return replace(pick, named=found or "", named_at=detail.span)


def _set(draft: Draft, pick: Pick, catalogue: str, id_: str) -> None:
    """Add the choice that `pick` settles, or report another choice in the file."""
    same = [p for p in draft.picks if p.catalogue == catalogue]
    entry = draft.rules.choices[catalogue].entries[id_]
    if not same:
        keys = draft.rules.character.items()
        fits = (i for i, k in keys if catalogue in (k.of or (i,)) and k.kind == "choice")
        draft.picks.append(_brought(draft, pick, catalogue, id_, entry, str(next(fits, ""))))
    for other in same:
        if other.entry != id_:
            one = draft.rules.choices[catalogue].one
            message = f"`{pick.name}` takes the {one} {entry.name}, not {other.name}"
            hint = f"leave `{draft.key_name(other.key)}` out, or pick another than `{pick.name}`"
            draft.report(codes.CONTRADICTION, other.span, message, hint)


def _take(draft: Draft, pick: Pick, id_: str) -> None:
    """Add a choice that `pick` brings along; one that can be taken `once` only once."""
    for catalogue, entries in draft.rules.choices.items():
        entry = entries.entries.get(id_)
        if entry is not None:
            again = any(p.entry == id_ and p.because for p in draft.picks)
            if not (entry.once and again):
                draft.picks.append(_brought(draft, pick, str(catalogue), id_, entry, ""))
            return


def _brought(draft: Draft, pick: Pick, catalogue: str, id_: str, entry: Choice, key: str) -> Pick:
    text = draft.fill_options(entry.text)
    return Pick(key, catalogue, id_, str(entry.name), pick.span, because=pick.name, text=text)


def check_picks(draft: Draft) -> None:
    """Report picks whose requirement does not hold, and picks taken too often."""
    counts: dict[tuple[str, str], list[Pick]] = {}
    for pick in draft.picks:
        entry = draft.entry_of(pick)
        if entry is None:
            continue
        counts.setdefault((pick.catalogue, pick.entry), []).append(pick)
        if entry.requires is not None and not draft.holds(entry.requires):
            one = draft.rules.choices[pick.catalogue].one
            message = f"the {one} `{pick.name}` is not open to this build"
            draft.report(codes.REQUIREMENT, pick.span, message, entry.why)
    for (catalogue, id_), picks in counts.items():
        entry = draft.rules.choices[catalogue].entries[id_]
        own = sum(pick.times for pick in picks if not pick.because)
        if entry.once and own and sum(pick.times for pick in picks) > 1:
            _too_often(draft, picks)
        elif entry.most is not None and own > (most := draft.eval_int(entry.most)):
            last = next(pick for pick in reversed(picks) if not pick.because)
            message = f"`{last.name}` can be taken {most} times at most; it is taken {own} times"
            fewer = Hint(f"take it {most} times", f"x{own}", f"x{most}")
            hint = fewer if most > 0 else f"take `{last.name}` out"
            draft.report(codes.TOO_OFTEN, last.span, message, hint)


def _too_often(draft: Draft, picks: list[Pick]) -> None:
    because = next((p.because for p in picks if p.because), "")
    last = next((p for p in reversed(picks) if not p.because), picks[-1])
    taken = sum(pick.times for pick in picks)
    message = f"`{last.name}` can be taken only once; it is taken {taken} times"
    hint = f"it comes with {because} already" if because else "take it once"
    draft.report(codes.TOO_OFTEN, last.span, message, hint)
