"""What a pack says of itself, what it needs, and whether a project has that."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span, errors
from sheetgen.diag.words import suggestion
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import (
    PACK_FILE,
    PACKS,
    find_ruleset,
    pack_of,
    rulesets_in,
)
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.source import (
    ScalarNode,
    Text,
    items_of,
    raw_text,
    rule_model,
    text_place,
)
from sheetgen.write import portable_name


@rule_model
class PackFile:
    """The content of `pack.yaml`.

    Attributes:
        name: The name of the pack, and of its folder in `packs/`.
        version: Three numbers, by Semantic Versioning.
        licence: An SPDX expression.
        credit: One line, which prints of what is in the pack show.
        about: What is in it.
        needs: Versions of packs and of rulesets that come with sheetgen, by name.
        sha256: The digest of the files and of the other keys; `sheetgen pack` writes it.
    """

    name: Text
    version: Text
    licence: Text
    credit: Text
    about: Text | str = ""
    needs: Mapping[str, Text] = field(default_factory=dict)
    sha256: str = ""


_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PART: Final = r"(?:0|[1-9]\d{0,8})"
_WORD: Final = rf"(?:{_PART}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION: Final = re.compile(
    rf"({_PART})\.({_PART})\.({_PART})(?:-({_WORD}(?:\.{_WORD})*))?(?:\+[0-9A-Za-z.-]+)?"
)
_LEAST: Final = re.compile(rf"{_PART}(\.{_PART})?")
_EXPRESSION: Final = re.compile(r"\(*[\w.+-]+\)*( (AND|OR|WITH) \(*[\w.+-]+\)*)*", re.ASCII)
_CREATIVE: Final = ("BY", "BY-SA", "BY-NC", "BY-NC-SA", "BY-ND", "BY-NC-ND")
LICENCES: Final = (
    *("CC0-1.0", *(f"CC-{one}-{v}" for v in ("4.0", "3.0", "2.5", "2.0") for one in _CREATIVE)),
    *("MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense"),
    *("0BSD", "BSL-1.0", "MPL-2.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only"),
    *("GPL-3.0-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "AGPL-3.0-only", "OFL-1.1"),
    *("AGPL-3.0-or-later", "GFDL-1.3-only", "GFDL-1.3-or-later", "OGL-UK-3.0", "FAL-1.3"),
)
"""Identifiers of SPDX that games use; others get a warning, as they may be misspelt."""

_OWN_TERMS: Final = "LicenseRef-"  # begins the identifier of a licence that SPDX does not list

Version = tuple[int, int, int, tuple[tuple[int, int, str], ...]]


def parse_version(text: str) -> Version | None:
    """Return a version in the order of Semantic Versioning; None if it is none."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    words = found[4].split(".") if found[4] else []
    early = tuple((0, int(w), "") if w.isdigit() else (1, 0, w) for w in words)
    # A version without such words is later than all with them.
    return int(found[1]), int(found[2]), int(found[3]), early or ((2, 0, ""),)


def fits(have: str, need: str) -> bool:
    """Whether a version is at least the one that is needed, and as compatible as it promises.

    The first number that is not 0 is the same: 1.4.0 fits 1.2, and neither 2.0.0 nor 0.9.0 does.
    """
    found, least = parse_version(have), parse_version(_full_version(need))
    if found is None or least is None:
        return False
    kept = 1 if least[0] else 2
    return found >= least and found[:kept] == least[:kept]


def _full_version(text: str) -> str:
    return text + ".0" * (2 - text.count(".")) if _LEAST.fullmatch(text) else text


def read_pack_file(folder: Path) -> Checked[PackFile]:
    """Return the `pack.yaml` of a folder."""
    read = read_source(folder / PACK_FILE)
    if read.value is None or read.value.root is None or read.findings:
        hint = f"write {PACK_FILE} with `name`, `version`, `licence` and `credit`"
        return Checked(None, tuple(replace(finding, hint=hint) for finding in read.findings))
    shaper = Shaper()
    file = shaper.read(read.value.root, PackFile, PACK_FILE)
    return _check_pack(file, shaper.findings)


def _check_pack(file: PackFile | None, findings: list[Finding]) -> Checked[PackFile]:
    if file is None:
        return Checked(None, tuple(findings))

    def refuse(text: str, message: str, hint: str, severity: Severity = Severity.ERROR) -> None:
        span = text_place(text, file.name.span)
        findings.append(Finding(codes.BAD_PACK, span, message, hint, severity))

    if (
        not _NAME.fullmatch(file.name)
        or len(file.name) > 60
        or portable_name(file.name) != file.name
    ):
        message = f"`{file.name}` is no name of a pack"
        refuse(file.name, message, "write up to 60 small letters, digits and hyphens: `my-pack`")
    if parse_version(file.version) is None:
        hint = "write three numbers, such as `1.2.0`"
        refuse(file.version, f"`{file.version}` is no version", hint)
    if not file.credit.strip():
        refuse(file.credit, "`credit` is empty", "say who made it, in one line")
    if not _EXPRESSION.fullmatch(file.licence):
        hint = "write an identifier of spdx.org/licenses, such as `CC-BY-4.0`, or `LicenseRef-NAME`"
        refuse(file.licence, f"`{file.licence}` is no SPDX licence", hint)
    else:
        for one in re.split(r" (?:AND|OR|WITH) ", file.licence):
            if (id_ := one.strip("()")) not in LICENCES and not id_.startswith(_OWN_TERMS):
                message = f"`{id_}` is none of the licences that are usual for games"
                hint = suggestion(id_, LICENCES, "licences")
                refuse(file.licence, message, hint, Severity.WARNING)
    for name, version in file.needs.items():
        if parse_version(_full_version(version)) is None:
            refuse(version, f"`{version}` is no version", f"write `{name}: 1`, `1.2` or `1.2.0`")
    return Checked(None if errors(findings) else file, tuple(findings))


def write_pack_file(file: PackFile, files: Mapping[str, bytes]) -> str:
    """Return the `pack.yaml` of an archive, which ends with the digest of all that is in it."""
    texts = {key: getattr(file, key) for key in ("name", "version", "licence", "credit", "about")}
    lines = [f"{key}: {_quoted(text)}" for key, text in texts.items() if text]
    lines += ["needs:"] if file.needs else []
    lines += [f"  {_quoted(name)}: {_quoted(file.needs[name])}" for name in sorted(file.needs)]
    known = hashlib.sha256("\n".join(lines).encode())
    for name in sorted(name for name in files if name != PACK_FILE):
        known.update(f"\n{name} {hashlib.sha256(files[name]).hexdigest()}".encode())
    return "\n".join([*lines, f"sha256: {known.hexdigest()}", ""])


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def find_needs(folder: Path, findings: list[Finding]) -> dict[str, Span]:
    """Return the packs and shipped rulesets that a pack's files name, each with a place."""
    inside, needs = os.path.realpath(folder) + os.sep, dict[str, Span]()
    for path in yaml_files(folder):
        if path.name == PACK_FILE or path.relative_to(folder).parts[0] == PACKS:
            continue
        read = read_source(path).value
        named = [read.get(key) for key in ("extends", "ruleset")] if read is not None else []
        for item in (item for node in named for item in items_of(node) or (node,)):
            if not isinstance(item, ScalarNode) or not item.raw:
                continue
            found = find_ruleset(item.raw, item.span, path.parent)
            findings += (replace(finding, code=codes.PACK_NEEDS) for finding in found.findings)
            for one in found.value or ():
                pack = pack_of(one)
                if (os.path.realpath(one) + os.sep).startswith(inside):
                    continue
                if one.parent == rulesets_folder():
                    needs.setdefault(one.name, item.span)
                elif pack is not None and "/" not in item.raw:
                    needs.setdefault(pack.name, item.span)
                else:
                    message = f"`{item.raw}` leads out of the pack"
                    hint = "make a pack of that ruleset too, add it, and name it by its id"
                    findings.append(Finding(codes.PACK_NEEDS, item.span, message, hint))
    return needs


def check_needs(packs: Mapping[Path, PackFile]) -> Iterator[Finding]:
    """Yield findings about packs that need what is not there, or each other, or share names."""
    heads = {id_: read_source(rulesets_folder() / id_ / "ruleset.yaml") for id_ in ruleset_ids()}
    versions = {
        i: _full_version(raw_text(r.value.get("version"))) for i, r in heads.items() if r.value
    }
    versions |= {str(file.name): str(file.version) for file in packs.values()}
    needs = {str(file.name): file.needs for file in packs.values()}
    taken = dict.fromkeys(heads, "sheetgen")
    for folder, file in packs.items():
        found: list[tuple[Span, str, str]] = []
        for id_ in dict.fromkeys((str(file.name), *(id_ for id_, _ in rulesets_in(folder)))):
            if (owner := taken.setdefault(id_, str(file.name))) != file.name:
                message = f"`{file.name}` has a ruleset `{id_}`, and {owner} has one too"
                hint = "remove one of the two packs, or ask for another id"
                found.append((file.name.span, message, hint))
        for name, version in file.needs.items():
            span, have = text_place(name, file.name.span), versions.get(name)
            if have is None:
                message = f"`{file.name}` needs the pack `{name}` {version}, which is not here"
                hint = f"add it: `sheetgen add {name}-{_full_version(version)}.zip`"
                found.append((span, message, hint))
            elif not fits(have, version):
                message = f"`{file.name}` needs `{name}` {version}, and {have} is here"
                found.append((span, message, f"add a version of `{name}` that fits, with --force"))
        circle = _find_circle(str(file.name), needs)
        if circle and file.name == min(circle):  # once for all of them
            message = f"these packs need each other: {' → '.join(circle)}"
            found.append((file.name.span, message, "ask their authors to join them"))
        yield from (Finding(codes.PACK_NEEDS, *one) for one in found)


def _find_circle(name: str, needs: Mapping[str, Mapping[str, Text]]) -> list[str]:
    """Return the packs of a cycle that begins with `name`, or nothing."""
    came: dict[str, str] = {}  # each pack that is reached, and from which one
    for one in (queue := [name]):
        for other in map(str, needs.get(one, ())):
            if other == name:
                path = [name, one]
                while path[-1] != name:
                    path.append(came[path[-1]])
                return path[::-1]
            if other not in came:
                came[other] = one
                queue.append(other)
    return []
