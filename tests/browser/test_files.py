"""What is saved can be opened again, here and elsewhere; nothing is lost, nothing comes unasked."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.windows import Window, html_of

pytestmark = pytest.mark.slow

SHEET = "ansa-reth"
NASTY = "\"><script>alert(1)</script><!-- ' & \u2028 </textarea></style>"


def reprinted(html: bytes) -> bytes:
    """Return the sheet as it were printed from a changed file."""
    changed = re.sub(rb'"digest":"\w{8}', b'"digest":"00000000', html)
    assert changed != html
    return changed


def test_a_saved_page_stands_alone(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("player", NASTY)
    window.type("notes", "\nfirst line empty")
    window.tap("abilities.stealth.1")
    name, content = window.saved("Save page")
    assert name == "ansa-reth.html"
    page = content.decode()
    assert 'style="' not in page
    assert "x-bar" not in page.partition("</style>")[2].partition("<script")[0]
    assert page.count("<script") == 3 + page.count("<script>alert") * 0
    [block] = re.findall(r'<script type="application/json" id="saved">(.*?)</script>', page)
    assert json.loads(block)["fields"]["player"] == NASTY
    window.page.evaluate("localStorage.clear()")
    window.open(content, "elsewhere.html")
    assert window.text("player") == NASTY
    assert window.text("notes") == "\nfirst line empty"
    assert window.ticked("abilities.stealth") == 1
    assert window.state() == "Saved"
    window.act("Reset")
    assert (window.text("player"), window.ticked("abilities.stealth")) == ("Mara", 0)
    _, again = window.saved("Save page")
    assert again.count(b'id="saved"') == 1


def test_a_saved_page_needs_no_script(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    window.tap("abilities.stealth.1")
    _, content = window.saved("Save page")
    still = window.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    page = still.new_page()
    (window.folder / "still.html").write_bytes(content)
    page.goto((window.folder / "still.html").as_uri())
    assert page.locator('[name="player"]').input_value() == "Noa"
    assert page.locator('[name="abilities.stealth.1"]').is_checked()
    still.close()


@pytest.mark.parametrize("action", ["Save file", "Save page"])
def test_what_was_saved_is_opened_again(window: Window, action: str) -> None:
    window.open(html_of(SHEET))
    window.type("player", NASTY)
    window.tap("abilities.stealth.2")
    _, content = window.saved(action)
    window.act("Reset")
    assert window.ticked("abilities.stealth") == 0
    window.give(content)
    assert window.text("player") == NASTY
    assert window.ticked("abilities.stealth") == 2
    assert window.page.locator("dialog").count() == 0
    assert window.state() == "Saved"
    window.page.keyboard.press("Control+z")
    assert window.ticked("abilities.stealth") == 0, "opening is one step"


def test_another_character_is_asked_about(window: Window) -> None:
    window.open(html_of("quill-hesk"))
    _, content = window.saved("Save file")
    window.open(html_of(SHEET), "other.html")
    window.give(content)
    assert "Quill Hesk" in window.page.locator("dialog").inner_text()
    window.answer("Cancel")
    assert window.text("name") == "Ansa Reth"
    window.give(content)
    window.answer("Replace")
    assert window.text("name") == "Quill Hesk"


def test_what_has_no_place_is_listed_and_kept(window: Window) -> None:
    window.open(html_of(SHEET))
    saved = json.loads(window.saved("Save file")[1])
    saved["fields"] |= {"mounts.1": "Mare <b>", "player": 7, "jumped": True, "empty": ""}
    window.give(json.dumps(saved).encode())
    said = window.page.locator("dialog").inner_text()
    assert "mounts.1: Mare <b>" in said
    assert "player: 7" in said
    assert "empty" not in said
    window.answer("Close")
    assert window.text("player") == "Mara"
    fields = window.saved_fields()
    assert fields["mounts.1"] == "Mare <b>"
    assert fields["jumped"] is True
    assert fields["player"] == "Mara"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Not a saved sheet"),
        (b"{", "Not a saved sheet"),
        (b'{"sheetgen": "filled sheet", "fields": null}', "Not a saved sheet"),
        (b'{"fields": {}}', "Not a saved sheet"),
        (b"<p>a page</p>", "Not a saved sheet"),
        (b'{"sheetgen": "filled sheet", "ruleset": "x<i>", "fields": {}}', "Another game"),
    ],
)
def test_foreign_files_are_refused(window: Window, content: bytes, said: str) -> None:
    window.open(html_of(SHEET))
    window.give(content)
    assert said in window.page.locator("dialog h2").text_content()  # type: ignore[operator]
    assert window.state() == "As printed"


def test_edits_of_an_older_print_are_offered(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    window.tap("abilities.stealth.1")
    window.kept()
    window.open(reprinted(html_of(SHEET)))
    assert (window.text("player"), window.ticked("abilities.stealth")) == ("Mara", 0)
    assert "2 edits of Ansa Reth" in window.page.locator("dialog").inner_text()
    window.page.keyboard.press("Escape")
    window.page.reload()
    window.answer("Bring them over")
    assert (window.text("player"), window.ticked("abilities.stealth")) == ("Noa", 1)
    window.page.reload()
    assert window.page.locator("dialog").count() == 0
    assert window.text("player") == "Noa"


def test_edits_that_came_into_the_new_print_are_not_offered(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    window.kept()
    window.open(reprinted(html_of(SHEET)).replace(b"\nMara</textarea>", b"\nNoa</textarea>"))
    assert window.page.locator("dialog").count() == 0
    assert window.page.evaluate("localStorage.length") == 0


def test_a_browser_that_keeps_nothing_says_so(window: Window) -> None:
    blocked = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})"
    window.context.add_init_script(blocked)
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    window.kept()
    assert window.state() == "Not kept: save a file"
    asked: list[str] = []
    window.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))  # type: ignore[func-returns-value]
    window.page.reload()
    assert asked == ["beforeunload"]


def test_nobody_is_asked_whose_edits_are_kept(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    asked: list[str] = []
    window.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))  # type: ignore[func-returns-value]
    window.page.reload()
    assert asked == []
    assert window.text("player") == "Noa", "kept on leaving, at once"
