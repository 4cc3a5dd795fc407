"""Things of a ruleset that have cards, such as gear and powers, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.exchange.formats import ExportRequest
from sheetgen.exchange.markdown import escape_markdown
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.plan.cards.thing_cards import build_thing_subject
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things


def list_things(request: ExportRequest) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the card set, the name and the texts of each thing that has a card.

    Raises:
        FormulaError: A text cannot be computed.
    """
    rules, scope = request.rules, RulesetScope(request.rules, request.options)
    for set_id, cards in rules.card_sets.items():
        for of in cards.of:
            for thing in things(rules, str(of)).values():
                if isinstance(thing, OddsGrid) or any(t in cards.without for t in tags_of(thing)):
                    continue
                subject = build_thing_subject(cards, ThingScope(rules, scope, thing))
                yield cards.label or str(set_id), subject.name, subject.texts


def format_thing(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a thing as blocks: a list of its facts, and its sections."""
    lines = [
        f"- **{escape_markdown(name.replace('_', ' '))}**: {escape_markdown(text)}"
        for name, text in texts.items()
        if text.strip() and name != "name" and "." not in name
    ]
    yield from ("\n".join(lines),) if lines else ()
    for name, label in texts.items():
        stem, _, last = name.rpartition(".")
        if last == "label" and f"{stem}.text" in texts:
            yield f"### {escape_markdown(label)}"
            yield escape_markdown(texts[f"{stem}.text"])
