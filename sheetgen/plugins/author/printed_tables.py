"""Printed tables against computed ones, cell by cell, and the formulas printed beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import STEPS
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.results import build_list_rows
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import SeedRow
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.model.build import Value
from sheetgen.model.computed import ComputedTable
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Choice, Item
from sheetgen.model.source import Pairs, ScalarNode, Source
from sheetgen.plugins.author.comparisons import (
    RATED,
    TEXT,
    UNDEFINED,
    UNPRICED,
    WRONG,
    Comparison,
    ProofContext,
    ProofScope,
    all_within,
    as_formula,
    besides_of,
    compare_cells,
    dangling,
    evaluate_text,
    fill_text,
    first_number,
    kind_of_difference,
    kind_of_texts,
    normal_text,
    rated_pieces,
    require,
    ruling_of,
    same,
    split_cell,
)
from sheetgen.rules.formulas.evaluate import FORMS, Inner, as_figure, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded, index_of, names_of
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.things import (
    RulesetScope,
    Thing,
    ThingScope,
    all_grants,
    catalogues,
    thing_name,
    things,
    things_of_kind,
)

MANY = 4  # From this number of differing cells on, one difference reports the whole row


def compare_table(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of a printed table with that of the ruleset."""
    if proof.table is None:
        return
    require(proof.table, context.rules.tables, "table")
    table = compute_table(context.rules, str(proof.table), context.options, turn=False)
    heads = {folded(head): at for at, head in enumerate(table.columns)}
    places = {}
    for column, head in (*proof.columns.items(), *proof.within.items()):
        if folded(head) not in heads:
            hint = suggestion(head, table.columns, "columns")
            raise dangling(proof.file.span, f"`{table.id}` has no column `{head}`", hint)
        places[str(column)] = heads[folded(head)]
    by_label = {normal_text(" ".join(row.labels).strip()): at for at, row in enumerate(table.rows)}
    for seed in context.rows(proof):
        label = " ".join(context.cell(seed, column) for column in proof.label)
        at = by_label.get(normal_text(label.strip()))
        if at is None:
            name, printed = seed.cells[proof.label[0]], _join(seed, proof.columns)
            yield Comparison(
                *(seed, name, printed, "no such row", False, TEXT, f"table `{table.id}`"),
                *(ruling_of(proof, name), table.id),
            )
            continue
        for column in places:
            context.cell(seed, column)
        row = _PrintedRow(proof, seed, table, at)
        yield from row.compare_cells(places)
        if proof.formula:
            yield from row.compare_formula(context)


def _join(seed: SeedRow, columns: Mapping[str, object]) -> str:
    return ", ".join(seed.cells[column] for column in columns)


class _PrintedRow:
    """A printed row, and the row of the computed table that has its label."""

    def __init__(self, proof: Proof, seed: SeedRow, table: ComputedTable, at: int) -> None:
        self.proof, self.seed, self.table, self.at = proof, seed, table, at
        self.row = table.rows[at]
        self.name = " → ".join(label for label in self.row.labels if label)

    def compare_cells(self, places: Mapping[str, int]) -> Iterator[Comparison]:
        """Yield a comparison for each cell that differs, or one for the whole row."""
        cells = self.row.cells
        wrong = []
        for column, place in places.items():
            both = self.seed.cells[column], cells[place]
            inside = column in self.proof.within
            if not (all_within(self.proof, *both) if inside else same(*both)):
                wrong.append(column)
        if len(wrong) >= MANY:
            computed = ", ".join(cells[place] for place in places.values())
            yield self._of_whole_row(_join(self.seed, places), computed)
            return
        for column in wrong:
            place = places[column]
            exact = self.row.values[place] if self.row.values else None
            printed, computed = self.seed.cells[column], cells[place]
            kind = kind_of_texts(printed, computed)
            kind = kind_of_difference(printed, exact) if exact is not None else kind
            what = f"{self.name}, {self.table.columns[place]}"
            ruling = ruling_of(self.proof, self.name, column)
            rule = self._rule(exact, computed)
            yield Comparison(
                *(self.seed, what, printed, computed, False, kind, rule, ruling),
                *(self.table.id, self.at, place),
            )

    def _rule(self, exact: Fraction | int | None, computed: str) -> str:
        """Return the formula of the row; with the exact figure, where the table shortens it."""
        row = self.row
        if not row.formula:
            return "the sum of the rows above" if row.total else f"table `{self.table.id}`"
        integer = exact is not None and Fraction(exact).denominator == 1
        return f"{row.formula} = {exact:,}" if integer and f"{exact}" != computed else row.formula

    def _of_whole_row(self, printed: str, computed: str) -> Comparison:
        rule, ruling = self._rule(None, computed), ruling_of(self.proof, self.name)
        return Comparison(
            *(self.seed, self.name, printed, computed, False, TEXT, rule, ruling),
            *(self.table.id, self.at),
        )

    def compare_formula(self, context: ProofContext) -> Iterator[Comparison]:
        """Yield a comparison if the printed formula gives other figures than ours."""
        row, printed = self.row, context.cell(self.seed, self.proof.formula)
        if not printed or not row.values:
            return
        scope = RulesetScope(context.rules, context.options)
        given = []
        try:
            formula = as_formula(printed, self.proof.reads)
            for n, value in zip(self.table.table.over, row.values, strict=True):
                gives = as_figure(value_of(formula, Inner(scope, {"n": n})))
                if gives != value:
                    given.append((n, gives, value))
        except FormulaError as error:
            yield self._of_whole_row(printed, f"cannot be worked out: {error}")
            return
        if given:
            n, gives, ours = given[0]
            write = FORMS[self.table.table.lines[self.at].as_]
            more = ", and so on" if len(given) > 1 else ""
            computed = f"{write(ours)} at {n}, where the printed formula gives {write(gives)}{more}"
            what = f"{self.name}, the formula printed for it"
            ruling = ruling_of(self.proof, self.name, self.proof.formula)
            yield Comparison(self.seed, what, printed, computed, False, TEXT, row.formula, ruling)


# Printed rows against files of a kind: shipped ones, and the file that a row would make.


_NAMED: Final = re.compile(r"(.+?)\s+(\d+d?\*?)")


def compare_files(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed rows with files of a kind."""
    kind = kind_of_proof(proof)
    for row in context.rows(proof) if proof.makes and not kind else ():
        entries = []  # of a file that has the values of the row
        for key, column in proof.makes.items():
            cell = context.cell(row, column)
            entries.append((ScalarNode(row.span, key, key), ScalarNode(row.span, cell, cell)))
        made = Source(row.span.file, "", Pairs(row.span, tuple(entries)), "")
        yield from _compare(proof, context, row, _draft(made, context.rules, context))
    if not kind or proof.of is None:
        return
    own = context.rules_of_kind(proof.of, kind)
    folder = Path(context.rules.place.file).parent
    sources = entries_of(folder, context.rules.kinds[kind])
    drafts = {str(n): _draft(source, own, context) for n, source in enumerate(sources)}
    called = ((n, d.texts.get("name", ""), d.lists.get("aliases", ())) for n, d in drafts.items())
    names = names_of(called, context.rules.spellings)
    for row in context.rows(proof):
        name = context.cell(row, proof.name)
        found = names.find(name)
        if len(found) == 1:
            yield from _compare(proof, context, row, drafts[found[0]])
        else:
            hint, ruling = names.hint(name), ruling_of(proof, name)
            yield Comparison(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)


def _draft(source: Source, rules: Ruleset, context: ProofContext) -> Draft:
    options = {str(i): o.default for i, o in context.rules.options.items()} | context.options
    draft = Draft(rules, index_of(rules), source, options)
    for step in STEPS:
        step(draft)
    return draft


def _compare(
    proof: Proof, context: ProofContext, row: SeedRow, draft: Draft
) -> Iterator[Comparison]:
    # How often each key that raises traits does so, and by how much.
    raises = {id_: key for id_, key in draft.rules.character.items() if key.kind == "raises"}
    names: dict[str, Value] = {}
    for id_, key in raises.items():
        names[f"count.{id_}"] = draft.eval_int(key.count or "0")
        names[f"by.{id_}"] = draft.eval_int(key.by or "1")
    scope = draft.scope(**{**names, **draft.texts})
    yield from compare_cells(
        proof, context, row, lambda _: scope, skip=proof.each, loose=proof.loose
    )
    name = row.cells[proof.name]
    for column, of in proof.each.items():
        listed = build_list_rows(draft).get(str(of))
        if listed is None:
            raise dangling(of.span, f"there is no list `{of}`")
        if column not in proof.cells:
            raise dangling(of.span, f"`cells` has no text for the column `{column}` of `each`")
        printed, text = context.cell(row, column), proof.cells[column]
        computed = "; ".join(fill_text(text, Inner(scope, dict(values))) for values in listed)
        agrees = _bag(printed, draft) == _bag(computed, draft)
        what, ruling = f"{name}, {column}", ruling_of(proof, name, column)
        yield Comparison(row, what, printed, computed, agrees, "", proof.rule, ruling)


def _bag(text: str, draft: Draft) -> list[tuple[str, ...]]:
    """Return the things in a cell, without regard to the order of things and of words."""
    found = []
    for piece in filter(None, re.split(r"[;,] ?", normal_text(text))):
        match = _NAMED.fullmatch(piece)
        name, code = (match[1], match[2]) if match else (piece, "")
        item = draft.index.gear.find(name)
        own = str(draft.rules.gear[item[0]].name) if item else name
        found.append(tuple(sorted(normal_text(f"{own} {code}").split())))
    return sorted(found)


# Words of printed rows that have to be names, and rows whose figures follow from each other.


_SIGNED: Final = re.compile(r"[+−-]\d+D?\s+(.+)")
_CHANGES: Final = re.compile(r"(.+?)\s+([+−-]\d+)")

DERIVED: Final = "derived"  # In `names`, the labels of derived values; all else is a catalogue


def compare_names(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield the words of the columns under `names` that are no names of the rules."""
    for column, of in proof.names.items():
        for one in of:
            require(one, [DERIVED, *catalogues(context.rules)])
        for row in context.rows(proof):
            yield from _unknown_words(proof, context, row, str(column), tuple(map(str, of)))


def _unknown_words(
    proof: Proof, context: ProofContext, row: SeedRow, column: str, of: tuple[str, ...]
) -> Iterator[Comparison]:
    known: dict[str, str] = {}  # names as they are printed, by their folded form
    for one in of:
        labels = (str(derived.label or "") for derived in context.rules.derived.values())
        listed = labels if one == DERIVED else map(thing_name, things(context.rules, one).values())
        known |= {folded(name): name for name in listed if name}
    catalogued = (things_of_kind(context.rules, one) for one in of if one != DERIVED)
    called = list(catalogued)  # with aliases and other spellings
    ruled = {folded(key) for key in proof.rulings}
    for piece in split_cell(context.cell(row, column)):
        signed, rated = _SIGNED.fullmatch(piece), RATED.fullmatch(piece)
        if proof.signed and signed is None:
            continue
        word = signed[1] if signed else rated[1] if rated else piece
        form = folded(word)
        # A printed name may be in the plural, but not the other way round.
        if {form, form.removesuffix("s")} & known.keys() or form in besides_of(proof):
            continue
        meant = next((names.shown[id_] for names in called for id_ in names.find(word)), "")
        if meant and proof.loose:
            continue
        name = row.cells.get(proof.name, "")
        known_as = f"the rules call it {meant}" if meant else _elsewhere(proof, context, word)
        known_as = known_as or suggestion(word, known.values())
        ruling = ruling_of(proof, word) if form in ruled else ""
        what = f"{name}, {column}" if name else column
        yield Comparison(row, what, word, known_as, False, UNDEFINED, ruling=ruling)


def _elsewhere(proof: Proof, context: ProofContext, word: str) -> str:
    """Return where the source prints a word as something else, if it does."""
    for name, rows in context.seeds.files.items():
        for row in rows if name != proof.file else ():
            for piece in (piece for cell in row.cells.values() for piece in split_cell(cell)):
                rated = RATED.fullmatch(piece)
                if folded(rated[1] if rated else piece) == folded(word):
                    return f"line {row.line} has it in another list"
    return ""


def compare_rows(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed values with those that a row's own ratings give."""
    alone = proof.of is None and proof.table is None and not proof.makes
    if proof.totals or (alone and (proof.cells or proof.within)):
        for number, row in enumerate(context.rows(proof), start=1):
            yield from _compare_row(proof, context, row, number)


def _compare_row(
    proof: Proof, context: ProofContext, row: SeedRow, number: int
) -> Iterator[Comparison]:
    cell = context.cell
    totals = {str(t): first_number(cell(row, column)) for t, column in proof.totals.items()}
    skills = index_of(context.rules).all_traits
    for word, code in rated_pieces(cell(row, proof.rated)) if proof.rated else ():
        totals |= dict.fromkeys(skills.find(word)[:1], code)
    names: dict[str, Value] = {"row": number}
    names |= {f"cell.{column}": text for column, text in row.cells.items()}
    for item in _items(context, cell(row, proof.worn)) if proof.worn else ():
        # What a worn item adds to derived values, by the names of `modifiers(…)`.
        if item.gives is not None and item.bonus is not None:
            names[f"modifiers.{item.gives}"] = item.bonus
        for derived, formula in item.modifies.items():
            names[f"modifiers.{derived}"] = value_of(formula, ProofScope(context.rules, {}))
        yield from _compare_worn(proof, context, row, item, names)
    scope = ProofScope(context.rules, names, totals, context.options)
    cell(row, proof.name)
    if proof.of is None:
        yield from compare_cells(proof, context, row, lambda _: scope)
    if proof.armed:
        yield from _compare_armed(proof, context, row, scope)


def _items(context: ProofContext, text: str) -> Iterator[Item]:
    for piece in split_cell(text):
        found = things_of_kind(context.rules, "gear").find(piece)
        yield from (context.rules.gear[id_] for id_ in found[:1])


def _compare_worn(
    proof: Proof, context: ProofContext, row: SeedRow, item: Item, names: Mapping[str, Value]
) -> Iterator[Comparison]:
    """Yield comparisons of the changes printed behind a worn item with those of the item."""
    name = row.cells[proof.name]
    for piece in split_cell(row.cells[proof.worn]):
        match = _CHANGES.fullmatch(piece)
        if match is None:
            continue
        for id_, derived in context.rules.derived.items():
            if derived.label and folded(derived.label) == folded(match[1]):
                amount = f"{names.get(f'modifiers.{id_}', 0):+}"
                what, rule = f"{name}, {item.name}, {derived.label}", str(item.name)
                ruling = ruling_of(proof, name, proof.worn)
                yield Comparison(row, what, match[2], amount, None, WRONG, rule, ruling)


def _compare_armed(
    proof: Proof, context: ProofContext, row: SeedRow, scope: ProofScope
) -> Iterator[Comparison]:
    for word, code in rated_pieces(context.cell(row, proof.armed)):
        for item in _items(context, word):
            adds = scope.value(str(item.adds)) if item.adds else 0
            dice = (item.dice or 0) + (adds if isinstance(adds, int) else 0)
            what, ruling = f"{row.cells[proof.name]}, {word}", ruling_of(proof, word)
            yield Comparison(row, what, f"{code}D", f"{dice}D", None, "", f"{item.name}", ruling)


# Printed rows of a catalogue against the things of the ruleset.


KINDS = "kinds."  # The prefix of `of` before the name of a kind of files


def kind_of_proof(proof: Proof) -> str:
    """Return the kind of files that a proof is about, or an empty string."""
    return str(proof.of).removeprefix(KINDS) if str(proof.of).startswith(KINDS) else ""


def compare_things(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed rows with the things that they are about."""
    if proof.of is None or kind_of_proof(proof):
        return
    require(proof.of, catalogues(context.rules))
    of = str(proof.of)
    known, names = things(context.rules, of), things_of_kind(context.rules, of)
    wrong: dict[str, list[Comparison]] = {}  # by name, if one row of several with it may agree
    right: set[str] = set()
    above: SeedRow | None = None
    for row in context.rows(proof):
        name = context.cell(row, proof.name)
        before, above = above, row
        if folded(name) in besides_of(proof):
            continue
        printed = str(proof.thing or name).rstrip("*").strip()  # without a footnote's mark
        found = names.find(printed)
        if not found:
            hint, ruling = names.hint(name), ruling_of(proof, name)
            yield Comparison(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)
            continue
        differing = [
            c for c in _compare_thing(proof, context, row, known[found[0]], before) if c.differs
        ]
        if not proof.any_of:
            yield from differing
        elif differing:
            wrong.setdefault(name, differing)
        else:
            right.add(name)
    yield from (differing[0] for name, differing in wrong.items() if name not in right)


def _compare_thing(
    proof: Proof, context: ProofContext, row: SeedRow, thing: Thing, above: SeedRow | None
) -> Iterator[Comparison]:
    about = ThingScope(context.rules, RulesetScope(context.rules, context.options), thing)
    names: dict[str, Value] = dict(_grant_texts(thing, context))
    if proof.trait:
        found = index_of(context.rules).all_traits.find(context.cell(row, proof.trait))
        if not found:
            return
        names |= {"trait": found[0], "raised": about.value(f"raises.{found[0]}") or 0}
    what = row.cells[proof.trait] if proof.trait else ""
    yield from compare_cells(
        *(proof, context, row, lambda printed: Inner(about, {**names, "printed": printed})),
        *(what, above),
    )
    if proof.price is not None:
        name, priced = row.cells[proof.name], bool(evaluate_text(proof.price, about))
        ruling = ruling_of(proof, name, "price")
        yield Comparison(row, name, "no price", "", priced, UNPRICED, proof.rule, ruling)


def _grant_texts(thing: Thing, context: ProofContext) -> Mapping[str, str]:
    """Return in words what a choice grants: items, dice, other choices."""
    rules = context.rules
    found: dict[str, list[str]] = {key: [] for key in ("gear", "dice", "take", "set")}
    entries = {str(i): e for c in rules.choices.values() for i, e in c.entries.items()}
    for grants in all_grants(thing.grants) if isinstance(thing, Choice) else ():
        found["gear"] += [str(rules.gear[id_].name) for id_ in grants.gear]
        found["dice"] += map(str, grants.dice)
        found["take"] += [str(entries[id_].name) for id_ in grants.take]
        found["set"] += [str(entries[id_].name) for id_ in grants.set.values()]
    return {
        f"gives.{key}": ", ".join(
            f"{word} ×{n}" if n > 1 else word for word, n in Counter(words).items()
        )
        for key, words in found.items()
    }
