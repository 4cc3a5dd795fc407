"""The builder's page as a folder and as one file: complete, reproducible, closed to the world."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from sheetgen.load.cache import with_checksum
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.fonts import find_font, list_font_files
from sheetgen.load.designs.templates import STANDARD
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.plugins.builder import site
from sheetgen.plugins.builder.site import PAGE, RUNTIME, build_site, join_site
from sheetgen.prints.characters import clean_key
from tests.cli.commands import CHARACTERS, run

GAME = "hyperspace-d6"


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir()
    for name in RUNTIME:
        (folder / name).write_text(f"export default {name.split('.')[0]}; import.meta.url")
    return folder


def _games(page: str) -> list[str]:
    """Return the games that a page offers."""
    found = re.search(r'<script type="application/json" id="games">(.*?)</script>', page)
    assert found is not None
    return [game["id"] for game in json.loads(found[1])]


def _unpack(app: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(gzip.decompress(app)))


@pytest.mark.slow
def test_the_folder_has_all_that_the_page_asks_for(runtime: Path) -> None:
    files = build_site([GAME], runtime)
    assert {*PAGE, "app.bin", *(f"pyodide/{name}" for name in RUNTIME)} == {*files}
    page = files["index.html"].decode()
    for name in re.findall(r'(?:src|href)="([^"#]+)"', page):
        assert name in files
    assert _games(page) == [GAME]
    kept = json.loads(files["offline.js"].decode().split("FILES = ")[1].split(";")[0])
    assert {*kept} == {*files, "./"}
    with _unpack(files["app.bin"]) as app:
        names = app.namelist()
    assert len(names) == len({*names})
    assert f"app/sheetgen/_data/content/rulesets/{GAME}/ruleset.yaml" in names
    assert not [name for name in names if "rulesets/keyword-dots" in name or ".." in name]


def test_a_page_knows_which_of_its_games_have_no_findings(runtime: Path) -> None:
    """So that a first visit does not check the rules; see `clean_key`."""
    rules = RulesetCache().load(rulesets_folder() / GAME).value
    assert rules is not None
    with _unpack(build_site([GAME], runtime)["app.bin"]) as app:
        kept = [name for name in app.namelist() if name.startswith("cache/")]
        content = {app.read(name) for name in kept}
    assert f"cache/sheetgen/{clean_key(rules)}" in kept
    assert len(kept) == 1 + len(rules.kinds)
    assert content == {with_checksum(b"")}


def test_the_font_of_signs_is_not_compressed(tmp_path: Path) -> None:
    """It is made for one print, and a browser has no brotli: pages would differ there."""
    said = run("cards", "d6-pips", "--kind", "npc", "--to", "html", "--out", tmp_path)
    page = Path(said.out.strip()).read_text(encoding="utf-8")
    assert re.findall(r"font-family: sign;[^}]*?data:font/(\w+)", page) == ["ttf"]


@pytest.mark.slow
def test_equal_input_gives_equal_bytes(runtime: Path) -> None:
    assert build_site([GAME], runtime) == build_site([GAME], runtime)


@pytest.mark.slow
def test_a_game_of_ones_own_comes_along(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Over", "--extends", "d6-pips")
    for path in ("over/secret.txt", "over/modules/.secret/config", "over/notes/secret.yaml"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text("name: nobody", encoding="utf-8")
    said = run("site", "out", "./over", "--runtime", str(runtime))
    assert said.out == "out/index.html\n", said.err
    with _unpack(Path("out/app.bin").read_bytes()) as app:
        names = app.namelist()
    assert _games(Path("out/index.html").read_text(encoding="utf-8")) == ["over"]
    assert "games/over/ruleset.yaml" in names
    assert not [name for name in names if "secret" in name or "over/characters" in name]
    assert "app/sheetgen/_data/content/rulesets/d6-pips/ruleset.yaml" in names


@pytest.mark.slow
def test_one_file_holds_everything_and_may_ask_for_nothing(runtime: Path) -> None:
    page = join_site(build_site([GAME], runtime)).decode()
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    policy = re.search(r'content="(default-src[^"]*)"', page)
    assert policy is not None
    assert "connect-src 'none'" in policy[1]
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy[1]
    assert not re.search(r"^(import|export) ", script[1], re.MULTILINE)


def test_a_page_brings_every_checksum_of_source_that_is_asked_for() -> None:
    """Its modules come compiled, so that it cannot compute them; see `STAMPS`."""
    asked = {
        words
        for path in Path(site.__file__).parents[2].rglob("*.py")
        for words in re.findall(r"(?<!def )code_stamp\(([^)]*)\)", path.read_text("utf-8"))
    }
    assert asked == {"", "*LAYOUT", "*FONTS", "*DRAWINGS", "*parts"}


@pytest.mark.parametrize("missing", RUNTIME)
def test_a_runtime_that_lacks_a_file_is_one_finding(runtime: Path, missing: str) -> None:
    (runtime / missing).unlink()
    said = run("site", "out", GAME, "--runtime", str(runtime))
    assert said.status == 2
    assert f"the runtime has no `{missing}`" in said.err
    assert "npm pack pyodide" in said.err


def test_a_game_with_mistakes_is_not_published(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "there is no ruleset" in run("site", "out", "nope", "--runtime", str(runtime)).err
    run("new", "ruleset", "Made")
    head = Path("made/ruleset.yaml")
    head.write_text(head.read_text(encoding="utf-8").replace("label: Guard", "lable: Guard"))
    said = run("site", "out", "./made", "--runtime", str(runtime))
    assert said.status == 1
    assert "lable" in said.err
    assert not Path("out").exists()


@pytest.mark.slow
def test_files_of_others_stay(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out").mkdir()
    Path("out/index.html").write_text("mine")
    said = run("site", "out", GAME, "--runtime", str(runtime))
    assert said.status == 1
    assert Path("out/index.html").read_text() == "mine"
    assert run("site", "out", GAME, "--runtime", str(runtime), "--force").status == 0
    assert run("site", "out", GAME, "--runtime", str(runtime), "--force").status == 0


@pytest.mark.slow
def test_a_game_without_room_for_its_names_prints(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Wide")
    head = Path("wide/ruleset.yaml")
    long = re.sub(r"label: (\w+)", lambda one: f"label: {one[1] * 30}", head.read_text("utf-8"))
    head.write_text(long, encoding="utf-8")
    hero = f"ruleset: ./wide\nname: One\ngoals: [{'Incomprehensibility' * 5}]\n"
    Path("one.yaml").write_text(hero, encoding="utf-8")
    assert "the sheet prints" in run("sheet", "one.yaml", "--draft").err
    app = _app_of(runtime, "./wide")
    assert _print_in_page(app, "sheet", [STANDARD], tmp_path / "one.yaml") == ["one.pdf"]


@pytest.mark.slow
def test_switches_and_overlays_together_print_where_nothing_can_be_laid_out(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each option alone, each pair of overlays, all modules off, and what a character asks for."""
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Made")
    for name, modules in (("left", ("one", "two", "three")), ("right", ("four",))):
        run("new", "ruleset", name, "--extends", "./made")
        for path in Path(name, "modules").iterdir():
            path.unlink()
        for module in modules:
            table = f"{{columns: [A, B], rows: [[{module}, yes]]}}"
            text = f"module: {module}\nlabel: {module}\nadd: {{tables: {{t_{module}: {table}}}}}\n"
            Path(name, "modules", f"{module}.yaml").write_text(text, encoding="utf-8")
    heroes = {
        "plain": "ruleset: ./left",
        "one": "ruleset: ./left\noptions: {modules.two: no}",
        "none": "ruleset: ./left\noptions: {modules.one: no, modules.two: no, modules.three: no}",
        "like": "ruleset: ./left\noptions: {modules.two: no, modules.three: no}",
        "pair": "ruleset: [./left, ./right]",
        "other": "ruleset: [./right, ./left]",
        "lost": "ruleset: ./left\noptions: {modules.one: no, modules.two: no}",
    }
    for name, text in heroes.items():
        Path(f"{name}.yaml").write_text(f"{text}\nname: {name}\n", encoding="utf-8")
    app = _app_of(runtime, "./left", "./right", "--like", "like.yaml")
    files = [tmp_path / f"{name}.yaml" for name in heroes]
    *printed, lost = _print_in_page(app, "sheet", [STANDARD], *files)
    assert printed == [f"{name}.pdf" for name in heroes][:-1]
    assert re.match(r"this page has no layout for “.*one.*”, “.*two.*” together: change one", lost)


PRINT = """
import sys
sys.path.insert(0, "app")
from pathlib import Path
from sheetgen.plugins.builder.session import FormSession
sys.platform = "emscripten"
session = FormSession(Path("games"))
kind, themes, heroes = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
for theme, hero in ((theme, hero) for theme in themes for hero in heroes):
    text = Path(hero).read_text()
    asked = {"do": "print", "text": text, "format": "pdf", "theme": theme, "kind": kind}
    answer = session.answer(asked)
    print(answer.get("name") or answer["refused"])
"""
"""What the worker does, in a process that has what the page brings, and no more."""


def _app_of(runtime: Path, *words: str) -> bytes:
    """Return what the worker unpacks of a page that `site` writes."""
    said = run("site", "out", *words, "--runtime", str(runtime))
    assert said.status == 0, said.err
    return Path("out/app.bin").read_bytes()


def _print_in_page(app: bytes, kind: str, themes: Sequence[str], *heroes: Path) -> list[str]:
    """Return the names of what the page of `app` prints, or why it does not."""
    with _unpack(app) as packed:
        packed.extractall("web")
    return subprocess.run(
        [sys.executable, "-S", "-c", PRINT, kind, " ".join(themes), *map(str, heroes)],
        cwd="web",
        env={"XDG_CACHE_HOME": str(Path("cache").resolve()), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


@pytest.mark.slow
def test_a_publishers_theme_prints_where_nothing_can_be_laid_out(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    font = next(iter(list_font_files()))
    Path("brand/fonts").mkdir(parents=True)
    Path("brand/fonts/own.otf").write_bytes(find_font(font).read_bytes())
    Path("brand/notes.txt").write_text("secret")
    Path("brand/logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><path d="M0 1L2 0L4 1Z"/></svg>'
    )
    Path("brand/theme.yaml").write_text(
        'colours: {accent: "#8A1C5C"}\nfonts: {display: fonts/own.otf}\nlogo: logo.svg\n'
    )
    files = build_site([GAME], runtime, ["brand/theme.yaml", "ink-saver", "standard"])
    found = re.search(r'id="themes">(.*?)</script>', files["index.html"].decode())
    assert found is not None
    themes = json.loads(found[1])
    assert [label for _, label in themes] == ["standard", "brand", "ink-saver"]
    named = [name.removeprefix("/") for name, _ in themes]
    for kind in ("sheet", "cards"):
        hero = CHARACTERS / GAME / "brakka_sool.yaml"
        assert _print_in_page(files["app.bin"], kind, named, hero) == ["brakka-sool.pdf"] * 3
    assert not [*Path("web").rglob("notes.txt")]


@pytest.mark.parametrize("theme", ["nope", "brand/theme.yaml"])
def test_a_theme_that_is_not_there_is_a_finding(runtime: Path, theme: str) -> None:
    said = run("site", "out", GAME, "--theme", theme, "--runtime", str(runtime))
    assert said.status != 0
    assert theme in said.err
    assert "Traceback" not in said.err


def test_two_games_of_one_name_are_refused(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Made", "--out", "a/made")
    run("new", "ruleset", "Made", "--out", "b/made")
    said = run("site", "out", "./a/made", "./b/made", "--runtime", str(runtime))
    assert "two games would be called `made` on the page" in said.err


@pytest.mark.slow
def test_a_logo_that_no_browser_prints_is_refused(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Image.new("RGBA", (60, 20)).save("logo.png")
    Path("theme.yaml").write_text("logo: {file: logo.png, alt: The press}\n", encoding="utf-8")
    said = run("site", "out", GAME, "--theme", "theme.yaml", "--runtime", str(runtime))
    assert (said.status, "theme.yaml:1:14: error[SG903]" in said.err) == (1, True)
    assert "as SVG, or as JPEG" in said.err
    assert not Path("out").exists()
