"""Compile the plates and fonts that are shipped, so that printing needs no layout engine.

A checkout has those of few looks (`make plates`), a release wheel all (`make wheel`).
"""

from __future__ import annotations

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import permutations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sheetgen.check.character.options import NUMBER, YES_OR_NO, parse_option, resolve_options
from sheetgen.diag.findings import Checked, errors
from sheetgen.load.cache import open_store, pack_store, read_cache, store_in_cache
from sheetgen.load.characters import Switches
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
from sheetgen.load.rulesets.rulesets import JOINT, OPTION, Folders, load_ruleset, switches_of
from sheetgen.materials.plates import (
    PLAIN,
    cut_face,
    find_face,
    find_faces,
    find_missed,
    find_web_font,
    render_plate_markup,
)
from sheetgen.model.filled import EMPTY_CELL
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


@frozen
class PlateRequest:
    """A plate that prints may ask for, and what takes its place; see `PlateStore.find_design`."""

    design: Design
    template: str
    rules: Ruleset
    contexts: Iterable[Mapping[str, Any]]  # those after the first are for a sheet that is crowded
    generated: Iterable[PlateRequest] = ()  # for a sheet that has no room, or no place for a part

    def markups(self) -> Iterator[tuple[str, str]]:
        """Yield what is laid out for each context, after its key."""
        for context in self.contexts:
            html = render_plate_markup(self.design, self.template, context)
            yield self.design.markup_key(html), html


Settings = Mapping[str, str]  # options by name, as a file or `--set` has them


@frozen
class Game:
    """A ruleset, or overlays over one base."""

    title: str
    folders: Folders  # in the order in which a character's file names them
    # With which options it is printed: several sets if modules of two overlays exclude each other,
    # so that one has to be off
    settings: tuple[Settings, ...] = ({},)


def list_games() -> tuple[Game, ...]:
    """Return all games of the rulesets in the wheel: each alone, and overlays in pairs."""
    games = [Game(id_, (rulesets_folder() / id_,)) for id_ in ruleset_ids()]
    return (*games, *pair_overlays(games))


def pair_overlays(games: Iterable[Game]) -> Iterator[Game]:
    """Yield the overlays over one base in pairs.

    Either overlay of a pair may be named first, which shows in prints.
    """
    over: dict[str, list[Path]] = {}
    for folders in (game.folders for game in games if len(game.folders) == 1):
        rules = load_ruleset(folders).value
        if rules is not None and len(origins := rules.composition.origins) > 1:
            over.setdefault(origins[0].id, []).extend(folders)
    for pair in (pair for folders in over.values() for pair in permutations(folders, 2)):
        loaded = load_ruleset(pair, complete=True)
        sets: list[Settings] = [{}]
        if loaded.value is not None and errors(loaded.findings):
            # They can be combined with one module off.
            tried = [{f"{OPTION}{id_}": "no"} for id_ in loaded.value.composition.modules]
            sets = [one for one in tried if not errors(_load(pair, one, complete=True).findings)]
        yield Game(JOINT.join(folder.name for folder in pair), pair, tuple(sets))


def vary_options(game: Game) -> Game:
    """Return `game` with other options, too: each changed alone, and all modules off.

    Numbers stay, and of overlays that are combined all but the modules: there are too many.
    """
    rules = load_ruleset(game.folders).value
    if rules is None:
        return game
    single = [
        {str(id_): word}
        for id_, option in rules.options.items()
        if len(game.folders) == 1
        for word in (("yes", "no") if YES_OR_NO in option.values else option.values)
        if word != NUMBER and parse_option(option, word) != option.default
    ]
    off = {f"{OPTION}{id_}": "no" for id_ in rules.composition.modules}
    return replace(game, settings=(*game.settings, *single, off))


def _load(folders: Folders, settings: Settings, *, complete: bool) -> Checked[Ruleset]:
    return load_ruleset(folders, complete=complete, switches=switches_of(None, settings))


def list_plate_requests(game: Game, theme: str, scope: WheelScope) -> Iterator[PlateRequest]:
    """Yield requests for all plates of `game` in `theme`."""
    switched: list[Switches] = []
    for settings in game.settings:
        loaded = [_load(game.folders, settings, complete=all_) for all_ in (False, True)]
        rules, whole = (one.value for one in loaded)
        if rules is None or whole is None or any(errors(one.findings) for one in loaded):
            continue  # modules may exclude each other
        for paper in scope.papers:
            yield from _sheets(str(rules.sheet or PLAIN), rules, settings, (theme, paper))
        if (switches := switches_of(None, settings)) in switched:  # cards print no other options
            continue
        switched.append(switches)
        for ruleset in (rules, whole):  # Authors' files use the one, our stock the other.
            for name, kind in ruleset.kinds.items():
                if kind.card is not None or scope.general:
                    card = str(kind.card or KIND_CARD)
                    yield from _cards(card, kind_rules(ruleset, str(name)), theme, scope)
        if scope.general:
            yield from _cards(KIND_CARD, whole, theme, scope)
        for card in dict.fromkeys(str(made.card) for made in whole.card_sets.values()):
            yield from _cards(card, whole, theme, scope)


def _sheets(
    sheet: str, rules: Ruleset, settings: Settings, look: tuple[str, str]
) -> Iterator[PlateRequest]:
    if (design := load_design(sheet, *look, rules).value) is None:
        return
    options, _ = resolve_options(EMPTY_SOURCE, rules, settings)
    cells = dict.fromkeys(find_logo(look[0], rules), True)
    style = design.theme, design.paper  # of a theme of one's own, the one that it changes
    blank = [{EMPTY_CELL: True}] if design.kind in design.facts["empty"] else []
    sheets = [(design.template, more) for more in [{}, *blank]]
    for template, more in (*sheets, (str(design.facts["continuation"]), {})):
        every = (facts for _, facts in design.tighter())
        blanks = [build_blank_context(rules, f, style, options) | cells | more for f in every]
        generated = _sheets(PLAIN, rules, settings, look) if sheet != PLAIN else ()
        yield PlateRequest(design, template, rules, blanks, generated)


def find_logo(theme: str, rules: Ruleset) -> dict[str, Picture]:
    """Return the logo on the sheets of a game in a theme, by its key; empty if it has none."""
    return find_brand_pictures(("logo",), (*find_theme(theme).own, rules)).value or {}


def _cards(card: str, rules: Ruleset, theme: str, scope: WheelScope) -> Iterator[PlateRequest]:
    for size in scope.sizes:
        design = load_card(card, theme, size, CARDS[size], rules=rules).value
        if design is not None:
            contexts = (build_card_context(rules, design),)
            yield PlateRequest(design, design.template, rules, contexts)


ArchiveFiles = dict[str, list[bytes]]  # files of the archive by name, in pieces; see `split_pieces`


def compile_game_plates(
    game: Game, theme: str, scope: WheelScope, before: Path | None = None
) -> ArchiveFiles:
    """Return the plates of `game` in `theme`, and their fonts.

    Plates of the archive `before`, which was built with the same engine and fonts, are reused.
    """
    store = open_store(before) if before is not None else None
    plates: dict[str, bytes] = {}
    fonts: dict[str, bytes] = {}
    crowded: dict[str, bytes] = {}
    from sheetgen.render.plate_compiler import compile_plate_bytes  # loads pikepdf, fontTools

    waiting = deque(list_plate_requests(game, theme, scope))
    while waiting:
        asked = waiting.popleft()
        design = asked.design
        roomy = design.paper in PAPERS and asked.template == design.template
        for name, html in asked.markups():
            content = plates.get(name) or (store.file(name) if store else None)
            content = content or read_cache(f"{name}.plate")
            plate = parse_cached_plate(content) if content is not None else None
            try:
                if plate is None and name not in crowded:
                    look = design.tokens, find_faces(design)
                    content = compile_plate_bytes(html, *look, name, roomy=roomy)
                    store_in_cache(f"{name}.plate", content)  # For an interrupted build.
                    plate = parse_cached_plate(content)
            except Crowded as error:  # prints learn it from the archive, and take the next
                crowded[name] = json.dumps(error.pairs).encode()
            if content is not None and plate is not None:
                plates[name] = content
                if roomy and find_missed(asked.rules, design, plate):
                    waiting.extend(asked.generated)
                break
        else:
            waiting.extend(asked.generated)
            if design.sheet == PLAIN:  # The generated sheet prints in any case, with a finding.
                plates[name] = compile_plate_bytes(html, design.tokens, find_faces(design), name)
        fonts |= dict(find_web_font(file) for file in design.tokens.faces.values())
    cut = {name: split_pieces(plate) for name, plate in plates.items()}
    cut |= {f"{name}.crowded": [pairs] for name, pairs in crowded.items()}
    return cut | {name: [font] for name, font in fonts.items()}


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


Job = tuple[Game, str, WheelScope]  # a game, a theme, and one paper or card size


def list_jobs(game: Game, scope: WheelScope) -> list[Job]:
    """Return the jobs in which the plates of `game` are compiled."""
    parts = [replace(scope, papers=(paper,), sizes=()) for paper in scope.papers]
    parts += [replace(scope, papers=(), sizes=(size,)) for size in scope.sizes]
    return [(game, theme, part) for theme in scope.themes for part in parts]


def compile_games(jobs: Iterable[Job], before: Path | None) -> Iterator[tuple[Job, ArchiveFiles]]:
    """Yield jobs with what `compile_game_plates` returns, as it gets ready in other processes."""
    spawn = get_context("spawn")
    # An interrupt ends a worker, not only its job.
    at_once = signal.signal, (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(os.cpu_count(), spawn, *at_once) as pool:
        waiting = {pool.submit(compile_game_plates, *job, before): job for job in jobs}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:  # Also when interrupted.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


ProgressCallback = Callable[[int, int, str], None]  # finished jobs, all jobs, the last one's title


def build_plate_archive(
    before: Path, word: str = ALL, progress: ProgressCallback | None = None
) -> bytes:
    """Return the archive of plates and fonts, for `load.cache`; one from `before` is reused.

    Raises `NoEngine`, or `LayoutError` for a template that cannot be laid out.
    """
    load_engine()
    jobs = [job for game in list_games() for job in list_jobs(game, choose_scope(game, word))]
    themes = tuple(dict.fromkeys(theme for _, theme, _ in jobs))
    # An archive that was built with the installed engine and fonts.
    note = store.note if (store := open_store(before)) is not None else {}
    same = note.get("engine") == engine_version()
    same = same and all(font_digest(font) == one for font, one in note.get("fonts", {}).items())
    earlier = before if same else None
    files: ArchiveFiles = {}
    known: dict[bytes, bytes] = {}  # Each piece once: all plates together are half a gigabyte.
    counts: dict[str, int] = {}
    for done, ((game, theme, part), pieces) in enumerate(compile_games(jobs, earlier), 1):
        if progress is not None:
            progress(done, len(jobs), f"{game.title}, {theme}, {(*part.papers, *part.sizes)[0]}")
        counts[game.title] = counts.get(game.title, 0) + sum("." not in name for name in pieces)
        files |= {n: [known.setdefault(p, p) for p in cut] for n, cut in pieces.items()}
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
