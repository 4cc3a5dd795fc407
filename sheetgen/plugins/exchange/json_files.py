"""Export JSON: a file for each build, and the schema of all of them."""

from __future__ import annotations

import json
from typing import Any, Final

from sheetgen.diag.visible import visible_json
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult
from sheetgen.prints.build_data import BUILD_VERSION, build_data, build_schema
from sheetgen.prints.context import file_stem

SCHEMA_FILE: Final = f"build-{BUILD_VERSION}.schema.json"


def export_json(request: ExportRequest) -> ExportResult:
    """Return a JSON file for each build, and the schema of all of them."""
    rules = request.rules
    files = {SCHEMA_FILE: _encoded({"$comment": PLACEHOLDER, **build_schema()})}
    subjects = {}
    for build, one in request.builds:
        data = {
            "$schema": SCHEMA_FILE,
            "format": BUILD_VERSION,
            "kind": request.kind_of(one),
            "licence": rules.credit.licence,
            **build_data(build, one.rules or rules),
            "_seal": PLACEHOLDER,
        }
        name = f"{file_stem(one.stem)}.json"
        files[name], subjects[name] = _encoded(data), (build.name,)
    return ExportResult(files, subjects=subjects)


def _encoded(data: dict[str, Any]) -> bytes:
    return (visible_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n").encode()
