"""The sheet as a player uses it: a level-up from start to finish, with a mistake in the middle."""

from __future__ import annotations

import json

import pytest

from tests.browser.windows import Window, html_of

pytestmark = pytest.mark.slow

SHEET = "ansa-reth"
"""Two XP are left to her: enough for a second dot of sprint, and not for a third."""


def test_totals_follow_what_is_ticked(window: Window) -> None:
    window.open(html_of(SHEET))
    assert window.left() == "XP 2 left"
    assert window.text("force.value") == "62"
    window.tap("force_powers.sprint.2")
    assert window.ticked("force_powers.sprint") == 2
    assert window.text("force.value") == "64"
    assert window.left() == "XP 0 left"
    window.tap("force_powers.sprint.3")
    left = window.text("xp.left")
    assert left.startswith("−")
    assert window.left() == f"XP {left} left"
    [said] = window.findings()
    assert "XP" in said
    assert "error" in said
    window.page.locator(".x-count").click()
    window.page.locator("#findings button").click()
    assert window.page.evaluate("document.activeElement.name") == "xp.left"
    window.act("Undo")
    assert (window.ticked("force_powers.sprint"), window.left()) == (2, "XP 0 left")
    assert window.findings() == []


def test_totals_cannot_be_typed_in(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("force.value", "9")
    assert window.text("force.value") == "62"


def test_boxes_fill_up_and_empty_down(window: Window) -> None:
    window.open(html_of(SHEET))
    window.tap("force_powers.force_pull.3")
    assert window.ticked("force_powers.force_pull") == 3
    window.tap("force_powers.force_pull.2")
    assert window.ticked("force_powers.force_pull") == 1
    window.tap("hits.box.9")
    assert window.ticked("hits.box") == 9
    window.tap("hits.box.4")
    assert window.ticked("hits.box") == 3
    window.field("hits.box.7").click(modifiers=["Shift"])
    assert window.ticked("hits.box") == 4, "with Shift a box of a track changes alone"
    window.act("Undo")
    assert window.ticked("hits.box") == 3


def test_a_closed_box_says_why(window: Window) -> None:
    window.open(html_of(SHEET))
    assert window.field("force_powers.choke.1").get_attribute("aria-disabled") == "true"
    window.tap("force_powers.choke.1")
    assert window.ticked("force_powers.choke") == 0
    assert window.said().startswith("Choke is 1; the limit for Jedi Guardian is 0")
    window.field("force_powers.choke.1").focus()
    window.page.keyboard.press("Space")
    assert window.ticked("force_powers.choke") == 0


def test_names_turn_bold_with_their_first_dot(window: Window) -> None:
    window.open(html_of(SHEET))
    name = window.page.locator('[data-name="force_powers.force_pull.name"] > span')
    assert "r-row-name " in (name.get_attribute("class") or "") + " "
    window.tap("force_powers.force_pull.1")
    assert "r-row-name-bought" in (name.get_attribute("class") or "")


def test_a_track_grows_with_its_maximum(window: Window) -> None:
    window.open(html_of(SHEET))
    assert window.field("hits.box.26").get_attribute("aria-disabled") == "true"
    window.tap("abilities.stealth.1")
    most = int(window.text("hits.value"))
    assert most > 25
    assert window.field(f"hits.box.{most}").get_attribute("aria-disabled") == "false"


def test_undo_and_redo_by_keys(window: Window) -> None:
    """In a field that is typed in, the browser's own undo works; elsewhere ours does."""
    window.open(html_of(SHEET))
    window.type("player", "Noa")
    window.tap("force_powers.sprint.2")
    window.page.keyboard.press("Control+z")
    assert (window.ticked("force_powers.sprint"), window.text("player")) == (1, "Noa")
    window.page.keyboard.press("Control+z")
    assert window.text("player") == "Mara"
    window.page.keyboard.press("Control+Shift+z")
    assert window.text("player") == "Noa"
    window.page.keyboard.press("Control+y")
    assert window.ticked("force_powers.sprint") == 2
    window.field("storyteller").click()
    window.page.keyboard.type("x")
    typed = window.text("storyteller")
    window.page.keyboard.press("Control+z")
    assert window.text("storyteller") != typed
    assert window.ticked("force_powers.sprint") == 2, "the field's own step only"
    window.page.keyboard.press("Control+z")
    assert window.ticked("force_powers.sprint") == 1


def test_a_level_up_closed_and_reopened_and_saved(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("notes", "Learned to land.")
    window.tap("abilities.stealth.1")
    window.kept()
    assert window.state() == "Kept here, not in a file"
    window.page.reload()
    assert window.ticked("abilities.stealth") == 1
    assert window.text("notes") == "Learned to land."
    assert "last time" in window.said()
    name, content = window.saved("Save file")
    assert name == "ansa-reth.json"
    assert window.state() == "Saved"
    saved = json.loads(content)
    assert saved["sheetgen"] == "filled sheet"
    assert (saved["format"], saved["ruleset"], saved["version"]) == (1, "keyword-dots", 1)
    assert (saved["character"], saved["sheet"]) == ("Ansa Reth", "keyword-dots")
    assert len(saved["digest"]) > 30
    assert saved["fields"]["abilities.stealth.1"] is True
    assert saved["fields"]["notes"] == "Learned to land."
    assert "force.value" not in saved["fields"], "totals are not typed"
    assert set(saved["printed"]) == {"abilities.stealth.1", "notes"}
    assert saved["printed"]["abilities.stealth.1"] is False


def test_what_is_typed_shrinks_to_its_line(window: Window) -> None:
    window.open(html_of(SHEET))
    window.type("wield", "A blade as long as the list of its former owners")
    assert "z-" in (window.field("wield").get_attribute("class") or "")
    assert any("longer than its line" in said for said in window.findings())
    window.type("wield", "Knife")
    assert "z-" not in (window.field("wield").get_attribute("class") or "")
    assert window.findings() == []


def test_all_digits_of_a_long_figure_show(window: Window) -> None:
    window.open(html_of(SHEET))
    name = "xp.ledger.8.cost"
    for figure in ("12345678", "1234567", "12345"):
        window.type(name, figure)
        cut = "(el) => el.scrollWidth > el.clientWidth + 1"
        assert not window.field(name).evaluate(cut), figure
    assert not any("longer than its line" in said for said in window.findings())


def test_by_keys_alone(window: Window) -> None:
    window.open(html_of(SHEET))
    jumps = window.page.locator(".jumps a").count()
    assert jumps > 3
    for _ in range(jumps + 1):
        window.page.keyboard.press("Tab")
    assert window.page.evaluate("document.activeElement.textContent") == "Save file"
    for _ in range(5):
        window.page.keyboard.press("Tab")
    assert window.page.evaluate("document.activeElement.name") == "name"
    window.field("force_powers.sprint.2").focus()
    assert "solid" in window.field("force_powers.sprint.2").evaluate(
        "e => getComputedStyle(e).outline"
    )
    window.page.keyboard.press("Space")
    assert window.ticked("force_powers.sprint") == 2
    window.page.keyboard.press("Control+s")
    window.page.wait_for_timeout(100)
    assert window.state() == "Saved"


def test_without_scripts_it_is_a_form_as_before(window: Window) -> None:
    context = window.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    page = context.new_page()
    path = window.folder / "still.html"
    path.write_bytes(html_of(SHEET))
    page.goto(path.as_uri())
    page.locator('[name="force.value"]').fill("9")
    page.locator('[name="force_powers.choke.1"]').check()
    assert page.locator(".x-chrome").count() == 0
    context.close()
