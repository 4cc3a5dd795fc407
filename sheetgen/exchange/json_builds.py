"""Builds as JSON: what `sheetgen show --format json` prints, versioned, with a JSON Schema."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Final

from sheetgen.check.schemas.builds import BUILD_VERSION, build_schema
from sheetgen.diag.visible import visible_json
from sheetgen.exchange.formats import ExportRequest, ExportResult
from sheetgen.model.build import Build, Ledger, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plan.sheets.view import pick_line
from sheetgen.prints.context import file_stem
from sheetgen.rules.formulas.lines import value_text

SCHEMA_FILE: Final = f"build-{BUILD_VERSION}.schema.json"


def export_json(request: ExportRequest) -> ExportResult:
    """Return a JSON file for each build, and the schema of all of them."""
    rules = request.rules
    files = {SCHEMA_FILE: _encoded({"$comment": PLACEHOLDER, **build_schema()})}
    for build, one in request.builds:
        data = {
            "$schema": SCHEMA_FILE,
            "format": BUILD_VERSION,
            "kind": request.kind_of(one),
            "licence": rules.credit.licence,
            **build_data(build, one.rules or rules),
            "_seal": PLACEHOLDER,
        }
        files[f"{file_stem(one.stem)}.json"] = _encoded(data)
    return ExportResult(files)


def _encoded(data: dict[str, Any]) -> bytes:
    return (visible_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n").encode()


def build_data(build: Build, rules: Ruleset) -> dict[str, Any]:
    """Return `build` for JSON; fractions are texts such as `5/2`, so that they stay exact."""
    pictures = {key: one.summary for key, one in build.pictures.items()}
    return {
        "_credit": rules.credit.short,
        "ruleset": build.ruleset,
        "version": build.version,
        "file": build.file,
        "name": build.name,
        "options": dict(build.options),
        "picks": [
            {"key": p.key, "of": p.catalogue, "name": pick_line(p, build), "from": p.because}
            for p in build.picks
        ],
        "ratings": {
            r.id: {
                "name": r.name,
                "group": r.group,
                "own": r.own,
                "total": r.total,
                "free": r.free,
                "stars": r.stars,
                "limit": r.limit,
                "from": [{"steps": p.steps, "why": p.why, "kind": p.kind} for p in r.parts],
            }
            for r in build.ratings.values()
        },
        "derived": {
            d.id: {"label": d.label, "value": _plain(d.value), "how": d.how}
            for d in build.derived.values()
        },
        "items": [
            {
                "name": i.name,
                "under": i.key,
                "count": i.count,
                "cost": i.cost,
                "attack": i.attack,
                "damage": i.damage,
                "modifies": dict(i.modifies),
                "active": i.active,
            }
            for i in build.items
        ],
        "dice": [f"d{faces}" for faces in build.dice],
        "rolls": {id_: dict(dice) for id_, dice in build.rolls.items()},
        "tracks": {id_: list(boxes) for id_, boxes in build.marked.items()},
        "lines": dict(build.lines),
        **({"pictures": pictures} if pictures else {}),
        "ledgers": {ledger.pool: _ledger_data(ledger) for ledger in build.ledgers.values()},
    }


def _ledger_data(ledger: Ledger) -> dict[str, Any]:
    return {
        "label": ledger.label,
        "gained": ledger.gained,
        "spent": ledger.spent,
        "left": ledger.left,
        "lines": [
            {
                "session": n.session,
                "what": n.what,
                "gained": n.gained,
                "cost": n.cost,
                "left": n.left,
            }
            for n in ledger.lines
        ],
    }


def _plain(value: Value | None) -> Any:
    return value_text(value) if isinstance(value, Fraction) else value
