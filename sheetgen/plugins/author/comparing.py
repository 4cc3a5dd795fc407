"""A proof: the printed figures of a source against the figures that the rules compute.

Each step under `STEPS` compares one kind of printed figures, and yields the differences with the
rulings that settle them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import STEPS as STEPS_OF_CHECK
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.results import build_list_rows
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, in_order
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import SeedRow, Seeds
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import Difference, Example, Proof, ProofParts
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Choice, Item
from sheetgen.model.source import Pairs, ScalarNode, Source, Text
from sheetgen.plugins.author.comparisons import (
    RATED,
    TEXT,
    UNDEFINED,
    UNPRICED,
    WRONG,
    ProofContext,
    ProofError,
    ProofScope,
    all_within,
    as_formula,
    besides_of,
    compare,
    compare_cells,
    dangling,
    evaluate_text,
    fill_text,
    first_number,
    has_cells,
    kind_of_difference,
    kind_of_texts,
    missing_columns,
    normal_text,
    rated_pieces,
    require,
    ruling_of,
    same,
    split_cell,
    within,
)
from sheetgen.rules.formulas.evaluate import BRACES, FORMS, Inner, as_figure, value_of, value_text
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

# Printed tables against computed ones, cell by cell, and the formulas printed beside them.


MANY = 4  # From this number of differing cells on, one difference reports the whole row


def compare_table(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Compare a printed table with that of the ruleset."""
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
            name = seed.cells[proof.label[0]]
            printed = ", ".join(seed.cells[column] for column in proof.columns)
            yield from compare(
                *(seed, name, printed, "no such row", False, TEXT, f"table `{table.id}`"),
                *(ruling_of(proof, name), table.id),
            )
            continue
        row = table.rows[at]
        name = " → ".join(label for label in row.labels if label)
        rule = row.formula or ("the sum of the rows above" if row.total else f"table `{table.id}`")
        wrong = {}
        for column, place in places.items():
            both = context.cell(seed, column), row.cells[place]
            inside = column in proof.within
            if not (all_within(proof, *both) if inside else same(*both)):
                wrong[column] = place
        if len(wrong) >= MANY:
            printed = ", ".join(seed.cells[column] for column in places)
            computed = ", ".join(row.cells[place] for place in places.values())
            yield from compare(
                *(seed, name, printed, computed, False, TEXT, rule, ruling_of(proof, name)),
                *(table.id, at),
            )
            wrong = {}
        for column, place in wrong.items():
            exact = row.values[place] if row.values else None
            printed, computed = seed.cells[column], row.cells[place]
            kind, shown = kind_of_texts(printed, computed), rule
            if exact is not None:
                kind = kind_of_difference(printed, exact)
                if row.formula and exact.denominator == 1 and f"{exact}" != computed:
                    shown = f"{rule} = {exact:,}"  # where the table shortens it
            what, ruling = f"{name}, {table.columns[place]}", ruling_of(proof, name, column)
            yield from compare(
                *(seed, what, printed, computed, False, kind, shown, ruling), *(table.id, at, place)
            )
        printed = context.cell(seed, proof.formula) if proof.formula else ""
        if printed and row.values:
            # Where the printed formula gives other figures than ours.
            scope, given = RulesetScope(context.rules, context.options), []
            try:
                formula = as_formula(printed, proof.reads)
                for n, value in zip(table.table.over, row.values, strict=True):
                    gives = as_figure(value_of(formula, Inner(scope, {"n": n})))
                    if gives != value:
                        given.append((n, gives, value))
            except FormulaError as error:
                computed, ruling = f"cannot be worked out: {error}", ruling_of(proof, name)
                yield from compare(
                    *(seed, name, printed, computed, False, TEXT, rule, ruling, table.id, at)
                )
                continue
            if given:
                n, gives, ours = given[0]
                write = FORMS[table.table.lines[at].as_]
                computed = f"{write(ours)} at {n}, where the printed formula gives {write(gives)}"
                computed += ", and so on" if len(given) > 1 else ""
                what = f"{name}, the formula printed for it"
                ruling = ruling_of(proof, name, proof.formula)
                yield from compare(seed, what, printed, computed, False, TEXT, row.formula, ruling)


# Printed rows of a catalogue against the things of the ruleset.


KINDS = "kinds."  # The prefix of `of` before the name of a kind of files


def kind_of_proof(proof: Proof) -> str:
    """Return the kind of files that a proof is about, or an empty string."""
    return str(proof.of).removeprefix(KINDS) if str(proof.of).startswith(KINDS) else ""


def compare_things(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Compare printed rows with the things that they are about."""
    if proof.of is None or kind_of_proof(proof):
        return
    require(proof.of, catalogues(context.rules))
    of = str(proof.of)
    known, names = things(context.rules, of), things_of_kind(context.rules, of)
    wrong: dict[str, Difference] = {}  # by name, if one row of several with it may agree
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
            yield from compare(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)
            continue
        differing = [*_compare_thing(proof, context, row, known[found[0]], before)]
        if not proof.any_of:
            yield from differing
        elif differing:
            wrong.setdefault(name, differing[0])
        else:
            right.add(name)
    yield from (one for name, one in wrong.items() if name not in right)


def _compare_thing(
    proof: Proof, context: ProofContext, row: SeedRow, thing: Thing, above: SeedRow | None
) -> Iterator[Difference]:
    about = ThingScope(context.rules, RulesetScope(context.rules, context.options), thing)
    names: dict[str, Value] = dict(_grant_texts(thing, context.rules))
    if proof.trait:
        found = index_of(context.rules).all_traits.find(context.cell(row, proof.trait))
        if not found:
            return
        names |= {"trait": found[0], "raised": about.value(f"raises.{found[0]}") or 0}
    what = row.cells[proof.trait] if proof.trait else ""
    yield from compare_cells(proof, context, row, Inner(about, names), what, above)
    if proof.price is not None:
        name, priced = row.cells[proof.name], bool(evaluate_text(proof.price, about))
        ruling = ruling_of(proof, name, "price")
        yield from compare(row, name, "no price", "", priced, UNPRICED, proof.rule, ruling)


def _grant_texts(thing: Thing, rules: Ruleset) -> Mapping[str, str]:
    """Return in words what a choice grants: items, dice, other choices."""
    found: dict[str, list[str]] = {key: [] for key in ("gear", "dice", "take", "set")}
    entries = {str(i): e for c in rules.choices.values() for i, e in c.entries.items()}
    for grants in all_grants(thing.grants) if isinstance(thing, Choice) else ():
        found["gear"] += [str(rules.gear[id_].name) for id_ in grants.gear]
        found["dice"] += map(str, grants.dice)
        found["take"] += [str(entries[id_].name) for id_ in grants.take]
        found["set"] += [str(entries[id_].name) for id_ in grants.set.values()]
    counted = {key: Counter(words).items() for key, words in found.items()}
    return {
        f"gives.{key}": ", ".join(f"{word} ×{n}" if n > 1 else word for word, n in counts)
        for key, counts in counted.items()
    }


# Printed rows against files of a kind: shipped ones, and the file that a row would make.


_NAMED: Final = re.compile(r"(.+?)\s+(\d+d?\*?)")


def compare_files(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Compare printed rows with files of a kind."""
    kind = kind_of_proof(proof)
    for row in context.rows(proof) if proof.makes and not kind else ():
        entries = []  # of a file that has the values of the row
        for key, column in proof.makes.items():
            cell = context.cell(row, column)
            entries.append((ScalarNode(row.span, key, key), ScalarNode(row.span, cell, cell)))
        made = Source(row.span.file, "", Pairs(row.span, tuple(entries)), "")
        yield from _compare_file(proof, context, row, _draft(made, context.rules, context))
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
            yield from _compare_file(proof, context, row, drafts[found[0]])
        else:
            hint, ruling = names.hint(name), ruling_of(proof, name)
            yield from compare(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)


def _draft(source: Source, rules: Ruleset, context: ProofContext) -> Draft:
    options = {str(i): o.default for i, o in context.rules.options.items()} | context.options
    draft = Draft(rules, index_of(rules), source, options)
    for step in STEPS_OF_CHECK:
        step(draft)
    return draft


def _compare_file(
    proof: Proof, context: ProofContext, row: SeedRow, draft: Draft
) -> Iterator[Difference]:
    # How often each key that raises traits does so, and by how much.
    names: dict[str, Value] = {}
    for id_, key in draft.rules.character.items():
        if key.kind == "raises":
            names[f"count.{id_}"] = draft.eval_int(key.count or "0")
            names[f"by.{id_}"] = draft.eval_int(key.by or "1")
    scope = draft.scope(**{**names, **draft.texts})
    yield from compare_cells(proof, context, row, scope, skip=proof.each, loose=proof.loose)

    def bag(text: str) -> list[list[str]]:
        """Return the things in a cell, without regard to the order of things and of words."""
        found = []
        for piece in filter(None, re.split(r"[;,] ?", normal_text(text))):
            match = _NAMED.fullmatch(piece)
            name, code = (match[1], match[2]) if match else (piece, "")
            item = draft.index.gear.find(name)
            own = str(draft.rules.gear[item[0]].name) if item else name
            found.append(sorted(normal_text(f"{own} {code}").split()))
        return sorted(found)

    name = row.cells[proof.name]
    for column, of in proof.each.items():
        listed = build_list_rows(draft).get(str(of))
        if listed is None:
            raise dangling(of.span, f"there is no list `{of}`")
        if column not in proof.cells:
            raise dangling(of.span, f"`cells` has no text for the column `{column}` of `each`")
        printed, text = context.cell(row, column), proof.cells[column]
        computed = "; ".join(fill_text(text, Inner(scope, dict(values))) for values in listed)
        agrees, ruling = bag(printed) == bag(computed), ruling_of(proof, name, column)
        what = f"{name}, {column}"
        yield from compare(row, what, printed, computed, agrees, "", proof.rule, ruling)


# Words of printed rows that have to be names, and rows whose figures follow from each other.


_SIGNED: Final = re.compile(r"[+−-]\d+D?\s+(.+)")
_CHANGES: Final = re.compile(r"(.+?)\s+([+−-]\d+)")

DERIVED: Final = "derived"  # In `names`, the labels of derived values; all else is a catalogue


def compare_names(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Yield the words of the columns under `names` that are no names of the rules."""
    rules = context.rules
    ruled, besides = {folded(key) for key in proof.rulings}, besides_of(proof)
    for column, of in proof.names.items():
        known: dict[str, str] = {}  # names as they are printed, by their folded form
        for one in of:
            require(one, [DERIVED, *catalogues(rules)])
            labels = (str(derived.label or "") for derived in rules.derived.values())
            listed = labels if one == DERIVED else map(thing_name, things(rules, one).values())
            known |= {folded(name): name for name in listed if name}
        # With aliases and other spellings.
        called = [things_of_kind(rules, one) for one in of if one != DERIVED]
        for row in context.rows(proof):
            for piece in split_cell(context.cell(row, str(column))):
                signed = _SIGNED.fullmatch(piece)
                if proof.signed and signed is None:
                    continue
                word = signed[1] if signed else _bare_name(piece)
                form = folded(word)
                # A printed name may be in the plural, but not the other way round.
                if {form, form.removesuffix("s")} & known.keys() or form in besides:
                    continue
                meant = next((names.shown[i] for names in called for i in names.find(word)), "")
                if meant and proof.loose:
                    continue
                about = f"the rules call it {meant}" if meant else _elsewhere(proof, context, form)
                about = about or suggestion(word, known.values())
                name = row.cells.get(proof.name, "")
                what = f"{name}, {column}" if name else str(column)
                ruling = ruling_of(proof, word) if form in ruled else ""
                yield from compare(row, what, word, about, False, UNDEFINED, ruling=ruling)


def _bare_name(piece: str) -> str:
    rated = RATED.fullmatch(piece)
    return rated[1] if rated else piece


def _elsewhere(proof: Proof, context: ProofContext, form: str) -> str:
    """Return where the source prints a word as something else, if it does."""
    for name, rows in context.seeds.files.items():
        for row in rows if name != proof.file else ():
            for piece in (piece for cell in row.cells.values() for piece in split_cell(cell)):
                if folded(_bare_name(piece)) == form:
                    return f"line {row.line} has it in another list"
    return ""


def compare_rows(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Compare printed values with those that a row's own ratings give."""
    alone = proof.of is None and proof.table is None and not proof.makes
    if not (proof.totals or (alone and (proof.cells or proof.within))):
        return
    rules, cell, skills = context.rules, context.cell, index_of(context.rules).all_traits
    for number, row in enumerate(context.rows(proof), start=1):
        totals = {str(t): first_number(cell(row, column)) for t, column in proof.totals.items()}
        for word, code in rated_pieces(cell(row, proof.rated)) if proof.rated else ():
            totals |= dict.fromkeys(skills.find(word)[:1], code)
        names: dict[str, Value] = {"row": number}
        names |= {f"cell.{column}": text for column, text in row.cells.items()}
        for item in _items(rules, cell(row, proof.worn)) if proof.worn else ():
            # What a worn item adds to derived values, by the names of `modifiers(…)`.
            if item.gives is not None and item.bonus is not None:
                names[f"modifiers.{item.gives}"] = item.bonus
            for derived, formula in item.modifies.items():
                names[f"modifiers.{derived}"] = value_of(formula, ProofScope(rules, {}))
            yield from _compare_worn(proof, rules, row, item, names)
        scope = ProofScope(rules, names, totals, context.options)
        name = cell(row, proof.name)
        if proof.of is None:
            yield from compare_cells(proof, context, row, scope)
        for word, code in rated_pieces(cell(row, proof.armed)) if proof.armed else ():
            for item in _items(rules, word):
                adds = scope.value(str(item.adds)) if item.adds else 0
                dice = f"{(item.dice or 0) + (adds if isinstance(adds, int) else 0)}D"
                what, ruling = f"{name}, {word}", ruling_of(proof, word)
                yield from compare(row, what, f"{code}D", dice, None, "", f"{item.name}", ruling)


def _items(rules: Ruleset, text: str) -> Iterator[Item]:
    for piece in split_cell(text):
        found = things_of_kind(rules, "gear").find(piece)
        yield from (rules.gear[id_] for id_ in found[:1])


def _compare_worn(
    proof: Proof, rules: Ruleset, row: SeedRow, item: Item, names: Mapping[str, Value]
) -> Iterator[Difference]:
    """Compare the changes printed behind a worn item with those of the item."""
    name = row.cells[proof.name]
    for match in map(_CHANGES.fullmatch, split_cell(row.cells[proof.worn])):
        for id_, derived in rules.derived.items():
            if match and derived.label and folded(derived.label) == folded(match[1]):
                amount = f"{names.get(f'modifiers.{id_}', 0):+}"
                what, rule = f"{name}, {item.name}, {derived.label}", str(item.name)
                ruling = ruling_of(proof, name, proof.worn)
                yield from compare(row, what, match[2], amount, None, WRONG, rule, ruling)


# Single printed figures against formulas: worked examples, and figures that fit one another.


ABOUT = "about"  # The column that tells one figure of running text from another
GIVEN = "given"  # The column of the values that an example starts from
MOST_N = 12  # The highest `n` for which printed formulas are evaluated


def compare_examples(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Yield a comparison for each single figure under `examples`."""
    rows = context.seeds.files[str(proof.file)]
    column = key_column(proof, context.seeds)
    for example in proof.examples:
        named = [row for row in rows if has_cells(row, {column: example.at})]
        found = [row for row in named if has_cells(row, proof.where)]
        if not found:
            hint = suggestion(example.at, [row.cells[column] for row in rows])
            raise dangling(example.at.span, f"`{proof.file}` has no `{example.at}`", hint)
        for row in found:
            context.cell(row, column)
            printed = context.cell(row, example.in_)
            given = re.findall(r"\d+", normal_text(row.cells.get(GIVEN, "")))
            apart = example.unread or any(
                one.at == example.at and one.in_ == GIVEN for one in proof.examples
            )
            if given and not apart:
                # The numbers that the source's example starts from, with those of ours.
                formulas = (match[1] for match in BRACES.finditer(example.text or ""))
                numbers = (int(n) for text in formulas for n in re.findall(r"\d+", text))
                ours = {*example.given.values(), *numbers}
                what, cell = f"{example.at}, {GIVEN}", context.cell(row, GIVEN)
                computed, agrees = ", ".join(map(str, sorted(ours))), set(map(int, given)) <= ours
                yield from compare(row, what, cell, computed, agrees, "", "its numbers", "")
            if example.table is not None:
                yield from _compare_with_table(context, example, row, printed, str(example.table))
            elif not example.unread:
                yield from _compare_example(context, example, row, printed)


def _compare_with_table(
    context: ProofContext, example: Example, row: SeedRow, printed: str, table: str
) -> Iterator[Difference]:
    """Compare the figures of a cell with those in the words of a table's row."""
    shown = compute_table(context.rules, table, context.options)
    rows = [" ".join((*one.labels, *one.cells)) for one in shown.rows]
    first = [one.labels[0] if one.labels else one.cells[0] for one in shown.rows]
    if example.row:
        require(Text(example.row, example.at.span), first, "row")
        rows = [text for label, text in zip(first, rows, strict=True) if label == example.row]
    else:
        rows.append(shown.text)
    wanted = figures_in(printed)
    agrees = bool(wanted) and any(wanted <= figures_in(text) for text in rows)
    rule = example.rule or f"the table `{table}`"
    kind, ruling = TEXT if example.ruling else "", example.ruling
    yield from compare(
        row, str(example.at), printed, "; ".join(rows), agrees, kind, rule, ruling, table
    )


def figures_in(text: str) -> frozenset[str]:
    """Return the figures in a text, such as `10`, `-1d` and `75%`."""
    plain = re.sub(r"\b(one-half|1-half|half|halved)\b", "½", normal_text(text)).replace(" %", "%")
    return frozenset(re.findall(r"(?:(?<!\d)-)?\d+(?:/\d+)?d?(?:\+\d)?%?|[½¼¾]", plain))


def key_column(proof: Proof, seeds: Seeds) -> str:
    """Return the column of an example's `at`: the proof's `name`, or `about`."""
    return proof.name if proof.name in seeds.columns(str(proof.file)) else ABOUT


def _compare_example(
    context: ProofContext, example: Example, row: SeedRow, printed: str
) -> Iterator[Difference]:
    names: dict[str, Value] = {str(k): v for k, v in example.given.items()}
    if figure := re.search(r"\d+", normal_text(printed)):
        names["figure"] = int(figure[0])
    place = ""
    if (against := example.against) is not None:
        # The value of another printed cell, a number where it is one.
        require(against.file, context.seeds.files, "file")
        rows = context.seeds.files[str(against.file)]
        asked = {against.column, *against.row}
        fits = (one for one in rows if asked <= one.cells.keys() and has_cells(one, against.row))
        other = next(fits, None)
        if other is None:
            raise dangling(against.file.span, f"`{against.file}` has no such cell")
        there = normal_text(other.cells[against.column])
        names["there"] = int(there) if there.isdecimal() else other.cells[against.column]
        place = f"line {other.line}"
        if figure := re.search(r"\d+", there):
            names["figure_there"] = int(figure[0])
    scope = ProofScope(context.rules, names, None, context.options)
    if example.formula is not None:
        computed = _compare_formulas(example, example.formula, printed, scope)
        agrees = not computed
    else:
        computed = fill_text(example.text or Text("", example.at.span), scope)
        agrees = (within if example.within else same)(printed, computed)
    settled = example.against or example.ruling or example.within or example.formula
    kind, rule = TEXT if settled else "", example.rule or place
    yield from compare(row, str(example.at), printed, computed, agrees, kind, rule, example.ruling)


def _compare_formulas(example: Example, formula: Text, printed: str, scope: ProofScope) -> str:
    """Return where a printed formula gives another value than ours; empty if it never does."""
    for n in range(1, MOST_N + 1):
        inner = Inner(scope, {"n": n})
        ours = evaluate_text(formula, inner)
        try:
            gives = value_of(as_formula(printed, example.reads), inner)
        except FormulaError as error:
            return f"cannot be worked out: {error}"
        if ours != gives:
            return f"{value_text(ours)} at {n}, where the printed formula gives {value_text(gives)}"
    return ""


def compare_fits(proof: Proof, context: ProofContext) -> Iterator[Difference]:
    """Yield the rows whose printed figures break a condition under `fits`."""
    of, rules = str(proof.of), context.rules
    known = things_of_kind(rules, of) if of in catalogues(rules) else None
    for fit in proof.fits:
        for row in context.rows(proof):
            names: dict[str, Value] = {f"cell.{c}": text for c, text in row.cells.items()}
            names |= {f"figure.{c}": first_number(text) for c, text in row.cells.items()}
            printed = row.cells.get(proof.name, "")
            found = known.find(printed) if known is not None else ()
            names["name"] = thing_name(things(rules, of)[found[0]]) if found else printed
            if fit.parts is not None:
                names["parts"] = _sum(fit.parts, context)
            for word in _rated(proof, context, row, fit.each) if fit.each else ({},):
                scope = ProofScope(rules, {**names, **word}, None, context.options)
                if not evaluate_text(fit.that, scope):
                    texts = fit.what, fit.printed, fit.computed, fit.note or Text("", fit.that.span)
                    what, said, computed, note = (fill_text(text, scope) for text in texts)
                    ours = False, TEXT, fit.rule, fit.ruling, fit.table
                    yield from compare(row, what, said, computed, *ours, note=note)


def _rated(
    proof: Proof, context: ProofContext, row: SeedRow, column: str
) -> Iterator[Mapping[str, Value]]:
    """Yield each `Word 3D` of a column: its name, its code, and the printed code below it."""
    index = index_of(context.rules)
    for word, code in rated_pieces(context.cell(row, column)):
        for id_ in index.all_traits.find(word)[:1]:
            under = str(index.traits[id_][1].under or "")
            if under in proof.totals:
                below = first_number(context.cell(row, proof.totals[under]))
                short = index.traits[under][1].short or index.titles[under]
                yield {"word": word, "code": code, "below": below, "under": short}


def _sum(parts: ProofParts, context: ProofContext) -> int:
    """Return the sum of the values of a file's rows; rows that name no thing count nothing."""
    rules, seeds, of = context.rules, context.seeds, str(parts.of)
    require(parts.file, seeds.files, "file")
    require(parts.of, catalogues(rules))
    for error in missing_columns(parts.file, seeds, filter(None, (parts.name, parts.times))):
        raise error
    known, scope, total = things(rules, of), RulesetScope(rules, context.options), 0
    for row in seeds.files[str(parts.file)]:
        times = row.cells[parts.times] if parts.times else ""
        for id_ in things_of_kind(rules, of).find(row.cells[parts.name])[:1]:
            worth = evaluate_text(parts.value, ThingScope(rules, scope, known[id_]))
            # A text such as `45m` says which thing, not how many.
            total += int(worth) * (int(times) if times.isdecimal() else 1)
    return total


STEPS: Final[Sequence[Callable[[Proof, ProofContext], Iterator[Difference]]]] = (
    compare_table,  # cells of a table, with the ruleset's table of the same rows
    compare_things,  # rows of a catalogue, with the ruleset's things
    compare_files,  # rows of characters and of the kinds, with files of a kind
    compare_names,  # words, with the names of the rules
    compare_rows,  # figures of a row, with what its own ratings give
    compare_examples,  # single figures of running text, with formulas
    compare_fits,  # figures that have to fit one another
)
"""The comparisons that one entry of `proof` may ask for."""


def compare_figures(
    rules: Ruleset, seeds: Seeds, options: Mapping[str, Value]
) -> Checked[tuple[Difference, ...]]:
    """Return where the source of a ruleset differs from what its rules compute."""
    return compare_source(ProofContext(rules, seeds, dict(options)))


def compare_source(context: ProofContext) -> Checked[tuple[Difference, ...]]:
    """Return where the source differs from what the rules compute, by line of the source.

    Findings are mistakes in the ruleset's `proof`, or in the files. `context` notes which cells
    were compared.
    """
    found: list[Difference] = []
    findings: list[Finding] = []
    for proof in context.rules.proof:
        wrong = tuple(_missing(proof, context.seeds))
        findings += wrong
        for step in STEPS if not wrong else ():
            try:
                found += step(proof, context.for_kind_of(proof))
            except ProofError as error:
                findings.append(error.finding)
            except FormulaError as error:
                message = f"`{proof.file}` cannot be worked out: {error}"
                findings.append(Finding(codes.UNANSWERED, proof.file.span, message))
    order = sorted(dict.fromkeys(found), key=lambda d: (d.line, d.file, d.what, d.cell))
    return Checked(tuple(order), in_order(findings))


def unread(context: ProofContext) -> tuple[tuple[str, int, str], ...]:
    """Return the printed cells that were compared with nothing: file, line, column."""
    return tuple(
        (name, row.line, column)
        for name, rows in context.seeds.files.items()
        for row in rows
        for column, cell in row.cells.items()
        if cell not in ("", "-") and (row.span.file, row.span.line, column) not in context.seen
    )


def _missing(proof: Proof, seeds: Seeds) -> Iterator[Finding]:
    """Yield findings about a file or columns that there are not."""
    if proof.file not in seeds.files:
        hint = suggestion(proof.file, seeds.files, "files")
        message = f"there is no file `{proof.file}` of printed figures"
        yield Finding(codes.DANGLING, proof.file.span, message, hint)
        return
    named = [*proof.where, *proof.label, *proof.columns, *proof.cells, *proof.names]
    named += [*proof.within, *proof.unread, *proof.each, *proof.makes.values()]
    named += [c for c in (proof.formula, proof.trait, proof.rated, proof.worn, proof.armed) if c]
    named += [fit.each for fit in proof.fits if fit.each]
    named += [*proof.totals.values(), *(e.in_ for e in proof.examples)]
    named += [proof.name] if proof.of is not None else []
    named += [key_column(proof, seeds)] if proof.examples else []
    yield from (error.finding for error in missing_columns(proof.file, seeds, named))
