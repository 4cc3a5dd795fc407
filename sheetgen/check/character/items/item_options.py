"""Options of an item: what the author picked for it from the catalogues that it asks."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import list_items
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.near import nearest
from sheetgen.model.build import Owned
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.source import Node, ScalarNode


def options(draft: Draft, owned: Owned, catalogue_id: str, node: Node) -> Owned:
    """Return `owned` with the options of one catalogue that the author picked for it."""
    catalogue = draft.rules.choices[catalogue_id]
    names = draft.index.by_catalogue[catalogue_id]
    picked = list_items(node)
    if not catalogue.many and len(picked) > 1:
        message = f"{owned.name} takes one {catalogue.one}"
        draft.say(codes.WRONG_COUNT, node.span, message, "keep one")
    seen: set[str] = set()
    for item in picked:
        found = names.find(item.raw) if isinstance(item, ScalarNode) else ()
        raw = item.raw if isinstance(item, ScalarNode) else "this"
        hint = names.hint(raw)
        if len(found) == 1 and found[0] in seen:
            message = f"{names.shown[found[0]]} is picked twice"
            draft.say(codes.REPEATED, item.span, message, "keep one of the two")
        elif len(found) == 1:
            owned = _with_option(draft, owned, catalogue.entries[found[0]])
        elif not catalogue.open or not isinstance(item, ScalarNode):
            message = f"there is no {catalogue.one} `{raw}`"
            draft.say(codes.UNKNOWN_NAME, item.span, message, hint)
        else:
            owned = replace(owned, name=f"{owned.name}, {raw}")
            if nearest(raw, names.shown.values()):
                message = f"the rules list no {catalogue.one} `{raw}`; it is kept as it is"
                draft.say(codes.OPEN_NAME, item.span, message, hint, Severity.WARNING)
        seen.update(found)
    return owned


def _with_option(draft: Draft, owned: Owned, entry: Choice) -> Owned:
    modifies = dict(owned.modifies)
    for derived, formula in entry.modifies.items():
        modifies[str(derived)] = modifies.get(str(derived), 0) + draft.whole(formula)
    dice = owned.dice + entry.dice if owned.dice is not None else None
    special = "; ".join(s for s in (owned.special, entry.special) if s)
    both = "; ".join(s for s in (owned.conditional, entry.conditional) if s)
    return replace(
        owned,
        dice=dice,
        modifies=modifies,
        special=special,
        conditional=both,
        name=f"{owned.name}, {entry.name}",
        tags=(*owned.tags, *map(str, entry.tags)),
    )
