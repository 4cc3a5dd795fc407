"""Every ruleset and character that comes with us is clean; a broken ruleset is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.check.character.builds import check_character
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import Finding, errors, in_order
from sheetgen.load.characters import RulesetCache, load_file
from sheetgen.load.rulesets.content import ruleset_ids, starter_text
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.yaml.tree import parse_yaml
from tests.shelf import OWN, TESTS, folder_of, ruleset

CONTENT = TESTS.parent / "content"
CHARACTERS = sorted((CONTENT / "characters").rglob("*.yaml"))
BROKEN = sorted(path for path in (OWN / "broken").iterdir() if path.is_dir())


def findings_of(folder: Path) -> tuple[Finding, ...]:
    loaded = load_ruleset(folder)
    wrong = check_ruleset(loaded.value) if loaded.value is not None else ()
    return in_order((*loaded.findings, *wrong))


@pytest.mark.parametrize("book", [*ruleset_ids(), "lanterns"])
def test_a_ruleset_of_ours_has_no_findings(book: str) -> None:
    assert findings_of(folder_of(book)) == ()
    assert ruleset(book).id == book


@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: path.stem)
def test_a_character_of_ours_is_clean(path: Path) -> None:
    loaded = load_file(path, RulesetCache())[0]
    assert not loaded.findings
    assert loaded.source is not None
    assert loaded.rules is not None
    assert path.parent.name in loaded.rules.id.split("+")
    result = check_character(loaded.source, loaded.rules)
    assert not errors(result.findings)
    assert result.value is not None
    assert result.value.name


@pytest.mark.parametrize("book", ruleset_ids())
def test_a_starter_is_clean(book: str) -> None:
    parsed = parse_yaml(starter_text(book).replace("{name}", "Kessa Vorn"), "starter.yaml")
    assert parsed.value is not None
    assert not parsed.findings
    result = check_character(parsed.value, ruleset(book))
    assert result.findings == ()
    assert result.value is not None
    assert result.value.name == "Kessa Vorn"


@pytest.mark.many
@pytest.mark.parametrize("book", ruleset_ids())
def test_every_value_of_every_option_can_be_set(book: str) -> None:
    rules = ruleset(book)
    parsed = parse_yaml(starter_text(book).replace("{name}", "X"), "starter.yaml")
    assert parsed.value is not None
    words = {"yes or no": ["true", "false"], "number": ["0", "1", "7"]}
    for id_, option in rules.options.items():
        for value in words.get(str(option.values[0]), list(map(str, option.values))):
            found = check_character(parsed.value, rules, {str(id_): value})
            assert not [f for f in found.findings if f.code.id in ("SG107", "SG108")], (id_, value)
            assert found.value is not None
            assert str(found.value.options[id_]).lower() == value


@pytest.mark.parametrize("folder", BROKEN, ids=lambda folder: folder.name)
def test_a_broken_ruleset_is_told_so(folder: Path) -> None:
    """Each folder's expected.txt: code, line in which file, and words of the message."""
    said = [
        f"{f.code.id} {Path(f.span.file).name}:{f.span.line} {f.message}"
        for f in findings_of(folder)
    ]
    wanted = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert said == wanted
