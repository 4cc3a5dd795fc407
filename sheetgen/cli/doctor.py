"""`sheetgen doctor`: what is installed, what is missing, and what works without it."""

from __future__ import annotations

import contextlib
import io
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from importlib import import_module, metadata
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Literal, TypeAlias

from sheetgen import __version__
from sheetgen.cli import console
from sheetgen.cli.parameters import Format
from sheetgen.diag.words import install_command
from sheetgen.records import frozen
from sheetgen.registry import broken_plugins, plugins

State: TypeAlias = Literal["ok", "note", "missing"]
Found: TypeAlias = tuple[State, Iterable[str], Mapping[str, Any]]  # state, lines, data
GOOD: Final = "ok"
NOTE: Final = "note"
MISSING: Final = "missing"  # it works; printing works without it; printing needs it
NEEDED: Final = {
    "yaml": ("pyyaml", "reads every file"),
    "jinja2": ("jinja2", "HTML, and new layouts"),
    "pikepdf": ("pikepdf", "new layouts, tables"),
    "fontTools": ("fonttools", "new layouts, tables"),
    "font_source_sans_pro": ("font-source-sans-pro", "letters"),
    "font_manrope": ("font-manrope", "letters"),
}
"""Modules without which hardly anything is printed: what to install, and what for."""

OPTIONAL: Final = {  # Modules without which sheets and cards are printed all the same.
    "weasyprint": ("weasyprint", "new layouts, tables, screens, encounters, odds on paper")
}

LAID_OUT: Final = "tables, screens, encounters, odds on paper, and games of your own"
"""What needs the layout engine even with all plates."""


@frozen
class Probe:
    """The result of probing one part; `data` says to programs what `lines` say to people."""

    name: str
    state: State
    lines: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)


def report(stdout: str | None) -> tuple[Probe, ...]:
    """Return the results of all probes; `stdout` is the encoding of the terminal."""
    version = platform.python_version()
    about = f"{platform.python_implementation()} {version} on {sys.platform}"
    paths = {"version": version, "executable": sys.executable}
    probes: dict[str, Callable[[], Found]] = {
        "python": lambda: (GOOD, (about, sys.executable), paths),
        "sheetgen": _probe_data,
        "packages": lambda: _packages(NEEDED, MISSING),
        "optional packages": lambda: _packages(OPTIONAL, NOTE),
        "plug-ins": _plugins,
        "fonts": _fonts,
        "layout engine": _engine,
        "plates": _plates,
        "cache": _cache,
        "test print": _print,
        "terminal": lambda: _terminal(stdout),
    }
    found: list[Probe] = []
    for name, probe in probes.items():
        try:
            state, lines, data = probe()
            found.append(Probe(name, state, tuple(lines), data))
        except Exception as error:  # noqa: BLE001 - a broken part may raise anything
            found.append(Probe(name, MISSING, (f"{type(error).__name__}: {_line(error)}",)))
    return tuple(found)


def all_is_well(probes: Iterable[Probe]) -> bool:
    """Whether sheets and cards of the included rulesets can be printed."""
    return all(probe.state != MISSING for probe in probes)


def _line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _probe_data() -> Found:
    from sheetgen.data import data_folder
    from sheetgen.load.rulesets.content import ruleset_ids

    folder, found = data_folder(), ruleset_ids()
    lines = (f"{__version__}, its data in {folder}", f"rulesets: {', '.join(found) or 'none'}")
    data = {"version": __version__, "data": str(folder), "rulesets": list(found)}
    return GOOD if found else MISSING, lines, data


def _plugins() -> Found:
    found = {plugin.name: plugin.summary for plugin in plugins()}
    broken = {one.name: one.reason for one in broken_plugins() if not one.absent}
    absent = [one.name for one in broken_plugins() if one.absent]
    lines = [", ".join(found), *([f"not installed: {', '.join(absent)}"] if absent else [])]
    lines += (f"{name} cannot be loaded: {reason}" for name, reason in broken.items())
    data = {"plugins": found, "absent": absent, "broken": broken}
    return NOTE if broken or absent else GOOD, lines, data


def _packages(needed: Mapping[str, tuple[str, str]], without: State) -> Found:
    lines, data = [], {}
    state: State = GOOD
    for module, (package, purpose) in needed.items():
        wrong = ""
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # libraries print their own messages
                import_module(module)
        except ImportError:
            wrong = "not there"
        except OSError:
            pass  # it is there, and the probe of the layout engine reports what it lacks
        except Exception as error:  # noqa: BLE001 - a broken package may raise anything
            wrong = f"broken: {_line(error)}"
        data[package] = ""
        if wrong:
            state = without
            lines.append(f"{package}: {wrong} (for {purpose}); `{install_command(package)}`")
            continue
        try:
            data[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            data[package] = "of unknown version"
        lines.append(f"{package} {data[package]}")
    return state, lines, data


def _fonts() -> Found:
    from sheetgen.load.designs.fonts import find_font
    from sheetgen.load.designs.templates import load_theme_tokens, theme_ids

    files = sorted({f for theme in theme_ids() for f in load_theme_tokens(theme).faces.values()})
    lost = []
    for file in files:
        try:
            find_font(file)
        except FileNotFoundError:
            lost.append(file)
    lines = [f"{len(files) - len(lost)} of {len(files)} font files"]
    lines += [f"not there: {', '.join(lost)}"] if lost else []
    return MISSING if lost else GOOD, lines, {"files": files, "missing": lost}


def _engine() -> Found:
    from sheetgen.render.flow.layout import NoEngine, load_engine

    try:
        version = str(load_engine().__version__)
    except NoEngine as error:
        why = (str(error).removeprefix("the layout engine "), error.hint)
        return NOTE, why, {"found": False, "hint": error.hint}
    number = int(import_module("weasyprint.text.ffi").pango.pango_version())
    pango = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    data = {"found": True, "weasyprint": version, "pango": pango}
    return GOOD, [f"WeasyPrint {version}, Pango {pango}"], data


def _plates() -> Found:
    from sheetgen.load.cache import read_shipped_note, shipped_path

    counts = dict(read_shipped_note().get("plates", {}))
    data = {"path": str(shipped_path()), "plates": counts}
    if not counts:
        return NOTE, ["none included: the layout engine makes each when it is first needed"], data
    each = ", ".join(f"{game} {count}" for game, count in counts.items())
    return GOOD, [f"{sum(counts.values())} included: {each}"], data


def _cache() -> Found:
    from sheetgen.load.cache import cache_path, cache_sizes, can_write_cache

    folder, sizes, kept = cache_path(""), cache_sizes(), can_write_cache()
    lines = [f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"]
    lines.append(
        "to empty it, delete this folder; sheetgen makes its files again"
        if kept
        else "nothing can be stored there: each run lays out its plates again"
    )
    data = {"path": str(folder), "files": len(sizes), "bytes": sum(sizes), "writable": kept}
    return GOOD if kept else NOTE, lines, data


def _print() -> Found:
    from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
    from sheetgen.load.rulesets.rulesets import load_ruleset
    from sheetgen.prints.sheet import BlankRequest, print_blank

    id_ = ruleset_ids()[0]
    rules = load_ruleset(Path(rulesets_folder() / id_)).value
    assert rules is not None
    start = perf_counter()
    printed = print_blank(rules, BlankRequest())
    ms = round((perf_counter() - start) * 1000, 1)
    size = len(printed.files.get("pdf", b""))
    data = {"ruleset": id_, "milliseconds": ms, "bytes": size}
    if not size:
        return MISSING, [f.message for f in printed.findings], data
    return GOOD, [f"the empty sheet of {id_}, as PDF: {size / 1000:.0f} kB in {ms:g} ms"], data


def _terminal(encoding: str | None) -> Found:
    import locale

    try:
        "−×–·…".encode(encoding or "ascii")
        all_letters = True
    except (UnicodeEncodeError, LookupError):
        all_letters = False
    data = {"encoding": encoding, "locale": locale.setlocale(locale.LC_CTYPE), "all": all_letters}
    lines = [f"{encoding or 'no'} encoding, locale {data['locale']}"]
    if not all_letters:
        lines.append(
            "some characters are shown as escapes; PYTHONUTF8=1 or a UTF-8 locale shows them"
        )
    return GOOD if all_letters else NOTE, lines, data


def command(form: Format = "text") -> None:
    """Report what is installed, what is missing, and what works without it.

    Status 0: sheets and cards of the included rulesets can be printed. Status 1: something is
    missing for that.

    Example: sheetgen doctor

    Guide: docs/start.md
    """
    probes = report(sys.stdout.encoding)
    well = all_is_well(probes)
    if form == "json":
        data = [{"name": p.name, "state": p.state, "said": list(p.lines), **p.data} for p in probes]
        console.write_json({"ok": well, "probes": data})
    else:
        for probe in probes:
            first, *more = probe.lines or ("",)
            sign = "MISSING" if probe.state == MISSING else probe.state
            console.write_lines(f"{sign:<8} {probe.name}: {first}")
            for line in more:
                console.write_lines(f"{'':<9}{line}")
        last = "all is well for printing" if well else "printing needs what is missing above"
        if well and any(p.name == "layout engine" and p.state != GOOD for p in probes):
            last = f"the sheets and cards of these rulesets print; {LAID_OUT} need Pango"
        console.write_lines(last)
    if not well:
        sys.exit(console.EXIT_BAD_INPUT)
