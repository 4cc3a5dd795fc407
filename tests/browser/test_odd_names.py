"""Names with quotes, tags and script in them stay text, whatever the sheet does with them."""

from __future__ import annotations

import json

import pytest

from tests.browser.windows import Window
from tests.printing import character_from, printed

pytestmark = pytest.mark.slow

NASTY = (
    "O'\"</script><script>document.title='owned'</script><!-- --> "
    "<img src=x onerror=alert(1)> &amp; \u2028\u2029 \\u0041"
)


@pytest.mark.parametrize(
    ("game", "more"),
    [
        (
            "keyword-dots",
            "class: Jedi Guardian\nxp: 30\nabilities: {Leadership: 1}\nunique: {Q: 1 of 3}",
        ),
        (
            "hyperspace-d6",
            "species: Human\nprofession: Scoundrel\nskills: [Blasters, Deceive, Pilot]",
        ),
    ],
)
def test_a_name_stays_text(window: Window, game: str, more: str) -> None:
    text = f"ruleset: {game}\nname: {json.dumps(NASTY)}\nplayer: {json.dumps(NASTY)}\n{more}\n"
    html = printed(character_from(text, game), formats=("html",)).printed.files["html"]
    window.open(html)
    assert window.page.title() != "owned"
    shown = window.text("name")
    assert "<script>document.title='owned'</script>" in shown
    assert window.page.locator("main script, main img").count() == 0
    assert window.page.locator("script").count() == 2
    window.type("player", "Noa")
    window.act("Undo")
    assert window.text("player") == window.field("player").evaluate("e => e.defaultValue")
    assert json.loads(window.saved("Save file")[1])["fields"]["name"] == shown
    window.open(window.saved("Save page")[1], "saved.html")
    assert window.text("name") == shown
    assert window.page.title() != "owned"
