"""`sheetgen schema`: JSON Schemas of authors' files, for editors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sheetgen.cli import console
from sheetgen.cli.completion import named_rules, quiet, rulesets
from sheetgen.cli.console import write_lines
from sheetgen.cli.new import folders_of, schema_file
from sheetgen.cli.parameters import argument, option
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load import characters
from sheetgen.load.characters import RulesetCache, load_file
from sheetgen.load.encounters import load_encounter
from sheetgen.load.files import read_text, yaml_files
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import OPTION, load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plugins.editor.schemas import (
    BOOK,
    CHARACTER,
    ENCOUNTER,
    file_schema,
    part_kind,
    schema_kinds,
)
from sheetgen.rules.index import closest_names
from sheetgen.write.files import linked_finding, overwrite_file, stays_inside, write_file

SETTINGS: Final = Path(".vscode") / "settings.json"
_KEY: Final = "yaml.schemas"


@quiet
def _kinds(ctx: typer.Context) -> Iterable[str]:
    rules = named_rules(ctx)
    return schema_kinds(rules) if rules is not None else ()


def command(
    what: Annotated[
        str, argument("A ruleset; with --install the folder of your files.", complete=rulesets)
    ],
    kind: Annotated[
        str,
        option(
            "--kind",
            "The kind of file: character, a kind of the ruleset, encounter, ruleset, book, …",
            _kinds,
            shown=True,
        ),
    ] = CHARACTER,
    install: Annotated[
        bool, option("--install", "Write schemas and editor settings into a folder.")
    ] = False,
) -> None:
    """Print a JSON Schema of an author's file, so that editors complete and explain names.

    WHAT is the name of a ruleset, or its folder. With `--install` it is the folder of your
    files: their schemas are written to `schemas` in it, and named in the settings of VS Code. New
    files there begin with a comment that names their schema to other editors.
    A file that `sheetgen check` finds clean is valid under its schema.

    Example: sheetgen schema RULESET > hero.schema.json

    Guide: docs/guides/editors.md
    """
    if install:
        _install(Path(what))
        return
    reporter = console.Reporter()
    loaded = load_ruleset(folders_of(what, "WHAT"), complete=True)
    reporter.report(loaded.findings)
    if loaded.value is None:
        reporter.exit()
        return
    known = schema_kinds(loaded.value)
    kind = min(closest_names(kind, known), default=kind)
    if kind not in known:
        hint = suggestion(kind, known, "kinds")
        raise typer.BadParameter(f"there is no kind `{kind}`; {hint}", param_hint="--kind")
    write_lines(*_text(loaded.value, kind).split("\n"))
    reporter.exit()


def _text(rules: Ruleset, kind: str) -> str:
    schema = {"$comment": PLACEHOLDER, **file_schema(rules, kind)}
    return json.dumps(schema, ensure_ascii=False, indent=1)


def _install(folder: Path) -> None:
    """Write the schemas of the files in `folder`, and the settings that name them."""
    reporter = console.Reporter()
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder `{folder}`", param_hint="WHAT")
    files: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for path, rules, kind in _schemas_of(folder):
        name, text = schema_file(rules, kind), _text(rules, kind)
        while texts.setdefault(name, text) != text:  # It switches modules, and another does not.
            name = name.replace(".json", "-other.json")
        if name not in files:
            target = folder / name
            inside = stays_inside(folder, name)
            failed = write_file(target, text.encode()) if inside else linked_finding(target)
            if failed is not None:
                reporter.report([failed])
                continue
            write_lines(str(folder / name))
        files.setdefault(name, []).append(path.relative_to(folder).as_posix())
    if not files:
        message = "no file here has a schema"
        hint = "put characters, encounters, books or rulesets into the folder"
        reporter.report([Finding(codes.EMPTY, Span(str(folder)), message, hint)])
    else:
        reporter.report(_write_settings(folder, _patterns(folder, files)))
    reporter.exit()


def _schemas_of(folder: Path) -> Iterator[tuple[Path, Ruleset, str]]:
    """Yield each file of a folder with its complete rules and its kind of schema."""
    cache = RulesetCache()
    complete: dict[str, Ruleset] = {}

    def whole(rules: Ruleset) -> Ruleset:
        if rules.digest not in complete:
            folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
            switches = {f"{OPTION}{m.id}": m.on for m in rules.composition.modules.values()}
            loaded = load_ruleset(folders, complete=True, switches=switches)
            complete[rules.digest] = loaded.value or rules
        return complete[rules.digest]

    first = rulesets_folder() / ruleset_ids()[0]
    for path in yaml_files(folder):
        found = characters.find_file_type(path)
        if found == characters.CHARACTER:
            entry = load_file(path, cache)[0]
            rules = entry.ruleset or entry.rules
            if rules is not None:
                names = {id(kind): str(id_) for id_, kind in rules.kinds.items()}
                yield path, whole(rules), names.get(id(entry.kind), CHARACTER)
        elif found == characters.ENCOUNTER:
            encounter = load_encounter(path).value
            if encounter is not None:
                yield path, encounter.rules, ENCOUNTER
        elif found == characters.PART and (above := characters.find_ruleset_above(path)):
            own, part = load_ruleset(above, complete=True).value, part_kind(path, above)
            if own is not None and part not in ("", CHARACTER):  # A starter has gaps.
                yield path, own, part
        elif found == characters.BOOK and (rules := load_ruleset(first, complete=True).value):
            yield path, rules, BOOK


def _patterns(folder: Path, files: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return patterns for folders whose files all have one schema, for new files, too."""
    schemas = {path: name for name, paths in files.items() for path in paths}
    below: dict[str, set[str]] = {}
    for file in yaml_files(folder):
        path = file.relative_to(folder)
        below.setdefault(path.parent.as_posix(), set()).add(schemas.get(path.as_posix(), ""))
    found: dict[str, dict[str, None]] = {name: {} for name in files}
    for named, name in schemas.items():
        parent, _, _ = named.rpartition("/")
        alone = parent and len(below[parent]) == 1
        found[name][f"{parent}/*.yaml" if alone else named] = None
    return {name: list(patterns) for name, patterns in found.items()}


def _write_settings(folder: Path, files: dict[str, list[str]]) -> Iterator[Finding]:
    """Name the schemas in the settings of the editor; keep all that is there."""
    path = folder / SETTINGS
    text, digest = "{}", ""
    if not stays_inside(folder, f"{SETTINGS.as_posix()}/"):
        yield linked_finding(path)
        return
    if os.path.lexists(path):
        read = read_text(path)
        yield from read.findings
        if read.value is None:
            return
        text, digest = read.value
    try:
        settings: Any = json.loads(text)
        schemas = settings.setdefault(_KEY, {}) if isinstance(settings, dict) else None
    except ValueError:
        schemas = None
    if not isinstance(schemas, dict):
        message = "these settings have comments, or another shape; they are left as they are"
        hint = f"add this line yourself: {json.dumps({_KEY: files})[1:-1]}"
        yield Finding(codes.WOULD_OVERWRITE, Span(str(path)), message, hint)
        return
    schemas.update(files)
    content = json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
    if content == text:
        return
    failed = overwrite_file(path, content.encode(), digest)
    if failed is None:
        write_lines(str(path))
    else:
        yield failed
