"""A formula's tree as JavaScript, for PDF viewers and browsers.

The code calls the functions of `$` in engine.js, which compute exactly as `evaluate` does. `s`
is the scope. The code is ECMAScript 5, for old viewers, and never evaluates text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from sheetgen.model.build import Value, parse_figure
from sheetgen.rules.formulas.evaluate import BRACES
from sheetgen.rules.formulas.expressions import (
    NAMING,
    Binary,
    Call,
    Compare,
    Either,
    Logic,
    Lookup,
    LookupRows,
    Name,
    Number,
    Tree,
    Unary,
    Word,
    gathered_names,
    gathers,
    parse_formula,
    walk,
)

_ARITHMETIC: Final = {"+": "a", "-": "s", "*": "m", "/": "d", "//": "f", "%": "r"}
_FUNCTIONS: Final = {
    "min": "mn",
    "max": "mx",
    "sum": "sm",
    "abs": "ab",
    "ceil": "ce",
    "floor": "fl",
    "code": "cd",
    "as_percent": "pc",
    "signed": "sg",
    "fraction": "fr",
    "step_die": "sd",
    "dice": "ds",
    "boxes": "bx",
}


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
    """Return a JavaScript function of a scope that gives the value of `formula`.

    Raises:
        FormulaError: It is no formula.
    """
    return f"function(s){{return {javascript(parse_formula(formula), things)}}}"


def template(text: str, things: Things = bool) -> str:
    """Return a line with formulas in braces as an array of texts and functions."""
    parts: list[str] = []
    end = 0
    for match in BRACES.finditer(text):
        parts += [js_literal(text[end : match.start()])] if match.start() > end else []
        parts.append(function(match[1], things))
        end = match.end()
    parts += [js_literal(text[end:])] if end < len(text) else []
    return array(*parts)


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
        case Number(value=value):
            return json.dumps(value)
        case Word(value=text):
            return js_literal(text)
        case Name(name=name):
            return f"$.v(s,{js_literal(name)})"
        case Unary(operator="not", operand=operand):
            return f"!$.t({write(operand)})"
        case Unary(operand=operand):
            return f"$.g({write(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"$.{_ARITHMETIC[operator]}({write(left)},{write(right)})"
        case Compare():
            return _comparison(tree, write)
        case Logic(operator=operator, parts=parts):
            joint = "&&" if operator == "and" else "||"
            return f"({joint.join(f'$.t({write(part)})' for part in parts)})"
        case Either(test=test, yes=yes, no=no):
            return f"($.t({write(test)})?{write(yes)}:{write(no)})"
        case Call() | Lookup():
            return _call(tree, write, things)


def _call(tree: Call | Lookup, write: Writer, things: Things) -> str:
    values = array(*map(write, tree.arguments))
    found = array(*(_side(one, write) for one in tree.arguments))
    if isinstance(tree, Lookup):
        return f"$.l({found},{js_literal(_cell(tree.rows))})"
    function = js_literal(tree.function)
    if tree.function == "count" or gathers(tree, things):
        return _gathered(tree, write, things)
    if tree.function in NAMING:
        names = " ".join(a.name for a in tree.arguments if isinstance(a, Name))
        return f"$.q({function},{js_literal(names)})"
    if own := _FUNCTIONS.get(tree.function):
        return f"$.{own}({values})"
    return f"$.k(s,{function},{found})"


def _gathered(tree: Call, write: Writer, things: Things) -> str:
    """Return a function of numbers of things: each such argument as names and a function."""
    parts = []
    for argument in tree.arguments:
        value = write(argument)
        value = f"($.t({value})?1:0)" if tree.function == "count" else value
        names = ",".join(map(js_literal, filter(things, gathered_names(argument))))
        several = any(gathers(part, things) for part in walk(argument))
        names = f"0,{names}" if names and several else names
        parts.append(f"[{names},function(s){{return {value}}}]" if names else value)
    name = "sm" if tree.function == "count" else _FUNCTIONS[tree.function]
    listed = array(*parts)
    return f'$.e(s,"{name}",{listed})' if gathers(tree, things) else f"$.{name}({listed})"


def number_data(number: Value) -> Any:
    """Return a number of a thing as data, for `THINGS`; one that is no figure as `[formula]`."""
    figure = parse_figure(number) if isinstance(number, str) else number
    return [str(number)] if figure is None else _cell(figure)


def _cell(cell: int | Fraction | str | LookupRows | None) -> Any:
    """Return a cell of a lookup as plain data, for `lookup` of figures.js."""
    if isinstance(cell, LookupRows):
        keys, cells = list(map(_cell, cell.keys)), list(map(_cell, cell.cells))
        return {"m": cell.match, "k": keys, "c": cells, "o": _cell(cell.otherwise)}
    return {"n": cell.numerator, "d": cell.denominator} if isinstance(cell, Fraction) else cell


def _comparison(tree: Compare, write: Writer) -> str:
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
    return f"$.w(s,{js_literal(tree.name)})" if isinstance(tree, Name) else write(tree)
