"""What a piece shows: a person, a vehicle, or one of several copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sheetgen.diag.spans import Span
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.rulesets.encounters import StripRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.encounter_views import Run
from sheetgen.plan.pages.encounters import Fighter, plan_strip


@dataclass(frozen=True, slots=True)
class FactRow:
    """Figures with labels, under a heading."""

    about: str
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class PieceSubject:
    """What a piece shows.

    Attributes:
        number: The number of a copy; empty for a single one.
        about: Words below the name.
        facts: What is looked up, for the back of a tent.
        group: The number of its group; pieces of one group have the same pattern.
        person: Whether a player plays it.
        art: The picture of its file.
        picture: That picture, ready for the box of its piece.
        span: Where findings about it point.
    """

    name: str
    number: str = ""
    about: str = ""
    facts: tuple[FactRow, ...] = ()
    group: int = 0
    person: bool = False
    art: Picture | None = None
    picture: PreparedPicture | None = None
    span: Span = field(default_factory=lambda: Span(""))

    @property
    def initials(self) -> str:
        """The first letters of the first and of the last word; two letters of a single word."""
        words = [word for word in self.name.split() if word[0].isalnum()]
        if len(words) == 1:
            return words[0][:1].upper() + words[0][1:2]
        return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[-1:]))).upper()


def describe_fighter(
    fighter: Fighter, rules: Ruleset, group: int, span: Span
) -> Iterator[PieceSubject]:
    """Yield the subject of each copy of a checked build."""
    page = rules.encounter
    words = page.strips.get(fighter.kind) if page is not None else None
    own = rules.pieces
    if not fighter.kind and own is not None:
        words = StripRules(label="", figures=own.tent, steps=())
    facts: Sequence[FactRow] = ()
    about = ""
    if words is not None:
        strip = plan_strip(fighter, words)
        first = (strip.corner, page.init) if words.corner and page is not None else (None, "")
        facts = tuple(_facts(words, strip.figures, strip.steps, *first))
        about = strip.about
        if not fighter.kind and own is not None:
            shown = (fighter.view.texts.get(part.of) for part in own.about)
            about = " · ".join(one.text for one in shown if one is not None)
    name = fighter.build.name or "?"
    art = next(iter(fighter.build.pictures.values()), None)
    for copy in fighter.copies:
        numbered = copy.isdigit() or not copy
        yield PieceSubject(
            name=name if numbered else copy,
            number=copy if numbered else "",
            about=about if numbered else " · ".join(filter(None, (name, about))),
            facts=tuple(facts),
            group=group,
            person=not fighter.kind,
            art=art,
            span=span,
        )


def _facts(
    words: StripRules,
    figures: tuple[Run, ...],
    steps: tuple[Run, ...],
    corner: Run | None,
    init: str,
) -> Iterator[FactRow]:
    if corner is not None and (corner.text or corner.dice):
        labelled = Run(corner.text, corner.small, label=init, dice=corner.dice)
        yield FactRow("", (labelled,))
    for heading, runs in ((words.figures_about, figures), (words.steps_about, steps)):
        if shown := tuple(run for run in runs if run.text or run.dice):
            yield FactRow(heading, shown)
