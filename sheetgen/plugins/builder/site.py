"""The files of the builder's page: the runtime, sheetgen, its games and their plates."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span, errors
from sheetgen.load.cache import pack_store, shipped_path
from sheetgen.load.designs.designs import engine_version
from sheetgen.load.designs.templates import STANDARD
from sheetgen.load.rulesets.content import CARD_FILE, SHEET_FILE, ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import (
    PACK_FILE,
    find_ruleset,
    layers_of,
    load_ruleset,
    pack_of,
)
from sheetgen.materials.fonts import cut_face, find_face
from sheetgen.materials.wheel import Game, WheelScope, compile_game_plates, list_faces
from sheetgen.plugins.builder.session import Answer, describe_game
from sheetgen.render.fonts.fonts import dump_face
from sheetgen.render.pdf.pdf_file import split_pieces
from sheetgen.write.files import pack_archive

RUNTIME: Final = (
    *("pyodide.mjs", "pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("python_stdlib.zip", "pyodide-lock.json"),
)
"""The files of the runtime that the page loads."""

PAGE: Final = ("index.html", "builder.css", "builder.js", "engine.js", "worker.js", "offline.js")
_NEEDED: Final = (
    *("pyyaml", "jinja2", "markupsafe", "fonttools"),
    *("font-manrope", "font-source-sans-pro"),
)
"""Distributions that checking and printing import."""

_LEFT_OUT: Final = re.compile(
    r"(^|/)(tests?|__pycache__|_data|lsp|preview|farm)/|\.(so|pyc|pyd|c|pyx)$"
)
_LOOKS: Final = re.compile(r"\.(png|jpe?g|webp|svg|ttf|otf|woff2?)$", re.IGNORECASE)
"""Pictures and fonts, which a ruleset may name."""

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "frame-src blob:; base-uri 'none'; form-action 'none'"
)
"""What the page may load: nothing from elsewhere. Prints in the frame bring their own styles."""

POLICY_OF_ONE: Final = (
    POLICY.replace("script-src 'self'", "script-src 'sha256-@digest@' blob:")
    .replace("worker-src 'self'", "worker-src blob:")
    .replace("connect-src 'self'", "connect-src 'none'")
)
"""The same for the page in one file, which asks for nothing at all."""


def build_site(names: Iterable[str], runtime: Path | None) -> dict[str, bytes]:
    """Return the files of the page, by their paths in its folder.

    Args:
        names: Rulesets, by name or path; without any, all that come with sheetgen.
        runtime: The folder of the unpacked npm package `pyodide`.

    Raises:
        Refused: The runtime is missing, or a ruleset is not found or has errors.
    """
    files = {f"pyodide/{name}": content for name, content in _runtime(runtime).items()}
    files |= {name: _page_file(name) for name in PAGE}
    games, called = _find_games([*names] or ruleset_ids())
    files["app.zip"] = pack_archive(_app(games), "")
    shown = json.dumps(called).replace("<", "\\u003c").encode()
    index = files["index.html"].replace(b"@policy@", POLICY.encode())
    files["index.html"] = index.replace(b"@games@", shown)
    listed = json.dumps(sorted((*files, "./")))
    version = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:16]
    offline = files["offline.js"].decode()
    files["offline.js"] = offline.replace("@files@", listed).replace("@version@", version).encode()
    return files


def _page_file(name: str) -> bytes:
    return pkgutil.get_data(__package__, f"page/{name}") or b""


def _runtime(folder: Path | None) -> dict[str, bytes]:
    try:
        if folder is None:
            raise FileNotFoundError
        return {name: (folder / name).read_bytes() for name in RUNTIME}
    except OSError as error:
        missing = Path(error.filename).name if error.filename else ""
        message = f"the runtime has no `{missing}`" if missing else "the page needs its runtime"
        hint = "run `npm pack pyodide`, unpack it, and name the folder: `--runtime package`"
        place = Span("--runtime")
        raise Refused(Finding(codes.UNREADABLE, place, message, hint)) from error


def _find_games(names: Iterable[str]) -> tuple[list[Game], list[Answer]]:
    """Return the games, and what the page shows of each."""
    games: list[Game] = []
    shown: list[Answer] = []
    for name in names:
        found = find_ruleset(name, Span(name), Path())
        rules = load_ruleset(found.value, complete=True) if found.value is not None else None
        wrong = errors(found.findings if rules is None else rules.findings)
        if found.value is None or rules is None or rules.value is None or wrong:
            raise Refused(wrong[0])
        called = str(rules.value.id)
        taken = any(one["id"] == called for one in shown)
        if taken or (name != called and called in ruleset_ids()):
            message = f"two games would be called `{called}` on the page"
            place, hint = Span(name), "rename one of the folders"
            raise Refused(Finding(codes.REPEATED_KEY, place, message, hint))
        games.append(Game(name, found.value))
        shown.append(describe_game(called, rules.value))
    return games, shown


def _app(games: list[Game]) -> Iterator[tuple[str, bytes]]:
    """Yield the files that the worker unpacks: path and content."""
    yield from _package()
    yield from _content(
        [layer for game in games for folder in game.folders for layer in layers_of(folder)]
    )
    yield "app/sheetgen/_data/content/plates.store", _plates(games)
    for name in _NEEDED:
        yield from _distribution(name)
    if find_spec("pypdf") is not None:
        yield from _distribution("pypdf")
        yield "app/pikepdf.py", _page_file("pikepdf.py")


def _package() -> Iterator[tuple[str, bytes]]:
    top = Path(__file__).parents[2]
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top.parent).as_posix()
        if path.is_file() and not _LEFT_OUT.search(name):
            yield f"app/{name}", path.read_bytes()


def _content(folders: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the designs, and the rulesets in `folders`: ours where they are, others as games."""
    top = data_folder()
    ours = [one for one in folders if one.parent == rulesets_folder()]
    kept = (top / "templates", top / "content" / "odds", top / "content" / "skeletons", *ours)
    for folder in dict.fromkeys(kept):
        for name, content in _files(folder):
            yield f"app/sheetgen/_data/{folder.relative_to(top).as_posix()}/{name}", content
    others = [one for one in dict.fromkeys(folders) if one not in ours]
    if others:
        yield f"games/{PACK_FILE}", b"# The rulesets beside this file are found by their ids.\n"
    taken: dict[str, Path] = {}
    for folder in others:
        game = f"games/{folder.resolve().name}"
        if taken.setdefault(game, folder) != folder:
            message = f"two rulesets would be in the folder `{game}` of the page"
            place, hint = Span(str(folder)), "rename one of the folders"
            raise Refused(Finding(codes.REPEATED_KEY, place, message, hint))
        for name, content in _own_files(folder):
            yield f"{game}/{name}", content
        if (pack := pack_of(folder)) is not None and pack.resolve() != folder.resolve():
            path = pack / PACK_FILE
            yield f"{game}/{PACK_FILE}", path.read_bytes()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and not re.search(r"(^|/)\.", name):
            yield name, path.read_bytes()


def _own_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what a ruleset is made of: an author's folder may hold notes for nobody else."""
    rules = load_ruleset(folder, complete=True).value
    kinds = {str(kind.folder) for kind in rules.kinds.values()} if rules is not None else set()
    for name, content in _files(folder):
        top, _, rest = name.partition("/")
        design = rest and any((folder / top / file).is_file() for file in (SHEET_FILE, CARD_FILE))
        named = top in {"modules", "starters", *kinds} or top.startswith("LICENSE")
        if design or named or (not rest and name.endswith(".yaml")) or _LOOKS.search(name):
            yield name, content


def _distribution(name: str) -> Iterator[tuple[str, bytes]]:
    for file in sorted(distribution(name).files or (), key=str):
        path = Path(str(file.locate()))
        inner = ".dist-info" in str(file) and file.name not in ("METADATA", "LICENSE")
        outside = ".." in file.parts or not path.is_file()
        if not inner and not outside and not _LEFT_OUT.search(str(file)):
            yield f"app/{file}", path.read_bytes()


def _plates(games: Iterable[Game]) -> bytes:
    """Return the store of the games' plates and fonts, in the standard look."""
    files: dict[str, list[bytes]] = {}
    counts: dict[str, int] = {}
    scope = WheelScope((STANDARD,), ("a4", "letter"), ("poker",))
    for game in games:
        title, plates = compile_game_plates(game, STANDARD, scope, shipped_path())
        counts[title] = counts.get(title, 0) + len(plates)
        files |= plates
    for font, letters in list_faces(STANDARD):
        files[find_face(font, letters)[0]] = split_pieces(dump_face(cut_face(font, letters)))
    note = {"plates": counts, "themes": [STANDARD], "engine": engine_version()}
    return pack_store(files, note)


_STYLES: Final = '<link rel="stylesheet" href="builder.css">'
_SCRIPT: Final = '<script type="module" src="builder.js"></script>'
"""What the page in one file holds itself."""


def join_site(files: Mapping[str, bytes]) -> bytes:
    """Return the page as one HTML file: scripts and styles inline, all else as packed text."""
    page = files["index.html"].decode()
    script = f"{files['engine.js'].decode()}\n{files['builder.js'].decode()}"
    script = re.sub(r"^(import .*$|export )", "", script, flags=re.MULTILINE)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Browsers import no module of a file that was opened by double click.
    runtime = files["pyodide/pyodide.asm.mjs"].decode().replace("import.meta.url", '"file:///"')
    runtime = re.sub(r"export default (\w+);", r"self.createPyodideModule = \1;", runtime)
    scripts = (files["pyodide/pyodide.js"].decode(), runtime, files["worker.js"].decode())
    held = {"worker.js": "\n".join(scripts).encode(), "app.zip": files["app.zip"]}
    held |= {
        name: files[name] for name in files if name.startswith("pyodide/") and name[-2:] != "js"
    }
    packed = "".join(
        f'<script type="text/plain" data-file="{name}">'
        f"{base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()}</script>\n"
        for name, content in sorted(held.items())
    )
    parts = {
        POLICY: POLICY_OF_ONE.replace("@digest@", digest),
        _STYLES: f"<style>{files['builder.css'].decode()}</style>",
        _SCRIPT: f'{packed}<script type="module">{script}</script>',
    }
    for old, new in parts.items():
        page = page.replace(old, new)
    return page.encode()
