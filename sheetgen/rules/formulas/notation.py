"""Formula trees in mathematical notation: `n(n+1)/2`, `10 + Heave 5`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from sheetgen.model.build import Value, parse_figure
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Derived
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.evaluate import BRACES, Scope, evaluate
from sheetgen.rules.formulas.expressions import FormulaError, Tree, parse_formula, walk
from sheetgen.rules.index import index_of, list_of_number

Label = Callable[[str], str]  # returns the label of a name of the ruleset
MODIFIERS: Final = "modifiers"

_RANK: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}
_SHOWN: Final = {"-": "−", "*": "×", "//": "/", "%": " mod "}
_POWERS: Final = " ¹²³⁴⁵⁶⁷⁸⁹"
_COMPARED: Final = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}


def formula_text(tree: Tree, label: Label = str) -> str:
    """Return `tree` as text, without spaces around single letters, as in `n(n+1)/2`."""
    match tree:
        case syntax.Number(value=value):
            return str(value)
        case syntax.Word(value=value):
            return value
        case syntax.Name(name=name):
            return label(name)
        case syntax.Unary(operator=operator, operand=operand):
            sign = "−" if operator == "-" else "not "
            return sign + _inside(operand, 3, label)
        case syntax.Binary():
            return _binary(tree, label)
        case syntax.Compare(first=first, rest=rest):
            signs = [(_COMPARED.get(sign, sign), right) for sign, right in rest]
            others = [f" {sign} {formula_text(right, label)}" for sign, right in signs]
            return formula_text(first, label) + "".join(others)
        case syntax.Logic(operator=operator, parts=several):
            return f" {operator} ".join(formula_text(part, label) for part in several)
        case syntax.Either(test=test, yes=yes, no=no):
            parts = [formula_text(part, label) for part in (yes, test, no)]
            return "{} if {}, else {}".format(*parts)
        case (
            syntax.Call(function=function, arguments=arguments)
            | syntax.Lookup(name=function, arguments=arguments)
        ):
            return f"{function}({', '.join(formula_text(a, label) for a in arguments)})"


def figured_text(tree: Tree) -> tuple[str, ...]:
    """Return `tree` as words, and at each odd place a name for its figure or `modifiers.NAME`."""
    return tuple(formula_text(_without_calls(tree), lambda name: f"\0{name}\0").split("\0"))


def is_explained(tree: Tree, rules: Ruleset) -> bool:
    """Whether the terms of `tree` call nothing, or are lookups or sums of things alone."""
    calls = (term for _, term in terms(tree) if isinstance(term, syntax.Call))
    things = partial(list_of_number, rules)
    alone = {c for c in calls if c.function in rules.lookups or syntax.gathers(c, things)}
    calls = (
        part for part in walk(tree) if isinstance(part, syntax.Call) and part.function != MODIFIERS
    )
    return all(call in alone for call in calls)


def _without_calls(tree: Tree) -> Tree:
    if isinstance(tree, syntax.Call) and tree.function == MODIFIERS and tree.arguments:
        return syntax.Name(f"{MODIFIERS}.{formula_text(tree.arguments[0])}", tree.at)
    return syntax.map_children(tree, _without_calls)


def _binary(tree: syntax.Binary, label: Label) -> str:
    if tree.operator == "*":
        return _product(tree, label)
    rank = _RANK[tree.operator]
    left = _inside(tree.left, rank, label)
    right = _inside(tree.right, rank + (tree.operator != "+"), label)
    shown = _SHOWN.get(tree.operator, tree.operator)
    close = rank == 2 or (len(left) <= 2 and len(right) <= 2)
    return f"{left}{shown}{right}" if close else f"{left} {shown} {right}"


def _product(tree: Tree, label: Label) -> str:
    """Return a product, with powers of repeated factors: `5n`, `n²`."""
    text = ""
    runs: list[tuple[str, int]] = []
    for factor in [_inside(f, 2, label) for f in _factors(tree)]:
        short = _plain(factor) or factor.startswith("(")
        last, times = runs[-1] if runs else ("", 0)
        if short and last == factor and times < 9:
            runs[-1] = factor, times + 1
        else:
            runs.append((factor, 1))
    for factor, times in runs:
        close = not text or factor.startswith("(") or (text.isdecimal() and _plain(factor))
        text += ("" if close else "×") + factor + (_POWERS[times] if times > 1 else "")
    return text


def _factors(tree: Tree) -> list[Tree]:
    if isinstance(tree, syntax.Binary) and tree.operator == "*":
        return [*_factors(tree.left), tree.right]
    return [tree]


def _plain(factor: str) -> bool:
    return len(factor) == 1 and factor.isalpha()


def _inside(tree: Tree, rank: int, label: Label) -> str:
    loose = isinstance(tree, syntax.Compare | syntax.Logic | syntax.Either)
    loose = loose or (isinstance(tree, syntax.Binary) and _RANK[tree.operator] < rank)
    return f"({formula_text(tree, label)})" if loose else formula_text(tree, label)


def terms(tree: Tree) -> list[tuple[str, Tree]]:
    """Return the terms of the sum `tree`, each with its sign."""
    if isinstance(tree, syntax.Binary) and tree.operator in ("+", "-"):
        right = terms(tree.right)
        if tree.operator == "-":
            right = [("+" if sign == "-" else "-", term) for sign, term in right]
        return terms(tree.left) + right
    return [("+", tree)]


def call_label(rules: Ruleset, call: syntax.Call) -> str:
    """Return what explanations call `slots (Level)`, or `sum(gear weight)`: `gear weight`."""
    called = partial(label, rules)
    if call.function in rules.lookups:
        asked = ", ".join(formula_text(one, called) for one in call.arguments)
        return f"{call.function.replace('_', ' ')} ({asked})"
    alone = call.function == "sum" and len(call.arguments) == 1
    return formula_text(call.arguments[0] if alone else call, called)


def label(rules: Ruleset, name: str) -> str:
    """Return the label of a trait, a derived value, a pool or a number of the file."""
    if list_of_number(rules, name):
        return name.replace(".", " ").replace("_", " ")
    if name in rules.derived:
        rule = rules.derived[name]
        return rule.label or (rule.place and rule.use) or name.replace("_", " ")
    if name in rules.pools:
        return rules.pools[name].label
    if name in rules.character:
        return rules.character[name].label or name.replace("_", " ")
    return index_of(rules).titles.get(name, name.replace("_", " "))


def blank_how(rules: Ruleset, derived: Derived) -> str:
    """Return the formula of a value for an empty sheet: `10 + Heave`.

    Modifiers of worn and held items are left out, since an empty sheet has none. The text is
    empty if the formula has more than a reader can follow.
    """
    if derived.blank or derived.value is None:
        return derived.blank
    try:
        every = terms(parse_formula(derived.value))
        parts = [one for one in every if getattr(one[1], "function", "") != MODIFIERS]
    except FormulaError:
        return ""
    things = partial(list_of_number, rules)
    trees = [tree for _, term in parts for tree in walk(term)]
    alone = (t for t in trees if isinstance(t, syntax.Call) and not syntax.gathers(t, things))
    asks = any(isinstance(t, syntax.Either | syntax.Logic | syntax.Compare) for t in trees)
    named = {name for _, term in parts for name in syntax.inputs(term)}
    known = {*_READ, *rules.lookups}
    if asks or not {t.function for t in alone} <= known or not named.isdisjoint(rules.options):
        return ""

    def text(term: Tree) -> str:
        if isinstance(term, syntax.Call) and term.function in ("sum", *rules.lookups):
            return call_label(rules, term)
        return formula_text(term, partial(label, rules))

    return join_terms((sign, text(_named(rules, term))) for sign, term in parts)


def join_terms(parts: Iterable[tuple[str, str]]) -> str:
    """Return terms with their signs as a sum: `10 + Heave 5 − 2 Thick Coat`."""
    text = "".join(f" {'−' if sign == '-' else '+'} {part}" for sign, part in parts)
    return f"−{text[3:]}" if text.startswith(" −") else text[3:]


_READ: Final = ("max", "min", "has", "picked")  # functions that a reader of a sheet can follow


def _named(rules: Ruleset, tree: Tree) -> Tree:
    """Return `tree` with `has(…)` and `picked(…)` replaced by the names of their choices."""
    if isinstance(tree, syntax.Call) and tree.function in ("has", "picked"):
        asked = tree.arguments[0]
        name = asked.name if isinstance(asked, syntax.Name) else ""
        bare = name.rpartition(".")[2]
        found = (c.entries[bare].name for c in rules.choices.values() if bare in c.entries)
        return syntax.Word(str(next(found, bare.replace("_", " "))), tree.at)
    return syntax.map_children(tree, lambda part: _named(rules, part))


MOST_DEPTH = 8  # how deeply named formulas may call each other


def general(tree: Tree, scope: Scope, depth: int = 0) -> Tree:
    """Return `tree` with named formulas expanded and the branch of each `if` for `scope`."""
    match tree:
        case syntax.Either(test=test, yes=yes, no=no):
            return general(yes if evaluate(test, scope) else no, scope, depth)
        case syntax.Compare() | syntax.Logic():
            return tree
    tree = syntax.map_children(tree, lambda child: general(child, scope, depth))
    named = scope.formula(tree.function) if isinstance(tree, syntax.Call) else None
    if not isinstance(tree, syntax.Call) or named is None:
        return tree
    if depth >= MOST_DEPTH:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    parameters, text = named
    if len(parameters) != len(tree.arguments):
        raise FormulaError(f"`{tree.function}` takes {len(parameters)} values", tree.at)
    arguments = dict(zip(parameters, tree.arguments, strict=True))
    return general(substitute(parse_formula(text), arguments), scope, depth + 1)


def substitute(tree: Tree, names: Mapping[str, Tree]) -> Tree:
    """Return `tree` with trees in place of some of its names."""
    if isinstance(tree, syntax.Name):
        return names.get(tree.name, tree)
    return syntax.map_children(tree, lambda child: substitute(child, names))


_ARITHMETIC: Final = {"+": "a", "-": "s", "*": "m", "/": "d", "//": "f", "%": "r"}
_SHORT: Final = """min:mn max:mx sum:sm first:fi abs:ab ceil:ce floor:fl code:cd as_percent:pc
    signed:sg fraction:fr step_die:sd dice:ds boxes:bx"""
_FUNCTIONS: Final = dict(pair.split(":") for pair in _SHORT.split())  # their names in engine.js


THINGS: Final = """\
/* Numbers of things: `list` [how many, {number: value}], a value with a formula as [its text]. */
function known(x){return Array.isArray(x)?$.numbers[x[0]]({n:{},up:null,depth:0}):x;}
var v=$.v,w=$.w;
$.v=function(s,name){return known(v(s,name));};
$.w=function(s,name){return known(w(s,name));};
$.e=function(s,how,parts){
  var found=[];
  parts.forEach(function(part){
    var each,names,heads,list;
    if(!Array.isArray(part)){found[found.length]=part;return;}
    each=part[part.length-1];
    names=part.slice(0,-1).filter(function(n){return n&&w(s,n)===n;});
    if(!names.length){found[found.length]=each(s);return;}
    heads=names.map(function(n){return n.replace(/\\.\\w+$/,"");});
    list=w(null,"things.")[heads[0]];
    if(!list||!part[0]||heads.some(function(h){return h!==heads[0];})){$.wrong("one list");}
    list.forEach(function(thing){
      var inner={n:{},up:s,calls:s&&s.calls,depth:s&&s.depth||0};
      var all=names.every(function(n){
        var value=thing[1][n.slice(heads[0].length+1)];
        inner.n[n]=value;return value!==undefined;
      });
      if(all){found[found.length]=how==="sm"?$.m(each(inner),thing[0]):each(inner);}
    });
  });
  return found.length?$[how](found):0;
};
$.bx=function(values){
  var n=Math.max(0,$.whole(values[0])),on=values.length>1?$.whole(values[1]):0;
  on=Math.min(n,Math.max(0,on));
  if(values.length>2||n>60){$.wrong("draws fewer boxes");}
  return new Array(on+1).join("\\u2611")+new Array(n-on+1).join("\\u2610");
};
"""
"""The part of a program that sheets need whose formulas take numbers of things, or draw boxes.

It is ECMAScript 5. It sees `$` of engine.js, `things.` among the character's options, and
`$.numbers`, the formulas of numbers. A part begins with 0 if it may not take things."""


Things: TypeAlias = Callable[[str], object]  # whether a name with a dot may be a number of things
Writer: TypeAlias = Callable[[Tree], str]


def function(formula: str, things: Things = bool) -> str:
    """Return a JavaScript function of a scope for a formula; raises FormulaError: it is none."""
    return f"function(s){{return {javascript(parse_formula(formula), things)}}}"


def template(text: str, things: Things = bool) -> str:
    """Return a line with formulas in braces as an array of texts and functions."""
    pieces = [(at % 2, piece) for at, piece in enumerate(BRACES.split(text))]
    return array(*(function(p, things) if odd else js_literal(p) for odd, p in pieces if odd or p))


def js_literal(value: Any) -> str:
    """Return plain data as a literal in ASCII that is safe inside HTML and in every viewer."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")  # these occur only in texts


def array(*parts: str) -> str:
    """Return expressions as an array."""
    return f"[{','.join(parts)}]"


def record(parts: Iterable[tuple[str, str]]) -> str:
    """Return an object of expressions by their names, each once."""
    named = dict(parts).items()
    return "{" + ",".join(f"{js_literal(name)}:{value}" for name, value in named) + "}"


def javascript(tree: Tree, things: Things = bool) -> str:
    """Return `tree` as an expression."""
    write = partial(javascript, things=things)
    match tree:
        case syntax.Number(value=value):
            return json.dumps(value)
        case syntax.Word(value=text):
            return js_literal(text)
        case syntax.Name(name=name):
            return f"$.v(s,{js_literal(name)})"
        case syntax.Unary(operator="not", operand=operand):
            return f"!$.t({write(operand)})"
        case syntax.Unary(operand=operand):
            return f"$.g({write(operand)})"
        case syntax.Binary(operator=operator, left=left, right=right):
            return f"$.{_ARITHMETIC[operator]}({write(left)},{write(right)})"
        case syntax.Compare():
            return _comparison(tree, write)
        case syntax.Logic(operator=operator, parts=parts):
            joint = "&&" if operator == "and" else "||"
            return f"({joint.join(f'$.t({write(part)})' for part in parts)})"
        case syntax.Either(test=test, yes=yes, no=no):
            return f"($.t({write(test)})?{write(yes)}:{write(no)})"
        case syntax.Call() | syntax.Lookup():
            values = array(*map(write, tree.arguments))
            found = array(*(_side(one, write) for one in tree.arguments))
            if isinstance(tree, syntax.Lookup):
                return f"$.l({found},{js_literal(_cell(tree.rows))})"
            function = js_literal(tree.function)
            if tree.function == "count" or syntax.gathers(tree, things):
                return _gathered(tree, write, things)
            if tree.function in syntax.NAMING:
                names = " ".join(a.name for a in tree.arguments if isinstance(a, syntax.Name))
                return f"$.q({function},{js_literal(names)})"
            if own := _FUNCTIONS.get(tree.function):
                return f"$.{own}({values})"
            return f"$.k(s,{function},{found})"


def _gathered(tree: syntax.Call, write: Writer, things: Things) -> str:
    """Return a function of numbers of things: each such argument as names and a function."""
    parts = []
    for argument in tree.arguments:
        value = write(argument)
        value = f"($.t({value})?1:0)" if tree.function == "count" else value
        names = ",".join(map(js_literal, filter(things, syntax.gathered_names(argument))))
        several = any(syntax.gathers(part, things) for part in walk(argument))
        names = f"0,{names}" if names and several else names
        parts.append(f"[{names},function(s){{return {value}}}]" if names else value)
    name = "sm" if tree.function == "count" else _FUNCTIONS[tree.function]
    listed = array(*parts)
    return f'$.e(s,"{name}",{listed})' if syntax.gathers(tree, things) else f"$.{name}({listed})"


def number_data(number: Value) -> Any:
    """Return a number of a thing as data, for `THINGS`; one that is no figure as `[formula]`."""
    figure = parse_figure(number) if isinstance(number, str) else number
    return [str(number)] if figure is None else _cell(figure)


def _cell(cell: int | Fraction | str | syntax.LookupRows | None) -> Any:
    """Return a cell of a lookup as plain data, for `lookup` of figures.js."""
    if isinstance(cell, syntax.LookupRows):
        keys, cells = list(map(_cell, cell.keys)), list(map(_cell, cell.cells))
        return {"m": cell.match, "k": keys, "c": cells, "o": _cell(cell.otherwise)}
    return {"n": cell.numerator, "d": cell.denominator} if isinstance(cell, Fraction) else cell


def _comparison(tree: syntax.Compare, write: Writer) -> str:
    """Return a comparison; later parts of a chain are evaluated only if they are reached."""
    first = _side(tree.first, write)
    if len(tree.rest) == 1:
        operator, right = tree.rest[0]
        return f"$.c({js_literal(operator)},{first},{_side(right, write)})"
    rest = ",".join(
        f"{js_literal(operator)},function(){{return {_side(right, write)}}}"
        for operator, right in tree.rest
    )
    return f"$.h({first},[{rest}])"


def _side(tree: Tree, write: Writer) -> str:
    """Return a side of a comparison or what a lookup finds; an unknown name is a bare word."""
    return f"$.w(s,{js_literal(tree.name)})" if isinstance(tree, syntax.Name) else write(tree)
