"""`sheetgen explain`: what a code of a finding means, or a ruling of a ruleset."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli.completion import quiet, rulesets
from sheetgen.cli.console import write_lines
from sheetgen.cli.new import folders_of
from sheetgen.cli.parameters import argument, option
from sheetgen.diag.findings import errors
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Option, Ruleset
from sheetgen.registry import all_codes
from sheetgen.rules.formulas.evaluate import value_text
from sheetgen.rules.index import walk_model

_RULING = re.compile(r"\b([A-Z])-?([0-9]+)([a-z]?)\b")


@quiet
def _codes(_: typer.Context) -> Iterable[str]:
    return all_codes()


def command(
    code: Annotated[
        str, argument("The code of a finding or of a ruling. Default: list all.", complete=_codes)
    ] = "",
    ruleset: Annotated[
        str, option("--ruleset RULESET", "The ruleset that the ruling belongs to.", rulesets)
    ] = "",
) -> None:
    """Explain the CODE of a finding, such as SG204; without one, list all codes.

    A CODE such as Q-27, on a print or in a list, is a ruling: how an open point of the rules is
    decided. `--ruleset` names its ruleset; without a CODE it lists all rulings of that ruleset.

    Example: sheetgen explain SG204

    Guide: docs/guides/house-rules.md
    """
    found = all_codes().get(code.strip().upper())
    if ruleset and found is None:
        _ruling(code, ruleset)
        return
    if not code:
        write_lines(*(f"{known.id}  {known.title}" for known in all_codes().values()))
        return
    if found is not None:
        write_lines(f"{found.id}: {found.title}", "", found.about)
        return
    having = [id_ for id_ in ruleset_ids() if _found(_rules(id_), code)]
    if having:
        lines = (f"  sheetgen explain {code.strip()} --ruleset {id_}" for id_ in having)
        write_lines(f"{code.strip()} is a ruling; say of which ruleset:", *lines)
        return
    typed = code.upper().replace("O", "0")  # a code has no letter after its first two
    hint = suggestion(typed, all_codes())
    if typed in all_codes():
        hint = f"did you mean `{typed}`?"
    elif os.path.lexists(code):
        hint = f"take a code from what `sheetgen check {code}` reports, such as SG204"
    raise typer.BadParameter(f"there is no code `{code}`; {hint}", param_hint="CODE")


def _rules(name: str) -> Ruleset:
    known = name in ruleset_ids()
    folders = (rulesets_folder() / name,) if known else folders_of(name, "--ruleset")
    loaded = load_ruleset(folders, complete=True)
    if loaded.value is None or errors(loaded.findings):
        hint = f"run `sheetgen check {Path(name)}`"
        raise typer.BadParameter(f"the ruleset is wrong; {hint}", param_hint="--ruleset")
    return loaded.value


def _ruling(code: str, name: str) -> None:
    rules = _rules(name)
    if not code:
        write_lines(*(f"{id_:<6} {one.about or one.read}" for id_, one in rules.rulings.items()))
        return
    id_ = _found(rules, code)
    if not id_:
        hint = suggestion(code.upper(), rules.rulings, "rulings")
        message = f"{rules.title} has no ruling `{code}`; {hint}"
        raise typer.BadParameter(message, param_hint="CODE")
    write_lines(*_lines(rules, id_))


def _lines(rules: Ruleset, id_: str) -> Iterator[str]:
    ruling = rules.rulings[id_]
    yield f"{id_} of {rules.title}"
    yield ""
    if ruling.about:
        yield f"Open: {ruling.about}"
    yield f"Read here: {ruling.read}"
    if ruling.rests:
        yield f"Rests on: {ruling.rests}"
    for name, choice in rules.options.items():
        if id_ in _cited(choice.ruling):
            known = ", ".join(choice.values)
            yield f"Option: {name} = {value_text(choice.default)} ({known}). {choice.text}"
    things: dict[str, None] = {}
    for value in walk_model(rules):
        name = getattr(value, "name", "") or getattr(value, "label", "")
        cites = id_ in _cited(str(getattr(value, "ruling", "")))
        if cites and name and not isinstance(value, Option):
            things[str(name)] = None
    if things:
        yield f"It counts for: {', '.join(things)}"


def _found(rules: Ruleset, code: str) -> str:
    """Return the id of the ruling that `code` means, `q27` and `Q-27` alike, or nothing."""
    plain = code.strip().upper().replace("-", "")
    return next((str(i) for i in rules.rulings if i.upper().replace("-", "") == plain), "")


def _cited(text: str) -> list[str]:
    """Return the codes of rulings in a text such as `Q-1, Q-23`."""
    return [f"{letter}-{number}{part}" for letter, number, part in _RULING.findall(text)]
