"""The catalogue of findings: one broken file for each code, and all that is said of it.

tests/errors/SG204.yaml is a character's file, SG104/ a ruleset (SG108 is both); what is not a
text file is made here. `pytest --accept` writes the messages anew: read the diff
as an author would.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sheetgen.check.character.builds import check_character
from sheetgen.check.ruleset.rulesets import check_ruleset, check_undefined_words
from sheetgen.diag import codes
from sheetgen.diag.codes import CODES, Code
from sheetgen.diag.findings import Finding, in_order, show, split_lines
from sheetgen.load.characters import RulesetCache, load_file
from sheetgen.load.files import read_text
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.source import Pairs
from tests.shelf import TESTS

ERRORS = TESTS / "errors"


def of_character(path: Path) -> tuple[Finding, ...]:
    """Return all findings about a character's file, those of its ruleset included."""
    loaded = load_file(path, RulesetCache())[0]
    if loaded.source is None or loaded.rules is None:
        return in_order(loaded.findings)
    assert isinstance(loaded.source.root, Pairs)
    checked = check_character(loaded.source, loaded.rules)
    return in_order((*loaded.findings, *check_ruleset(loaded.rules), *checked.findings))


def of_ruleset(folder: Path) -> tuple[Finding, ...]:
    """Return all findings about a ruleset."""
    loaded = load_ruleset(folder)
    rules = loaded.value
    wrong = (*check_ruleset(rules), *check_undefined_words(rules)) if rules is not None else ()
    return in_order((*loaded.findings, *wrong))


def findings_of(path: Path) -> tuple[Finding, ...]:
    return of_ruleset(path) if path.is_dir() else of_character(path)


def as_printed(findings: tuple[Finding, ...]) -> str:
    """Return what a user sees of `findings`."""
    files = {finding.span.file for finding in findings}
    read = {file: read_text(Path(file)).value for file in files}
    lines = {file: split_lines(text[0]) if text else [] for file, text in read.items()}
    return "\n\n".join(show(f, lines[f.span.file]) for f in findings) + "\n"


def folder(path: Path) -> None:
    path.mkdir()


def bytes_of_latin_1(path: Path) -> None:
    path.write_bytes("ruleset: keyword-dots\nname: Ren\u00e9e\n".encode("latin-1"))


MADE: dict[str, Callable[[Path], object]] = {"SG001": folder, "SG002": bytes_of_latin_1}
"""Cases that are no text files, by code."""

CASES = sorted(
    path
    for path in ERRORS.iterdir()
    if path.suffix == ".yaml" or (path.is_dir() and not path.with_suffix(".yaml").exists())
)


def compared(said: str, expected: Path, accept: bool) -> None:
    if accept:
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_says_what_is_expected(case: Path, accept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ERRORS)
    findings = findings_of(Path(case.name))
    compared(as_printed(findings), case.with_suffix(".expected"), accept)
    if case.stem.startswith("SG"):
        assert case.stem[:5] in {finding.code.id for finding in findings}
    else:
        assert len(findings) >= 10


@pytest.mark.parametrize("code", MADE)
def test_says_what_is_expected_of_other_files(
    code: str, accept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    MADE[code](Path(f"{code}.yaml"))
    findings = of_character(Path(f"{code}.yaml"))
    compared(as_printed(findings), ERRORS / f"{code}.expected", accept)
    assert code in {finding.code.id for finding in findings}


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    (finding,) = of_character(tmp_path / "none.yaml")
    assert finding.code.id == "SG001"
    assert finding.message == "there is no such file"


def test_a_large_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    (finding,) = of_character(path)
    assert finding.code.id == "SG004"
    assert finding.message == "the file has 50.0 MB; 4 MB are read"


def test_every_code_of_characters_and_rulesets_has_a_case() -> None:
    wanted = {code for code in CODES if code < "SG300" or code > "SG900"}
    wanted.remove(codes.NO_CELL.id)  # found when it is printed
    assert wanted == {path.stem[:5] for path in CASES if path.stem.startswith("SG")} | {*MADE}


def test_every_other_code_is_in_a_test() -> None:
    """By its id, also in a golden, or by its name in its module: `read_codes.DAMAGED`."""
    names = {
        f"{module.__name__.rpartition('.')[2]}.{name}": value.id
        for module in (codes, codes, codes, codes, codes)
        for name, value in vars(module).items()
        if isinstance(value, Code)
    }
    files = (*TESTS.rglob("test_*.py"), *TESTS.rglob("golden/*.txt"))
    texts = "".join(path.read_text(encoding="utf-8") for path in files)
    seen = set(re.findall(r"\bSG\d{3}\b", texts))
    seen |= {
        names[name] for name in re.findall(r"\b[a-z_]+\.[A-Z][A-Z0-9_]*\b", texts) if name in names
    }
    assert {code for code in CODES if "SG300" <= code < "SG901" or code == "SG910"} - seen == set()


def test_every_code_is_used() -> None:
    """One that nothing can raise leaves the catalogue."""
    names = {
        name: value.id
        for module in (codes, codes, codes, codes, codes)
        for name, value in vars(module).items()
        if isinstance(value, Code)
    }
    used = "".join(
        path.read_text(encoding="utf-8")
        for path in (TESTS.parent / "sheetgen").rglob("*.py")
        if path.parent.name != "diag"
    )
    assert {name for name in names if not re.search(rf"codes\.{name}\b", used)} == set()


def test_every_expectation_has_a_case() -> None:
    known = {path.stem for path in CASES} | {*MADE}
    assert {path.stem for path in ERRORS.glob("*.expected")} == known


def test_every_code_says_what_it_is() -> None:
    for code in CODES.values():
        assert code.title[0].islower()
        assert code.about.endswith(".")
        assert "invalid" not in f"{code.title} {code.about}"


def test_no_code_is_used_twice() -> None:
    modules = (codes, codes, codes, codes, codes)
    every = {id(v): v.id for m in modules for v in vars(m).values() if isinstance(v, Code)}
    assert len(every) == len(set(every.values()))
