"""`sheetgen pack`, `add`, `remove` and `list packs`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from typer import BadParameter

from sheetgen.books.checking import check_paths
from sheetgen.cli.console import Reporter, write_lines
from sheetgen.cli.parameters import argument, option
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, errors, split_lines
from sheetgen.diag.words import suggestion
from sheetgen.load.files import read_text
from sheetgen.load.rulesets.rulesets import PACK_FILE, PACKS, packs_in
from sheetgen.plugins.packs.archive import (
    check_contents,
    check_names,
    collect_files,
    read_pack_archive,
)
from sheetgen.plugins.packs.packs import (
    PackFile,
    check_needs,
    find_needs,
    read_pack_file,
    write_pack_file,
)
from sheetgen.write import (
    cannot_write,
    changed_finding,
    drafts_in,
    may_replace,
    pack_archive,
    place_draft,
    remove_empty_folder,
    write_bytes,
)

_DRAFTS: Final = ".add"  # the folder in `packs` for packs that are checked
_HERE: Final = Path(PACKS)
_OWN_NAME: Final = "rename it, or leave it out of the folder"


def pack_command(
    folder: Annotated[Path, argument("A folder with a pack.yaml.", "FOLDER")],
    out: Annotated[
        Path | None, option("--out FILE", "The file to write.", shown="NAME-VERSION.zip")
    ] = None,
    force: Annotated[bool, option("--force", "Replace the file if it exists.")] = False,
) -> None:
    """Pack a folder into one file that others can add: a ruleset, characters, pictures.

    `pack.yaml` in the folder says what the pack is called, its version, its licence, whom prints
    credit, and what it needs. What is in the pack is checked first. Equal folders give equal bytes.

    Example: sheetgen pack my-game

    Guide: docs/guides/packs.md
    """
    reporter, findings = Reporter(), list[Finding]()
    read = read_pack_file(folder)
    findings += read.findings
    files = collect_files(folder, findings) if read.value is not None else {}
    place = Span(str(folder))
    findings += check_names(files, place, _OWN_NAME)
    findings += check_contents(files, place, _OWN_NAME)
    if read.value is not None and not errors(findings):
        others = {p: f for p, f in _installed().items() if f.name != read.value.name}
        findings += _find_new({**others, folder: read.value}, others)
        findings += _check_inside(folder, read.value)
    reporter.report(findings)
    if read.value is not None and not errors(findings):
        text = write_pack_file(read.value, files).encode()
        content = pack_archive(sorted({**files, PACK_FILE: text}.items()), "", stored=True)
        target = out or Path(f"{read.value.name}-{read.value.version}.zip")
        failed = None
        try:
            if force or may_replace(target, content):
                write_bytes(target, content)
            else:
                failed = changed_finding(target, "name another file with --out, or add --force")
        except OSError as error:
            failed = cannot_write(target, error)
        reporter.written(target, failed)
    reporter.exit()


def _check_inside(folder: Path, file: PackFile) -> Iterable[Finding]:
    """Return findings about the files of a pack, and about what these use and it does not name."""
    findings: list[Finding] = []
    for name, span in find_needs(folder, findings).items():
        if name not in file.needs:
            message = f"this uses `{name}`, which `needs` of {PACK_FILE} does not name"
            hint = f"write `needs: {{{name}: VERSION}}`; `sheetgen list packs` shows versions"
            findings.append(Finding(codes.PACK_NEEDS, span, message, hint))
    if not findings:  # with a part of the rules missing, all names from that part would be errors
        findings += (wrong for one in check_paths([folder], {}) for wrong in errors(one.findings))
    return findings


def add_command(
    files: Annotated[list[Path], argument("Files of `sheetgen pack`.", "FILE…")],
    force: Annotated[
        bool, option("--force", "Replace a pack of that name, whatever its version.")
    ] = False,
) -> None:
    """Check packs and copy them into `packs/` of this folder.

    Files here and below then use the pack's rulesets by name. A pack holds no code: YAML, texts,
    templates, pictures and fonts only. Nothing is written unless all files are in order.
    Nothing is asked of the network.

    Example: sheetgen add my-game-1.2.0.zip

    Guide: docs/guides/packs.md
    """
    reporter = Reporter()
    try:
        with drafts_in(_HERE / _DRAFTS) as drafts:
            _add(files, drafts, reporter, force=force)
    except OSError as error:
        reporter.report([cannot_write(_HERE, error, "check the folder")])
    remove_empty_folder(_HERE)
    reporter.exit()


def _add(archives: Iterable[Path], drafts: Path, reporter: Reporter, *, force: bool) -> None:
    """Unpack archives into a folder for drafts, and move them to their places if all are right."""
    made: dict[Path, PackFile] = {}
    for number, archive in enumerate(archives):
        draft = _unpack(archive, drafts / str(number), reporter)
        if draft is None:
            continue
        if (folder := drafts / PACKS / draft.name) in made:
            message = f"two of these files are the pack `{draft.name}`"
            finding = Finding(codes.BAD_PACK, Span(str(archive)), message, "add one of them")
            reporter.report([finding])
            continue
        place_draft(drafts / str(number), folder)
        made[folder] = read_pack_file(folder).value or draft  # with the places of the new folder
    there, names = _installed(), {file.name for file in made.values()}
    kept = {folder: file for folder, file in there.items() if file.name not in names}
    wrong = _find_new({**kept, **made}, there)
    for folder, file in made.items():
        target = _HERE / file.name
        wrong += [] if wrong else _check_inside(folder, file)
        same = collect_files(target, []) == collect_files(folder, [])
        if os.path.lexists(target) and not (force or same):
            message = "another version of this pack, or something else, is here already"
            hint = f"remove it with `sheetgen remove {file.name}`, or replace it with --force"
            wrong.append(Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint))
    shown = {folder: str(file.name) for folder, file in made.items()}
    reporter.report(_shown(one, shown, reporter) for one in wrong)
    for folder, file in made.items() if not errors(reporter.reported) else ():
        target, old = _HERE / file.name, drafts / f"old-{file.name}"
        if os.path.lexists(target):
            place_draft(target, old)
        try:
            place_draft(folder, target)
        except OSError:
            if os.path.lexists(old):
                place_draft(old, target)
            raise
        write_lines(f"{target}  {file.version}  {file.licence}")


def _unpack(archive: Path, folder: Path, reporter: Reporter) -> PackFile | None:
    """Write the files of an archive to `folder`; None if something is wrong with them."""
    read = read_pack_archive(archive)
    reporter.report(read.findings)
    if read.value is None:
        return None
    for name, content in read.value.items():
        write_bytes(folder / name, content)
    file = read_pack_file(folder)
    shown = {folder: str(archive)}
    reporter.report(_shown(one, shown, reporter) for one in file.findings)
    if file.value is None:
        return None
    if write_pack_file(file.value, read.value).encode() != read.value.get(PACK_FILE):
        message = "its files are not those that were packed: the digest differs"
        hint = "ask for the file again, or unpack it and run `sheetgen pack`"
        reporter.report([Finding(codes.BAD_PACK, Span(str(archive)), message, hint)])
        return None
    return file.value


def _find_new(packs: Mapping[Path, PackFile], before: Mapping[Path, PackFile]) -> list[Finding]:
    """Return the findings about the needs of `packs` that were not there before."""
    known = {(finding.message, finding.hint) for finding in check_needs(before)}
    return [one for one in check_needs(packs) if (one.message, one.hint) not in known]


def _shown(finding: Finding, packs: Mapping[Path, str], reporter: Reporter) -> Finding:
    """Return a finding about a file of a draft with the path that the file has in its pack."""
    path = Path(finding.span.file)
    for folder, name in packs.items():
        if path.is_relative_to(folder):
            shown = f"{name}: {path.relative_to(folder).as_posix()}"
            read = read_text(path).value if path.is_file() else None
            reporter.lines[shown] = split_lines(read[0]) if read else []
            return replace(finding, span=replace(finding.span, file=shown))
    return finding


def remove_command(
    name: Annotated[str, argument("The name of a pack; `sheetgen list packs` shows all.", "NAME")],
    force: Annotated[
        bool, option("--force", "Remove it although files in it were changed.")
    ] = False,
) -> None:
    """Remove a pack from `packs/` of this folder.

    A pack that another one needs stays, and so does one whose files were changed since.

    Example: sheetgen remove my-game

    Guide: docs/guides/packs.md
    """
    reporter, there = Reporter(), _installed()
    found = next((folder for folder, file in there.items() if file.name == name), _HERE / name)
    unread = found not in there and found in packs_in(Path())
    if found not in there and not unread:
        hint = suggestion(name, [str(file.name) for file in there.values()], "packs")
        message = f"there is no pack `{name}` in {PACKS}/"
        raise BadParameter(f"{message}; {hint}" if hint else message, param_hint="NAME")
    rest = {folder: file for folder, file in there.items() if folder != found}
    hint = "remove the pack that needs it first"
    reporter.report(replace(finding, hint=hint) for finding in _find_new(rest, there))
    content = collect_files(found, [])
    digested = "" if unread else write_pack_file(there[found], content)
    if not force and digested.encode() != content.get(PACK_FILE):
        reporter.report([changed_finding(found, "copy your changes, or remove it with --force")])
    if not errors(reporter.reported):
        try:
            with drafts_in(_HERE / _DRAFTS) as drafts:
                place_draft(found, drafts / name)
        except OSError as error:
            reporter.report([cannot_write(found, error, "check the folder")])
    remove_empty_folder(_HERE)
    reporter.exit()


def _installed() -> dict[Path, PackFile]:
    """Return the packs of this folder that can be read."""
    read = {folder: read_pack_file(folder).value for folder in packs_in(Path())}
    return {folder: file for folder, file in read.items() if file is not None}


def list_packs() -> tuple[str, ...]:
    """Return a line for each pack of this folder; findings about what they need are reported."""
    reporter, there, lines = Reporter(), _installed(), []
    for file in there.values():
        needs = ", ".join(f"{name} {version}" for name, version in file.needs.items())
        more = f"; needs {needs}" if needs else ""
        lines.append(f"{file.name:<28} {file.version}  {file.licence}  {file.credit}{more}")
    reporter.report(finding for one in packs_in(Path()) for finding in read_pack_file(one).findings)
    reporter.report(check_needs(there))
    if errors(reporter.reported):
        write_lines(*lines)
        reporter.exit()
    return tuple(lines) or ("no packs here; `sheetgen add FILE` adds one",)
