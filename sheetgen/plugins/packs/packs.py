"""`sheetgen pack`, `add`, `remove` and `list packs`, and what a pack may hold.

A pack comes from a stranger: it holds no code, and nothing of it is written before all is checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

from typer import BadParameter

from sheetgen import write as disk
from sheetgen.books.checking import check_paths
from sheetgen.cli.console import Reporter, write_lines
from sheetgen.cli.parameters import argument, flag, option
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span, errors, split_lines
from sheetgen.diag.words import suggestion
from sheetgen.load import files as loading
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import (
    PACK_FILE,
    PACKS,
    check_licence,
    find_ruleset,
    pack_of,
    packs_in,
    rulesets_in,
)
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.requests import OUTPUT_FOLDER
from sheetgen.model.source import ScalarNode, Text, items_of, raw_text, rule_model, text_place

_DRAFTS: Final = ".add"  # the folder in `packs` for packs that are checked
_HERE: Final = Path(PACKS)
_OWN_NAME: Final = "rename it, or leave it out of the folder"


def pack_command(
    folder: Annotated[Path, argument("A folder with a pack.yaml.", "FOLDER")],
    out: Path | None = option(
        "--out FILE", "The file to write.", shown="NAME-VERSION.zip", default=None
    ),
    force: Annotated[bool, option("--force", "Replace the file if it exists.")] = False,
) -> None:
    """Pack a folder into one file that others can add: a ruleset, characters, pictures.

    `pack.yaml` in the folder says what the pack is called, its version, its licence, whom prints
    credit, and what it needs. What is in the pack is checked first. Equal folders give equal bytes.

    Example: sheetgen pack my-game

    Guide: docs/guides/packs.md
    """
    reporter, read, place = Reporter(), read_pack_file(folder), Span(str(folder))
    findings = [*read.findings]
    if (file := read.value) is None:
        reporter.stop(*findings)
    files = collect_files(folder, findings)
    findings += check_names(files, place, _OWN_NAME)
    findings += check_contents(files, place, _OWN_NAME)
    if not errors(findings):
        others = {p: f for p, f in _installed().items() if f.name != file.name}
        findings += _find_new({**others, folder: file}, others)
        findings += _check_inside(folder, file)
    reporter.report(findings)
    if not errors(findings):
        text = write_pack_file(file, files).encode()
        content = disk.pack_archive(sorted({**files, PACK_FILE: text}.items()), "", stored=True)
        target, failed = out or Path(f"{file.name}-{file.version}.zip"), None
        try:
            if force or disk.may_replace(target, content):
                disk.write_bytes(target, content)
            else:
                failed = disk.changed_finding(
                    target, "name another file with --out, or add --force"
                )
        except OSError as error:
            failed = disk.cannot_write(target, error)
        reporter.written(target, failed)
    reporter.exit()


def _check_inside(folder: Path, file: PackFile) -> Iterable[Finding]:
    """Return findings about the files of a pack, and about what these use and it does not name."""
    findings: list[Finding] = []

    def refuse(span: Span, message: str, hint: str) -> None:
        findings.append(Finding(codes.PACK_NEEDS, span, message, hint))

    inside, needs = os.path.realpath(folder) + os.sep, dict[str, Span]()
    for path in loading.yaml_files(folder):
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
                    hint = "make a pack of that ruleset too, add it, and name it by its id"
                    refuse(item.span, f"`{item.raw}` leads out of the pack", hint)
    for name, span in needs.items():
        if name not in file.needs:
            message = f"this uses `{name}`, which `needs` of {PACK_FILE} does not name"
            hint = f"write `needs: {{{name}: VERSION}}`; `sheetgen list packs` shows versions"
            refuse(span, message, hint)
    if not findings:  # with a part of the rules missing, all names from that part would be errors
        findings += (wrong for one in check_paths([folder], {}) for wrong in errors(one.findings))
    return findings


def add_command(
    files: Annotated[list[Path], argument("Files of `sheetgen pack`.", "FILE…")],
    force: bool = flag("--force", "Replace a pack of that name, whatever its version."),
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
        with disk.drafts_in(_HERE / _DRAFTS) as drafts:
            _add(files, drafts, reporter, force=force)
    except OSError as error:
        reporter.report([disk.cannot_write(_HERE, error, "check the folder")])
    disk.remove_empty_folder(_HERE)
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
        disk.place_draft(drafts / str(number), folder)
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
            disk.place_draft(target, old)
        try:
            disk.place_draft(folder, target)
        except OSError:
            if os.path.lexists(old):
                disk.place_draft(old, target)
            raise
        write_lines(f"{target}  {file.version}  {file.licence}")


def _unpack(archive: Path, folder: Path, reporter: Reporter) -> PackFile | None:
    """Write the files of an archive to `folder`; None if something is wrong with them."""
    read = read_pack_archive(archive)
    reporter.report(read.findings)
    if read.value is None:
        return None
    for name, content in read.value.items():
        disk.write_bytes(folder / name, content)
    file = read_pack_file(folder)
    reporter.report(_shown(one, {folder: str(archive)}, reporter) for one in file.findings)
    if file.value is None:
        return None
    if write_pack_file(file.value, read.value).encode() == read.value.get(PACK_FILE):
        return file.value
    message = "its files are not those that were packed: the digest differs"
    hint = "ask for the file again, or unpack it and run `sheetgen pack`"
    reporter.report([Finding(codes.BAD_PACK, Span(str(archive)), message, hint)])
    return None


def _find_new(packs: Mapping[Path, PackFile], before: Mapping[Path, PackFile]) -> list[Finding]:
    known = {(finding.message, finding.hint) for finding in check_needs(before)}
    return [one for one in check_needs(packs) if (one.message, one.hint) not in known]


def _shown(finding: Finding, packs: Mapping[Path, str], reporter: Reporter) -> Finding:
    """Return a finding about a file of a draft with the path that the file has in its pack."""
    path = Path(finding.span.file)
    for folder, name in packs.items():
        if path.is_relative_to(folder):
            shown = f"{name}: {path.relative_to(folder).as_posix()}"
            read = loading.read_text(path).value if os.path.isfile(path) else None
            reporter.lines[shown] = split_lines(read[0]) if read else []
            return replace(finding, span=replace(finding.span, file=shown))
    return finding


def remove_command(
    name: Annotated[str, argument("The name of a pack; `sheetgen list packs` shows all.", "NAME")],
    force: bool = flag("--force", "Remove it although files in it were changed."),
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
        reporter.report(
            [disk.changed_finding(found, "copy your changes, or remove it with --force")]
        )
    if not errors(reporter.reported):
        try:
            with disk.drafts_in(_HERE / _DRAFTS) as drafts:
                disk.place_draft(found, drafts / name)
        except OSError as error:
            reporter.report([disk.cannot_write(found, error, "check the folder")])
    disk.remove_empty_folder(_HERE)
    reporter.exit()


def _installed() -> dict[Path, PackFile]:
    read = {folder: read_pack_file(folder).value for folder in packs_in(Path())}
    return {folder: file for folder, file in read.items() if file is not None}


def check_pack(path: Path) -> tuple[Finding, ...]:
    """Return the findings about a `pack.yaml`, for `sheetgen check`."""
    return read_pack_file(path.parent).findings


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
        reporter.stop()
    return tuple(lines) or ("no packs here; `sheetgen add FILE` adds one",)


@rule_model
class PackFile:
    """The content of `pack.yaml`."""

    name: Text  # The name of the pack, and of its folder in `packs/`.
    version: Text  # Three numbers, by Semantic Versioning.
    licence: Text  # An SPDX expression.
    credit: Text  # One line, which prints of what is in the pack show.
    about: Text | str = ""  # What is in it.
    needs: Mapping[str, Text] = field(default_factory=dict)  # Versions by name.
    sha256: str = ""  # The digest of the files and of the other keys; `sheetgen pack` writes it.


_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PART: Final = r"(?:0|[1-9]\d{0,8})"
_WORD: Final = rf"(?:{_PART}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION: Final = re.compile(
    rf"({_PART})\.({_PART})\.({_PART})(?:-({_WORD}(?:\.{_WORD})*))?(?:\+[0-9A-Za-z.-]+)?"
)
_LEAST: Final = re.compile(rf"{_PART}(\.{_PART})?")

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
    file, findings = shaper.read(read.value.root, PackFile, PACK_FILE), shaper.findings
    if file is None:
        return Checked(None, tuple(findings))

    def refuse(text: str, message: str, hint: str, severity: Severity = Severity.ERROR) -> None:
        span = text_place(text, file.name.span)
        findings.append(Finding(codes.BAD_PACK, span, message, hint, severity))

    named = _NAME.fullmatch(file.name) and len(file.name) <= 60
    if not named or disk.portable_name(file.name) != file.name:
        message = f"`{file.name}` is no name of a pack"
        refuse(file.name, message, "write up to 60 small letters, digits and hyphens: `my-pack`")
    if parse_version(file.version) is None:
        hint = "write three numbers, such as `1.2.0`"
        refuse(file.version, f"`{file.version}` is no version", hint)
    if not file.credit.strip():
        refuse(file.credit, "`credit` is empty", "say who made it, in one line")
    findings += check_licence(
        file.licence, text_place(file.licence, file.name.span), codes.BAD_PACK
    )
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
    """Return the packs of the shortest cycle that begins with `name`, or nothing."""
    reached, paths = {name}, [[name]]
    for path in paths:
        for other in map(str, needs.get(path[-1], ())):
            if other == name:
                return [*path, name]
            if other not in reached:
                reached.add(other)
                paths.append([*path, other])
    return []


_TEXTS: Final = (".yaml", ".yml", ".md", ".txt", ".csv", ".svg", ".css", ".j2")
_BEGINNINGS: Final[Mapping[str, tuple[bytes, ...]]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".webp": (b"RIFF",),
    ".ttf": (b"\0\1\0\0", b"true"),
    ".otf": (b"OTTO", b"\0\1\0\0"),
    ".woff": (b"wOFF",),
    ".woff2": (b"wOF2",),
}
"""How pictures and fonts begin, by extension. All other files are texts; no file is code."""

_LICENCES: Final = ("LICENSE", "LICENCE", "COPYING")  # texts whose names have no extension
MOST_FILES: Final = 2_000  # files of a pack
_MOST_NAME: Final = 180  # letters of a path
_MOST_FOLDERS: Final = 8
_MOST_RATIO: Final = 200  # unpacked size to packed size, where the unpacked size matters
_SMALL: Final = 1_000_000  # bytes whose ratio does not matter: repeated lines are packed well
_MOST_TOLD: Final = 10
_LOCKED: Final = 0x1 | 0x40 | 0x2000  # bits of an entry that is encrypted


def read_pack_archive(path: Path) -> Checked[dict[str, bytes]]:
    """Return the files of a pack by path; one wrong entry refuses all."""
    place, read = Span(str(path)), loading.read_document(path, loading.MOST_BYTES)
    if read.value is None and os.path.isdir(path):
        hint = f"pack it with `sheetgen pack {path}`, and add the file"
        return Checked(None, (_refuse(place, "this is a folder, not a pack", hint),))
    if read.value is None:
        return Checked(None, read.findings)
    content = read.value
    if not content.startswith(b"PK\3\4"):
        return Checked(None, (_refuse(place, "this is no pack", "name a file of `sheetgen pack`"),))
    files = loading.unpack_archive(
        content,
        place,
        loading.MOST_BYTES,
        check=lambda entries: _check_entries(entries, content, place),
    )
    wrong = [replace(finding, code=codes.BAD_PACK) for finding in files.findings]
    wrong += check_contents(files.value or {}, place)
    return Checked(None if wrong else files.value, tuple(wrong[:_MOST_TOLD]))


def _check_entries(
    entries: Sequence[loading.ArchiveEntry], content: bytes, place: Span
) -> Iterator[Finding]:
    if len(entries) > MOST_FILES:
        yield _refuse(place, f"it has more than {MOST_FILES:,} files")
        return
    for entry in entries:
        folder, name = entry.filename.endswith("/"), entry.filename.removesuffix("/")
        type_ = stat.S_IFMT(entry.external_attr >> 16)
        if type_ not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
            yield _refuse(place, f"`{name[:80]}` is a link or a device, not a file")
        elif entry.orig_filename != entry.filename:
            yield _refuse(place, f"`{name[:80]}` has a name that some systems refuse")
        elif entry.flag_bits & _LOCKED:
            yield _refuse(place, f"`{name[:80]}` is encrypted")
        elif entry.file_size > max(_SMALL, _MOST_RATIO * entry.compress_size):
            yield _refuse(place, f"`{name[:80]}` unpacks to {entry.file_size // 1_000_000} MB")
        elif folder and (entry.file_size or _wrong_name(f"{name}/a.txt")):
            yield _refuse(place, f"the folder `{name[:80]}` has a name that no pack has")
    if sum(entry.compress_size for entry in entries) > len(content):
        yield _refuse(place, "its files overlap each other")
    if sum(entry.file_size for entry in entries) > loading.MOST_BYTES:
        yield _refuse(place, f"it unpacks to more than {loading.MOST_BYTES // 1_000_000} MB")
    names = [entry.filename for entry in entries if not entry.filename.endswith("/")]
    yield from check_names(names, place)


def check_names(names: Iterable[str], place: Span, hint: str = "") -> Iterator[Finding]:
    """Yield a finding for each path that no pack may have, or that is like another one."""
    spelt: dict[str, tuple[str, bool]] = {}  # each path, and whether it is that of a file
    for name in names:
        if wrong := _wrong_name(name):
            yield _refuse(place, f"`{name[:80]}` {wrong}", hint)
            continue
        folders = [(str(folder), False) for folder in PurePosixPath(name).parents][-2::-1]
        for path, last in (*folders, (name, True)):
            first = spelt.get(disk.name_key(path))
            if first is not None and (last or first != (path, False)):
                message = f"`{first[0]}` and `{path}` are the same name on some systems"
                yield _refuse(place, message, "rename one of them")
                break
            spelt[disk.name_key(path)] = path, last


def _wrong_name(name: str) -> str:
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ".." in parts or re.match(r"[A-Za-z]:", name):
        return "leads out of the pack"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    if parts[0] in (PACKS, OUTPUT_FOLDER) or PACK_FILE in parts[1:]:
        return "belongs to another pack, or was printed"
    readable = disk.portable_name(name) == name and name.isprintable()
    if not readable or len(name) > _MOST_NAME or len(parts) > _MOST_FOLDERS:
        return "has a name that some systems refuse"
    known = parts[-1] in _LICENCES or Path(name).suffix.lower() in (*_TEXTS, *_BEGINNINGS)
    return "" if known else "is no text, picture or font, and a pack holds nothing else"


def check_contents(files: Mapping[str, bytes], place: Span, hint: str = "") -> Iterator[Finding]:
    """Yield a finding for each file that is not what its extension says."""
    for name, content in files.items():
        suffix = Path(name).suffix.lower()
        try:
            right = content.startswith(_BEGINNINGS.get(suffix, ())) or (
                suffix not in _BEGINNINGS and "\0" not in content.decode("utf-8-sig")
            )
        except UnicodeDecodeError:
            right = False
        if not right:
            kind = suffix.lstrip(".") or "text"
            yield _refuse(place, f"`{name[:80]}` holds something else than {kind}", hint)


def collect_files(folder: Path, findings: list[Finding]) -> dict[str, bytes]:
    """Return the files of a folder that a pack holds, sorted; a warning lists the others."""
    left: list[str] = []

    def is_needed(name: str) -> bool:
        if name.partition("/")[0] in (PACKS, OUTPUT_FOLDER) or "/." in f"/{name}":
            return False
        if _wrong_name(name).startswith("is no") or os.path.islink(folder / name):
            left.append(name)
        return name not in left

    read = loading.read_bundle(folder, is_needed)
    findings += (replace(finding, code=codes.BAD_PACK) for finding in read.findings)
    if left:
        named = ", ".join(f"`{name}`" for name in left[:3]) + (" and others" if left[3:] else "")
        message = f"left out: {named}; a pack holds texts, pictures and fonts"
        findings.append(Finding(codes.BAD_PACK, Span(str(folder)), message, "", Severity.WARNING))
    if len(read.value or ()) > MOST_FILES:
        findings.append(_refuse(Span(str(folder)), f"it has more than {MOST_FILES:,} files"))
    return dict(sorted((read.value or {}).items()))


def _refuse(place: Span, message: str, hint: str = "") -> Finding:
    return Finding(codes.BAD_PACK, place, message, hint or "ask the person who packed it")
