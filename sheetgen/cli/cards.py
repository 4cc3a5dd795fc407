"""`sheetgen cards`: cards of all kinds that rules know, many to a page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from sheetgen.check.options import options_of
from sheetgen.check.rulesets import check_ruleset
from sheetgen.cli import console
from sheetgen.cli.outputs import Files
from sheetgen.cli.presets import archive_option, card_defaults, check_archive, for_option
from sheetgen.decks import (
    CardRequest,
    Wanted,
    cards_of,
    cards_of_choices,
    print_calibration,
    print_cards,
    things_of,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.load.modules import switches_of
from sheetgen.load.rulesets import find_ruleset, is_ruleset, load_ruleset
from sheetgen.model.differences import Difference
from sheetgen.model.presets import Preset
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.pipeline import Character, characters, ready_made
from sheetgen.plan.decks import Layout
from sheetgen.plan.imposition import CARDS, Duplex, Grid, Misfit, impose, single
from sheetgen.reference import proof_of
from sheetgen.rules.names import folded
from sheetgen.units import parse_length

_SIZES = click.Choice(list(CARDS))


@click.command("cards")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…|RULESET")
@click.option("--kind", default="", help="Of a ruleset: which of its kinds.")
@click.option("--group", "groups", multiple=True, help="Only those of this group.")
@click.option("--name", "names", multiple=True, help="Only the one of this name.")
@click.option(
    "--to",
    "formats",
    multiple=True,
    type=click.Choice(["pdf", "html"]),
    default=["pdf"],
    show_default=True,
    help="What to write; may be given twice.",
)
@click.option(
    "--size", type=click.Choice(list(CARDS)), default="poker", show_default=True, help="Of a card."
)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--grid", metavar="COLSxROWS", default="", help="So many on a page.")
@click.option(
    "--gutter", metavar="LENGTH", default="0 mm", show_default=True, help="Between cards."
)
@click.option("--bleed", metavar="LENGTH", default="0 mm", show_default=True, help="Round each.")
@click.option(
    "--backs",
    type=click.Choice(["long-edge", "short-edge", "fold"]),
    help="Second faces go behind their fronts; how the paper is turned.",
)
@click.option("--back-offset", metavar="X,Y", default="", help="Moves backs, such as 0.5mm,-1mm.")
@click.option("--calibrate", is_flag=True, help="A sheet that finds your --back-offset.")
@click.option("--single", is_flag=True, help="One card a page, at trim plus bleed.")
@click.option("--no-marks", is_flag=True, help="No crop marks.")
@click.option("--theme", default="standard", show_default=True, help="`sheetgen list themes`.")
@for_option("cards", card_defaults)
@archive_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("output"),
    show_default=True,
    help="Folder to write to.",
)
@console.strict_option
@console.set_option
def command(
    paths: tuple[str, ...],
    kind: str,
    groups: tuple[str, ...],
    names: tuple[str, ...],
    formats: tuple[str, ...],
    size: str,
    paper: str,
    grid: str,
    gutter: str,
    bleed: str,
    backs: Duplex | None,
    back_offset: str,
    calibrate: bool,
    single: bool,
    no_marks: bool,
    theme: str,
    preset: Preset | None,
    archive: bool,
    out: Path,
    strict: bool,
    options: Mapping[str, str],
) -> None:
    """Print the cards of a ruleset, or of your own files, imposed on paper."""
    check_archive(archive, preset)
    card, lengths, alone = _size(size, preset), (gutter, bleed), single and not grid
    placed = _grid(card, paper, grid, lengths, folded=backs == "fold", alone=alone)
    layout = Layout(placed, backs, _offset(back_offset), not no_marks)
    request = CardRequest(layout, size, formats, theme, preset.safe if preset else 0.0)
    talk = console.Talk(strict)
    chosen = _Filter(kind, groups, names)
    cards, sources, stems = [], [], []
    for given in paths:
        stems.append(Path(given).stem)
        if rules := _rules_with(given, kind, options):
            settled, wrong = options_of(Source("", "", None, ""), rules, options)
            found = [*check_ruleset(rules), *wrong]
            talk.say(found)
            if not errors(found):
                cards += [
                    c for c in things_of(rules, kind, settled) if chosen.names_it(c.about.name)
                ]
            continue
        good = [one for one in _read(given, kind, options) if _is_good(one, chosen, talk, kind)]
        stat_blocks = [one for one in good if one.kind is not None]
        printed = _printed_otherwise(stat_blocks)
        cards += [card for one in stat_blocks for card in cards_of(one, printed)]
        of_choices = (card for one in good if one.kind is None for card in _own(one, kind))
        cards += [card for card in of_choices if chosen.names_it(card.about.name)]
        sources += [one.path for one in good]
    if cards:
        deck = print_calibration(cards, request) if calibrate else print_cards(cards, request)
        talk.say(deck.findings)
        stem = "-".join([*stems[:1], *([kind] if kind else []), *groups[:1], "cards"])
        stem = f"calibration-{paper}" if calibrate else stem
        Files(out, talk, sources, preset, archive).put(stem, deck, None)
    elif not errors(talk.said):
        raise click.UsageError("nothing to print; `sheetgen list RULESET` says what there is")
    talk.leave()


def _own(one: Character, kind: str) -> Iterator[Wanted]:
    """Yield the cards of what a character chose and owns."""
    return cards_of_choices(one, kind) if kind else iter(())


def _is_good(one: Character, chosen: _Filter, talk: console.Talk, kind: str) -> bool:
    """Whether a card of `one` is printed; what is wrong with it is said."""
    own = bool(kind) and one.kind is None and one.rules is not None and kind not in one.rules.kinds
    if not own and not chosen.takes(one):
        return False
    talk.read(one)
    talk.say(one.findings)
    if not own and one.build is not None and (one.kind is None or one.kind.card is None):
        hint = f"`sheetgen sheet {one.path}` prints a sheet"
        span = Span(str(one.path))
        talk.say([Finding(codes.NO_SUCH_LOOK, span, "what stands in this file has no card", hint)])
        return False
    wrong = any(f.severity is Severity.ERROR for f in talk.judged(one.findings))
    return not wrong and one.build is not None


def _rules_with(given: str, kind: str, options: Mapping[str, str]) -> Ruleset | None:
    """Return the ruleset `given` if `kind` is one of its own card sets."""
    rules = _ruleset(given, options)
    return rules if rules is not None and kind in rules.card_sets else None


def _ruleset(given: str, options: Mapping[str, str]) -> Ruleset | None:
    """Return the ruleset that `given` means, whole; None for paths and for none."""
    if Path(given).exists() and not is_ruleset(Path(given)):
        return None
    given = os.path.join(os.curdir, given) if Path(given).exists() else given
    found = find_ruleset(given, Span("PATH"), Path()).value
    if found is None:
        return None
    return load_ruleset(found, whole=True, switches=switches_of(None, options)).value


def _printed_otherwise(cards: Sequence[Character]) -> dict[str, Difference]:
    """Return what the sources of those that cards start from print otherwise, by `Name, value`."""
    folders = {
        str(Path(one.rules.place.file).parent.resolve())
        for one in cards
        if one.rules is not None and one.build is not None and one.build.base
    }
    return {d.what: d for folder in sorted(folders) for d in proof_of(folder).differences}


class _Filter:
    """Which of the kind, the groups and the names are wanted."""

    def __init__(self, kind: str, groups: tuple[str, ...], names: tuple[str, ...]) -> None:
        self.kind = kind
        self.groups = {folded(group) for group in groups}
        self.names = {folded(name) for name in names}

    def takes(self, one: Character) -> bool:
        """Whether a card of `one` is wanted; what could not be read is, to be said."""
        if one.build is None:
            return True
        group = folded(one.build.texts.get("group", ""))
        return (not self.groups or group in self.groups) and self.names_it(one.build.name)

    def names_it(self, name: str) -> bool:
        """Whether no name is asked for, or this one."""
        return not self.names or folded(name) in self.names


def _read(given: str, kind: str, options: Mapping[str, str]) -> Iterator[Character]:
    """Yield what a path holds, or all of a kind that come with a ruleset."""
    rules = _ruleset(given, options)
    if rules is None:
        yield from characters([Path(given)], options)
        return
    kinds = [*rules.kinds, *rules.card_sets]
    if kind not in kinds:
        known = ", ".join(map(str, kinds)) or "none"
        raise click.BadParameter(f"{given} has these kinds: {known}", param_hint="--kind")
    yield from ready_made(rules, kind, options)


def _size(size: str, preset: Preset | None) -> tuple[float, float]:
    """Return how large a card of `size` is: as it is, or as the preset's printer cuts it."""
    if preset is None or not preset.cards:
        return CARDS[size]
    if size not in preset.cards:
        sizes = ", ".join(preset.cards)
        raise click.UsageError(f"{preset.name} cuts cards of these sizes: {sizes}")
    return preset.cards[size]


def _grid(
    card: tuple[float, float],
    paper: str,
    wanted: str,
    lengths: tuple[str, str],
    *,
    folded: bool,
    alone: bool,
) -> Grid:
    try:
        gutter, bleed = (float(parse_length(length)) for length in lengths)
        if alone:
            return single(card, bleed)
        counts = None
        if wanted:
            columns, _, rows = wanted.lower().partition("x")
            counts = int(columns), int(rows)
        return impose(card, paper, gutter=gutter, bleed=bleed, wanted=counts, half=folded)
    except Misfit as error:
        raise click.UsageError(str(error)) from None
    except ValueError as error:
        raise click.UsageError(f"not a length or grid: {error}") from None


def _offset(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    try:
        right, down = (float(parse_length(part)) for part in text.split(","))
    except ValueError:
        message = "write two lengths, such as 0.5mm,-1mm"
        raise click.BadParameter(message, param_hint="--back-offset") from None
    return right, down
