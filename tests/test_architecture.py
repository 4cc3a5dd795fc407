"""What keeps the house in order: floors, no game's words in Python, licences, laziness."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from _pytest.outcomes import Failed, Skipped

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from tests.shelf import TESTS, ruleset, skip_without

ROOT = TESTS.parent
PACKAGE = ROOT / "sheetgen"
MODULES = sorted(PACKAGE.rglob("*.py"))

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
    "yellow": "one of the four process colours of print",
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
    "white": "a colour of paper",
    "connection": "to a process, or of a browser",
    "security": "of a page, as its policy is called",
    "kind-card": "the card of kinds without a design, as `plain` is the sheet",
    "doctor": "the command that looks after an installation",
}
"""Words of a game that are ordinary English too, and what they mean in our Python."""

WORD = re.compile(r"[^\W_]+")


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
def names_of_games() -> Mapping[str, frozenset[str]]:
    """Return the names that may not stand in Python, each with its words."""
    names = {name.lower() for name, _ in words_of_games() if len(name) > 2} - ORDINARY.keys()
    return {name: frozenset(WORD.findall(name)) for name in sorted(names, key=len, reverse=True)}


def found_names(text: str) -> dict[str, str]:
    """Return the names of games in `text` with the numbers of their lines, and these lines."""
    words = set(WORD.findall(text.lower()))
    names = [name for name, its_words in names_of_games().items() if its_words <= words]
    parts = (r"[-_ ]".join(re.escape(w) for w in re.split(r"[-_ ]+", name)) for name in names)
    pattern = re.compile(rf"(?<![\w]|(?<=\w)[_])(?:{'|'.join(parts)})(?![\w])", re.IGNORECASE)
    return {
        f"{number}: {match[0]}": line.strip()
        for number, line in enumerate(text.splitlines() if names else (), 1)
        for match in pattern.finditer(line)
    }


def test_no_word_of_a_game_stands_in_python() -> None:
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in MODULES
        if (names := found_names(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_words_that_are_looked_for_are_found() -> None:
    for text in ("stamina = 1", '"Heavy Blaster Pistol"', "# a jedi-guardian", "saber_fighting()"):
        assert found_names(text), text
    for text in ("research", "forced", "decode", "encoded", "unblock"):
        assert not found_names(text), text


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


def test_a_forbidden_import_is_seen(tmp_path: Path) -> None:
    """One that goes upwards, and one of a floor that opens files, by what draws."""
    shutil.copytree(PACKAGE, tmp_path / "sheetgen", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, line in (
        ("diag/words.py", "from sheetgen.check.character import builds"),
        ("render/flow/rendering.py", "from sheetgen.load.pictures import prepare_raster"),
    ):
        bad = tmp_path / "sheetgen" / file
        bad.write_text(f"{bad.read_text('utf-8')}\n{line}\n", encoding="utf-8")
    run = linted(tmp_path)
    assert run.returncode == 1, run.stdout
    assert "sheetgen.diag is not allowed to import sheetgen.check" in run.stdout
    assert "sheetgen.render is not allowed to import sheetgen.load" in run.stdout


READING = re.compile(
    "open|fdopen|read_bytes|read_text|iterdir|i?glob|rglob|listdir|scandir|readlink|f?walk"
)
"""Functions and methods that read a file or list a folder, of `pathlib` and `os`."""

WRITING = re.compile(
    "write_bytes|write_text|touch|mkdir|makedirs|mkfifo|mknod|rmdir|removedirs|unlink|renames?"
    "|symlink(_to)?|link|hardlink_to|l?chmod|chown|utime|f?truncate"
)
"""Functions and methods that make, change, move or remove a file or a folder."""

OF_MODULES = {
    "io": {"open", "FileIO"},
    "os": {"walk", "remove", "replace"},
    "shutil": {"copy", "copy2", "copyfile", "copyfileobj", "copytree", "move", "rmtree"},
    "Path": {"walk", "replace"},
}
"""Functions that count only under the name of their module: our own objects have such methods."""

FILE_MODULES = {"fcntl": False, "glob": False, "tempfile": True, "zipfile": True}
"""Modules of which every function counts, and whether it may write."""

FILE_EXCEPTIONS = {
    "bounds.py": (
        {
            *("os.open", "os.fdopen", "fcntl.fcntl", "fcntl.F_DUPFD_CLOEXEC"),
            *("tempfile.mkdtemp", "tempfile.tempdir", "shutil.rmtree"),
            *(f"Path('/proc/self/{name}').read_text" for name in ("statm", "status")),
        },
        "the memory of this process, the pipe to its child, and its scratch folder",
    ),
    "cli/console.py": ({"os.open", "io.FileIO"}, "the null device, for streams that are closed"),
    "plugin.py": ({"open", "os.scandir"}, "the entry points of installed packages"),
    "plugins/builder/site.py": (
        {
            *("(runtime / name).read_bytes", "path.read_bytes"),
            *("folder.rglob", "top.rglob"),
        },
        "the files of sheetgen, its packages and the runtime, which a page carries",
    ),
    "plugins/farm/stores.py": ({"file.parent.mkdir"}, "the folder of a copy, which fsspec fills"),
    "load/files.py": (
        {
            f"zipfile.{name}"
            for name in ("ZipFile", "ZipInfo", "BadZipFile", "ZIP_STORED", "ZIP_DEFLATED")
        },
        "an archive that was read into memory",
    ),
}
"""Modules outside `load` and `write` that touch files all the same, their calls, and why."""

NOT_FILES = {
    "pikepdf.open": "of bytes that were read before",
    "Image.open": "of bytes that were read before",
    "webbrowser.open": "of an address",
    "edit.rename": "of a key in a text",
    "disk.write_bytes": "of `write`",
    "loading.read_text": "of `load`",
    **dict.fromkeys(
        (
            "descriptor.FontFile2.read_bytes",
            "font.ToUnicode.read_bytes",
            "found.read_bytes",
            "group.read_bytes",
            "page.Contents.read_bytes",
            "stream.read_bytes",
        ),
        "of a stream in a PDF",
    ),
}
"""Methods of other objects than files that have the same name."""


def file_calls(code: str) -> Iterator[tuple[str, bool]]:
    """Yield each function or method of files that `code` uses, and whether it may write."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module in {*OF_MODULES, *FILE_MODULES}:
            yield f"from {node.module} import", True
        elif isinstance(node, ast.Attribute):
            owner, name = ast.unparse(node.value), node.attr
            known = name in OF_MODULES.get(owner, ()) or is_file_call(name)
            if owner in FILE_MODULES or (owner in OF_MODULES and known):
                yield f"{owner}.{name}", FILE_MODULES.get(owner, not READING.fullmatch(name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, call = node.func.attr, ast.unparse(node.func)
            moves = name == "replace" and len(node.args) == 1 and not node.keywords  # of a Path
            if (moves or is_file_call(name)) and call not in NOT_FILES:
                yield call, not READING.fullmatch(name)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "open":
            yield "open", False


def is_file_call(name: str) -> bool:
    return bool(READING.fullmatch(name) or WRITING.fullmatch(name)) and name != "walk"


@pytest.mark.slow
def test_only_load_reads_files_and_only_write_changes_them() -> None:
    """Every other floor gets and gives bytes: no input and no output is hidden below a print."""
    seen: dict[str, set[str]] = {}
    for path in MODULES:
        name = path.relative_to(PACKAGE).as_posix()
        floor = name.split("/")[0].removesuffix(".py")
        calls = file_calls(path.read_text(encoding="utf-8"))
        found = {call for call, writes in calls if writes or floor != "load"}
        if floor != "write" and found:
            seen[name] = found
    assert seen == {name: calls for name, (calls, _) in FILE_EXCEPTIONS.items()}


@pytest.mark.parametrize(
    "code",
    [
        "open(name)", "io.open(name)", "os.open(name, 0)", "Path(name).open()", "os.listdir(name)",
        "path.read_bytes()", "path.iterdir()", "os.scandir()", "next(top.glob('*'))",
        "os.walk(top)", "map(Path.read_text, paths)", "path.unlink()", "os.remove(name)",
        "os.replace(a, b)",
        "path.replace(other)", "path.rename(other)", "path.mkdir()", "shutil.rmtree(top)",
        "shutil.copy(a, b)", "tempfile.mkdtemp()", "from os import remove", "path.touch()",
    ],
)  # fmt: skip
def test_calls_that_touch_files_are_found(code: str) -> None:
    assert list(file_calls(code))


@pytest.mark.parametrize(
    "code", ["text.replace('a', 'b')", "replace(record, key='')", "names.remove(name)", "d.copy()"]
)
def test_calls_that_touch_no_file_are_left_alone(code: str) -> None:
    assert not list(file_calls(code))


TOP: Final = (
    *("content", "docs", "output", "seeds", "sheetgen", "templates", "tests"),
    *("CHANGELOG.md", "Dockerfile", "LICENSE", "Makefile", "README.md", "action.yml"),
    *("hatch_build.py", "pyproject.toml", "requirements.lock"),
)


def test_the_top_level_has_nothing_that_a_test_left_there() -> None:
    if shutil.which("git") is None:
        pytest.skip("only a clone says which files it has")
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    tracked = {name.split("/")[0] for name in done.stdout.split("\0") if name}
    assert {name for name in tracked if not name.startswith(".")} <= {*TOP}


def test_whether_a_path_is_there_is_asked_where_no_name_is_an_error() -> None:
    """Methods of `Path` raise `OSError` for a name of 300 letters; an author may write one."""
    asks = re.compile(r"(?<!entry)\.(?:is_file|is_dir|exists|is_symlink)\(\)")
    for path in MODULES:
        assert not asks.search(path.read_text(encoding="utf-8")), path


@pytest.mark.slow
def test_only_one_module_writes_to_the_terminal() -> None:
    """It escapes what is an author's; a `print` elsewhere would let escapes through."""
    for path in MODULES:
        if path == PACKAGE / "cli" / "console.py":
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]
        said = [n.lineno for n in calls if PRINTS.fullmatch(ast.unparse(n.func))]
        assert not said, f"{path}: lines {said}"


PRINTS = re.compile(
    r"print|(click\.)?s?echo|click\.(confirm|prompt|pause|echo_via_pager|progressbar)"
    r"|sys\.(__)?(stdout|stderr)(__)?(\.buffer)?\.write(lines)?|warnings\.warn|logging\.(debug|info|warning|error|exception|critical)"
)


# -- names, licences, laziness -----------------------------------------------------------------


def test_public_names_are_unique() -> None:
    """A name that is searched for leads to one place; each command has a function `command`."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name[0] != "_":
                found.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    del found["command"]
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


DIALECT = frozenset({
    "said", "told", "stands", "made", "way", "ways", "look", "looks", "whole", "wanted", "gone",
    "hand", "hands", "desk", "rack", "shop", "sheaf", "spelt", "talk",
})  # fmt: skip
"""Everyday words for which the field has terms: context, request, result, text, style, …"""

NOT_DIALECT = {
    "look_for_strays": "a verb",
    "ready_made": "an adjective: what comes with a ruleset",
    "whole_codes": "codes without pips",
    "whole_percent": "a percentage without decimals",
    "connection_made": "a callback of asyncio",
    "model: said": "a key of card.yaml",
    "model: whole": "a key of card.yaml and of rulesets",
}
"""Names that have one of these words in its proper sense, or that YAML files of users have."""


def public_names(node: ast.AST) -> Iterator[str]:
    """Yield the names of functions, classes, their parameters and attributes, but private ones."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            hidden = child.name.startswith("_") and child.name != "__init__"
            yield from () if hidden else (child.name,)
            if isinstance(child, ast.ClassDef):
                yield from public_names(child)
            elif not hidden:
                arguments = child.args
                listed = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                yield from (argument.arg for argument in listed)
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            yield child.target.id
        if isinstance(child, ast.FunctionDef):
            for part in ast.walk(child):
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    yield from (part.attr,) if ast.unparse(part.value) == "self" else ()


@pytest.mark.slow
def test_public_names_are_terms_of_the_field() -> None:
    found = set()
    for path in MODULES:
        names = {path.stem, *public_names(ast.parse(path.read_text(encoding="utf-8")))}
        for name in names - NOT_DIALECT.keys():
            words = {word.lower() for word in re.split(r"_|(?<=[a-z])(?=[A-Z])", name)}
            if words & DIALECT and not name.startswith("_"):
                found.add(f"{path.relative_to(PACKAGE).parts[0]}: {name}")
    assert found - NOT_DIALECT.keys() == set()


@pytest.mark.parametrize("id_", ruleset_ids())
def test_every_ruleset_says_whose_it_is(id_: str) -> None:
    folder = rulesets_folder() / id_
    assert len((folder / "LICENSE.txt").read_text(encoding="utf-8")) > 200
    credit = ruleset(id_).credit
    assert credit.short
    assert len(credit.long) > len(credit.short)
    assert credit.licence
    assert "\n" not in credit.short


HEAVY = ("weasyprint", "pikepdf", "fontTools", "jinja2", "reportlab", "PIL", "pypdfium2")


@pytest.mark.parametrize(
    "module",
    ["sheetgen.cli", "sheetgen.check.character.builds", "sheetgen.load.characters"],
)
def test_engines_are_not_imported_before_they_are_needed(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(("ci", "outcome"), [("true", Failed), ("", Skipped)])
def test_a_missing_program_fails_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="Chromium is not installed"):
        skip_without("Chromium", "nothing is tried")


@pytest.mark.slow
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
from pathlib import Path
from tests.test_errors import as_printed, findings_of
for name in ("SG102", "SG103", "SG105", "many-mistakes-lanterns.yaml"):
    print(as_printed(findings_of(Path(name))))
"""


@pytest.mark.slow
def test_what_is_frozen_starts_quickly() -> None:
    """`dataclass(frozen=True)` is for what `frozen` cannot: `__post_init__`, cached properties."""
    slow = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any("frozen=True" in ast.unparse(one) for one in node.decorator_list)
        and not re.search("__post_init__|cached_property", ast.unparse(node))
    ]
    assert slow == []
