"""What a ruleset itself has for notes and texts: things with cards, and pages of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.exchange.formats import ExportRequest
from sheetgen.exchange.markdown import escape_markdown
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.plan.cards.thing_cards import build_thing_subject
from sheetgen.plan.pages.player_words import PlayerWords
from sheetgen.plan.pages.references import plan_table_pages
from sheetgen.plan.pages.tables import TablePage
from sheetgen.prints.characters import load_stock
from sheetgen.rules.tables.stock import kind_of_tables
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


def list_table_pages(request: ExportRequest) -> Iterator[TablePage]:
    """Yield the pages of reference tables, in players' words."""
    rules = request.rules
    kinds = filter(None, (kind_of_tables(table.of) for table in rules.tables.values()))
    words, stock = PlayerWords(rules.rulings), load_stock(rules, kinds)
    pages = plan_table_pages(rules, (), request.options, stock=stock).value or ()
    yield from (words.page(page) for page in pages if any(page.bands))


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
