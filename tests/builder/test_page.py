"""The builder's page in Chromium, with Python in it: from nothing to paper, asking nobody."""

from __future__ import annotations

import functools
import gzip
import http.server
import io
import re
import shutil
import threading
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pikepdf
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from sheetgen.plugins.builder.site import build_site, join_site
from tests.browser.conftest import browser as browser
from tests.cli.commands import CHARACTERS, run
from tests.shelf import TESTS, skip_without

pytestmark = pytest.mark.slow

GAME = "hyperspace-d6"
RUNTIME = TESTS / "viewers" / "node_modules" / "pyodide"
KEPT = "async () => Boolean(await caches.match('snapshot'))"  # what Python had in its memory


def wait_until_kept(page: Page) -> None:
    """Wait until the browser keeps Python's memory; the page's policy forbids `eval`."""
    while not page.evaluate(KEPT):
        page.wait_for_timeout(200)


SWAP = """async (content) => {
  const kept = await caches.open((await caches.keys())[0]);
  const body = content ?? (await (await kept.match("snapshot")).arrayBuffer());
  await kept.put("snapshot", new Response(body, { headers: { tag: "ours" } }));
}"""
"""Puts another answer into the place of the memory; the same bytes if there is no `content`."""
TAG = "async () => (await caches.match('snapshot'))?.headers.get('tag')"

SMALL = """() => [...document.querySelectorAll("button, input, select, textarea")]
  .map((one) => [one.dataset.id ?? one.id, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([id]) => id)"""
"""Controls that are too small for a finger: WCAG 2.2 wants 24 CSS pixels."""
READY = 120_000  # milliseconds that a busy machine may need to start Python
CHOICES = [
    ("species", "Human"), ("profession", "Scoundrel"), ("skills", "Blasters"),
    ("skills", "Deceive"), ("skills", "Pilot"), ("edge", "Luck"), ("burden", "Wanted"),
]  # fmt: skip


class Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    if not RUNTIME.is_dir():
        skip_without("pyodide", "the builder's page is not tested in a browser")
    return build_site([GAME], RUNTIME)


@pytest.fixture
def one_file(files: dict[str, bytes], tmp_path: Path) -> str:
    """Return the address of the page in one file."""
    path = tmp_path / "builder.html"
    path.write_bytes(join_site(files))
    return path.as_uri()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that throws no error; `asked` in its object are the addresses that it asked for."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    page.close()
    assert wrong == []


def _begin(page: Page, address: str) -> None:
    page.goto(address)
    page.click(".games button >> nth=0", timeout=READY)
    page.fill("#f-name", "Kessa Vorn", timeout=READY)
    page.keyboard.press("Tab")
    page.wait_for_selector('#people button:text-is("Kessa Vorn")', timeout=READY)


def _choose(page: Page, key: str, name: str) -> None:
    page.click(f'[data-id="f-{key}-open"]')
    page.fill(f"#part-{key} input[type=search]", name)
    page.click(f'#part-{key} ul.options button:has(b:text-is("{name}"))', timeout=READY)
    page.wait_for_selector(f'#part-{key} ul.picks b:text-is("{name}")', timeout=READY)


def _assert_no_barriers(page: Page) -> None:
    """Look for barriers at each width, light and dark."""
    for width, scheme in product((360, 768, 1280), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = Axe().run(page)
        assert not found.violations_count, (width, scheme, found.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SMALL) == []
    page.set_viewport_size({"width": 1400, "height": 900})


def test_no_state_of_the_page_has_a_barrier(page: Page, one_file: str) -> None:
    page.goto(one_file)
    page.wait_for_selector(".games button", timeout=READY)
    _assert_no_barriers(page)
    _begin(page, one_file)
    _assert_no_barriers(page)
    for key, name in CHOICES[:3]:
        _choose(page, key, name)
    page.click('[data-id="f-skills-open"]')
    page.wait_for_selector("#part-skills ul.options .why", timeout=READY)
    _assert_no_barriers(page)
    page.click('[data-id="f-skills-open"]')
    for key, name in CHOICES[3:]:
        _choose(page, key, name)
    page.click("summary")
    page.click("text=File")
    page.wait_for_selector("#yaml")
    _assert_no_barriers(page)


def _print(page: Page, format_: str, folder: Path) -> bytes:
    with page.expect_download(timeout=READY) as got:
        page.click(f'#tools button:text-is("{format_.upper()}")')
    assert got.value.suggested_filename == f"kessa-vorn.{format_}"
    got.value.save_as(folder / f"web.{format_}")
    return (folder / f"web.{format_}").read_bytes()


def test_from_nothing_to_paper_in_one_file(
    browser: Browser,
    page: Page,
    one_file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _begin(page, one_file)
    for key, name in CHOICES:
        _choose(page, key, name)
    assert page.locator(".found.error").count() == 0
    assert not Axe().run(page).violations_count
    printed = {format_: _print(page, format_, tmp_path) for format_ in ("pdf", "html")}
    page.click("text=File")
    text = page.input_value("#yaml")
    with pikepdf.open(tmp_path / "web.pdf") as pdf:
        field = next(one for one in pdf.Root.AcroForm.Fields if str(one.get("/T")) == "player")
        field.V = pikepdf.String("Zoë")
        pdf.save(tmp_path / "filled.pdf")
    page.set_input_files("#tools input[type=file]", tmp_path / "filled.pdf")
    page.wait_for_selector("#filled li:has-text('Player')", timeout=READY)
    page.click("text=Take these changes")
    page.wait_for_selector("#filled", state="detached", timeout=READY)
    expect(page.locator("#yaml")).to_have_value(re.compile("player: Zoë"), timeout=READY)
    page.click('#tools button:text-is("Undo")')
    expect(page.locator("#yaml")).to_have_value(text, timeout=READY)
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert [url for url in asked if not url.startswith("blob:")] == [one_file]
    monkeypatch.chdir(tmp_path)
    Path("kessa-vorn.yaml").write_text(text, encoding="utf-8")
    for format_, content in printed.items():
        run("sheet", "kessa-vorn.yaml", "--to", format_)
        assert content == Path(f"output/kessa-vorn.{format_}").read_bytes()
    with page.expect_download(timeout=READY) as got:
        page.click('#tools button:text-is("Cards")')
    run("cards", "kessa-vorn.yaml")
    assert (
        got.value.path().read_bytes() == Path(f"output/{got.value.suggested_filename}").read_bytes()
    )


def test_a_folder_works_without_its_server_from_the_second_visit_on(
    page: Page, files: dict[str, bytes], tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    handler = functools.partial(Server, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        _begin(page, address)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        server.shutdown()
    page.wait_for_selector("iframe[src]", timeout=READY)
    wait_until_kept(page)
    page.evaluate(SWAP)
    page.goto(address)
    # What was shown last is there at once, before Python is.
    assert page.input_value("#f-name", timeout=READY) == "Kessa Vorn"
    _choose(page, "species", "Human")
    page.wait_for_timeout(2000)
    assert page.evaluate(TAG) == "ours"  # Python began with the memory that was kept
    printed = _print(page, "pdf", tmp_path)
    page.evaluate(SWAP, "no memory")
    page.goto(address)
    _choose(page, "species", "Bothan")
    while page.evaluate(TAG) == "ours":  # it was made anew
        page.wait_for_timeout(200)
    _choose(page, "species", "Human")
    assert _print(page, "pdf", tmp_path) == printed


def test_a_portrait_is_cropped_printed_and_kept(page: Page, one_file: str, tmp_path: Path) -> None:
    Image.linear_gradient("L").resize((900, 300)).save(tmp_path / "face.png")
    _begin(page, one_file)
    page.set_input_files("#form input[type=file]", tmp_path / "face.png")
    page.fill("dialog input[type=range]", "2")
    page.focus("dialog canvas")
    for key in ("ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    page.fill("dialog input[type=text]", "A face in the mist")
    assert not Axe().run(page).violations_count
    page.click("dialog button:text-is('Use it')")
    page.wait_for_selector("text=A face in the mist", timeout=READY)
    with pikepdf.open(io.BytesIO(_print(page, "pdf", tmp_path))) as pdf:
        sizes = [(one.Width, one.Height) for one in pdf.objects if _is_picture(one)]
    assert (480, 600) in sizes
    page.reload()
    page.wait_for_selector("text=A face in the mist", timeout=READY)
    assert b"data:image/jpeg" in _print(page, "html", tmp_path)
    page.click("text=File")
    expect(page.locator("#yaml")).to_have_value(re.compile(r"file: kessa-vorn-\w{8}\.jpg"))


def test_what_a_first_visit_imports_is_compiled_and_15_mb_are_enough(
    files: dict[str, bytes],
) -> None:
    """The browser test above runs these modules; a browser compiles what is left as source."""
    if shutil.which("node") is None:
        skip_without("node", "the modules of the builder's page are not compiled")
    for packed, name in (
        (gzip.decompress(files["app.bin"]), "app/sheetgen/plugins/builder/session"),
        (files["pyodide/python_stdlib.zip"], "json/decoder"),
    ):
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            names = {*archive.namelist()}
        assert f"{name}.pyc" in names
        assert not {one for one in names if f"{one}c" in names}
    loaded = (min(len(one), len(gzip.compress(one))) for one in files.values())
    assert sum(loaded) < 15_000_000


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the element of that id, or with these words, has the focus."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if _focused(page) == name:
            return
    raise AssertionError(f"Tab does not reach {name}")


def _focused(page: Page) -> str:
    script = "(one => one.dataset.id ?? one.getAttribute('aria-label') ?? one.textContent)"
    return str(page.evaluate(f"{script}(document.activeElement)"))


def test_a_character_is_made_printed_and_taken_back_with_the_keyboard_alone(
    page: Page, one_file: str
) -> None:
    page.goto(one_file)
    page.wait_for_selector(".games button", timeout=READY)
    page.keyboard.press("Enter")  # the first game has the focus
    page.wait_for_selector("#f-name", timeout=READY)
    assert _focused(page) == "f-name"
    page.keyboard.type("Kessa Vorn")
    for key, name in CHOICES:
        page.keyboard.press("Control+Enter")  # to what is missing next
        expect(page.locator(f'[data-id="f-{key}-open"]')).to_be_focused(timeout=READY)
        page.keyboard.press("Enter")
        assert _focused(page) == f"f-{key}-search"
        page.keyboard.type(name)
        page.wait_for_selector(f'#part-{key} ul.options b:text-is("{name}")', timeout=READY)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")  # it may not be known yet whether it can be taken
        page.wait_for_selector(f'#part-{key} ul.picks b:text-is("{name}")', timeout=READY)
        assert _focused(page) == f"f-{key}-open"
    assert page.locator(".found.error").count() == 0
    for name, words in [("Undo", "Wanted"), ("Undo", "Luck"), ("Redo", "Luck")]:
        if _focused(page) != name:
            _tab_to(page, name)
        chosen = page.locator(f'#form ul.picks b:text-is("{words}")')
        before = chosen.count()
        page.keyboard.press("Enter")
        expect(chosen).to_have_count(1 - before, timeout=READY)
        assert _focused(page) == name
    _tab_to(page, "File")
    page.keyboard.press("Enter")
    assert _focused(page) == "File"
    _choose(page, "burden", "Wanted")
    page.keyboard.press("Control+Enter")  # to what may be left out, once
    expect(page.locator('[data-id="f-gear-open"]')).to_be_focused(timeout=READY)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#tools .main")).to_be_focused(timeout=READY)
    with page.expect_download(timeout=READY):
        page.keyboard.press("Enter")


def test_an_entry_is_not_taken_before_its_reason_is_known(page: Page, one_file: str) -> None:
    _begin(page, one_file)
    _choose(page, "skills", "Pilot")
    _choose(page, "species", "Human")
    page.evaluate("""() => new MutationObserver((_, seen) => {
      const entry = document.querySelector('[data-id="o-skills-pilot"]');
      if (entry) [seen.disconnect(), entry.click()];
    }).observe(document.querySelector("#part-skills"), { childList: true, subtree: true })""")
    page.click('[data-id="f-skills-open"]')
    page.wait_for_selector('[data-id="o-skills-pilot"] .why', timeout=READY)
    expect(page.locator("#told")).to_have_text(re.compile("Pilot"), timeout=READY)
    assert page.locator("#part-skills ul.picks li").count() == 1


def test_next_shows_each_warning_once_and_then_the_print(page: Page, one_file: str) -> None:
    _begin(page, one_file)
    page.click("text=File")
    hero = CHARACTERS / GAME / "brakka_sool.yaml"
    page.fill("#yaml", hero.read_text(encoding="utf-8") + "portrait: missing.jpg\n")
    expect(page.locator("#next")).to_have_text("Next: Portrait", timeout=READY)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#next")).to_have_text("Next: print", timeout=READY)
    assert page.evaluate("document.activeElement.closest('#at-portrait') !== null")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#tools .main")).to_be_focused(timeout=READY)


def _is_picture(one: object) -> bool:
    return isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image"


def test_a_file_with_markup_in_it_is_text(page: Page, one_file: str) -> None:
    _begin(page, one_file)
    page.click("text=File")
    bad = '<img src=x onerror="document.title=1"><script>document.title = 2</script>'
    page.fill("#yaml", f"ruleset: {GAME}\nname: '{bad}'\nspecies: '{bad}'\nnotes: '{bad}'\n")
    page.wait_for_selector("#form .found.error", timeout=READY)
    assert page.locator("main img, #form script").count() == 0
    assert page.title() not in ("1", "2")
