"""Types that others publish: Foundry's manifest, and the layouts of Fantasy Statblocks."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.foundry.export import export_foundry
from sheetgen.plugins.exchange.markdown import export_vault
from tests.shelf import TESTS, skip_without

MODULES = TESTS / "viewers" / "node_modules"
CHARACTERS = rulesets_folder().parent / "characters"
MANIFEST = "JSONSchemaForFoundryVTTModuleManifestFilesModuleJson"


def requests() -> list[Any]:
    names = [name for id_ in ruleset_ids() for name in (id_, str(CHARACTERS / id_))]
    return [request for name in names for request in select_exports([name], {}).requests]


def faults(folder: Path, package: str, declarations: str, kind: str, values: list[Any]) -> str:
    """Return what the TypeScript compiler says of `values` as values of the type `kind`.

    The declarations are copied, since not every package exports the type.
    """
    if not shutil.which("node") or not (MODULES / "typescript").is_dir():
        skip_without("TypeScript", "npm has not fetched tests/viewers/node_modules")
    text = (MODULES / package / declarations).read_text("utf-8")
    named = "" if f"export type {kind}" in text else f"\nexport type {{ {kind} }};\n"
    (folder / "foreign.d.ts").write_text(text + named, encoding="utf-8")
    lines = [f'import type {{ {kind} }} from "./foreign";']
    lines += [f"const v{n}: {kind} = {json.dumps(v)};" for n, v in enumerate(values)]
    (folder / "check.ts").write_text("\n".join(lines), encoding="utf-8")
    tsc = [shutil.which("node") or "", str(MODULES / "typescript" / "bin" / "tsc")]
    flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"]
    done = subprocess.run(
        [*tsc, *flags, "check.ts"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1, 2)
    return done.stdout


@pytest.mark.slow
def test_manifests_have_the_published_type(tmp_path: Path) -> None:
    found = []
    for request in requests():
        files = export_foundry(request).files
        found += [json.loads(c) for path, c in files.items() if path.endswith("module.json")]
    assert len(found) >= len(ruleset_ids())
    package = "@schemastore/foundryvtt-module-manifest"
    assert faults(tmp_path, package, "index.d.ts", MANIFEST, found) == ""
    del found[0]["title"]
    found[0]["packs"][0]["type"] = "Actors"
    wrong = faults(tmp_path, package, "index.d.ts", MANIFEST, found[:1])
    assert "title" in wrong or "Actors" in wrong


@pytest.mark.slow
def test_layouts_have_the_type_of_the_plugin(tmp_path: Path) -> None:
    found = []
    for request in requests():
        files = export_vault(request).files
        found += [json.loads(content) for path, content in files.items() if path.endswith(".json")]
    for layout in found:
        del layout["_seal"]  # ours, for `import`; the plugin passes over it
    assert len(found) >= len(ruleset_ids())
    package = "@javalent/fantasy-statblocks"
    assert faults(tmp_path, package, "dist/api.d.ts", "Layout", found) == ""
    table = next(b for one in found for b in one["blocks"] if b["type"] == "table")
    del table["headers"]
    assert "headers" in faults(tmp_path, package, "dist/api.d.ts", "Layout", found)
