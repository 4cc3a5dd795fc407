"""What keeps the house in order: floors, no game's words in Python, sizes, licences, laziness."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from tests.shelf import TESTS, ruleset

ROOT = TESTS.parent
PACKAGE = ROOT / "sheetgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 300
LISTS = {"diag/codes.py": 400}
"""Modules that may be longer, since they are lists that are looked up, not code that is read."""

ORDINARY = {
    "con": "a device name that Windows reserves",
    "none": "Python's own word",
    "code": "of a finding",
    "scope": "the names that a formula sees",
    "protocol": "Python's word for a face of objects",
    "command": "of the command line",
    "target": "of a link, or a file to write",
    "suggestion": "a hint for a misspelt name",
    "search": "of a pattern in a text",
    "mask": "of a file's mode",
    "control": "a control character",
    "resource": "of a PDF page",
    "resources": "of a PDF page",
    "block": "of text or of YAML",
    "wanted": "what is asked for",
    "other": "not this one",
    "unique": "that there is only one of",
    "force": "what is in force",
    "ghost": "of colour on a screen",
    "master": "of the game, a person",
    "weapon": "any, in general",
    "skill": "any, in general",
    "attribute": "any, in general, and Python's",
    "attack": "what a weapon is rolled with, in general",
    "trained": "a state of a cell of a sheet",
    "plate": "a sheet or a card that is laid out and empty",
    "plain": "without anything added",
    "range": "Python's own word",
    "encounter": "a fight, as it is printed",
    "free": "that nobody paid for",
    "close": "near, or to end what is open",
    "climb": "of a die on its ladder",
    "running": "of a total",
    "language": "of formulas, or of a text",
    "action": "what one does on a turn, in any game",
    "will": "the future",
    "history": "of purchases",
    "lifting": "of codes that are raised together",
    "normal": "a style of letters",
    "doctor": "the command that looks after an installation",
}
"""Words of a game that are ordinary English too, and what they mean in our Python."""


def words_of_games() -> Iterator[tuple[str, str]]:
    """Yield each name that content and templates own, and what it is."""
    for folder in (ROOT / "templates").iterdir():
        if folder.is_dir() and not folder.name.startswith("_"):
            yield folder.name, "sheet"
    for id_ in ruleset_ids():
        rules = ruleset(id_)
        yield id_, "ruleset"
        yield rules.title, "ruleset"
        for group in rules.groups.values():
            for trait in group.traits.values():
                yield from ((str(name), "trait") for name in (trait.name, *trait.aliases))
        for catalogue in rules.choices.values():
            for entry in catalogue.entries.values():
                yield from ((str(name), "choice") for name in (entry.name, *entry.aliases))
        for item in rules.gear.values():
            yield from ((str(name), "item") for name in (item.name, *item.aliases))


@cache
def pattern() -> re.Pattern[str]:
    names = {name.lower() for name, _ in words_of_games() if len(name) > 2} - ORDINARY.keys()
    parts = (r"[-_ ]".join(re.escape(w) for w in re.split(r"[-_ ]+", name)) for name in names)
    listed = "|".join(sorted(parts, key=len, reverse=True))
    return re.compile(rf"(?<![\w]|(?<=\w)[_])(?:{listed})(?![\w])", re.IGNORECASE)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_word_of_a_game_stands_in_python(path: Path) -> None:
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for match in pattern().finditer(line):
            found[f"{number}: {match[0]}"] = line.strip()
    assert not found


def test_words_that_are_looked_for_are_found() -> None:
    for text in ("stamina = 1", '"Heavy Blaster Pistol"', "# a jedi-guardian", "saber_fighting()"):
        assert pattern().search(text), text
    for text in ("research", "forced", "decode", "encoded", "unblock"):
        assert not pattern().search(text), text


def test_every_ordinary_word_is_still_needed() -> None:
    """A word that left our Python leaves this list too."""
    text = " ".join(path.read_text(encoding="utf-8").lower() for path in MODULES)
    owned = {name.lower() for name, _ in words_of_games()}
    for word in ORDINARY:
        assert word in owned, word
        assert re.search(rf"\b{word}", text), word


# -- floors -----------------------------------------------------------------------------------


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).parent / "lint-imports"
    return subprocess.run(
        [command, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_floors_are_kept() -> None:
    run = linted(ROOT)
    assert run.returncode == 0, run.stdout
    assert " 0 broken" in run.stdout


def test_an_import_upwards_is_seen(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "sheetgen", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    bad = tmp_path / "sheetgen" / "diag" / "near.py"
    bad.write_text(
        bad.read_text() + "\nfrom sheetgen.check.character import builds\n", encoding="utf-8"
    )
    run = linted(tmp_path)
    assert run.returncode == 1, run.stdout
    assert "sheetgen.diag is not allowed to import sheetgen.check" in run.stdout


def test_only_write_writes_and_only_load_opens() -> None:
    """By their words: a module below another floor that opens a file hides an input."""
    opens = re.compile(r"(?<![.\w])open\(|\.(read_text|write_text|write_bytes)\(|os\.open\(")
    for path in MODULES:
        floor = path.relative_to(PACKAGE).parts[0]
        if floor not in ("load", "write") and opens.search(path.read_text(encoding="utf-8")):
            assert str(path.relative_to(PACKAGE)) in OPENS, path


MOST_MODULES = 14
"""In one folder."""

OPENS = {
    "render/fonts/fonts.py": "the font files of packages that we depend on",
    "cli/terminal.py": "the null device, for streams that are closed",
}


def test_only_one_module_writes_to_the_terminal() -> None:
    """It escapes what is an author's; a `print` elsewhere would let escapes through."""
    for path in MODULES:
        if path == PACKAGE / "cli" / "terminal.py":
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]
        said = [n.lineno for n in calls if PRINTS.fullmatch(ast.unparse(n.func))]
        assert not said, f"{path}: lines {said}"


PRINTS = re.compile(
    r"print|(click\.)?s?echo|click\.(confirm|prompt|pause|echo_via_pager|progressbar)"
    r"|sys\.(__)?(stdout|stderr)(__)?(\.buffer)?\.write(lines)?|warnings\.warn|logging\.(debug|info|warning|error|exception|critical)"
)


# -- sizes, licences, laziness -----------------------------------------------------------------


def test_no_folder_is_crowded() -> None:
    folders = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {str(f.relative_to(PACKAGE)): n for f, n in folders.items() if n > MOST_MODULES}
    assert not crowded


def test_public_names_are_unique() -> None:
    """A name that is searched for leads to one place; each command has a function `command`."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name[0] != "_":
                found.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    del found["command"]
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_read_in_one_sitting(path: Path) -> None:
    most = LISTS.get(str(path.relative_to(PACKAGE)), MOST_LINES)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= most


@pytest.mark.parametrize("id_", ruleset_ids())
def test_every_ruleset_says_whose_it_is(id_: str) -> None:
    folder = rulesets_folder() / id_
    assert len((folder / "LICENSE.txt").read_text(encoding="utf-8")) > 200
    credit = ruleset(id_).credit
    assert credit.short
    assert len(credit.long) > len(credit.short)
    assert credit.licence
    assert "\n" not in credit.short


HEAVY = ("weasyprint", "pikepdf", "fontTools", "jinja2", "reportlab", "PIL")


@pytest.mark.parametrize(
    "module",
    ["sheetgen.cli", "sheetgen.check.character.builds", "sheetgen.load.authors.characters"],
)
def test_engines_are_not_imported_before_they_are_needed(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_findings_do_not_change_with_the_seed_of_hashes() -> None:
    """Hints once listed a set in the order of the day."""
    said = set()
    for seed in ("1", "2", "3"):
        run = subprocess.run(
            [sys.executable, "-c", SAID],
            cwd=TESTS / "errors",
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        )
        said.add(run.stdout)
    assert len(said) == 1


SAID = """
from collections import Counter
from pathlib import Path
from tests.test_errors import as_printed, findings_of
for name in ("SG102", "SG103", "SG105", "many-mistakes-lanterns.yaml"):
    print(as_printed(findings_of(Path(name))))
"""
