"""Speed of cards: the press against the layout engine, the same cards, in one run.

    python tests/bench/cards.py

The engine is given one HTML file with all cards, which is the least work that it can have:
one document, its style sheet read once. Figures are medians of processor time.
"""

from __future__ import annotations

from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.designs import load_fonts
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.materials.plates import build_page_pictures
from sheetgen.model.requests import CardRequest
from sheetgen.plan.cards.kinds import build_card_kind
from sheetgen.plan.contexts import build_card_context, build_cards_context, tops_css
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import Deck, build_deck, character_cards
from sheetgen.prints.characters import load_characters
from tests.bench.bench import timed

FOLDERS = ("hyperspace-d6/npcs", "hyperspace-d6/vehicles")


def main() -> None:
    """Measure, and print a table."""
    from sheetgen.render.flow.layout import lay_out
    from sheetgen.render.press.press import press_cards

    for folder in FOLDERS:
        cards = list(load_characters([rulesets_folder() / folder], rulesets=RulesetCache()))
        wanted = [card for one in cards for card in character_cards(one)]
        made = build_deck(wanted, DeckLayout(impose(CARDS["poker"], "a4")), CardRequest()).value
        assert made is not None
        html, fonts = page_of(made)
        ours = timed(lambda plan=made.plan: press_cards(plan), 20)
        theirs = timed(lambda h=html, f=fonts: lay_out(h, f, complaints=[]), 3)
        print(
            f"{len(made.faces):3} cards of {folder:<24} {ours * 1e3:8.2f} ms "
            f"{theirs * 1e3:9.1f} ms  1 : {theirs / ours:6.1f}"
        )


def page_of(made: Deck) -> tuple[str, dict[str, bytes]]:
    """Return the cards as the engine takes them, nine to a page, and its fonts."""
    from sheetgen.materials.plates import build_measure
    from sheetgen.render.fonts.fonts import build_face
    from sheetgen.render.html.page import build_styles, render_template
    from sheetgen.render.html.styles import build_token_styles

    design = made.design
    told = build_cards_context(
        build_card_context(made.rules, design),
        made.faces,
        build_card_kind(design),
        build_page_pictures,
    )
    generated = build_token_styles(design.tokens, "card", "page", lambda face: f"asset:{face}")
    styles = build_styles(design.texts, design.styles, generated) + tops_css(told["tops"])
    styles += "@page { size: A4; margin: 16mm 10mm } .card { float: left }"
    more = {"styles": styles, "csp": "", "measure": build_measure(design.tokens)}
    html = render_template(design.texts, design.template, {**told, **more})
    return html, {name: build_face(data).layout for name, data in load_fonts(design).items()}


if __name__ == "__main__":
    main()
