"""Print a request: report its findings, write its files, and end the command."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from inspect import Signature, signature
from itertools import chain
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, NoReturn, Self

import click
import typer
from click.core import ParameterSource

from sheetgen import write as disk
from sheetgen.cli import parameters
from sheetgen.cli.console import Reporter, sorted_options, write_document, write_lines
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.load.cache import cache_path
from sheetgen.load.files import record_reads, yaml_files
from sheetgen.model.requests import FilePart, PrintRequest, RequestT, SharedOptions, file_formats
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PrintIdentity, sealed
from sheetgen.prints.kinds import PrintContext, PrintKind, PrintResult, find_kind, print_request
from sheetgen.rules.index import file_stem

STDOUT: Final = "-"  # The `--out` that means stdout
_TYPED: Final = ParameterSource.COMMANDLINE
_FILES: Final = frozenset({"pdf", "html", "md", "csv", "json", "png", "jpeg", "webp", "xlsx"})
_TEXTS: Final = frozenset({"md", "csv", "json"})


def name_file(out: Path, kinds: list[str]) -> tuple[Path, str, list[str]]:
    """Return the folder of `--out`, the stem of the file that it names, or none, and the formats.

    The extension of a file is its format. Another one in `--to` is wrong usage, and so is a format
    that the command does not write.
    """
    form = out.suffix.lower()[1:]
    if form not in _FILES or os.path.isdir(out):
        return out, "", kinds
    context = click.get_current_context()
    option = next((one for one in context.command.params if one.name == "kinds"), None)
    choice = option.type if option is not None else None
    known = [*map(str, choice.choices)] if isinstance(choice, click.Choice) else kinds
    message = ""
    if form not in known:
        message = f"`{out.name}` is no file that `{context.info_name}` writes; "
        message += f"name a folder, or a file that ends in one of: {', '.join(known)}"
    elif kinds != [form] and context.get_parameter_source("kinds") is _TYPED:
        message = f"`{out.name}` is one file, and --to asks for {', '.join(kinds)}; "
        message += "leave out --to, or name a folder"
    if message:
        raise typer.BadParameter(message, param_hint="--out")
    return out.parent, out.stem, [form]


def run_print(
    kind: PrintKind[RequestT], request: RequestT, out: Path, stem: str = "", *, force: bool
) -> None:
    """Print a request into the folder `out`, or texts to stdout for `-`; end the command.

    `stem` names the only file; a request of several prints is wrong usage then.
    """
    request = replace(request, formats=tuple(dict.fromkeys(request.formats)))
    if str(out) == STDOUT and not _TEXTS.issuperset(request.outputs):
        message = "only md, csv and json go to stdout; other formats need a folder"
        raise typer.BadParameter(message, param_hint="--out")
    reporter = Reporter(request.strict)
    context = click.get_current_context(silent=True)
    typed = context is not None and context.get_parameter_source("dpi") is _TYPED
    if typed and not request.picture_formats and request.outputs == request.formats:
        message = f"only pictures have a resolution; {', '.join(request.formats)} has none"
        hint = "add `--to png`, or leave out `--dpi`"
        span = request.at("--dpi")
        reporter.report([Finding(codes.NOT_FOR_PICTURES, span, message, hint, Severity.WARNING)])
    sources = [file for name in request.of for file in yaml_files(Path(name))]
    with record_reads() as reads, OutputFiles(out, reporter, sources, reads, force=force) as files:
        results = iter(print_request(request, PrintContext(), kind))
        first: list[PrintResult] = []  # a second print is refused before anything is written
        for one in results if stem else ():
            first.append(one)
            if sum(bool(held.words) for held in first) > 1:
                message = "it names one file, and there are several to write; name a folder"
                raise typer.BadParameter(message, param_hint="--out")
        for result in chain(first, results):
            reporter.remember(result.source)
            reporter.report(result.findings)
            if result.withheld and result.source is not None:
                message = "not printed; --draft prints it all the same"
                write_lines(f"{result.source.file}: {message}", "", err=True)
            usual = disk.portable_name(result.stem or file_stem(result.words.get("stem", "")))
            name = stem or usual or "sheet"
            source = result.source.file if result.source is not None else ""
            for part in result.parts():
                identity = result.identify(request, part.format)
                name = files.write(name, part, source, identity)
    reporter.exit()


def _shared_options(
    kinds: parameters.Kinds = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: parameters.Paper = "a4",
    theme: parameters.Theme = "standard",
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    out: parameters.FileOut = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """The options that all printing commands have, with their defaults."""


def printing_command(
    make: Callable[..., PrintRequest | None], *, presets: bool = True
) -> Callable[..., None]:
    """Return the command that prints the request that `make` returns; with None, nothing more.

    `make` takes the `SharedOptions` of a request, then the arguments and options that only this
    command has. One that has the name of a shared one is in its place. Without `presets`, it has
    neither `--for` nor `--archive`.
    """
    own, usual = (signature(one, eval_str=True).parameters for one in (make, _shared_options))
    names = [*own][1:]
    left_out = () if presets else ("preset_name", "archive")
    shared = {name: usual[name] for name in usual if name not in left_out}
    every = {name: own[name] for name in names if name not in shared}
    every |= {name: own.get(name, one) for name, one in shared.items()}

    def command(**given: Any) -> None:
        out, stem, given["kinds"] = name_file(given["out"], given["kinds"])
        options = SharedOptions(
            place=Span(""),
            beside=".",
            formats=file_formats(given["kinds"]),
            options=sorted_options(given["settings"]),
            preset=given.get("preset_name", ""),
            archive=given.get("archive", False),
            dpi=given["dpi"],
            transparent=given["transparent"],
            paper=given["paper"],
            theme=given["theme"],
            strict=given["strict"],
        )
        request = make(options, **{name: given[name] for name in names})
        if request is not None:
            run_print(find_kind(request.kind), request, out, stem, force=given["force"])

    command.__doc__ = make.__doc__
    command.__signature__ = Signature(list(every.values()))  # type: ignore[attr-defined]
    command.__annotations__ = {name: one.annotation for name, one in every.items()}
    return command


def pages_command(
    kind: PrintKind[RequestT],
    about: str,
    files: tuple[str, str] = ("Characters' files, or folders of them.", "PATH…"),
) -> Callable[..., None]:
    """Return the command of a kind without options of its own; `files`: what it prints."""

    def make(shared: SharedOptions, paths: list[str]) -> PrintRequest:
        return kind.request(tuple(paths), **shared)

    make.__doc__ = about
    make.__annotations__["paths"] = Annotated[list[str], parameters.argument(*files)]
    return printing_command(make)


def show_names(
    request: RequestT,
    lines: Callable[[Ruleset], Iterable[str]],
    find_wrong: Callable[[RequestT, Ruleset], Iterable[Finding]],
) -> NoReturn:
    """Print `lines` about a request's ruleset, or what `find_wrong` finds; end the command."""
    from sheetgen.prints.rulesets import load_checked_ruleset

    reporter = Reporter(request.strict)
    checked = load_checked_ruleset(request.of[0], dict(request.options))
    reporter.report(checked.findings)
    if checked.rules is not None:
        wrong = tuple(find_wrong(request, checked.rules))
        reporter.report(wrong)
        write_lines(*(() if wrong else lines(checked.rules)))
    reporter.stop()


class OutputFiles:
    """Writes the outputs of one run into a folder, or those that are text to stdout for `-`.

    A second input of one name gets a number. Nothing leads out of the folder. No source is
    overwritten, and no file that somebody changed. Those that `force` replaces are written at
    the end of the block, when all that the run `reads` is known. A folder that has the name of a
    file is wrong usage.
    """

    def __init__(
        self,
        out: Path,
        reporter: Reporter,
        sources: Sequence[Path],
        reads: Collection[str] = (),
        *,
        force: bool,
    ) -> None:
        if out.suffix.lower()[1:] in _FILES and not os.path.isdir(out):
            message = f"it names a folder, and `{out.name}` looks like a file; "
            message += f"write `--out {out.with_suffix('')}`"
            raise typer.BadParameter(message, param_hint="--out")
        self.out, self.reporter, self.sources, self.force = out, reporter, sources, force
        self._reads = reads
        self._sources_by_place: dict[str, str] = {}
        self._held: dict[Path, Path] = {}
        self._drafts: Path | None = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        unsure = bool(errors(self.reporter.reported))
        with self._stack:
            for target, draft in ({} if any(error) else self._held).items():
                # Files that somebody changed, unless this run read them, or should have.
                failed = None
                if disk.is_source(target, (*self.sources, *map(Path, self._reads))):
                    failed = disk.source_finding(target)
                elif unsure:
                    failed = disk.unsure_finding(target)
                else:
                    try:
                        disk.place_draft(draft, target)
                    except OSError as problem:
                        failed = disk.cannot_write(target, problem)
                self.reporter.written(target, failed)

    def write(
        self, stem: str, part: FilePart, source: str = "", identity: PrintIdentity | None = None
    ) -> str:
        """Write one file of a print, or report why not; return the stem that its name has."""
        end = f"{part.tail}.{part.format}"
        return self.write_named(f"{stem}{end}", part.read, source, identity, end).removesuffix(end)

    def write_named(
        self,
        name: str,
        read: Callable[[], bytes],
        source: str = "",
        identity: PrintIdentity | None = None,
        end: str = "",
    ) -> str:
        """Write what `read` returns to the relative path `name`; return the name that it gets.

        If another print has the name, a number is put before `end`, mostly the extension.
        """
        if (place := disk.name_key(name)) in self._sources_by_place:
            wanted, end = name, end or PurePath(name).suffix
            name = disk.free_name(wanted.removesuffix(end), self._sources_by_place, end)
            first = self._sources_by_place[place] or "the empty sheet"
            found = disk.taken_finding(Span(source), wanted, first, name)
            self.reporter.report([found] if str(self.out) != STDOUT else ())
        self._sources_by_place[disk.name_key(name)] = source
        if str(self.out) == STDOUT:
            write_document(sealed(name, read(), identity).decode())
            return name
        if not disk.stays_inside(self.out, name):
            hint = "remove the link, or name another folder with --out"
            self.reporter.report([disk.linked_finding(self.out / name, hint)])
            return name
        target = self.out / name
        try:
            held = self.force and not disk.may_replace(target)
        except OSError:  # a folder, or one that cannot be read; `write_file` reports it
            held = self.force
        content = read()
        if not held:
            failed = disk.write_file(target, content, self.sources, identity, force=self.force)
            self.reporter.written(target, failed)
            return name
        try:
            if self._drafts is None:
                self._drafts = self._stack.enter_context(disk.drafts_in(cache_path("drafts")))
            content = sealed(target.name, content, identity)
            self._held[target] = disk.write_draft(self._drafts, content)
        except OSError as error:
            self.reporter.written(target, disk.cannot_write(target, error))
        return name
