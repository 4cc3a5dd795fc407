"""Evaluate the functions of a PDF (ISO 32000, 7.10), which gradients take their colours from."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

Function: TypeAlias = Callable[[Sequence[float]], list[float]]

_DEEPEST: Final = 6
"""Nesting of stitching functions and of procedures."""

_MOST_PARTS: Final = 1000
_MOST_TABLE: Final = 1_000_000
_MOST_STEPS: Final = 20_000


def function_of(given: Any, depth: int = 0) -> Function:
    """Return a function that computes what a PDF function does.

    Args:
        given: A function, or an array of functions with one result each.

    Raises:
        ValueError: It is damaged, or too large.
    """
    import pikepdf

    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(given, pikepdf.Array):
        parts = [function_of(one, depth + 1) for one in list(given)[:32]]
        return lambda values: [number for part in parts for number in part(values)]
    makers = {0: _sampled, 2: _exponential, 3: _stitched, 4: _calculator}
    maker = makers.get(int(given.get("/FunctionType", -1)))
    if maker is None:
        raise ValueError("an unknown type")
    inner = maker(given, depth)
    domain, range_ = pairs_of(given.Domain), pairs_of(given.get("/Range", []))

    def evaluate(values: Sequence[float]) -> list[float]:
        found = inner([_clamp(v, *ends) for v, ends in zip(values, domain, strict=False)])
        return [_clamp(v, *ends) for v, ends in zip(found, range_, strict=False)] or found

    return evaluate


def pairs_of(numbers: Any) -> list[tuple[float, float]]:
    """Return numbers as pairs."""
    flat = [float(number) for number in numbers]
    return list(zip(flat[::2], flat[1::2], strict=False))


def _clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _between(value: float, ends: tuple[float, float], to: tuple[float, float]) -> float:
    if ends[1] == ends[0]:
        return to[0]
    return to[0] + (value - ends[0]) * (to[1] - to[0]) / (ends[1] - ends[0])


def _exponential(given: Any, _: int) -> Function:
    first = [float(n) for n in given.get("/C0", [0])]
    last = [float(n) for n in given.get("/C1", [1])]
    power = float(given.get("/N", 1))
    pairs = list(zip(first, last, strict=False))
    return lambda values: [a + values[0] ** power * (b - a) for a, b in pairs]


def _stitched(given: Any, depth: int) -> Function:
    parts = [function_of(one, depth + 1) for one in list(given.Functions)[:_MOST_PARTS]]
    domain = pairs_of(given.Domain)[0]
    edges = [domain[0], *(float(n) for n in given.Bounds), domain[1]]
    encode = pairs_of(given.Encode)

    def evaluate(values: Sequence[float]) -> list[float]:
        value = values[0]
        at = next((n for n in range(len(parts) - 1) if value < edges[n + 1]), len(parts) - 1)
        return parts[at]([_between(value, (edges[at], edges[at + 1]), encode[at])])

    return evaluate


def _sampled(given: Any, _: int) -> Function:
    size, bits = [int(n) for n in given.Size], int(given.BitsPerSample)
    domain, range_ = pairs_of(given.Domain), pairs_of(given.Range)
    encode = pairs_of(given.get("/Encode", [n for one in size for n in (0, one - 1)]))
    decode = pairs_of(given.get("/Decode", given.Range))
    count = len(range_)
    if math.prod(size) * count > _MOST_TABLE or len(size) > 4:
        raise ValueError("a large table")
    data, top = given.read_bytes(), (1 << bits) - 1

    def sample(place: Sequence[int], n: int) -> float:
        at = 0
        for position, wide in zip(reversed(place), reversed(size), strict=True):
            at = at * wide + position
        start = (at * count + n) * bits
        piece = int.from_bytes(data[start // 8 : (start + bits + 7) // 8])
        return (piece >> (-(start + bits) % 8)) & top

    def evaluate(values: Sequence[float]) -> list[float]:
        corners = []
        for value, ends, to, wide in zip(values, domain, encode, size, strict=True):
            exact = _clamp(_between(value, ends, to), 0, wide - 1)
            low = min(int(exact), max(wide - 2, 0))
            high = min(low + 1, wide - 1)
            corners.append(((low, 1 - exact + low), (high, exact - low)))
        found = [0.0] * count
        for corner in product(*corners):
            weight = math.prod(share for _, share in corner)
            for n in range(count) if weight else ():
                found[n] += weight * sample([place for place, _ in corner], n)
        return [_between(v, (0, top), to) for v, to in zip(found, decode, strict=True)]

    return evaluate


_TOKENS: Final = re.compile(r"[{}]|[^\s{}]+")


def _calculator(given: Any, _: int) -> Function:
    data = given.read_bytes()[:100_000].decode("latin-1")
    words = iter(_TOKENS.findall(re.sub(r"%.*", "", data)))
    if next(words, "") != "{":
        raise ValueError("no procedure")
    body = _procedure(words, 0)

    def evaluate(values: Sequence[float]) -> list[float]:
        stack: list[Any] = list(values)
        _run(body, stack, [0])
        return [float(value) for value in stack]

    return evaluate


def _procedure(words: Iterator[str], depth: int) -> list[Any]:
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    body: list[Any] = []
    for word in words:
        if word == "}":
            break
        if word == "{":
            body.append(_procedure(words, depth + 1))
        elif re.fullmatch(r"[-+]?\d+", word):
            body.append(int(word))
        else:
            body.append(float(word) if re.fullmatch(r"[-+.\d][-+.\deE]*", word) else word)
    return body


def _either(whole: Callable[[bool, bool], Any], bits: Callable[[int, int], Any]) -> Any:
    return lambda a, b: whole(a, b) if isinstance(a, bool) else bits(int(a), int(b))


_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda a, b: a / b if b else 0.0,
    "idiv": lambda a, b: int(a / b) if b else 0,
    "mod": lambda a, b: int(math.fmod(a, b)) if b else 0,
    "exp": lambda a, b: abs(a) ** b if a else 0.0,
    "atan": lambda a, b: math.degrees(math.atan2(a, b)) % 360,
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "and": _either(lambda a, b: a and b, operator.and_),
    "or": _either(lambda a, b: a or b, operator.or_),
    "xor": _either(operator.ne, operator.xor),
    "bitshift": lambda a, b: int(a) << min(int(b), 32) if b >= 0 else int(a) >> min(-int(b), 32),
}
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "abs": abs,
    "neg": operator.neg,
    "ceiling": math.ceil,
    "floor": math.floor,
    "round": lambda a: math.floor(a + 0.5),
    "truncate": int,
    "cvi": int,
    "cvr": float,
    "sqrt": lambda a: math.sqrt(max(a, 0)),
    "sin": lambda a: math.sin(math.radians(a)),
    "cos": lambda a: math.cos(math.radians(a)),
    "ln": lambda a: math.log(max(a, 1e-9)),
    "log": lambda a: math.log10(max(a, 1e-9)),
    "not": lambda a: not a if isinstance(a, bool) else ~int(a),
}


def _run(body: list[Any], stack: list[Any], steps: list[int]) -> None:
    """Run a procedure of the calculator on a stack.

    Raises:
        ValueError: It uses an unknown operator, or takes too long.
    """
    for word in body:
        steps[0] += 1
        if steps[0] > _MOST_STEPS or len(stack) > 200:
            raise ValueError("a long calculation")
        if not isinstance(word, str):
            stack.append(word)
        elif word in _BINARY:
            second, first = stack.pop(), stack.pop()
            stack.append(_BINARY[word](first, second))
        elif word in _UNARY:
            stack.append(_UNARY[word](stack.pop()))
        elif word in ("true", "false"):
            stack.append(word == "true")
        elif word in ("if", "ifelse"):
            other = stack.pop() if word == "ifelse" else []
            chosen = stack.pop()
            _run(chosen if stack.pop() else other, stack, steps)
        else:
            _move(word, stack)


def _move(word: str, stack: list[Any]) -> None:
    if word == "pop":
        stack.pop()
    elif word == "dup":
        stack.append(stack[-1])
    elif word == "exch":
        stack[-2:] = stack[:-3:-1]
    elif word == "copy":
        count = int(stack.pop())
        stack += stack[len(stack) - count :]
    elif word == "index":
        stack.append(stack[-1 - int(stack.pop())])
    elif word == "roll":
        by, count = int(stack.pop()), int(stack.pop())
        if count:
            part = stack[-count:]
            by %= count
            stack[-count:] = part[count - by :] + part[: count - by]
    else:
        raise ValueError(f"an unknown operator, {word[:20]}")
