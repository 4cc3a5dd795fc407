"""The page follows the files, in a real Chromium."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sheetgen.load.cache import share_text, withdraw_text
from tests.cli.commands import CHARACTERS, ROOT, run
from tests.preview.conftest import Watch
from tests.preview.pages import PRINTED, SOON, PreviewPage

pytestmark = pytest.mark.slow

KOR = CHARACTERS / "d6-pips" / "kor_ashveld.yaml"


@pytest.fixture
def kor(tmp_path: Path) -> Path:
    return Path(shutil.copy(KOR, tmp_path / "kor.yaml"))


def edit(path: Path, old: str, new: str) -> None:
    """Save a file as editors do: a new one takes its place."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    beside = path.with_suffix(".new")
    beside.write_text(text.replace(old, new), encoding="utf-8")
    beside.replace(path)


def test_an_edit_is_on_the_page(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    expect(page.field("name")).to_have_value("Kor Ashveld")
    edit(kor, "Kor Ashveld", "Kor Renamed")
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)
    with kor.open("a", encoding="utf-8") as file:  # and by writing into it
        file.write("notes: Owes a favour\n")
    expect(page.print.locator("main")).to_contain_text("Owes a favour", timeout=SOON)


def test_many_edits_end_on_the_last(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    shown = "Kor Ashveld"
    for number in range(1, 201):
        text = KOR.read_text(encoding="utf-8").replace("Kor Ashveld", f"Kor {number}")
        kor.write_text(text[: len(text) // 2] if number % 7 == 0 else text, encoding="utf-8")
        if number in (20, 60, 100, 150, 190):  # whole texts: the page shows one of them
            expect(page.field("name")).not_to_have_value(shown, timeout=SOON)
            shown = page.field("name").input_value()
    expect(page.field("name")).to_have_value("Kor 200", timeout=SOON)
    expect(page.stage).not_to_have_class("stale")
    expect(page.stage.locator("iframe")).to_have_count(1)
    expect(page.findings.locator(".error")).to_have_count(0)


def test_place_and_zoom_stay(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    page.page.get_by_role("button", name="Zoom in").click()
    page.print.locator("html").evaluate("() => scrollTo(0, 700)")
    page.page.wait_for_timeout(200)
    before = page.print_scroll()
    assert before[1] == 700
    edit(kor, "Kor Ashveld", "Kor Renamed")
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)
    page.page.wait_for_timeout(200)
    assert page.print_scroll() == before
    expect(page.page.locator("#actual")).to_have_text("120 %")
    assert page.stage.locator("iframe").evaluate("(one) => one.style.transform") == "scale(1.2)"

    page.choose("PDF")
    expect(page.pictures.first).to_be_visible(timeout=SOON)
    width = page.pictures.first.bounding_box()
    assert width is not None
    assert abs(width["width"] - 595.28 * 96 / 72 * 1.2) < 1
    page.stage.evaluate("(one) => one.scrollTo(0, 400)")
    seen = page.pictures.first.get_attribute("src")
    edit(kor, "Kor Renamed", "Kor Again")
    expect(page.pictures.first).not_to_have_attribute("src", seen or "", timeout=SOON)
    page.page.wait_for_timeout(200)
    assert page.stage.evaluate("(one) => one.scrollTop") == 400

    page.choose("HTML")
    expect(page.field("name")).to_have_value("Kor Again", timeout=SOON)
    page.page.wait_for_timeout(200)
    assert page.print_scroll() == before


def test_a_sheet_is_replaced_within_its_frame(watch: Watch, kor: Path) -> None:
    """It calculates as after loading, and what the sheet before it listened to is forgotten."""
    page = watch(kor)
    expect(page.field("name")).to_have_value("Kor Ashveld")
    page.stage.locator("iframe").evaluate("(one) => { one.dataset.first = 'yes' }")
    for number in range(3):
        edit(kor, "\nname: ", f"\nname: {number} ")
        expect(page.field("name")).to_have_value(re.compile(f"^{number} "), timeout=SOON)
    expect(page.stage.locator("iframe")).to_have_attribute("data-first", "yes")
    assert page.print.locator("html").evaluate("() => document.title").startswith("2 1 0 Kor")
    expect(page.print.locator(".x-bar")).to_have_count(1)
    for text in ("One", "Two"):
        page.field("name").fill(text)
        page.field("name").blur()
    page.print.locator("body").press("Control+z")
    expect(page.field("name")).to_have_value("One")
    expect(page.print.locator(".x-state")).to_have_text("Not kept: save a file")
    # Another ruleset has other styles: the frame is another one.
    other = CHARACTERS / "hyperspace-d6" / "oshen_tal.yaml"
    kor.write_bytes(other.read_bytes())
    expect(page.field("name")).to_have_value("Oshen Tal", timeout=SOON)
    expect(page.stage.locator("iframe")).not_to_have_attribute("data-first", "yes")


def test_pages_of_a_pdf_are_pictures(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    page.choose("PDF")
    expect(page.pictures.first).to_be_visible(timeout=SOON)
    sizes = "(one) => [one.alt, one.naturalWidth, one.naturalHeight, one.width]"
    name, width, height, shown = page.pictures.first.evaluate(sizes)
    assert name == "Page 1"
    assert width >= shown  # sharp
    assert abs(height / width - 297 / 210) < 0.01
    expect(page.stage.locator("iframe")).to_have_count(0)


def test_errors_leave_the_last_good_page(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    edit(kor, "name: Kor Ashveld", "nam: Kor Ashveld")
    expect(page.stage).to_have_class("framed stale", timeout=SOON)
    expect(page.state).to_have_text("The last good page. 1 error")
    expect(page.field("name")).to_have_value("Kor Ashveld")
    assert "grayscale" in page.stage.locator("iframe").evaluate("(x) => getComputedStyle(x).filter")
    lines = kor.read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(lines, 1) if line.startswith("nam:"))
    wrong = page.findings.filter(has_text="did you mean `name`?")
    expect(wrong).to_have_class("error")
    expect(wrong.locator(".place")).to_contain_text(f"kor.yaml:{line}:1")
    expect(wrong.locator("pre")).to_have_text(f"{line} nam: Kor Ashveld")
    expect(wrong.locator("mark")).to_have_text("nam")
    assert page.page.title().startswith("✗ kor.yaml")
    assert page.axe() == []

    kor.write_text("name: [", encoding="utf-8")
    expect(wrong).to_have_count(0, timeout=SOON)
    expect(page.state).to_have_text("The last good page. 1 error")
    expect(page.field("name")).to_have_value("Kor Ashveld")
    shutil.copy(KOR, kor)
    expect(page.state).to_have_text(PRINTED, timeout=SOON)
    expect(page.stage).to_have_class("framed")
    expect(page.findings).to_have_count(0)
    assert not page.page.title().startswith("✗")


def test_a_build_that_never_was_good_has_its_findings(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    path.write_text("ruleset: d6-pips\n", encoding="utf-8")
    page = watch(path, re.compile("^[0-9]+ error"))
    expect(page.findings.first).to_contain_text("is missing")
    expect(page.stage.locator("iframe")).to_have_count(0)


def test_what_an_author_writes_is_text(watch: Watch, tmp_path: Path, kor: Path) -> None:
    bad = "<img src=x onerror=alert(1)>"
    other = tmp_path / "<img src=x onerror=alert(2)>.yaml"
    shutil.copy(KOR, other)
    page = watch(tmp_path)
    page.visit("kor.yaml")
    edit(kor, "name:", f"'{bad}': 1\nname:")
    expect(page.findings.first).to_contain_text(bad, timeout=SOON)
    expect(page.page.locator("img")).to_have_count(0)
    page.visit(other.name)
    expect(page.page.locator("h1")).to_have_text(other.name)


def test_a_browser_or_a_file_that_ends_does_no_harm(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    page.context.close()
    edit(kor, "Kor Ashveld", "Kor Renamed")
    page.open()
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)

    text = kor.read_text(encoding="utf-8")
    kor.unlink()
    expect(page.findings.first).to_contain_text("there is no such file", timeout=SOON)
    expect(page.stage).to_have_class("framed stale")
    kor.mkdir()
    page.page.wait_for_timeout(300)
    kor.rmdir()
    kor.write_text(text.replace("Kor Renamed", "Kor Back"), encoding="utf-8")
    expect(page.field("name")).to_have_value("Kor Back", timeout=SOON)
    expect(page.state).to_have_text(PRINTED)

    kor.chmod(0)
    kor.chmod(0o644)
    kor.write_bytes(b"\xff\xfe\x00name")
    expect(page.stage).to_have_class("framed stale", timeout=SOON)
    kor.write_text(text, encoding="utf-8")
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)


def test_a_process_that_ends_is_started_again(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    found = subprocess.run(
        ["pgrep", "-aP", str(page.preview.process.pid)], capture_output=True, text=True, check=True
    )
    for line in found.stdout.splitlines():
        if "spawn_main" in line:
            os.kill(int(line.split()[0]), signal.SIGKILL)
    edit(kor, "Kor Ashveld", "Kor Renamed")
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)


def test_the_page_says_that_the_preview_has_ended(watch: Watch, kor: Path) -> None:
    page = watch(kor)
    page.preview.process.send_signal(signal.SIGINT)
    expect(page.state).to_contain_text("The preview has ended", timeout=SOON)
    expect(page.field("name")).to_have_value("Kor Ashveld")
    page.wrong.clear()  # the connection that is refused


def test_unsaved_text_is_shown(watch: Watch, kor: Path) -> None:
    """The language server shares what is typed; see tests/lsp for its side."""
    page = watch(kor)
    path = os.path.realpath(kor)
    text = kor.read_text(encoding="utf-8")
    share_text(path, text.replace("Kor Ashveld", "Kor Unsaved"))
    expect(page.field("name")).to_have_value("Kor Unsaved", timeout=SOON)
    share_text(path, text.replace("name:", "nam:"))
    expect(page.stage).to_have_class("framed stale", timeout=SOON)
    expect(page.findings.locator("pre")).to_contain_text("nam: Kor Ashveld")
    withdraw_text(path)
    expect(page.field("name")).to_have_value("Kor Ashveld", timeout=SOON)
    expect(page.state).to_have_text(PRINTED)


def test_axe_finds_nothing(watch: Watch, tmp_path: Path, kor: Path) -> None:
    shutil.copy(KOR, tmp_path / "other.yaml")
    page = watch(tmp_path)
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in (1280, 390):
            page.page.set_viewport_size({"width": width, "height": 800})
            assert page.axe() == [], (scheme, width)
    page.choose("PDF")
    expect(page.pictures.first).to_be_visible(timeout=SOON)
    assert page.axe() == []


def test_keys_do_all(watch: Watch, tmp_path: Path, kor: Path) -> None:
    """Every part is reached by Tab, and focus stays where it is when the page follows an edit."""
    shutil.copy(KOR, tmp_path / "other.yaml")
    page = watch(tmp_path)
    page.page.locator("#choices input").first.focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.page.locator("#choices input").nth(1)).to_be_checked()
    expect(page.page.locator("#choices input").nth(1)).to_be_focused()
    expect(page.page.locator("body")).not_to_have_class("busy", timeout=SOON)
    edit(kor, "Kor Ashveld", "Kor Renamed")
    page.page.wait_for_timeout(500)
    expect(page.page.locator("#choices input").nth(1)).to_be_focused()


# -- what is shown -----------------------------------------------------------------------------


GAPS = """(main) => [...main.querySelectorAll(".part ~ .part")].map((one) => {
  const parts = [...one.parentNode.querySelectorAll(":scope > .part")];
  const above = parts[parts.indexOf(one) - 1].getBoundingClientRect();
  return one.getBoundingClientRect().top - above.bottom;
})"""
"""The gaps between blocks that are one below the other in a column."""


def test_an_author_of_rules_sees_sheet_table_and_cards_change(watch: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "tide"
    run("new", "ruleset", "Tide", "--out", folder)
    page = watch(folder)
    expect(page.page.locator("#files a").first).to_contain_text("ruleset")
    page.visit("characters/ada-quill.yaml")
    sheet = page.print.locator("main")
    expect(sheet).to_contain_text("Guard", timeout=SOON)
    assert min(sheet.evaluate(GAPS)) > 3
    before = sheet.inner_text()
    edit(folder / "traits.yaml", "name: Scrap", "name: Scuffle")
    expect(sheet).to_contain_text("Scuffle", timeout=SOON)
    assert "Scuffle" not in before
    page.choose("Tables")
    expect(page.print.locator("body")).to_contain_text("Scuffle", timeout=SOON)
    edit(folder / "ruleset.yaml", "skill_price(n): 2 * n", "skill_price(n): 7 * n")
    expect(page.print.locator("body")).to_contain_text("35", timeout=SOON)
    # At that price the character has overspent, and only the last good page would be seen.
    edit(folder / "ruleset.yaml", "skill_price(n): 7 * n", "skill_price(n): 3 * n")
    page.choose("Gear cards")
    expect(page.print.locator("body")).to_contain_text("Bow", timeout=SOON)
    edit(folder / "gear.yaml", "name: Bow,", "name: Longbow,")
    expect(page.print.locator("body")).to_contain_text("Longbow", timeout=SOON)

    edit(folder / "ruleset.yaml", "skill_price(n): 3 * n", "skill_price(n): 3 * m")
    expect(page.stage).to_have_class("framed stale", timeout=SOON)
    expect(page.findings.first).to_contain_text("ruleset.yaml:")
    expect(page.print.locator("body")).to_contain_text("Longbow")
    edit(folder / "ruleset.yaml", "skill_price(n): 3 * m", "skill_price(n): 2 * n")
    expect(page.state).to_have_text(PRINTED, timeout=SOON)


def test_every_print_of_a_ruleset_is_shown(watch: Watch, tmp_path: Path) -> None:
    """A new ruleset has short pages, and all kinds of prints but cards of a kind."""
    page = watch(ROOT / "content/rulesets/hyperspace-d6")
    page.choose("Vehicles")
    _is_shown(page, "Airspeeder")
    folder = tmp_path / "tide"
    run("new", "ruleset", "Tide", "--out", folder)
    page = watch(folder)
    prints = {
        "Gear cards": "Bow",
        "Tables": "Points to improve",
        "Screen": "Target numbers",
        "Odds": "Odds of success",
    }
    for label, text in prints.items():
        page.choose(label)
        _is_shown(page, text)
        page.choose("HTML")


def test_a_fight_is_shown_and_its_pieces_are_pictures_only(watch: Watch) -> None:
    page = watch(ROOT / "content/encounters/hyperspace-d6/salt-bridge.yaml")
    _is_shown(page, "Ambush at the salt bridge")
    page.choose("Pieces")
    expect(page.pictures.first).to_be_visible(timeout=SOON)
    expect(page.page.locator("#formats")).to_be_hidden()


def _is_shown(page: PreviewPage, text: str) -> None:
    expect(page.print.locator("body")).to_contain_text(text, timeout=SOON)
    page.choose("PDF")
    expect(page.pictures.first).to_be_visible(timeout=SOON)


BOOK = """\
title: Two jobs
entries:
  - {id: people, sheets: people, name: "people/{stem}"}
  - {id: rules, blanks: d6-pips, name: blank}
"""


def test_a_book_has_its_jobs(watch: Watch, tmp_path: Path, kor: Path) -> None:
    people = tmp_path / "people"
    people.mkdir()
    kor = kor.rename(people / "kor.yaml")
    shutil.copy(kor, people / "second.yaml")
    edit(people / "second.yaml", "Kor Ashveld", "Second Kor")
    book = tmp_path / "book.yaml"
    book.write_text(BOOK, encoding="utf-8")
    page = watch(book)
    jobs = page.page.locator("#files a")
    expect(jobs).to_have_count(3)
    jobs.nth(2).click()
    expect(page.field("name")).to_have_value("", timeout=SOON)
    jobs.nth(0).click()
    expect(page.field("name")).to_have_value("Kor Ashveld", timeout=SOON)
    edit(kor, "Kor Ashveld", "Kor Renamed")
    expect(page.field("name")).to_have_value("Kor Renamed", timeout=SOON)
    edit(book, "  - {id: rules, blanks: d6-pips, name: blank}\n", "")
    expect(jobs).to_have_count(2, timeout=SOON)
