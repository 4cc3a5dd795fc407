"""Odds by other ways than ours: by listing every roll, by icepool, by powers of polynomials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product


def every(dice: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every roll of `dice`, each as likely as any other; the first die is the wild one."""
    return [*product(*(range(1, faces + 1) for faces in dice))]


def share(rolls: Sequence[tuple[int, ...]], holds: object) -> Fraction:
    return Fraction(sum(bool(holds(roll)) for roll in rolls), len(rolls))


def powers(dice: Mapping[int, int]) -> Counter[int]:
    """Return how often each total comes: the coefficients of a product of polynomials.

    They are read off one whole number: each polynomial at a point that is larger than any
    coefficient can be, so that the digits of the product are its coefficients.
    """
    whole, number = 1, 1
    for faces, count in dice.items():
        whole *= faces**count
    bits = whole.bit_length() + 1
    for faces, count in dice.items():
        number *= sum(1 << bits * face for face in range(1, faces + 1)) ** count
    found: Counter[int] = Counter()
    total = 0
    while number:
        digit = number & ((1 << bits) - 1)
        if digit:
            found[total] = digit
        number >>= bits
        total += 1
    return found


def wild_less(dice: Sequence[int], total: int, mode: str, again: bool, depth: int = 0) -> Fraction:
    """Return the chance of less than `total`, by following every roll of the wild die.

    The others are listed. A wild die that rolls again is followed until it alone is enough.
    """
    wild, others = dice[0], every(dice[1:])
    found = Fraction(0)
    for face in range(1, wild + 1):
        for roll in others:
            rest = sum(roll)
            if face == 1 and depth == 0 and mode == "subtract":
                found += Fraction(rest - max(roll, default=0) < total)
            elif face == wild and again:
                found += _follow(wild, total - face, roll)
            else:
                found += Fraction(rest + face < total)
    return found / (wild * len(others))


def _follow(wild: int, total: int, roll: tuple[int, ...]) -> Fraction:
    """Return the chance that a die which rolls again adds up to less than `total` with `roll`."""
    if total <= sum(roll):
        return Fraction(0)
    here = sum(Fraction(sum(roll) + face < total) for face in range(1, wild))
    return (here + _follow(wild, total - wild, roll)) / wild


def tallies(dice: Sequence[Sequence[str]]) -> Counter[tuple[str, ...]]:
    """Return how often each list of symbols comes; a face is a text of words."""
    found: Counter[tuple[str, ...]] = Counter()
    for faces in product(*dice):
        words = (word for face in faces for word in face.split() if word != "blank")
        found[tuple(sorted(words))] += 1
    return found
