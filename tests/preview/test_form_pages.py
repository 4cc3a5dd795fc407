"""The form in a preview: it is served to the preview's page alone, and writes the author's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.cli.commands import CHARACTERS
from tests.preview.conftest import Watch
from tests.preview.pages import SOON
from tests.preview.serving import Answer, Preview, serving

pytestmark = pytest.mark.slow

OURS = (CHARACTERS / "hyperspace-d6" / "sella_finch.yaml").read_text(encoding="utf-8")
JSON = "Content-Type: application/json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.yaml").write_text(OURS, encoding="utf-8")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "hero.yaml").write_text(f"# ours\n{OURS}", encoding="utf-8")
    (folder / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    return folder


def _ask(preview: Preview, asked: Any, *headers: str) -> Answer:
    body = asked if isinstance(asked, str) else json.dumps(asked)
    lines = (*headers, f"Content-Length: {len(body)}")
    head = (f"POST /{preview.token}/form/answer HTTP/1.1", f"Host: {preview.host}", *lines)
    return preview.send_lines(*head, "Connection: close", "", body)


def test_the_server_answers_its_page_alone(folder: Path) -> None:
    with serving(folder) as preview:
        for name in ("form/", "form/builder.js", "form/builder.css", "form/engine.js"):
            answer = preview.get(name)
            assert answer.status == 200, name
            assert "wasm" not in answer.headers["content-security-policy"]
        for name in ("form/local.js", "form/worker.js", "form/../form/site.py", "form/answer"):
            assert preview.get(name).status in (404, 405), name
        load = {"do": "load", "entry": "hero.yaml"}
        assert json.loads(_ask(preview, load, JSON).body)["name"] == "Sella Finch"
        assert json.loads(_ask(preview, {"do": "files"}, JSON).body) == {"files": ["hero.yaml"]}
        for entry in ("out.yaml", "../secret.yaml", str(folder / "hero.yaml"), "", None, ["hero"]):
            answer = _ask(preview, {**load, "entry": entry}, JSON)
            assert [*json.loads(answer.body)] == ["refused"], entry
        assert _ask(preview, load, f"{JSON}; charset=utf-8").status == 200
        assert _ask(preview, load).status == 415
        assert _ask(preview, load, "Content-Type: text/plain").status == 415
        assert _ask(preview, load, JSON, "Origin: http://example.org").status == 403
        assert _ask(preview, load, JSON, "Sec-Fetch-Site: cross-site").status == 403
        for asked in ("[]", "{", "[" * 5000, '"load"', "\xff"):
            assert _ask(preview, asked, JSON).status == 400
        assert _ask(preview, f'{{"do": "{"x" * 16_100_000}"}}', JSON).status == 413
        for asked in ({"do": "nothing"}, {"do": "put", "text": 3}, {"do": "put", "key": []}):
            answer = _ask(preview, {"entry": "hero.yaml", **asked}, JSON)
            assert "refused" in json.loads(answer.body)
        assert (folder / "hero.yaml").read_text(encoding="utf-8") == f"# ours\n{OURS}"


def test_a_form_and_an_editor_share_a_file(watch: Watch, folder: Path) -> None:
    one = watch(folder)
    one.page.click("text=Fill in as a form")
    expect(one.page.locator("#f-name")).to_have_value("Sella Finch", timeout=SOON)
    one.page.fill("#f-name", "Zoë Quill")
    one.page.keyboard.press("Tab")
    expect(one.page.locator("#people")).to_contain_text("Zoë Quill", timeout=SOON)
    text = (folder / "hero.yaml").read_text(encoding="utf-8")
    assert text == f"# ours\n{OURS}".replace("name: Sella Finch", "name: Zoë Quill", 1)
    expect(one.page.frame_locator("iframe").locator("body")).to_contain_text("Zoë Quill")
    assert one.axe() == []
    one.page.click("#tools >> text=Undo")
    expect(one.page.locator("#f-name")).to_have_value("Sella Finch", timeout=SOON)
    assert (folder / "hero.yaml").read_text(encoding="utf-8") == f"# ours\n{OURS}"
    one.page.click("#tools >> text=Redo")
    expect(one.page.locator("#f-name")).to_have_value("Zoë Quill", timeout=SOON)
    (folder / "hero.yaml").write_text(text.replace("Zoë", "Ada"), encoding="utf-8")
    expect(one.page.locator("#f-name")).to_have_value("Ada Quill", timeout=SOON)
    # Undo would take out what the other program wrote.
    expect(one.page.locator("#tools >> text=Undo")).to_have_attribute("aria-disabled", "true")
    one.page.click("#tools >> text=Preview")
    expect(one.print.locator("body")).to_contain_text("Ada Quill", timeout=SOON)


def test_a_text_box_never_replaces_what_another_program_wrote(watch: Watch, folder: Path) -> None:
    hero = folder / "hero.yaml"
    one = watch(folder)
    one.page.click("text=Fill in as a form")
    expect(one.page.locator("#f-name")).to_have_value("Sella Finch", timeout=SOON)
    one.page.click("#side >> text=File")
    box = one.page.locator("#yaml")
    box.click()
    changed = hero.read_text(encoding="utf-8").replace("# ours", "# by an editor")
    hero.write_text(changed, encoding="utf-8")
    expect(box).to_have_value(changed, timeout=SOON)  # it follows while nothing is typed
    with one.page.expect_request("**/answer"):  # from here on, what is typed is older than the file
        box.evaluate("(box) => { box.dataset.was = 'older'; }")
    box.press("Control+End")
    box.type("# mine")
    expect(one.page.locator("#told")).to_contain_text("another program", timeout=SOON)
    assert hero.read_text(encoding="utf-8") == changed
    expect(box).to_have_value(changed, timeout=SOON)


def test_a_file_that_cannot_be_read_says_why_in_place_of_its_form(
    watch: Watch, folder: Path
) -> None:
    (folder / "several.yaml").write_text(
        "ruleset: d6-pips\nkind: npc\nentries:\n  - name: Ada\n  - name: Bo\n", encoding="utf-8"
    )
    one = watch(folder)
    one.page.click("text=Fill in as a form")
    expect(one.page.locator("#f-name")).to_have_value("Sella Finch", timeout=SOON)
    one.page.locator("#people button", has_text="several").click()
    expect(one.page.locator("#form .found")).to_contain_text("has entries", timeout=SOON)
    assert one.page.locator("#f-name").count() == 0
    one.page.click("text=Party")
    expect(one.page.locator("table.party")).to_contain_text("Sella Finch", timeout=SOON)
