"""Any text is a formula or is refused; any formula has its exact value, or is refused, soon."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sheetgen.model.build import Value
from sheetgen.rules.formulas.evaluate import MOST, Inner, evaluate, holds, integer_value, value_of
from sheetgen.rules.formulas.expressions import (
    MOST_NODES,
    Binary,
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Name,
    Number,
    Tree,
    Unary,
    children,
    inputs,
    parse_formula,
    walk,
)
from sheetgen.rules.formulas.notation import formula_text, terms
from tests.effort import at_most_calls

MOST_CALLS = 3_000_000
NAMES: Mapping[str, Value] = {
    "n": 3,
    "free": 0,
    "share": Fraction(2, 3),
    "dice.buy": "prose",
    "tall": True,
    "might": -7,
}


class Game:
    """A scope with a few names and formulas."""

    def __init__(self, formulas: Mapping[str, tuple[tuple[str, ...], str]] | None = None) -> None:
        self.formulas = formulas or {"tri": (("n",), "n * (n + 1) // 2")}

    def value(self, name: str) -> Value | None:
        return NAMES.get(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        if len(names) != 1:
            raise FormulaError(f"`{function}` takes other names")
        return len(names[0])

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        return self.formulas.get(name)


def asked(text: str) -> Value | None:
    """Return the value of a formula, or None where it is refused as it should be."""
    try:
        with at_most_calls(MOST_CALLS):
            value: Value | None = value_of(text, Game())
    except FormulaError as error:
        value, refused = None, error
    else:
        refused = None
    if refused is not None:
        assert 0 <= refused.offset <= len(text)
        assert refused.width >= 1
        assert str(refused)
    return value


WORDS = [" if ", " else ", " and ", " or ", "not ", "//", "might", "dice.buy", "max(", "has("]
WORDS += ["tri(", "==", "<=", "lambda ", "__", "is ", "in "]
LIKE_FORMULAS = st.lists(
    st.sampled_from([*"n()+-*/%<>=.,'\"0127 \n\t#@~:;[]{}!|&^\\", *WORDS]),
    max_size=30,
).map("".join)


@given(st.text() | LIKE_FORMULAS)
@example("1or 2")
@example("1 is 1")
@example("\x00")
@example("n if")
@example("(" * 499)
@example("-" * 499 + "1")
@example("9" * 499)
@example("1" + "+1" * 240)
@example("n\n+ 1")
@example("((n\n))*2.5")
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    asked(text)
    try:
        tree = parse_formula(text)
    except FormulaError:
        return
    assert sum(1 for _ in walk(tree)) <= MOST_NODES
    assert isinstance(formula_text(tree), str)
    assert inputs(tree) <= {part.name for part in walk(tree) if isinstance(part, Name)}


PAYLOADS = [
    "().__class__",
    "''.__class__.__mro__[1].__subclasses__()",
    "n.__class__",
    "n.__init__.__globals__",
    "__import__('os').system('true')",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "getattr(n, 'x')",
    "'{0.__class__}'.format(n)",
    "f'{n}'",
    "f'{().__class__}'",
    "'%s' % n",
    "(x := 5)",
    "lambda: 1",
    "(lambda: 1)()",
    "[x for x in (1,)]",
    "{x: 1 for x in (1,)}",
    "(x for x in (1,))",
    "sum(x for x in (1,))",
    "[1][0]",
    "n[0]",
    "{1}",
    "(1, 2)",
    "n ** n",
    "9**9**9",
    "1 << 99",
    "1 >> 1",
    "1 | 2",
    "1 & 2",
    "1 ^ 2",
    "~1",
    "1 @ 1",
    "1.5",
    "1e9",
    "1j",
    "None",
    "...",
    "b'x'",
    "'a' * 2000000000",
    "'a' + 'a'",
    "max(*n)",
    "max(n, default=1)",
    "max.__self__(1)",
    "max(n).real",
    "n in n",
    "n is n",
    "await n",
    "yield",
    "import os",
    "n = 1",
    "n; n",
    "has(has(x))",
    "has('x')",
    "has(1)",
    "own(n + 1)",
    "nothing",
    "unknown(1)",
    "tri()",
    "tri(1, 2)",
    "abs(1, 2)",
    "max()",
    "min('a')",
    "dice.buy + 1",
    "dice.buy < 1",
    "999999999999 * 999999999999",
    "1 / 0",
    "1 // 0",
    "1 % 0",
    "1 % (n - 3)",
    "999999999999999",
    "n" * 501,
]


@pytest.mark.parametrize("text", PAYLOADS)
def test_what_a_stranger_might_try_is_refused(text: str) -> None:
    assert asked(text) is None


# -- exact values -----------------------------------------------------------------------------

PLAIN = st.integers(0, 50).map(lambda n: Number(n, 0)) | st.sampled_from(
    [Name(name, 0) for name, value in NAMES.items() if not isinstance(value, str)]
)
OPERATORS = ("+", "-", "*", "/", "//", "%")


def _grown(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(below, min_size=2, max_size=3).map(tuple)
    compared = st.tuples(st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), below)
    counted = st.tuples(st.sampled_from(("min", "max", "sum", "first")), several)
    single = st.tuples(st.sampled_from(("abs", "ceil", "floor")), st.tuples(below))
    return st.one_of(
        st.builds(Unary, st.sampled_from(("-", "not")), below, st.just(0)),
        st.builds(Binary, st.sampled_from(OPERATORS), below, below, st.just(0)),
        st.builds(
            Compare, below, st.lists(compared, min_size=1, max_size=2).map(tuple), st.just(0)
        ),
        st.builds(Logic, st.sampled_from(("and", "or")), several, st.just(0)),
        st.builds(Either, below, below, below, st.just(0)),
        st.builds(lambda call: Call(call[0], call[1], 0), counted | single),
    )


TREES = st.recursive(PLAIN, _grown, max_leaves=12)


class TooLarge(Exception):
    """What the oracle cannot or must not compute."""


def oracle(tree: Tree) -> Fraction:
    """Return the value of `tree` in the plainest way."""
    below = [oracle(part) for part in children(tree) if not isinstance(tree, Either | Logic)]
    match tree:
        case Number(value=value):
            return Fraction(value)
        case Name(name=name):
            return Fraction(NAMES[name])  # type: ignore[arg-type]
        case Unary(operator=operator):
            return -below[0] if operator == "-" else Fraction(not below[0])
        case Binary(operator=operator):
            return bounded(_two(operator, *below))
        case Compare(rest=rest):
            signs = [operator for operator, _ in rest]
            pairs = zip(signs, below, below[1:], strict=False)
            return Fraction(all(_compared(sign, a, b) for sign, a, b in pairs))
        case Logic(operator=operator, parts=parts):
            held = (bool(oracle(part)) for part in parts)
            return Fraction(all(held) if operator == "and" else any(held))
        case Either(test=test, yes=yes, no=no):
            return oracle(yes) if oracle(test) else oracle(no)
        case Call(function=function):
            functions = {"min": min, "max": max, "sum": sum, "first": lambda values: values[0]}
            if function in functions:
                return bounded(Fraction(functions[function](below)))
            one = {"abs": abs, "ceil": ceil, "floor": floor}
            return bounded(Fraction(one[function](below[0])))
    raise AssertionError(tree)


def _two(operator: str, a: Fraction, b: Fraction) -> Fraction:
    if operator in ("/", "//", "%") and b == 0:
        raise TooLarge
    if operator in ("//", "%"):
        whole_part = Fraction(floor(a / b))
        return whole_part if operator == "//" else a - b * whole_part
    return {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}[operator]


def _compared(sign: str, a: Fraction, b: Fraction) -> bool:
    found = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
    return found[sign]


def bounded(value: Fraction) -> Fraction:
    if abs(value) > MOST or value.denominator > MOST:
        raise TooLarge
    return value


@given(TREES)
def test_every_tree_has_its_exact_value(tree: Tree) -> None:
    """A comparison may stop before the part that has no value, so may the oracle's."""
    try:
        wanted = oracle(tree)
    except TooLarge:
        try:
            evaluate(tree, Game())
        except FormulaError:
            return
        short = any(isinstance(part, Compare) and len(part.rest) > 1 for part in walk(tree))
        assert short, "refused by the oracle only"
        return
    found = evaluate(tree, Game())
    assert found == wanted
    assert isinstance(found, int | Fraction)


def formula(tree: Tree) -> str:
    """Return `tree` as a formula with every bracket there can be."""
    match tree:
        case Number(value=value):
            return str(value)
        case Name(name=name):
            return name
        case Unary(operator=operator, operand=operand):
            return f"({operator} {formula(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({formula(left)} {operator} {formula(right)})"
        case Compare(first=first, rest=rest):
            return f"({formula(first)} {' '.join(f'{o} {formula(t)}' for o, t in rest)})"
        case Logic(operator=operator, parts=parts):
            return f"({f' {operator} '.join(map(formula, parts))})"
        case Either(test=test, yes=yes, no=no):
            return f"({formula(yes)} if {formula(test)} else {formula(no)})"
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(formula, arguments))})"
    raise AssertionError(tree)


@given(TREES)
def test_a_formula_is_read_as_it_is_written(tree: Tree) -> None:
    text = formula(tree)
    if len(text) > 500:
        return
    try:
        wanted: Value | None = evaluate(tree, Game())
    except FormulaError:
        wanted = None
    assert asked(text) == wanted


# -- the notation of readers --------------------------------------------------------------------

SUMS = st.recursive(
    st.integers(0, 9).map(lambda n: Number(n, 0))
    | st.sampled_from([Name("n", 0), Name("might", 0)]),
    lambda below: (
        st.builds(Binary, st.sampled_from("+-*"), below, below, st.just(0))
        | st.builds(Unary, st.just("-"), below, st.just(0))
    ),
    max_leaves=8,
)


_POWERS = "²³⁴⁵⁶⁷⁸⁹"


def _multiplied(text: str) -> str:
    """Return `text` with each power as the product that it stands for."""
    at = next((i for i, c in enumerate(text) if c in _POWERS), None)
    if at is None:
        return text
    start, depth = at - 1, 0
    while True:
        depth += (text[start] == ")") - (text[start] == "(")
        if not depth:
            break
        start -= 1
    product = "*".join([text[start:at]] * (2 + _POWERS.index(text[at])))
    return _multiplied(f"{text[:start]}({product}){text[at + 1 :]}")


@given(SUMS)
def test_the_notation_of_readers_means_the_same(tree: Tree) -> None:
    text = formula_text(tree).replace("−", "-").replace("×", "*")
    text = re.sub(r"(?<=\d)(?=n)", "*", text)
    text = re.sub(r"(?<=[²³⁴⁵⁶⁷⁸⁹])(?=\()", "*", text)
    text = re.sub(r"(?<=[\w)])\(", "*(", _multiplied(text))
    assert value_of(text, Game()) == evaluate(tree, Game())


@given(SUMS)
def test_the_terms_of_a_sum_add_up_to_it(tree: Tree) -> None:
    signed = [(sign, evaluate(term, Game())) for sign, term in terms(tree)]
    total = sum(-Fraction(v) if sign == "-" else Fraction(v) for sign, v in signed)  # type: ignore[arg-type]
    assert total == evaluate(tree, Game())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n * (n + 1) // 2", "n(n+1)/2"),
        ("n * n", "n²"),
        ("5 * n", "5n"),
        ("10 + agility", "10 + agility"),
        ("1 - n / (n + 1)", "1 − n/(n+1)"),
        ("5 * (1 - n / (n + 1))", "5(1 − n/(n+1))"),
        ("a - (b - c)", "a − (b−c)"),
        ("-n", "−n"),
        ("-(a + b)", "−(a+b)"),
        ("n % 2", "n mod 2"),
        ("6 if n > 0 else 5", "6 if n > 0, else 5"),
        ("max(1, n)", "max(1, n)"),
        ("not n", "not n"),
        ("1 <= n <= 5", "1 ≤ n ≤ 5"),
    ],
)
def test_the_notation_of_readers(text: str, shown: str) -> None:
    assert formula_text(parse_formula(text)) == shown


# -- bounds -------------------------------------------------------------------------------------


def test_formulas_that_call_each_other_doubly_end() -> None:
    """Seven formulas of twenty calls each were 20⁷ evaluations before calls were counted."""
    doubled = {f"f{n}": (("n",), f"max({', '.join([f'f{n + 1}(n)'] * 20)})") for n in range(7)} | {
        "f7": (("n",), "1")
    }
    with at_most_calls(MOST_CALLS), pytest.raises(FormulaError, match="too many"):
        value_of("f0(1)", Game(doubled))


def test_words_of_python_are_names() -> None:
    named: dict[str, Value] = {"class": "mage", "from.yield": 3}
    assert holds("class == mage and from.yield == 3", Inner(Game(), named))
    assert value_of("'class'", Game()) == "class"
    assert inputs(parse_formula("class + pass")) == {"class", "pass"}


def test_formulas_that_call_themselves_end() -> None:
    with pytest.raises(FormulaError, match="deeply"):
        value_of("f(1)", Game({"f": (("n",), "f(n)")}))


def test_a_word_is_no_number_and_a_fraction_not_whole() -> None:
    assert holds("dice.buy == prose", Game())
    assert not holds("dice.buy == printed", Game())
    assert integer_value("share * 3", Game()) == 2
    with pytest.raises(FormulaError, match="whole"):
        integer_value("share", Game())
    with pytest.raises(FormulaError, match="whole"):
        integer_value("dice.buy", Game())


@pytest.mark.parametrize("text", ["code(1/2)", "code(7/2)", "step_die(1/2)", "dice(1/2, 6)"])
def test_dice_are_of_whole_numbers(text: str) -> None:
    with pytest.raises(FormulaError, match="whole number"):
        value_of(text, Game())
