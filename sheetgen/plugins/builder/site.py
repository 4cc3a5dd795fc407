"""`sheetgen site`: the builder's page with the runtime, sheetgen, its games and their plates."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.cli import console
from sheetgen.cli.parameters import argument, flag, option
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Refused, Span, errors
from sheetgen.diag.notices import announced
from sheetgen.load.cache import (
    DRAWINGS,
    FONTS,
    LAYOUT,
    code_stamp,
    pack_store,
    read_shared_texts,
    shipped_path,
    with_checksum,
)
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.designs import engine_version
from sheetgen.load.designs.fonts import FontFile
from sheetgen.load.designs.templates import STANDARD, theme_ids
from sheetgen.load.designs.themes import find_theme, is_own_theme, ruleset_face
from sheetgen.load.files import (
    MOST_BYTES,
    FileState,
    file_state,
    read_text,
    record_reads,
    unpack_archive,
)
from sheetgen.load.pictures import BRAND_PICTURES, find_brand_pictures, read_again
from sheetgen.load.rulesets.content import CARD_FILE, SHEET_FILE, ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import (
    PACK_FILE,
    find_ruleset,
    layers_of,
    load_ruleset,
    pack_of,
)
from sheetgen.load.svg import sanitise_svg
from sheetgen.materials import wheel
from sheetgen.materials.plates import cut_face, find_drawing, find_face
from sheetgen.model.source import Pairs, raw_text
from sheetgen.plugins.builder.session import Answer, FormSession
from sheetgen.prints.characters import clean_key, load_character
from sheetgen.render.fonts.fonts import dump_face
from sheetgen.render.pdf.pdf_file import split_pieces
from sheetgen.write import overwrite_file, pack_archive, write_bytes, write_new

RUNTIME: Final = (  # The files of the runtime that the page loads.
    *("pyodide.mjs", "pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("python_stdlib.zip", "pyodide-lock.json"),
)

PAGE: Final = ("index.html", "builder.css", "builder.js", "engine.js", "worker.js", "offline.js")
_NEEDED: Final = (  # Distributions that checking and printing import.
    *("pyyaml", "jinja2", "markupsafe", "fonttools", "pyphen"),
    *("font-manrope", "font-source-sans-pro"),
)

_LEFT_OUT: Final = re.compile(
    r"(^|/)(tests?|__pycache__|_data)/|plugins/(?!builder)\w+/|\.(so|pyc|pyd|c|pyx)$"
    r"|pyphen/dictionaries/(?!hyph_en_)"
)
_LOOKS: Final = re.compile(r"\.(png|jpe?g|webp|svg|ttf|otf|woff2?)$", re.IGNORECASE)
"""Pictures and fonts, which a ruleset may name."""

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "frame-src blob:; base-uri 'none'; form-action 'none'"
)
"""What the page may load: nothing from elsewhere. Prints in the frame bring their own styles."""

POLICY_OF_ONE: Final = (  # The same for the page in one file, which asks for nothing at all.
    POLICY.replace("script-src 'self'", "script-src 'sha256-@digest@' blob:")
    .replace("worker-src 'self'", "worker-src blob:")
    .replace("connect-src 'self'", "connect-src 'none'")
)

_STYLES: Final = '<link rel="stylesheet" href="builder.css">'
_SCRIPT: Final = '<script type="module" src="builder.js"></script>'  # which one file holds itself


def site_command(
    folder: Annotated[Path, argument("The folder to write, or with --one-file the file.")],
    games: Annotated[
        list[str] | None,
        argument("Rulesets: names, or paths of folders; without any, all.", "RULESET…"),
    ] = None,
    runtime: Path | None = option(
        "--runtime FOLDER", "The unpacked npm package `pyodide`.", default=None
    ),
    like: list[Path] | None = option(
        "--like FILE",
        "A character whose overlays and options together the page prints; repeatable.",
        default=None,
    ),
    theme: list[str] | None = option(
        "--theme THEME",
        "A theme that the page offers besides the standard one; repeatable.",
        default=None,
    ),
    one_file: bool = flag("--one-file", "Write one HTML file, which opens by double click."),
    force: bool = flag("--force", "Replace files that are there."),
) -> None:
    """Write a web page that builds, checks and prints characters, and needs no server.

    The page is a folder of files for any web space, or one file. Python runs in the browser; what
    is typed stays there. It needs the runtime once, when the page is written:
    `npm pack pyodide`, unpacked.

    Example: sheetgen site builder ./my-game --runtime package

    Guide: docs/guides/builder.md
    """
    files = build_site(tuple(games or ()), runtime, tuple(theme or ()), tuple(like or ()))
    if one_file:
        files, folder = {folder.name: join_site(files)}, folder.parent
    for name, content in sorted(files.items()):
        target = folder / name
        if force:
            write_bytes(target, content)
        elif failed := write_new(target, content):
            raise Refused(replace(failed, hint="add --force to write the page anew"))
    console.write_lines(str(folder / (next(iter(files)) if one_file else "index.html")))
    size = sum(map(len, files.values())) / 1e6
    console.write_lines(f"{size:.1f} MB in {len(files)} file{'s' * (len(files) > 1)}", err=True)


def build_site(
    names: Iterable[str],
    runtime: Path | None,
    themes: Sequence[str] = (),
    like: Iterable[Path] = (),
) -> dict[str, bytes]:
    """Return the files of the page, by their paths in its folder; or raise `Refused`.

    It has the rulesets `names`, by name or path, or all that come with sheetgen, and besides the
    standard theme the `themes`; one that is wrong raises `DesignError`. It prints characters with
    one option that is changed, and with all that the characters `like` change together.
    """
    themes = [one for one in dict.fromkeys(themes) if one != STANDARD]
    own = {one: f"themes/{number}" for number, one in enumerate(themes) if is_own_theme(one)}
    for one in themes:
        find_theme(one)
    try:
        if runtime is None:
            raise FileNotFoundError
        files = {f"pyodide/{name}": (runtime / name).read_bytes() for name in RUNTIME}
    except OSError as error:
        missing = Path(error.filename).name if error.filename else ""
        message = f"the runtime has no `{missing}`" if missing else "the page needs its runtime"
        hint = "run `npm pack pyodide`, unpack it, and name the folder: `--runtime package`"
        raise _refused(codes.UNREADABLE, "--runtime", message, hint) from error
    files |= {name: builder_file(name) for name in PAGE}
    games, called = _find_games([*names] or ruleset_ids())
    app = dict(_app(games, [*map(_game_of, like)], themes, own))
    library = files["pyodide/python_stdlib.zip"]
    app, files["pyodide/python_stdlib.zip"] = _compile(app, library, runtime, called[0]["id"])
    packed = pack_archive(app.items(), "", stored=True)
    files["app.bin"] = gzip.compress(packed, 9, mtime=0)  # some servers unpack what is called `.gz`
    shown = json.dumps(called).replace("<", "\\u003c").encode()
    offered = [[STANDARD, STANDARD]]
    for one in themes:
        path = Path(one)
        label = path.parent.resolve().name if path.stem == "theme" else path.stem
        offered.append([f"/games/{own[one]}/{path.name}" if one in own else one, label])
    index = files["index.html"].replace(b"@policy@", POLICY.encode())
    index = index.replace(b"@themes@", json.dumps(offered).replace("<", "\\u003c").encode())
    files["index.html"] = index.replace(b"@games@", shown)
    listed = json.dumps(sorted((*files, "./")))
    version = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:16]
    for name in ("offline.js", "worker.js"):
        script = files[name].replace(b"@files@", listed.encode())
        files[name] = script.replace(b"@version@", version.encode())
    return files


def builder_file(name: str) -> bytes:
    """Return a file of the page as it is kept; empty if there is none."""
    return pkgutil.get_data(__package__, f"page/{name}") or b""


def _refused(code: Code, place: str, message: str, hint: str) -> Refused:
    return Refused(Finding(code, Span(place), message, hint))


def _find_games(names: Iterable[str]) -> tuple[list[wheel.Game], list[Answer]]:
    games: list[wheel.Game] = []
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
            raise _refused(codes.REPEATED_KEY, name, message, "rename one of the folders")
        games.append(wheel.Game(name, found.value))
        kinds = [{"id": str(id_), "label": kind.one} for id_, kind in rules.value.kinds.items()]
        shown.append({"id": called, "title": rules.value.title, "kinds": kinds})
    return games, shown


def _game_of(path: Path) -> wheel.Game:
    """Return the game of a character, with its options."""
    one = load_character(path, RulesetCache(), {})
    if one.rules is None or one.source is None:
        raise Refused(errors(one.findings)[0])
    folders = tuple(Path(origin.folder) for origin in one.rules.composition.origins)
    stated = one.source.root.get("options") if isinstance(one.source.root, Pairs) else None
    options = stated.entries if isinstance(stated, Pairs) else ()
    return wheel.Game(path.stem, folders, ({key.raw: raw_text(one) for key, one in options},))


def _app(
    games: list[wheel.Game],
    others: Iterable[wheel.Game],
    themes: Sequence[str],
    own: Mapping[str, str],
) -> Iterator[tuple[str, bytes]]:
    """Yield what the worker unpacks, path and content; `own` has the places of authors' themes.

    Of `others` it has what is printed.
    """
    top = Path(__file__).parents[2]
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top.parent).as_posix()
        if os.path.isfile(path) and not _LEFT_OUT.search(name):
            yield f"app/{name}", path.read_bytes()
    content = dict(
        _content([part for game in games for folder in game.folders for part in layers_of(folder)])
    )
    for theme, folder in own.items():
        path = Path(theme)
        content[f"games/{folder}/{path.name}"] = path.read_bytes()
        brand = find_theme(theme).own[0]
        held = {font.path for font in brand.fonts.values() if isinstance(font, FontFile)}
        pictures = find_brand_pictures(BRAND_PICTURES, [brand]).value or {}
        for path in sorted({*held, *(Path(one.path) for one in pictures.values())}):
            name = path.resolve().relative_to(Path(theme).parent.resolve()).as_posix()
            content[f"games/{folder}/{name}"] = path.read_bytes()
    yield from content.items()
    store: dict[str, list[bytes]] = {}  # plates and fonts of the games
    counts: dict[str, int] = {}
    looks = (STANDARD, *themes)
    scope = wheel.WheelScope(looks, ("a4", "letter"), ("poker",), general=True)
    printed = map(wheel.vary_options, (*games, *wheel.pair_overlays(games)))
    jobs = [job for game in (*printed, *others) for job in wheel.list_jobs(game, scope)]
    with announced("laying out the prints of the page", len(jobs)) as step:
        for (game, _, _), plates in wheel.compile_games(jobs, shipped_path()):
            counts[game.title] = counts.get(game.title, 0) + len(plates)
            store |= plates
            step()
    for theme in looks:
        for game in games:
            store |= {name: [held] for name, held in _own_looks(game, theme)}
        for font, letters in wheel.list_faces(theme):
            store[find_face(font, letters)[0]] = split_pieces(dump_face(cut_face(font, letters)))
    note = {"plates": counts, "themes": looks, "engine": engine_version()}
    yield "app/sheetgen/_data/content/plates.store", pack_store(store, note)
    cache = RulesetCache()
    for rules in (cache.load(game.folders).value for game in games):
        kinds = () if rules is None else (rules, *(cache.kind(rules, id_) for id_ in rules.kinds))
        for one in (one for one in kinds if not check_ruleset(one)):  # no browser need do it
            yield f"cache/sheetgen/{clean_key(one)}", with_checksum(b"")
    stamps = {" ".join(parts): code_stamp(*parts) for parts in ((), LAYOUT, FONTS, DRAWINGS)}
    yield "app/stamps.json", json.dumps(stamps).encode()
    reads_pdfs = find_spec("pypdf") is not None
    texts = b"".join(held for name, held in content.items() if name.endswith(".yaml"))
    for needed in (*_NEEDED, *(["pypdf"] if reads_pdfs else [])):
        for file in sorted(distribution(needed).files or (), key=str):
            path = Path(str(file.locate()))
            inner = ".dist-info" in str(file) and file.name not in ("METADATA", "LICENSE")
            outside = ".." in file.parts or not os.path.isfile(path)
            unused = needed.startswith("font-") and file.suffix in (".ttf", ".otf")
            unused = unused and file.name.encode() not in texts  # no design names it
            if not (inner or outside or unused or _LEFT_OUT.search(str(file))):
                yield f"app/{file}", path.read_bytes()
    if reads_pdfs:
        yield "app/pikepdf.py", builder_file("pikepdf.py")


def _compile(
    app: dict[str, bytes], library: bytes, runtime: Path, game: str
) -> tuple[dict[str, bytes], bytes]:
    """Return `app` and the standard library with the modules that a first visit imports compiled.

    Node.js compiles them with the page's own Python. Without it the browser does, at that visit.
    """
    script = builder_file("compile.mjs").decode()
    entry, packed = runtime.resolve() / "pyodide.mjs", pack_archive(app.items(), "", stored=True)
    command = [shutil.which("node") or "node", "--input-type=module", "-e", script]
    command += [entry.as_uri(), str(entry.parent), game]
    try:
        with announced("compiling the modules of the page"):
            made = subprocess.run(  # noqa: S603 - no shell reads the command
                command, input=packed, capture_output=True, check=True, timeout=600
            ).stdout
    except (OSError, subprocess.SubprocessError):
        made = b""
    place = Span("--runtime")
    compiled, standard = (unpack_archive(one, place, MOST_BYTES).value for one in (made, library))
    if compiled is None or standard is None:
        told = "without Node.js a first visit compiles the page's modules: it takes twice as long"
        console.write_lines(told, err=True)
        return app, library
    app, standard = (
        {f"{name}c" if name in compiled else name: compiled.get(name, held[name]) for name in held}
        for held in (app, standard)
    )
    return app, pack_archive(standard.items(), "")


def _own_looks(game: wheel.Game, theme: str) -> Iterator[tuple[str, bytes]]:
    """Yield what the cache has of an author's drawings and fonts, which take long in a browser."""
    rules = load_ruleset(game.folders).value
    if rules is None:
        return
    for logo in wheel.find_logo(theme, rules).values():
        if logo.kind == "svg":
            yield find_drawing(logo, sanitise_svg(read_again(logo) or b"").content)
        elif logo.kind == "png":  # a browser has no Pillow, and only the page could decode it
            message = f"a browser cannot print `{Path(logo.path).name}`"
            hint = "export the logo as SVG, or as JPEG"
            raise Refused(Finding(codes.NOT_A_PICTURE, logo.span, message, hint))
    for layer in (*find_theme(theme).own, *ruleset_face(rules)):
        for font in layer.fonts.values():
            if isinstance(font, FontFile):
                yield from font.entries()


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
            raise _refused(codes.REPEATED_KEY, str(folder), message, "rename one of the folders")
        # An author's folder may hold notes for nobody else.
        rules = load_ruleset(folder, complete=True).value
        kinds = {str(kind.folder) for kind in rules.kinds.values()} if rules is not None else set()
        for name, content in _files(folder):
            top_name, _, rest = name.partition("/")
            design = any(os.path.isfile(folder / top_name / one) for one in (SHEET_FILE, CARD_FILE))
            named = top_name in {"modules", "starters", *kinds} or top_name.startswith("LICENSE")
            own = named or (rest and design) or (not rest and name.endswith(".yaml"))
            if own or _LOOKS.search(name):
                yield f"{game}/{name}", content
        if (pack := pack_of(folder)) is not None and pack.resolve() != folder.resolve():
            path = pack / PACK_FILE
            yield f"{game}/{PACK_FILE}", path.read_bytes()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if os.path.isfile(path) and not os.path.islink(path) and not re.search(r"(^|/)\.", name):
            yield name, path.read_bytes()


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
    held = {"worker.js": "\n".join(scripts).encode(), "app.bin": files["app.bin"]}
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


_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_FILES: Final = {name: name for name in ("index.html", "builder.css", "builder.js")} | {
    "": "index.html",
    "engine.js": "local.js",
}
_BOM: Final = b"\xef\xbb\xbf"
_LOCAL_POLICY: Final = POLICY.replace(" 'wasm-unsafe-eval'", "") + "; frame-ancestors 'none'"


class LocalForm:
    """Answers requests about one file as `FormSession` does, and writes what changes.

    A request with `was`, the digest of the text that the page knows, writes the text of its
    answer. If another program changed the file since, nothing is written, and the answer has the
    new text. `{"do": "load"}` returns the form of the file as it is now, or `same` if the page
    knows it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._session = FormSession(path.parent, path)
        self._states: dict[str, FileState] = {}  # of what the session read besides the file

    @staticmethod
    def page_file(name: str) -> tuple[bytes, str, str] | None:
        """Return a file of the page, its media type and its policy; None if there is no such."""
        if (file := _FILES.get(name)) is None:
            return None
        content = builder_file(file).replace(b"@policy@", POLICY.encode())
        others = [[id_, id_] for id_ in theme_ids() if id_ != STANDARD]
        themes = json.dumps([[STANDARD, STANDARD], *others]).encode()
        content = content.replace(b"@games@", b"[]").replace(b"@themes@", themes)
        return content, f"{_TYPES[Path(file).suffix]}; charset=utf-8", _LOCAL_POLICY

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the answer to a request; if there is none, `refused` says why."""
        if any(file_state(path, {}) != state for path, state in self._states.items()):
            self._session, self._states = FormSession(self._path.parent, self._path), {}
        since = time.time_ns()
        with record_reads() as reads:
            answer = self._answer(request)
        for path in reads - {str(self._path), *self._states}:
            self._states[path] = file_state(path, {}, since)
        return answer

    def _answer(self, request: Mapping[str, Any]) -> Answer:
        read = read_text(self._path)
        if read.value is None:
            return {"refused": read.findings[0].message}
        text, digest = read.value
        known = request.get("was")
        if request.get("do") == "load":
            return {"same": True} if known == digest else self._load(text, digest)
        if known is None:
            return self._session.answer(request)
        if known != digest:
            told = "this change was not made: another program changed the file"
            return {**self._load(text, digest), "told": told}
        answer = self._session.answer(request)
        new = answer.get("text", text)
        # The text boxes of a browser have line feeds only.
        if 0 < text.count("\r\n") == text.count("\n") and "\r\n" not in new:
            new = answer["text"] = new.replace("\n", "\r\n")
        if text.strip() and not new.strip():
            return {"refused": "the file would be empty"}
        if new == text:
            return {**answer, "digest": digest}
        if read_shared_texts().get(os.path.realpath(self._path), text) != text:
            return {"refused": "an editor has changes of this file that are not saved; save them"}
        bom = _BOM if hashlib.sha256(_BOM + text.encode("utf-8")).hexdigest() == digest else b""
        content = bom + new.encode("utf-8")
        if (failed := overwrite_file(self._path, content, digest)) is not None:
            return {"refused": failed.message}
        return {**answer, "digest": hashlib.sha256(content).hexdigest()}

    def _load(self, text: str, digest: str) -> Answer:
        return {**self._session.answer({"do": "open", "text": text}), "digest": digest}
