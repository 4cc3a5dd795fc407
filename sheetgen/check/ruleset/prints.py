"""Mistakes in a ruleset's tables and cards: missing columns, uneven rows, values that fail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.formulas import check_known_names, check_marked_names, known_names_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.words import suggestion
from sheetgen.model.rulesets import prints
from sheetgen.model.rulesets.prints import MOST_COLUMNS, MOST_ROWS, Panel, RollRules, Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE, Text, text_place
from sheetgen.rules.formulas.evaluate import FORMS, filled
from sheetgen.rules.formulas.expressions import FormulaError, inputs_of
from sheetgen.rules.index import folded, index_of
from sheetgen.rules.odds import odds
from sheetgen.rules.odds import questions as language
from sheetgen.rules.odds.distributions import bounded_work
from sheetgen.rules.odds.odds import SUM, SYMBOLS, symbols_on, throw_pool
from sheetgen.rules.odds.questions import OddsError
from sheetgen.rules.tables import compute
from sheetgen.rules.tables import things as facts
from sheetgen.rules.tables.things import ODDS, carded, known_names, tags_of, thing_name, things


def check_tables(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each table that cannot be printed."""
    for id_, table in rules.tables.items():
        span, found = text_place(id_, rules.place), list[Finding]()
        if wrong := _shape(table):
            forms = "it has `columns` and `rows`, or `over` and `lines`, or `of` and `cells`"
            yield Finding(codes.WRONG_TYPE, span, f"the table `{id_}` {wrong}", forms)
            continue
        for row in table.rows if table.columns else ():
            if len(row) != (count := len(table.columns)):
                message = f"the table `{id_}` has a row with {len(row)} cells and {count} columns"
                place = text_place(row[0], span) if row else span
                hint = "put a cell with a comma in it in quotes"
                found.append(Finding(codes.WRONG_TYPE, place, message, hint))
        if table.dice is not None and not found:
            found += compute.check_rolls(rules, id_, table)
        yield from found
        if found:
            continue
        for n in (n for n in table.tint if n not in table.over):
            message = f"`tint` of the table `{id_}` has {n}, and `over` has not"
            yield Finding(codes.WRONG_TYPE, span, message, "name values of `over`")
        for line in (line for line in table.lines if len(line.also) > len(table.heads)):
            message = f"the row `{line.label}` has {len(line.also)} in `also`, and the table "
            message += f"`{id_}` has {len(table.heads)} in `heads`"
            yield Finding(codes.WRONG_TYPE, span, message, "name a heading for each of `also`")
        kind, kinds = compute.kind_of_tables(table.of), (*rules.kinds, compute.PARTY)
        if kind and isinstance(table.of, Text):
            for key in (key for key in ("where", "without", "parts") if getattr(table, key)):
                message = f"`{key}` of the table `{id_}` has no effect: its rows are files"
                yield Finding(codes.WRONG_TYPE, span, message, f"remove `{key}`")
            yield from check_known_names([(Text(kind, table.of.span), kinds, "kind")], rules.place)
            lists = compute.lists_of_kind(rules, kind) if kind in kinds else {}
            cells = table.cells if kind in kinds else ()
            columns = ((column.each, lists, f"list of {kind}") for column in cells)
            yield from check_known_names(columns, rules.place)
        elif (table.of is None or str(table.of) in facts.listed(rules)) and all(
            line.as_ in FORMS for line in table.lines
        ):  # findings about unknown catalogues and formats are made elsewhere
            try:
                compute.compute_table(rules, str(id_))
            except FormulaError as error:
                message = f"the table `{id_}` cannot be computed: {error}"
                yield Finding(codes.UNANSWERED, span, message)


def check_rows_left_out(rules: Ruleset) -> Iterator[Finding]:
    """Warn of things that no table shows, though tables show the rest of their catalogue."""
    by_catalogue: dict[str, list[Table]] = {}
    for table in rules.tables.values():
        if table.of is not None and not compute.kind_of_tables(table.of):
            by_catalogue.setdefault(str(table.of), []).append(table)
    for of, tables in by_catalogue.items():
        found = things(rules, of)
        shown = {id(thing) for table in tables for thing in compute.rows_of_things(table, found)}
        tags = dict.fromkeys(str(tag) for table in tables for tag in (*table.where, *table.parts))
        meant = [tag for tag in tags if tag != compute.OTHERS]
        for id_, thing in found.items():
            hidden = any({str(id_), *tags_of(thing)} & set(table.without) for table in tables)
            if id(thing) not in shown and not hidden and meant:
                message = f"no table shows {thing_name(thing)}; they show other things of `{of}`"
                hint = f"add a table for it, or give it one of their tags: {', '.join(meant)}"
                place = text_place(id_, rules.place)
                yield Finding(codes.DANGLING, place, message, hint, severity=Severity.WARNING)


def _shape(table: Table) -> str:
    if table.dice is not None and (table.lines or table.odds or table.of):
        return "has `dice`, which only a table with `rows` can have"
    if table.lines:
        if not table.over:
            return "has no column: `over` is missing"
        lacking = [line for line in table.lines if line.value is None and not line.total]
        return f"has a row `{lacking[0].label}` without a value" if lacking else ""
    if table.odds is not None:
        return ""
    if table.of is not None:
        return "" if table.cells else "has no column: `cells` is missing"
    if not table.columns or not table.rows:
        return "has no column" if not table.columns else "has no row"
    return ""


def check_card_sets(rules: Ruleset) -> Iterator[Finding]:
    """Yield findings for sets of cards without names or things, and texts without a value."""
    for cards in rules.card_sets.values():
        if "name" not in cards.texts:
            message = "these cards have no text for `name`"
            yield Finding(codes.MISSING_KEY, cards.card.span, message, 'write `name: "{name}"`')
        for of in cards.of:
            if of not in carded(rules):
                hint = suggestion(of, carded(rules))
                what = "grid of odds" if of.startswith(f"{ODDS}.") else "catalogue"
                message = f"there is no {what} `{of}`"
                message = "the rules have no grid of odds" if of == ODDS else message
                yield Finding(codes.DANGLING, of.span, message, hint)
            for text in cards.texts.values():
                for thing in things(rules, str(of)).values():
                    try:
                        filled(text, facts.ThingScope(rules, facts.RulesetScope(rules), thing))
                    except FormulaError as error:
                        message = f"`{text}` cannot be computed for {thing_name(thing)}: {error}"
                        yield Finding(codes.UNANSWERED, text.span, message)
                        break


def without_build(rules: Ruleset) -> set[str]:
    """Return the names that formulas see without a build: options, prices of advances, odds."""
    named = rules.advances.named if rules.advances else ()
    return {*rules.options, *odds.chance_names(rules), *(f"price.{name}" for name in named)}


def texts_of_tables(rules: Ruleset) -> Iterator[tuple[Text | str, set[str]]]:
    """Yield the texts of tables and of their pages, with the names that formulas in each see."""
    known = without_build(rules)
    yield from ((reference.about, known) for reference in rules.references.values())
    for table in rules.tables.values():
        yield from ((text, known) for text in (table.label, table.about, table.text))
        yield from ((cell, known) for row in table.rows for cell in row)
        yield from ((line.label, known) for line in table.lines)
        kind = compute.kind_of_tables(table.of)
        if kind and kind not in (*rules.kinds, compute.PARTY):
            continue
        names = {*compute.names_of_kind(rules, kind)} if kind else known_names(rules, str(table.of))
        lists = compute.lists_of_kind(rules, kind) if kind else {}
        names |= known if not kind else set()
        for column in (c for c in table.cells if c.each is None or c.each in lists):
            yield column.text, names | lists.get(str(column.each), set())


def texts_of_cards(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the texts of cards, with the names that formulas in each see."""
    known = carded(rules)
    for cards in rules.card_sets.values():
        if not set(cards.of) <= set(known):
            continue
        names = without_build(rules) | known_names(rules, *map(str, cards.of))
        yield from ((text, names) for text in cards.texts.values())


def check_odds(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each roll and grid that cannot be computed."""
    if rules.odds is None:
        return
    if not rules.odds.rolls:
        message, hint = "`odds` has no roll", "name one under `rolls`"
        yield Finding(codes.MISSING_KEY, rules.place, message, hint)
        return
    found = [*check_marked_names(rules.odds, known_names_of(rules, index_of(rules)), rules.place)]
    for id_, roll in rules.odds.rolls.items():
        found += _roll(id_, roll, rules)
    yield from found
    if not found:  # a wrong roll makes rows and columns wrong too
        with bounded_work():
            found = [wrong for grid in rules.odds.grids.values() for wrong in _grid(grid, rules)]
        yield from found


def _roll(id_: str, roll: RollRules, rules: Ruleset) -> Iterator[Finding]:
    usual, span = RollRules(kind=roll.kind, label=""), text_place(id_, rules.place)
    for kind, names in _OF_KINDS.items():
        for name in names if kind != roll.kind else ():
            if getattr(roll, name) != getattr(usual, name):
                message = f"`{name}` has no effect on a roll of kind `{roll.kind}`"
                hint = f"leave it out; rolls of kind `{kind}` read it"
                yield Finding(codes.DANGLING, span, message, hint)
    known: list[tuple[str, Iterable[str], str]] = []
    if roll.targets is not None and (table := rules.tables.get(str(roll.targets.table))):
        heads = (roll.targets.name, roll.targets.number)
        known += [(head, table.columns, "column") for head in heads]
    if roll.kind == SUM:
        if not 2 <= roll.faces <= language.MOST_FACES:
            message = f"`faces` has to be 2 to {language.MOST_FACES}"
            yield Finding(codes.WRONG_TYPE, span, message)
        if not roll.letter.isalpha() or roll.letter.casefold() in language.SIGNS:
            yield Finding(codes.WRONG_TYPE, span, "`letter` has to be letters, such as D")
        faces = [str(face) for face in range(1, roll.faces + 1)]
        marks = roll.wild.marks if roll.wild is not None else ()
        known = [*((face, faces, "face of the die") for face in marks), *known]
        yield from check_known_names(known, rules.place)
        for outcome in roll.outcomes.values():
            yield from _outcome(outcome.when, odds.TOTAL_NAMES)
        if roll.degree is not None:
            yield from _outcome(roll.degree, {*odds.TOTAL_NAMES, *map(str, roll.outcomes)})
        words = language.RollWords(letter=roll.letter.casefold(), faces=roll.faces, pips=roll.pips)
        for word, text in roll.words.items():
            try:
                language.parse_pool(text, words)
            except OddsError as error:
                at = text.span.within(error.at, error.width)
                yield Finding(codes.BAD_FORMULA, at, str(error), error.hint)
            taken = {*language.SIGNS, *language.FILLERS}
            if not all(map(str.isalpha, word.split())) or folded(word) in taken:
                message = f"no expression can use `{word}` for dice"
                hint = "write other words, of letters only"
                yield Finding(codes.WRONG_TYPE, word.span, message, hint)
        yield from _rated(roll, rules)
    elif roll.kind == SYMBOLS:
        found = [*_symbols(span, roll)]
        dice = [roll.targets.die or ""] if roll.targets is not None else []
        dice += [die for adds in roll.adds.values() for die in adds]
        dice += (*roll.upgrades, *roll.upgrades.values())
        known += [(die, roll.dice, "die") for die in dice]
        found += check_known_names(known, rules.place)
        named = [(id_, die.name, *die.aliases) for id_, die in roll.dice.items()]
        called = {folded(text) for texts in named for text in texts}
        for word in (word for word in (*roll.adds, *roll.refuses) if folded(word) in called):
            message = f"`{word}` is a die already"
            found.append(Finding(codes.TWO_OWNERS, word.span, message, "call it something else"))
        yield from found or _unanswered(roll)


_OF_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    SUM: (
        *("faces", "letter", "pips", "beat", "under", "wild", "fewer", "least", "no_dice", "ties"),
        *("behind", "behind_dice", "words", "rated", "degree"),
    ),
    SYMBOLS: ("states", "adds", "upgrades", "dice", "counts"),
}
"""The fields of a roll that only this kind reads."""


def _symbols(span: Span, roll: RollRules) -> Iterator[Finding]:
    for what, found in (("dice", roll.dice), ("counts", roll.counts), ("outcomes", roll.outcomes)):
        if not found:
            message = f"a roll of symbols needs `{what}`"
            yield Finding(codes.MISSING_KEY, span, message)
    known = {s for count in roll.counts.values() for s in (*count.adds, *count.less)}
    owners: dict[str, str] = {}
    for id_, die in roll.dice.items():
        if not 1 <= sum(die.faces.values()) <= language.MOST_FACES or min(die.faces.values()) < 1:
            message = f"the faces of {die.name} have to be whole numbers from 1 on"
            hint = "write, for a die of six, `faces: {blank: 2, hit: 3, hit hit: 1}`"
            yield Finding(codes.WRONG_TYPE, die.name.span, message, hint)
        for face in die.faces:
            for symbol in symbols_on(face):
                if symbol not in known:
                    span = text_place(face, die.name.span)
                    message = f"no count adds or takes off `{symbol}`"
                    yield Finding(codes.DANGLING, span, message, suggestion(symbol, sorted(known)))
        if any(map(str.isdigit, die.name)):
            message = f"no expression can name a die with a digit, as in `{die.name}`"
            yield Finding(codes.WRONG_TYPE, die.name.span, message, "write a word, such as `Ten`")
        for name in dict.fromkeys(folded(text) for text in (id_, die.name, *die.aliases)):
            if name in owners:
                message = f"`{name}` means the dice {owners[name]} and {die.name}"
                yield Finding(codes.TWO_OWNERS, die.name.span, message, "rename one")
            owners[name] = str(die.name)
    for outcome in roll.outcomes.values():
        yield from _outcome(outcome.when, roll.counts)


def _rated(roll: RollRules, rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding if no rating can be rolled as a roll says."""
    text, wrong = roll.rated, list[OddsError]()
    for rating in ("3", "d8") if text is not None else ():
        try:
            how = odds.resolve_roll(roll, rules)
            rolled = str(text).replace("{n}", rating).replace("{under}", rating)
            language.parse_question(rolled, how.words)
        except OddsError as error:
            wrong.append(error)
        except FormulaError:
            return  # the formula itself is a finding already
    if text is not None and len(wrong) == 2:
        message, hint = f"`{text}` cannot be rolled: {wrong[0]}", "write, for example, `1d20 + {n}`"
        yield Finding(codes.BAD_FORMULA, text.span, message, wrong[0].hint or hint)


def _outcome(when: Text, counts: Collection[str]) -> Iterator[Finding]:
    try:
        needed = inputs_of(when)
    except FormulaError as error:
        span = when.span.within(error.offset, error.width)
        yield Finding(codes.BAD_FORMULA, span, f"`{when}`: {error}")
        return
    for name in sorted(needed - set(counts)):
        span = when.span.within(max(0, when.find(name)), len(name))
        hint = suggestion(name, sorted(map(str, counts)), "counts")
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, f"nothing is called `{name}`", hint)


def _unanswered(roll: RollRules) -> Iterator[Finding]:
    """Yield a finding for each outcome that has no value for a roll, such as `1 / hits`."""
    pools = [{str(die): 1} for die in roll.dice]
    pools.append({str(die): 1 for die in [*roll.dice][:_MOST_KINDS]})
    thrown = [throw_pool(roll, pool) for pool in pools]
    for outcome in roll.outcomes.values():
        try:
            for found in thrown:
                odds.chance_of(outcome.when, found)
        except FormulaError as error:
            message = f"`{outcome.when}` has no value for some throws: {error}"
            hint = "compare counts, such as `hits >= 1`"
            yield Finding(codes.UNANSWERED, outcome.when.span, message, hint)


_MOST_KINDS: Final = 8  # dice that are tried together; more would take long


def _grid(grid: prints.OddsGrid, rules: Ruleset) -> Iterator[Finding]:
    assert rules.odds is not None
    shown = len(odds.shown_outcomes(grid, odds.roll_of(rules, grid)))
    high = len(grid.rows) * (max(1, len(grid.outcome)) if grid.over else 1)
    if not 1 <= high <= MOST_ROWS or not 1 <= (len(grid.over) or shown) <= MOST_COLUMNS:
        span = next(iter((*grid.rows, *grid.over)), Text("", rules.place)).span
        message = f"a grid of odds has 1 to {MOST_ROWS} rows and 1 to {MOST_COLUMNS} columns"
        yield Finding(codes.WRONG_TYPE, span, message, "make two of it")
        return
    roll = odds.roll_of(rules, grid)
    for outcome in grid.outcome:
        yield from check_known_names([(outcome, roll.outcomes, "outcome")], rules.place)
        if outcome not in roll.outcomes:
            return
    try:
        questions = odds.questions_of(grid, odds.resolve_roll(roll, rules))
    except odds.GridError as wrong:
        place = next(text for text in (*grid.rows, *grid.over) if text == wrong.place)
        span = place.span.within(wrong.error.at, wrong.error.width)
        yield Finding(codes.BAD_FORMULA, span, str(wrong), wrong.error.hint)
        return
    except FormulaError:
        return  # the formula itself is a finding already
    sides = (side for row in questions for one in row for side in (one.pool, one.other))
    if any(side.terms for side in sides if side) or (roll.kind == SUM and shown):
        try:
            odds.compute_grid(rules, "", grid)
        except FormulaError as error:
            message = f"the grid `{grid.label}` cannot be computed: {error}"
            yield Finding(codes.UNANSWERED, grid.rows[0].span, message)


MOST_CELLS: Final = 3
"""The most cells of a line: a number or word, a text, a note; a grid has no limit."""


def check_screens(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each block that cannot be printed with the default options."""
    options, _ = resolve_options(EMPTY_SOURCE, rules, {})
    for key, text in [
        *(("title", panel.title) for panel in _panels(rules)),
        *(("head", block.head) for block in _blocks(rules)),
    ]:
        if "{" in text:
            message = f"`{key}` takes no formulas: its braces are printed as they are"
            hint = "remove them, or move them to `subtitle` or `about`"
            yield Finding(codes.BAD_FORMULA, text.span, message, hint, severity=Severity.WARNING)
    for block in _blocks(rules):
        name, tables = f"the block `{block.head}`", (rules.tables.get(n) for n in block.tables)
        there = [table for table in tables if table is not None]
        try:
            rows = compute.rows_of(rules, block, options)
            wide = max((len(row) for row in rows.rows), default=0) if rows else 0
            if rows is not None and not (rows.rows or rows.text):
                hint = "name `tables`, `rows` or `text`; `rows_from` and `only` may leave no row"
                yield Finding(codes.WRONG_TYPE, block.head.span, f"{name} is empty", hint)
            if rows is not None and block.over and not any(table.lines for table in there):
                message = f"`over` of {name} has no effect: its tables have no `lines`"
                yield Finding(codes.WRONG_TYPE, block.head.span, message, "remove `over`")
            every = replace(block, rows_from=1, rows_to=0, rows=())
            whole = compute.rows_of(rules, every, options) if rows is not None else None
            if whole is not None and whole.grid is None and block.tables:
                most = max((len(row) for row in whole.rows), default=0)
                strong = 0 if block.strong == prints.DEFAULT_STRONG else block.strong
                to = ("rows_to", block.rows_to, len(whole.rows), "row")
                for key, value, high, what in (to, ("strong", strong, most, "column")):
                    if value > high:
                        message = f"`{key}` of {name} is {value}, and its tables have "
                        message += f"{high} {what}{'s' * (high != 1)}"
                        hint = f"write {high} or less, or leave `{key}` out"
                        yield Finding(codes.WRONG_TYPE, block.head.span, message, hint)
            if wide > MOST_CELLS and block.kind not in ("grid", "curves"):
                message = f"the block `{block.head}` has {wide} columns, and its kind shows "
                hint = "name those that it shows, `columns: […]`, or write `kind: grid`"
                yield Finding(codes.WRONG_TYPE, block.head.span, f"{message}{MOST_CELLS}", hint)
        except compute.NoSuchRow as error:
            message = f"the block `{block.head}` cannot be computed: {error}"
            missing = next((name for name in block.tables if name not in rules.tables), None)
            hint = suggestion(missing, rules.tables, "tables") if missing is not None else ""
            if any(compute.kind_of_tables(table.of) for table in there):
                hint = "remove it; `sheetgen tables` or `sheetgen party` prints it"
            # The place of the word that the message quotes last, or of the block's heading.
            words = (*block.tables, *block.columns, *block.only, *block.notes, *block.call)
            named = (w for w in words if isinstance(w, Text) and str(error).endswith(f"`{w}`"))
            yield Finding(codes.DANGLING, next(named, block.head).span, message, hint)
        except FormulaError:
            continue  # its formulas, and those of its tables, are checked one by one elsewhere


def texts_of_screens(rules: Ruleset) -> Iterator[tuple[Text | str, set[str]]]:
    """Yield the texts of panels and blocks, with the names that formulas in each see."""
    known = without_build(rules)
    yield from ((panel.subtitle, known) for panel in _panels(rules))
    for block in _blocks(rules):
        cells = (cell for row in block.rows for cell in row)
        yield from ((text, known) for text in (block.about, *cells, block.text or ""))
        yield from ((note, known | {"note"}) for note in block.notes.values())


def _panels(rules: Ruleset) -> Iterator[Panel]:
    yield from (panel for screen in rules.screens.values() for panel in screen.panels.values())


def _blocks(rules: Ruleset) -> Iterator[prints.ScreenBlock]:
    yield from (block for p in _panels(rules) for column in p.columns for block in column)
