"""Printed texts: how they are read, and how each is compared with what the rules compute."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import SeedRow, Seeds
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import Difference, Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import Inner, Scope, filled, half_up, value_of
from sheetgen.rules.formulas.expressions import MOST_TEXT, FormulaError
from sheetgen.rules.formulas.notation import blank_how
from sheetgen.rules.index import folded, index_of
from sheetgen.rules.tables.things import RulesetScope

_PRINTED_FIGURE: Final = re.compile(r"([+-]?\d+)(?:\.(\d+))?\s*([a-z%]*)\+?")
_SIZES: Final = {
    "": Fraction(1),
    "d": Fraction(1),
    "h": Fraction(1, 24),
    "%": Fraction(1, 100),
    "k": Fraction(1000),
    "m": Fraction(1_000_000),
    "b": Fraction(1_000_000_000),
}
_NUMBERS: Final = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
_WORDS: Final = {word: str(number) for number, word in enumerate(_NUMBERS.split("|"))}
_SIGNS: Final = str.maketrans('−–—×’‘“”"', "---x" + "'" * 5)
_POWER: Final = re.compile(r"\^\s*(\d)")
_TOUCHING: Final = re.compile(r"(?<=[0-9A-Za-z_)])\s*(?=\()|(?<=\))\s*(?=[0-9A-Za-z_])")
WRONG, ROUNDING, TRUNCATED, TEXT = "wrong", "rounding", "truncated", "text"
INHERITED, UNDEFINED, UNPRICED = "inherited", "undefined", "unpriced"
RATED: Final = re.compile(r"(.+?)\s+(\d+)D?\*?")  # A name with its rating: `Word 3D`
_FIGURE: Final = re.compile(r"([+-]?)(\d+d?)")
MOST_DEPTH = 20  # The deepest nesting of derived values
_OF_KEYS: Final = {"count": "count", "by": "by", "lifts": "lifts", "paid": "price"}
"""The attribute of a character key that holds the formula, by the name's first part."""


def normal_text(text: str) -> str:
    """Return `text` in the form in which it is compared.

    It is in lower case, with one kind of signs and quotes. Number words up to ten become digits,
    thousands lose their comma, and a dash alone becomes empty.
    """
    text = text.casefold().translate(_SIGNS)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(text.split()))
    text = re.sub(r"[a-z]+", lambda match: _WORDS.get(match[0], match[0]), text)
    return "" if text == "-" else text


@frozen
class PrintedFigure:
    """A printed number: its value, and the value of its last digit."""

    value: Fraction
    step: Fraction


def figure_in(text: str) -> PrintedFigure | None:
    """Return the number in `text`, or None; a `d` after it means dice."""
    match = _PRINTED_FIGURE.fullmatch(normal_text(text))
    if match is None or match[3] not in _SIZES:
        return None
    integer, rest, size = match[1], match[2] or "", _SIZES[match[3]]
    digits = Fraction(int(integer + rest), 10 ** len(rest))
    return PrintedFigure(digits * size, size / 10 ** len(rest))


def kind_of_difference(printed: str, exact: Fraction | int) -> str:
    """Return how a printed figure differs from the computed one."""
    read = figure_in(printed)
    if read is None:
        return TEXT
    steps = Fraction(exact) / read.step
    if half_up(steps) * read.step == read.value:
        return ROUNDING
    return TRUNCATED if steps // 1 * read.step == read.value else WRONG


def per_cent(printed: str, share: Fraction) -> str:
    """Return a share rounded to as many digits as are `printed`, and the exact share."""
    read = figure_in(printed)
    assert read is not None
    digits = len(printed.partition(".")[2].rstrip("% "))
    rounded = half_up(share / read.step)
    integer, rest = divmod(abs(rounded), 10**digits)
    sign = "-" if rounded < 0 else "+" if printed.lstrip().startswith("+") else ""
    text = f"{sign}{integer}.{rest:0{digits}d}%" if digits else f"{sign}{integer}%"
    return f"{text} ({share})"


def as_formula(printed: str, reads: Mapping[str, str]) -> str:
    """Return a printed formula in our language; `reads` says what its words stand for."""
    text = printed.strip()
    for word, name in sorted(reads.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(word, name)
    text = _TOUCHING.sub("*", text)
    while match := _POWER.search(text):
        start = _base(text, match.start())
        base = text[start : match.start()].strip()
        power = "*".join([base] * int(match[1])) or "1"
        text = f"{text[:start]}({power}){text[match.end() :]}"
        if len(text) > MOST_TEXT:
            raise FormulaError(f"a formula has at most {MOST_TEXT} characters")
    return text


def _base(text: str, end: int) -> int:
    start = len(text[:end].rstrip())
    if start and text[start - 1] == ")":
        depth = 0
        for place in range(start - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(text[place], 0)
            if depth == 0:
                return place
    word = re.search(r"\w+$", text[:start])
    if word is None:
        raise FormulaError("a power has no base", end)
    return word.start()


def compare(
    row: SeedRow,
    what: str,  # The printed row, and the column if that says something
    printed: str,
    computed: str,
    agrees: bool | None = None,  # None compares them by `same`
    kind: str = "",  # How they differ; found out if it is empty
    rule: str = "",
    ruling: str = "",
    table: str = "",
    at: int = -1,
    cell: int = -1,
    note: str = "",
) -> Iterator[Difference]:
    """Yield a difference if a printed text is not what the rules say in its place."""
    if not (same(printed, computed) if agrees is None else agrees):
        kind, file = kind or kind_of_texts(printed, computed), Path(row.span.file).name
        what_differs = kind, file, row.line, what, printed, computed
        yield Difference(*what_differs, rule, ruling, table, at, cell, note)


def compare_cells(
    proof: Proof,
    context: ProofContext,
    row: SeedRow,
    scope: Scope,  # Of the formulas, which also know what the cell prints as `printed`
    what: str = "",  # What the comparison is about besides the row, if it is not the column
    above: SeedRow | None = None,  # The row from which a printed change may inherit its error
    skip: Container[str] = (),
    loose: bool = False,  # Whether words in capitals may have other punctuation
) -> Iterator[Difference]:
    """Compare each column under `cells` and `within` but those to `skip`."""
    name = row.cells.get(proof.name, "")
    for column, text in (*proof.cells.items(), *proof.within.items()):
        if column in skip:
            continue
        printed = context.cell(row, column)
        computed = fill_text(text, Inner(scope, {"printed": printed}))
        agrees = same(printed, computed)
        if column in proof.within:
            agrees = agrees or all_within(proof, printed, computed)
        elif loose and printed.isupper():
            agrees = agrees or folded(printed) == folded(computed)
        share, kind = _share_in(printed, computed), ""
        if share is not None and not agrees:
            kind, computed = kind_of_difference(printed, share), per_cent(printed, share)
            of = proof.changes.get(column)
            if kind != TRUNCATED and above is not None and of is not None:
                # A printed change may be the difference of the two printed figures.
                texts = printed, row.cells[of], above.cells[of]
                change, after, before = (text.replace("−", "-").rstrip("% ") for text in texts)
                with suppress(ValueError):
                    if Fraction(change) == Fraction(after) - Fraction(before):
                        kind = INHERITED
        ruling = ruling_of(proof, name, column)
        about = f"{name}, {what or column}"
        yield from compare(row, about, printed, computed, agrees, kind, proof.rule, ruling)


def same(printed: str, computed: str) -> bool:
    """Whether two texts are equal but for signs, quotes and case, or a share and its per cent."""
    share = _share_in(printed, computed)
    if share is not None:
        return kind_of_difference(printed, share) == ROUNDING
    return normal_text(printed) == normal_text(computed)


def _share_in(printed: str, computed: str) -> Fraction | None:
    """Return the exact share that was computed for a printed percentage, or None."""
    exact = re.fullmatch(r"(-?\d+)(?:/(\d+))?", normal_text(computed))
    if exact is None or not printed.strip().endswith("%"):
        return None
    return Fraction(int(exact[1]), int(exact[2] or 1))


def within(piece: str, text: str) -> bool:
    """Whether one line of `text` has all figures of `piece`, or its words if it has no figures."""
    figures = _FIGURE.findall(normal_text(piece).replace(",", ""))
    for line in text.splitlines():
        if not figures and f" {folded(piece).removesuffix('s')}" in f" {folded(line)}":
            return True
        there = _FIGURE.findall(normal_text(line.replace("±", " +1D -")).replace(",", ""))
        bare = {figure for _, figure in there}
        if figures and all(f in there or (not f[0] and f[1] in bare) for f in figures):
            return True
    return False


def all_within(proof: Proof, printed: str, computed: str) -> bool:
    """Whether each piece of a printed cell is `within` a text, except for the words `besides`."""
    besides = besides_of(proof)
    return all(
        within(piece, computed) for piece in split_cell(printed) if folded(piece) not in besides
    )


def besides_of(proof: Proof) -> set[str]:
    """Return the words that `proof` compares with nothing, folded."""
    return {folded(word) for word in proof.besides}


def has_cells(row: SeedRow, cells: Mapping[str, str]) -> bool:
    """Whether a row has these texts in its columns."""
    return all(folded(row.cells[column]) == folded(text) for column, text in cells.items())


def split_cell(text: str) -> list[str]:
    """Return the pieces of a cell that lists several things."""
    return [piece.strip() for piece in re.split(r";| & ", text) if piece.strip() not in ("", "-")]


def rated_pieces(text: str) -> Iterator[tuple[str, int]]:
    """Yield the names in a cell that have a rating, with it."""
    for piece in split_cell(text):
        if match := RATED.fullmatch(piece):
            yield match[1], int(match[2])


def first_number(text: str) -> int:
    """Return the whole number that a cell begins with, or 0."""
    digits = re.match(r"[+-]?\d[\d,]*", text)
    return int(digits[0].replace(",", "")) if digits else 0


def kind_of_texts(printed: str, computed: str) -> str:
    """Return how two texts differ: `WRONG` if only in a figure, `TEXT` if in words."""
    shapes = [
        "".join("0" if c.isdigit() else c for c in normal_text(t)) for t in (printed, computed)
    ]
    bare = [shape.replace("0", "").strip("+-, ") for shape in shapes]
    return WRONG if bare[0] == bare[1] else TEXT


def ruling_of(proof: Proof, row: str, column: str = "") -> str:
    """Return the ruling that settles a cell, its row or its column."""
    by = {folded(key): ruling for key, ruling in proof.rulings.items()}
    cell = folded(f"{row}/{column}")
    return by.get(cell) or by.get(folded(row)) or by.get(folded(column)) or proof.ruling


class ProofError(Refused):
    """A mistake in a ruleset's `proof`."""


@dataclass
class ProofContext:
    """A ruleset, its source's printed figures, and the options in force."""

    rules: Ruleset
    seeds: Seeds
    options: dict[str, Value] = field(default_factory=dict)
    # Cells that were compared: file, line in it, column
    seen: set[tuple[str, int, str]] = field(default_factory=set)
    kinds: dict[str, Ruleset] = field(default_factory=dict)  # Rules of kinds of files, by kind

    def for_kind_of(self, proof: Proof) -> ProofContext:
        """Return this context, with the rules of the kind that `proof` names, if it names one."""
        kind = proof.kind
        return self if kind is None else replace(self, rules=self.rules_of_kind(kind, str(kind)))

    def rules_of_kind(self, place: Text, kind: str) -> Ruleset:
        """Return the rules of a kind of file; there being none is a `ProofError` at `place`."""
        if kind not in self.kinds:
            require(place, self.rules.kinds, "kind", kind)
            self.kinds[kind] = kind_rules(self.rules, kind)
        return self.kinds[kind]

    def cell(self, row: SeedRow, column: str) -> str:
        """Return a cell, and note that it is compared."""
        self.seen.add((row.span.file, row.span.line, column))
        return row.cells[column]

    def rows(self, proof: Proof) -> Iterator[SeedRow]:
        """Yield the rows that `proof` is about."""
        for row in self.seeds.files[str(proof.file)]:
            if has_cells(row, proof.where):
                for column in (*proof.where, *proof.unread):
                    self.cell(row, column)
                yield row


def dangling(span: Span, message: str, hint: str = "") -> ProofError:
    """Return the error of a name in `proof` that nothing has."""
    return ProofError(Finding(codes.DANGLING, span, message, hint))


def require(place: Text, known: Iterable[str], noun: str = "", name: str = "") -> None:
    """Raise a `ProofError` if `name`, or else the text of `place`, is not one of `known`."""
    known, name = list(known), name or str(place)
    if name not in known:
        message = f"there is no {noun} `{name}`" if noun else f"there is nothing called `{name}`"
        raise dangling(place.span, message, suggestion(name, known, f"{noun}s" if noun else ""))


def missing_columns(file: Text, seeds: Seeds, names: Iterable[str]) -> Iterator[ProofError]:
    """Yield an error for each column that a file of printed figures does not have."""
    known = seeds.columns(str(file))
    for column in dict.fromkeys(map(str, names)):
        if column not in known:
            message = f"`{file}` has no column `{column}`"
            yield dangling(file.span, message, suggestion(column, known))


def fill_text(text: Text, scope: Scope) -> str:
    """Return `text` with the values of its formulas; a `ProofError` if one has no value."""
    try:
        return filled(text, scope)
    except FormulaError as error:
        raise _unanswered(text, error) from None


def evaluate_text(formula: Text, scope: Scope) -> Value:
    """Return the value of `formula`; raises as `fill_text` does."""
    try:
        return value_of(formula, scope)
    except FormulaError as error:
        raise _unanswered(formula, error) from None


def _unanswered(text: Text, error: FormulaError) -> ProofError:
    return ProofError(Finding(codes.UNANSWERED, text.span, f"`{text}`: {error}"))


class ProofScope(RulesetScope):
    """Given values, the traits and derived values that follow, and other figures of the ruleset.

    `count.KEY`, `by.KEY` and `lifts.KEY` are of a key that raises traits; `custom.CATALOGUE`
    with `.base`, `.points`, `.most`, or `.base.TRAIT`, of an author's own choice;
    `size.GROUP`, `rows.TABLE` how many there are; `gain.ADVANCE.TRAIT` what a named advance
    raises, `paid.KEY` what a key of the file costs; `boxes.GROUP` the most boxes of its
    traits, `rungs` the dice of the ladder; `blank.TEXT` the text of an empty sheet,
    `says.CHOICE` the text of a choice, `how.DERIVED` the formula of a derived value in words,
    `note.TABLE` the text below a table, `lines.WORD` all lines of screens, sheets and notes that
    have the word, or the words.
    """

    def __init__(
        self,
        rules: Ruleset,
        names: Mapping[str, Value],  # The given values
        totals: Mapping[str, int] | None = None,  # Ratings; traits under these have at least them
        options: Mapping[str, Value] | None = None,
    ) -> None:
        super().__init__(rules, options)
        self.names = names
        self.totals = totals or {}
        self.depth = 0

    def value(self, name: str) -> Value | None:
        """Return the given, computed or other value called `name`."""
        head, _, rest = name.partition(".")
        rules, index = self.rules, index_of(self.rules)
        found = self._part(head, rest) if rest and name not in self.names else None
        if found is not None:
            return found
        if name == "rungs" and rules.dice is not None:
            return len(rules.dice.ladder)
        if name in self.totals:
            return self.totals[name]
        if name in index.traits:
            under = index.traits[name][1].under
            own, below = self.names.get(name, 0), (self.value(str(under)) if under else 0) or 0
            if isinstance(own, str) or isinstance(below, str):
                raise FormulaError(f"`{name}` is not a number")
            return own + below
        if name in self.names:
            return self.names[name]
        if name in rules.derived:
            formula = rules.derived[name].value
            if formula is None or self.depth > MOST_DEPTH:
                raise FormulaError(f"`{name}` needs a character")
            self.depth += 1
            try:
                return value_of(formula, self)
            finally:
                self.depth -= 1
        if name in rules.pools:
            return value_of(rules.pools[name].start, self)
        return super().value(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the given value of `function.name`, or 0."""
        return self.names.get(".".join((function, *names)), 0)

    def _part(self, head: str, rest: str) -> Value | None:
        """Return the value of `head.rest`; None if there is no such thing."""
        rules = self.rules
        if head in _OF_KEYS:
            formula = getattr(rules.character.get(rest), _OF_KEYS[head], None)
            return value_of(formula, self) if formula else None
        if head in _OF_THINGS:
            holder, find = _OF_THINGS[head]
            thing = getattr(rules, holder).get(rest)
            return find(self, thing) if thing else None
        if head == "says":
            entries = (e for c in rules.choices.values() for e in c.entries.items())
            return next((filled(entry.text, self) for id_, entry in entries if id_ == rest), None)
        if head == "gain":
            id_, _, trait = rest.partition(".")
            named = rules.advances.named.get(id_) if rules.advances else None
            steps = named.raise_.get(trait) if named else None
            return value_of(steps, self) if steps else None
        if head == "custom":
            id_, _, part = rest.partition(".")
            which, _, trait = part.partition(".")
            catalogue = rules.choices.get(id_)
            spread = catalogue.custom.spread if catalogue and catalogue.custom else None
            if spread is None or which not in ("points", "base", "most"):
                return None
            if which == "points":
                return value_of(spread.points, self)
            if which == "base":
                return spread.base_of.get(trait, spread.base)
            return spread.most_of.get(trait, spread.most)
        return self._of_lines(rest) if head == "lines" else None

    def _of_lines(self, rest: str) -> Value | None:
        word = f" {rest.replace('_', ' ')}"
        lines = [line.blank for line in self.rules.texts.values()]
        lines += (table.text for table in self.rules.tables.values())
        panels = (p for screen in self.rules.screens.values() for p in screen.panels.values())
        for block in (block for panel in panels for column in panel.columns for block in column):
            lines += (" ".join(row) for row in block.rows)
            lines += (note.replace("{note}", "") for note in block.notes.values())
            lines.append(block.text or "")
        found = (line for line in lines if word in f" {folded(line)}")
        return "\n".join(filled(line, self).replace("*", "") for line in found) or None


_OF_THINGS: Final[Mapping[str, tuple[str, Callable[[ProofScope, Any], Value | None]]]] = {
    "how": ("derived", lambda scope, derived: blank_how(scope.rules, derived)),
    "boxes": ("groups", lambda _, group: group.boxes),
    "size": ("groups", lambda _, group: len(group.traits)),
    "rows": ("tables", lambda _, table: len(table.lines or table.rows)),
    "note": ("tables", lambda scope, table: filled(table.text, scope)),
    "blank": ("texts", lambda scope, line: filled(line.blank, scope)),
}  # By the first part of a name: where its thing is in a ruleset, and its value
