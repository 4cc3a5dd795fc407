"""The builder's page and a live sheet in Firefox, driven by WebDriver BiDi."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sheetgen.plugins.builder.site import build_site, join_site
from tests.browser.windows import html_of
from tests.cli.commands import run
from tests.shelf import TESTS, skip_without

pytestmark = pytest.mark.slow

DRIVER = TESTS / "viewers" / "firefox.mjs"
RUNTIME = DRIVER.parent / "node_modules" / "pyodide"
FOUND = next((path for name in ("firefox-esr", "firefox") if (path := shutil.which(name))), None)

BUILD = """async () => {
  const wait = async (find) => {
    while (!find()) await new Promise((on) => setTimeout(on, 50));
    return find();
  };
  const one = (css, text) =>
    [...document.querySelectorAll(css)].find((el) => !text || el.textContent === text);
  (await wait(() => one(".games button"))).click();
  const name = await wait(() => one("#f-name"));
  name.value = "Kessa Vorn";
  name.dispatchEvent(new Event("change", { bubbles: true }));
  await wait(() => one("#people button", "Kessa Vorn"));
  one('[data-id="f-species-open"]').click();
  (await wait(() => one("#part-species ul.options button b", "Human"))).closest("button").click();
  await wait(() => one("#part-species ul.picks b", "Human"));
  let saved;
  const made = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    if (blob.type === "application/pdf") saved = blob;
    return made(blob);
  };
  one("#tools button", "PDF").click();
  const bytes = new Uint8Array(await (await wait(() => saved)).arrayBuffer());
  one("#side button", "File").click();
  const text = (await wait(() => one("#yaml"))).value;
  return JSON.stringify([text, Array.from(bytes)]);
}"""

RAISE = """async () => {
  const field = (name) => document.querySelector(`[name="${name}"]`);
  const values = () => ["dodge.value", "skills.agility.total"].map((name) => field(name).value);
  const before = values(), own = field("skills.agility.own");
  own.value = "2";
  for (const type of ["input", "change"]) own.dispatchEvent(new Event(type, { bubbles: true }));
  await new Promise((on) => setTimeout(on, 500));
  return JSON.stringify([before, values()]);
}"""


def _call(page: Path, code: str, folder: Path) -> Any:
    """Return what the JavaScript function `code` returns in `page`; `folder` is for the profile."""
    if FOUND is None:
        skip_without("Firefox", "pages are not tested in it")
    profile = folder / "profile"
    profile.mkdir()
    told = subprocess.run(
        ["node", str(DRIVER), FOUND, str(profile), page.as_uri(), code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    answer = json.loads(told.stdout)
    assert not answer.get("thrown"), answer
    return json.loads(answer["result"])


def test_a_character_is_built_and_printed_in_firefox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not RUNTIME.is_dir():
        skip_without("pyodide", "the builder's page is not tested in a browser")
    page = tmp_path / "builder.html"
    page.write_bytes(join_site(build_site(["hyperspace-d6"], RUNTIME)))
    text, pdf = _call(page, BUILD, tmp_path)
    assert "species: Human" in text
    monkeypatch.chdir(tmp_path)
    Path("kessa-vorn.yaml").write_text(text, encoding="utf-8")
    run("sheet", "kessa-vorn.yaml", "--draft")
    assert bytes(pdf) == Path("output/kessa-vorn.pdf").read_bytes()


def test_a_live_sheet_follows_in_firefox(tmp_path: Path) -> None:
    page = tmp_path / "sheet.html"
    page.write_bytes(html_of("sella_finch"))
    before, after = _call(page, RAISE, tmp_path)
    assert [int(two) - int(one) for one, two in zip(before, after, strict=True)] == [2, 2]
