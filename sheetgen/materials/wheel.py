"""Compile the plates and fonts that are shipped, so that printing needs no layout engine.

A checkout has those of few looks (`make plates`), a release wheel all (`make wheel`).
"""

from __future__ import annotations

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import permutations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sheetgen.check.character.options import resolve_options
from sheetgen.diag.findings import errors
from sheetgen.load.cache import open_store, pack_store, read_cache, store_in_cache
from sheetgen.load.designs.designs import Design, engine_version, load_card, load_design, load_fonts
from sheetgen.load.designs.fonts import font_digest
from sheetgen.load.designs.templates import (
    KIND_CARD,
    STANDARD,
    card_ids,
    load_theme_tokens,
    theme_ids,
)
from sheetgen.load.designs.themes import face_ids, find_theme, load_face
from sheetgen.load.pictures import find_brand_pictures
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import JOINT, OPTION, Folders, load_ruleset
from sheetgen.materials.plates import (
    PLAIN,
    cut_face,
    find_face,
    find_faces,
    find_web_font,
    render_plate_markup,
)
from sheetgen.model.pictures import Picture
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.contexts import build_blank_context, build_card_context
from sheetgen.plan.imposition import CARDS
from sheetgen.records import frozen
from sheetgen.render.flow.layout import Crowded, load_engine
from sheetgen.render.fonts.fonts import dump_face
from sheetgen.render.pdf.pdf_file import parse_cached_plate, split_pieces
from sheetgen.units import PAPERS

ALL, FEW = "all", "few"


@frozen
class WheelScope:
    """Which plates are compiled; all of them take a quarter of an hour on two cores."""

    themes: tuple[str, ...]
    papers: tuple[str, ...] = PAPERS
    sizes: tuple[str, ...] = tuple(CARDS)
    general: bool = False  # whether cards of characters, and of kinds without a design, count, too


def choose_scope(game: Game, word: str = ALL) -> WheelScope:
    """Return the plates that are compiled for `game`; with the word `few`, those of a checkout.

    Few people use two overlays at once, and there are many pairs: these get the standard theme.
    """
    if word == FEW:
        return WheelScope((STANDARD,))
    if len(game.folders) > 1:
        return WheelScope((STANDARD,), PAPERS, tuple(CARDS)[:1])
    return WheelScope(theme_ids())


# Arguments of `find_plate`: a design, the name of its template, rules, a context.
PlateRequest = tuple[Design, str, Ruleset, Mapping[str, Any]]
Switches = Mapping[str, bool]  # which modules are on or off, by option; see `load_ruleset`


@frozen
class Game:
    """A ruleset, or overlays over one base."""

    title: str
    folders: Folders  # in the order in which a character's file names them
    # The switches of its modules: several sets if modules of two overlays exclude each other, so
    # that one has to be off
    switch_sets: tuple[Switches, ...] = ({},)


def list_games() -> tuple[Game, ...]:
    """Return all games of the rulesets in the wheel: each alone, and overlays in pairs.

    Either overlay of a pair may be named first, which shows in prints.
    """
    games: list[Game] = []
    over: dict[str, list[Path]] = {}
    for id_ in ruleset_ids():
        folder = rulesets_folder() / id_
        rules = load_ruleset(folder).value
        if rules is None:
            continue
        games.append(Game(id_, (folder,)))
        origins = rules.composition.origins
        if len(origins) > 1:
            over.setdefault(origins[0].id, []).append(folder)
    for pair in (pair for folders in over.values() for pair in permutations(folders, 2)):
        title, loaded = JOINT.join(f.name for f in pair), load_ruleset(pair, complete=True)
        sets: list[Switches] = [{}]
        if loaded.value is not None and errors(loaded.findings):
            # They can be combined with one module off.
            tried = ({f"{OPTION}{id_}": False} for id_ in loaded.value.composition.modules)
            sets = [
                switches
                for switches in tried
                if not errors(load_ruleset(pair, complete=True, switches=switches).findings)
            ]
        games.append(Game(title, pair, tuple(sets)))
    return tuple(games)


def list_plate_requests(game: Game, theme: str, scope: WheelScope) -> Iterator[PlateRequest]:
    """Yield requests for all plates of `game` in `theme`, with default options."""
    for switches in game.switch_sets:
        rules = load_ruleset(game.folders, switches=switches).value
        whole = load_ruleset(game.folders, complete=True, switches=switches).value
        if rules is None or whole is None:
            continue
        options, _ = resolve_options(EMPTY_SOURCE, rules, {})
        for paper in scope.papers:
            design = load_design(str(rules.sheet or "plain"), theme, paper, rules).value
            if design is not None:
                look = (design.theme, paper)  # of a theme of one's own, the one that it changes
                context = build_blank_context(rules, design.facts, look, options)
                context |= dict.fromkeys(find_logo(theme, rules), True)
                for template in (design.template, str(design.facts["continuation"])):
                    yield design, template, rules, context
        for ruleset in (rules, whole):  # Authors' files use the one, our stock the other.
            for name, kind in ruleset.kinds.items():
                if kind.card is not None or scope.general:
                    card = str(kind.card or KIND_CARD)
                    yield from _cards(card, kind_rules(ruleset, str(name)), theme, scope)
        if scope.general:
            yield from _cards(KIND_CARD, whole, theme, scope)
        for card in dict.fromkeys(str(made.card) for made in whole.card_sets.values()):
            yield from _cards(card, whole, theme, scope)


def find_logo(theme: str, rules: Ruleset) -> dict[str, Picture]:
    """Return the logo on the sheets of a game in a theme, by its key; empty if it has none."""
    return find_brand_pictures(("logo",), (*find_theme(theme).own, rules)).value or {}


def _cards(card: str, rules: Ruleset, theme: str, scope: WheelScope) -> Iterator[PlateRequest]:
    for size in scope.sizes:
        design = load_card(card, theme, size, CARDS[size], rules=rules).value
        if design is not None:
            yield design, design.template, rules, build_card_context(rules, design)


ArchiveFiles = dict[str, list[bytes]]  # files of the archive by name, in pieces; see `split_pieces`


def compile_game_plates(
    game: Game, theme: str, scope: WheelScope, before: Path | None = None
) -> tuple[str, ArchiveFiles]:
    """Return the title of `game`, its plates in `theme`, and their fonts.

    Plates of the archive `before`, which was built with the same engine and fonts, are reused.
    """
    store = open_store(before) if before is not None else None
    plates: dict[str, bytes] = {}
    fonts: dict[str, bytes] = {}
    crowded: dict[str, bytes] = {}
    from sheetgen.render.plate_compiler import compile_plate_bytes  # loads pikepdf, fontTools

    waiting = deque(list_plate_requests(game, theme, scope))
    while waiting:
        design, template, rules, context = waiting.popleft()
        html = render_plate_markup(design, template, context)
        name = design.markup_key(html)
        if name not in plates and name not in crowded:
            plate = (store.file(name) if store else None) or read_cache(f"{name}.plate")
            if plate is None or parse_cached_plate(plate) is None:
                faces, look = find_faces(design), (design.theme, design.paper)
                roomy = design.paper in PAPERS and template == design.template
                try:
                    plate = compile_plate_bytes(html, design.tokens, faces, name, roomy=roomy)
                except Crowded as error:  # prints learn it from the archive, and take the next
                    crowded[name] = json.dumps(error.pairs).encode()
                    options, _ = resolve_options(EMPTY_SOURCE, rules, {})
                    every = (facts for _, facts in design.tighter())
                    tried = [build_blank_context(rules, facts, look, options) for facts in every]
                    at = tried.index(dict(context)) if context in tried else len(tried)
                    waiting.extendleft(
                        (design, template, rules, one) for one in tried[at + 1 : at + 2]
                    )
                    continue
                store_in_cache(f"{name}.plate", plate)  # For an interrupted build.
            plates[name] = plate
        fonts |= dict(find_web_font(file) for file in design.tokens.faces.values())
    cut = {name: split_pieces(plate) for name, plate in plates.items()}
    cut |= {f"{name}.crowded": [pairs] for name, pairs in crowded.items()}
    return game.title, cut | {name: [font] for name, font in fonts.items()}


def list_faces(theme: str) -> set[tuple[bytes, str]]:
    """Return fonts and letters, see `cut_face`, of the generated sheet and of cards in `theme`."""
    designs = [load_design(PLAIN, theme, PAPERS[0]).value]
    designs += [load_card(card, theme, "poker", CARDS["poker"]).value for card in card_ids()]
    return {
        (font, design.tokens.letters.get(face, ""))
        for design in designs
        if design is not None
        for face, font in load_fonts(design).items()
    }


ProgressCallback = Callable[[int, int, str], None]  # finished jobs, all jobs, the last one's title


def build_plate_archive(
    before: Path, word: str = ALL, progress: ProgressCallback | None = None
) -> bytes:
    """Return the archive of plates and fonts, for `load.cache`; one from `before` is reused.

    Raises `NoEngine`, or `LayoutError` for a template that cannot be laid out.
    """
    load_engine()
    jobs: list[tuple[Game, str, WheelScope]] = []  # a game, a theme, and one paper or card size
    for game in list_games():
        scope = choose_scope(game, word)
        parts = [replace(scope, papers=(paper,), sizes=()) for paper in scope.papers]
        parts += [replace(scope, papers=(), sizes=(size,)) for size in scope.sizes]
        jobs += ((game, theme, part) for theme in scope.themes for part in parts)
    themes = tuple(dict.fromkeys(theme for _, theme, _ in jobs))
    # An archive that was built with the installed engine and fonts.
    note = store.note if (store := open_store(before)) is not None else {}
    same = note.get("engine") == engine_version()
    same = same and all(font_digest(font) == one for font, one in note.get("fonts", {}).items())
    earlier = before if same else None
    files: ArchiveFiles = {}
    known: dict[bytes, bytes] = {}  # Each piece once: all plates together are half a gigabyte.
    counts: dict[str, int] = {}
    spawn = get_context("spawn")
    # An interrupt ends a worker, not only its job.
    at_once = signal.signal, (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(os.cpu_count(), spawn, *at_once) as pool:
        waiting = {pool.submit(compile_game_plates, *job, earlier): job for job in jobs}
        try:
            for done, future in enumerate(as_completed(waiting), 1):
                title, pieces = future.result()
                if progress is not None:
                    _, theme, part = waiting[future]
                    progress(done, len(jobs), f"{title}, {theme}, {(*part.papers, *part.sizes)[0]}")
                counts[title] = counts.get(title, 0) + sum("." not in name for name in pieces)
                files |= {n: [known.setdefault(p, p) for p in cut] for n, cut in pieces.items()}
        except BaseException:  # Also when interrupted.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    for font, letters in {one for theme in themes for one in list_faces(theme)}:
        files[find_face(font, letters)[0]] = split_pieces(dump_face(cut_face(font, letters)))
    faces = {file for theme in themes for file in load_theme_tokens(theme).faces.values()}
    faces |= {file for id_ in face_ids() for part in load_face(id_) for file in part.fonts.values()}
    note = {
        "plates": counts,
        "themes": themes,
        "engine": engine_version(),
        "fonts": {file: font_digest(file) for file in sorted(faces)},
    }
    return pack_store(files, note)
