"""What an installation has, and what of it works: one probe a part, for `sheetgen doctor`.

None ends the report by failing, and each imports what it asks about only when it asks: a report
about what is missing must not need it.
"""

from __future__ import annotations

import contextlib
import io
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from sheetgen import __version__

GOOD, NOTE, MISSING = "ok", "note", "missing"
"""What may be said of a part: it works; printing works without it; it does not."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found of one part.

    Attributes:
        state: `GOOD`, `NOTE` or `MISSING`.
        said: In words, a line each; what to do among them.
        data: The same for programs.
    """

    name: str
    state: str
    said: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)


NEEDED: Final = {
    "yaml": ("pyyaml", "reads every file"),
    "jinja2": ("jinja2", "HTML, and new layouts"),
    "pikepdf": ("pikepdf", "new layouts, tables"),
    "fontTools": ("fonttools", "new layouts, tables"),
    "font_source_sans_pro": ("font-source-sans-pro", "letters"),
    "font_manrope": ("font-manrope", "letters"),
}
"""Modules without which hardly anything is printed: what to install, and what for."""

OPTIONAL: Final = {
    "weasyprint": ("weasyprint", "new layouts, tables, screens, encounters, odds on paper"),
    "icepool": ("icepool", "odds of dice"),
}
"""Modules without which sheets and cards are printed all the same."""

LAID_OUT: Final = "tables, screens, encounters, odds on paper, and sheets of rules of your own"
"""What needs the layout engine whatever plates there are."""


def report(stdout: str | None) -> tuple[Probe, ...]:
    """Return what was found of every part.

    Args:
        stdout: The encoding of the terminal.
    """
    probes: tuple[tuple[str, Callable[[], Probe]], ...] = (
        ("python", _python),
        ("sheetgen", _data),
        ("packages", lambda: _packages("packages", NEEDED, MISSING)),
        ("optional packages", lambda: _packages("optional packages", OPTIONAL, NOTE)),
        ("fonts", _fonts),
        ("layout engine", _engine),
        ("plates", _plates),
        ("cache", _cache),
        ("test print", _print),
        ("terminal", lambda: _terminal(stdout)),
    )
    return tuple(_answered(name, probe) for name, probe in probes)


def all_is_well(probes: Iterable[Probe]) -> bool:
    """Whether sheets and cards of what comes along can be printed."""
    return all(probe.state != MISSING for probe in probes)


def _answered(name: str, probe: Callable[[], Probe]) -> Probe:
    try:
        return probe()
    except Exception as error:  # noqa: BLE001 - whatever is broken is what is asked for
        return Probe(name, MISSING, (f"{type(error).__name__}: {_line(error)}",))


def _line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _python() -> Probe:
    said = f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    data = {"version": platform.python_version(), "executable": sys.executable}
    return Probe("python", GOOD, (said, sys.executable), data)


def _data() -> Probe:
    from sheetgen.load.rulesets.content import data_folder, ruleset_ids

    folder, found = data_folder(), ruleset_ids()
    said = (f"{__version__}, its data in {folder}", f"rulesets: {', '.join(found) or 'none'}")
    data = {"version": __version__, "data": str(folder), "rulesets": list(found)}
    return Probe("sheetgen", GOOD if found else MISSING, said, data)


def _packages(name: str, wanted: Mapping[str, tuple[str, str]], without: str) -> Probe:
    said, data, state = [], {}, GOOD
    for module, (package, purpose) in wanted.items():
        wrong = _wrong_with(module)
        data[package] = version = "" if wrong else _version(package)
        if wrong:
            state = without
            said.append(f"{package}: {wrong} (for {purpose}); `pip install {package}`")
        else:
            said.append(f"{package} {version}")
    return Probe(name, state, tuple(said), data)


def _wrong_with(module: str) -> str:
    """Return why `module` cannot be imported; empty if it can."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # where a library tells of its troubles
            import_module(module)
    except ImportError:
        return "not there"
    except OSError:
        return ""  # it is there, and what it lacks is said of the layout engine
    except Exception as error:  # noqa: BLE001 - a broken package may raise anything
        return f"broken: {_line(error)}"
    return ""


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "of unknown version"


def _fonts() -> Probe:
    from sheetgen.load.designs.fonts import find_font
    from sheetgen.load.designs.templates import load_theme_tokens, theme_ids

    files = sorted({f for theme in theme_ids() for f in load_theme_tokens(theme).faces.values()})
    lost = []
    for file in files:
        try:
            find_font(file)
        except FileNotFoundError:
            lost.append(file)
    said = f"{len(files) - len(lost)} of {len(files)} font files"
    lacking = (f"not there: {', '.join(lost)}",) if lost else ()
    data = {"files": files, "missing": lost}
    return Probe("fonts", MISSING if lost else GOOD, (said, *lacking), data)


def _engine() -> Probe:
    from sheetgen.render.flow.engine import NoEngine, engine

    try:
        version = str(engine().__version__)
    except NoEngine as error:
        why = (str(error), f"to install: {error.hint}", f"it is needed for {LAID_OUT}")
        return Probe("layout engine", NOTE, why, {"found": False, "hint": error.hint})
    pango = _pango()
    said = f"WeasyPrint {version}, Pango {pango}"
    data = {"found": True, "weasyprint": version, "pango": pango}
    return Probe("layout engine", GOOD, (said,), data)


def _pango() -> str:
    """Return the version of Pango, which the engine has loaded."""
    number = int(import_module("weasyprint.text.ffi").pango.pango_version())
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _plates() -> Probe:
    from sheetgen.load.shipped import read_shipped_note, shipped_path

    counts = dict(read_shipped_note().get("plates", {}))
    data = {"path": str(shipped_path()), "plates": counts}
    if not counts:
        said = "none came along: each is made when it is first needed, by the layout engine"
        return Probe("plates", NOTE, (said,), data)
    each = ", ".join(f"{game} {count}" for game, count in counts.items())
    return Probe("plates", GOOD, (f"{sum(counts.values())} came along: {each}",), data)


def _cache() -> Probe:
    from sheetgen.load.cache import cache_path, cache_sizes, can_write_cache

    folder, sizes, kept = cache_path(""), cache_sizes(), can_write_cache()
    said = [f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"]
    said.append(
        "to empty it, delete this folder; all of it is made again"
        if kept
        else "nothing can be kept there: what is laid out anew is laid out again each time"
    )
    data = {"path": str(folder), "files": len(sizes), "bytes": sum(sizes), "writable": kept}
    return Probe("cache", GOOD if kept else NOTE, tuple(said), data)


def _print() -> Probe:
    """Fill the first ruleset's empty sheet, in memory."""
    from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
    from sheetgen.load.rulesets.rulesets import load_ruleset
    from sheetgen.model.requests import PrintRequest
    from sheetgen.prints.sheet import print_blank

    id_ = ruleset_ids()[0]
    rules = load_ruleset(Path(rulesets_folder() / id_)).value
    assert rules is not None
    start = perf_counter()
    printed = print_blank(rules, PrintRequest())
    ms = round((perf_counter() - start) * 1000, 1)
    size = len(printed.files.get("pdf", b""))
    data = {"ruleset": id_, "milliseconds": ms, "bytes": size}
    if not size:
        said = tuple(f.message for f in printed.findings)
        return Probe("test print", MISSING, said, data)
    said = (f"the empty sheet of {id_}, as PDF: {size / 1000:.0f} kB in {ms:g} ms",)
    return Probe("test print", GOOD, said, data)


def _terminal(encoding: str | None) -> Probe:
    import locale

    try:
        "−×–·…".encode(encoding or "ascii")
        all_letters = True
    except (UnicodeEncodeError, LookupError):
        all_letters = False
    data = {"encoding": encoding, "locale": locale.setlocale(locale.LC_CTYPE), "all": all_letters}
    said = [f"{encoding or 'no'} encoding, locale {data['locale']}"]
    if not all_letters:
        said.append("some letters are shown as escapes; PYTHONUTF8=1 or a UTF-8 locale mends it")
    return Probe("terminal", GOOD if all_letters else NOTE, tuple(said), data)
