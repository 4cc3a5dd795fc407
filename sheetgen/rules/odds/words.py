"""Words of questions about odds: what a roll knows, and what stands where in an expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sheetgen.diag.near import suggestion
from sheetgen.rules.names import folded

MOST_TEXT: Final = 200
MOST_DICE: Final = 100
MOST_EXTRA: Final = 300
"""The highest total of dice that raise a target number; each total is counted by itself."""

MOST_NUMBER: Final = 9999
MOST_FACES: Final = 1000
MOST_TOTAL: Final = 3000
"""The highest total of a hand; the time that it takes grows with its square."""

MOST_WORDS: Final = 6
"""Words of one name that are looked at together."""

AGAINST: Final = frozenset({"vs", "v", "versus", "against"})
ACTIONS: Final = frozenset({"action", "actions"})
OPPOSED: Final = "opposed"
TIES: Final = frozenset({"tie", "ties"})
WINNERS: Final = ("first", "second", "neither")
SIGNS: Final = AGAINST | ACTIONS | TIES | {OPPOSED}
FILLERS: Final = frozenset({"and", "with", "of", "at", "die", "dice"})
UPGRADES: Final = frozenset({"upgrade", "upgrades", "upgraded"})
TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}

_TOKEN: Final = re.compile(
    r"(?P<word>\d+/\d+(?!\w)|[^\W\d_]+(?:['’][^\W\d_]+)*)|(?P<number>\d+)|(?P<versus>>=|≥)|(?P<sign>[+\-−–])"
)
_GAP: Final = re.compile(r"[\s,;.]+")
_FRACTION: Final = re.compile(r"\d+[.,]\d+|(?<!\w)\.\d+")


class OddsError(Exception):
    """An expression that cannot be read.

    Attributes:
        at, width: The place in the expression.
        hint: What would do.
    """

    def __init__(self, message: str, at: int, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.width, self.hint = at, max(1, width), hint


@dataclass(frozen=True, slots=True)
class RollWords:
    """What a roll's own words mean.

    Attributes:
        dice: Ids of dice, by folded name.
        letter: The folded letter of dice that are added up, or nothing; then its `faces`.
        targets: Numbers, by folded name.
        behind: What makes a target number higher, and by how much; None: has to be said.
        behind_dice: What adds so many dice to a target number.
        shown: Names for hints, as the ruleset spells them.
        pips: Whether a code may have them.
        fewer: Whether further actions take dice off.
        adds: Dice that a word adds to a pool, by folded word.
        states: Those of these words of which only one may stand in an expression.
        refuses: Why nobody rolls, by folded word.
        upgrades: The die that each die is upgraded to.
    """

    dice: Mapping[str, str] = field(default_factory=dict)
    letter: str = ""
    faces: int = 6
    targets: Mapping[str, int] = field(default_factory=dict)
    behind: Mapping[str, int | None] = field(default_factory=dict)
    behind_dice: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    pips: bool = True
    fewer: bool = True
    adds: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    states: frozenset[str] = frozenset()
    refuses: Mapping[str, str] = field(default_factory=dict)
    upgrades: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DicePool:
    """Dice of one side.

    Attributes:
        dice: How many, by id; of dice that are added up the id is the number of faces.
        pips: What is added to their total.
        actions: How many actions are taken in this round.
    """

    dice: Mapping[str, int]
    pips: int = 0
    actions: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a hand, against nothing, a target number or another hand.

    Attributes:
        more: What makes the target number, or the other's total, higher: name and number.
        extra: Dice that do the same: name, faces and how many.
        ties: Who wins them, if the expression says it.
    """

    text: str
    pool: DicePool
    other: DicePool | None = None
    target: int | None = None
    more: tuple[tuple[str, int], ...] = ()
    ties: str = ""
    extra: tuple[tuple[str, int, int], ...] = ()


class Token(NamedTuple):
    """A part of an expression: `number`, `word`, `sign`, `versus`, or `end` behind the last."""

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        """Where the next one may begin."""
        return self.at + len(self.text)


class Cursor:
    """A place among the tokens of an expression, and what stands there."""

    def __init__(self, text: str, words: RollWords) -> None:
        self.text, self.words, self.place = text, words, 0
        self.state = ""
        if len(text) > MOST_TEXT:
            raise OddsError(f"an expression has at most {MOST_TEXT} characters", MOST_TEXT)
        self.tokens = [*tokens_of(text)]

    def sign(self) -> str:
        """Take the next token if it is a sign, and return it; nothing otherwise."""
        if self.peek().kind != "sign":
            return ""
        self.place += 1
        return "+" if self.tokens[self.place - 1].text == "+" else "-"

    def peek(self, ahead: int = 0) -> Token:
        """Return a token, or one of the kind `end`."""
        at = self.place + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("end", "", len(self.text))

    def word(self, words: frozenset[str]) -> bool:
        """Take the next token if it is one of `words`."""
        token = self.peek()
        if token.kind == "word" and token.text.casefold() in words:
            self.place += 1
            return True
        return False

    def versus(self) -> bool:
        """Take the next token if it stands between two sides."""
        if self.peek().kind == "versus":
            self.place += 1
            return True
        return self.word(AGAINST)

    def named(self, names: Mapping[str, object]) -> str:
        """Take the longest of `names` that stands here, and return it."""
        for count in range(MOST_WORDS, 0, -1):
            tokens = [self.peek(ahead) for ahead in range(count)]
            if any(token.kind != "word" for token in tokens):
                continue
            name = folded(" ".join(token.text for token in tokens))
            for form in (name, name.removesuffix("s")):
                if form in names:
                    self.place += count
                    return form
        return ""

    def refuse(self) -> None:
        """Refuse a word for which nobody rolls."""
        start = self.peek()
        if refused := self.named(self.words.refuses):
            width = self.tokens[self.place - 1].end - start.at
            raise OddsError(self.words.refuses[refused], start.at, width)

    def number(self, most: int, what: str) -> int:
        """Take a whole number."""
        token = self.peek()
        if token.kind != "number":
            raise OddsError(f"{what} is missing", token.at, len(token.text))
        if len(token.text) > 9 or int(token.text) > most:
            raise OddsError(f"{what} may be {most} at most", token.at, len(token.text))
        self.place += 1
        return int(token.text)

    def die(self) -> str:
        """Take the name of a die, and return its id; for a sum the number of its faces."""
        if not self.words.letter:
            return self.words.dice.get(self.named(self.words.dice), "")
        token = self.peek()
        if token.kind != "word" or token.text.casefold() != self.words.letter:
            return ""
        self.place += 1
        after = self.peek()
        if after.kind == "number" and after.at == token.end:
            faces = self.number(MOST_FACES, "the number of faces")
            if faces < 2:
                raise OddsError("a die has 2 faces at least", after.at, len(after.text))
            return str(faces)
        return str(self.words.faces)

    def stray(self) -> OddsError:
        """Return what is wrong with the next token."""
        token = self.peek()
        if token.kind == "word":
            return self.unknown(token)
        message = f"`{token.text}` is not expected here" if token.text else "something is missing"
        return OddsError(message, token.at, len(token.text), self.example())

    def unknown(self, token: Token) -> OddsError:
        """Return what is wrong with a token that should be a name."""
        if token.kind != "word":
            return OddsError(
                "the name of a die is missing", token.at, len(token.text), self._known()
            )
        word = folded(token.text)
        if word in SIGNS or word in self.words.behind or word in self.words.targets:
            message = f"`{token.text}` is not expected here"
            return OddsError(message, token.at, len(token.text), self.example())
        message = f"nothing is called `{token.text}` here"
        return OddsError(message, token.at, len(token.text), self._known(token.text))

    def _known(self, word: str = "") -> str:
        names = [*self.words.shown, "vs", "actions", OPPOSED, "ties"]
        return suggestion(word, names[:-3] if not self.words.fewer else names)

    def example(self) -> str:
        """Return a hint that shows an expression."""
        if self.words.letter:
            letter = self.words.letter.upper()
            return f"such as `4{letter} vs 15`, or `4{letter} vs 3{letter}`"
        first = self.words.shown[:2] or ("",)
        return f"such as `2 {first[0]} vs 1 {first[-1]}`"


def upgraded(
    dice: Mapping[str, int], count: int, upgrades: Mapping[str, str]
) -> dict[str, int] | None:
    """Return `dice` after `count` upgrades, or None if none of them can be upgraded.

    With nothing left to upgrade, a die is added.
    """
    pair = next((pair for pair in upgrades.items() if dice.keys() & set(pair)), None)
    if pair is None:
        return None
    found, (die, better) = dict(dice), pair
    for _ in range(count):
        if found.get(die, 0) > 0:
            found[die] -= 1
            found[better] = found.get(better, 0) + 1
        else:
            found[die] = found.get(die, 0) + 1
    return found


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of an expression.

    Raises:
        OddsError: A mark means nothing.
    """
    found, at = [], 0
    while at < len(text):
        if part := _FRACTION.match(text, at):
            hint = "write a whole number of dice, and pips behind a sign: `3D+1`"
            raise OddsError(f"`{part[0]}` is no whole number", at, len(part[0]), hint)
        if gap := _GAP.match(text, at):
            at = gap.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise OddsError(f"`{text[at]}` is not expected here", at)
        found.append(Token(str(match.lastgroup), match[0], at))
        at = match.end()
    return found
