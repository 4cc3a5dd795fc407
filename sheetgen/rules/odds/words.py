"""The vocabulary, tokens and classes of questions about odds."""

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
"""The highest total of dice that raise a target number; each total is computed separately."""

MOST_NUMBER: Final = 9999
MOST_FACES: Final = 1000
MOST_TOTAL: Final = 3000
"""The highest total of a pool; the computing time grows with its square."""

MOST_WORDS: Final = 6
"""The most words of one name."""

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
    """An expression that cannot be parsed.

    Attributes:
        at, width: The place in the expression.
        hint: What to write instead.
    """

    def __init__(self, message: str, at: int, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.width, self.hint = at, max(1, width), hint


@dataclass(frozen=True, slots=True)
class RollWords:
    """The meanings of a roll's own words.

    Attributes:
        dice: Ids of dice, by folded name.
        letter, faces: The folded letter of dice that are added up, or empty, and their faces.
        targets: Numbers, by folded name.
        behind: Modifiers of a target number, and their numbers; None must be written out.
        behind_dice: Modifiers that add this number of dice to a target number.
        shown: Names for hints, in the ruleset's spelling.
        pips: Whether a code may have pips.
        fewer: Whether further actions cost dice.
        adds: The dice that a word adds to a pool, by folded word.
        states: The words among these of which an expression may have only one.
        refuses: Words for situations without a roll, and why, by folded word.
        upgrades: The better die of each die that can be upgraded.
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
    """The dice of one side.

    Attributes:
        dice: The numbers of dice by id; for dice that are added up the id is the number of faces.
        pips: The number added to their total.
        actions: The number of actions taken in this round.
    """

    dice: Mapping[str, int]
    pips: int = 0
    actions: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """A question: a pool alone, against a target number, or against another pool.

    Attributes:
        more: Modifiers of the target number or of the other total: name and number.
        extra: Dice that modify them: name, faces and number.
        ties: Who wins ties, if the expression says so.
    """

    text: str
    pool: DicePool
    other: DicePool | None = None
    target: int | None = None
    more: tuple[tuple[str, int], ...] = ()
    ties: str = ""
    extra: tuple[tuple[str, int, int], ...] = ()


class Token(NamedTuple):
    """A token of the kind `number`, `word`, `sign` or `versus`, or `end` after the last."""

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        """The offset after the token."""
        return self.at + len(self.text)

    def error(self, message: str, hint: str = "") -> OddsError:
        """Return the error of this token."""
        return OddsError(message, self.at, len(self.text), hint)


class Cursor:
    """A position among the tokens of an expression."""

    def __init__(self, text: str, words: RollWords) -> None:
        self.text, self.words, self.place = text, words, 0
        self.state = ""
        if len(text) > MOST_TEXT:
            raise OddsError(f"an expression has at most {MOST_TEXT} characters", MOST_TEXT)
        self.tokens = [*tokens_of(text)]

    @property
    def last(self) -> Token:
        """The token taken last."""
        return self.tokens[self.place - 1]

    def sign(self) -> str:
        """Take the next token if it is a sign; return the sign or an empty string."""
        if self.peek().kind != "sign":
            return ""
        self.place += 1
        return "+" if self.last.text == "+" else "-"

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
        """Take the next token if it separates the two sides."""
        if self.peek().kind == "versus":
            self.place += 1
            return True
        return self.word(AGAINST)

    def named(self, names: Mapping[str, object]) -> str:
        """Take the longest of `names` that comes next, and return it."""
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
        """Refuse a word for a situation without a roll."""
        start = self.peek()
        if refused := self.named(self.words.refuses):
            width = self.last.end - start.at
            raise OddsError(self.words.refuses[refused], start.at, width)

    def number(self, most: int, what: str) -> int:
        """Take a whole number."""
        token = self.peek()
        if token.kind != "number":
            raise token.error(f"{what} is missing", self.example())
        if len(token.text) > 9 or int(token.text) > most:
            raise token.error(f"{what} may be at most {most}")
        self.place += 1
        return int(token.text)

    def die(self) -> str:
        """Take the name of a die; return its id, which for a sum is the number of faces."""
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
                raise after.error("a die has at least 2 faces")
            return str(faces)
        return str(self.words.faces)

    def stray(self) -> OddsError:
        """Return the error of an unexpected token."""
        token = self.peek()
        if token.kind == "word":
            return self.unknown(token)
        message = f"`{token.text}` is not expected here" if token.text else "something is missing"
        return token.error(message, self.example())

    def unknown(self, token: Token) -> OddsError:
        """Return the error of a token that should be a name."""
        if token.kind != "word":
            return token.error("the name of a die is missing", self._known())
        word = folded(token.text)
        if word in SIGNS or word in self.words.behind or word in self.words.targets:
            message = f"`{token.text}` is not expected here"
            return token.error(message, self.example())
        message = f"unknown word `{token.text}`"
        return token.error(message, self._known(token.text))

    def _known(self, word: str = "") -> str:
        names = [*self.words.shown, "vs", "actions", OPPOSED, "ties"]
        return suggestion(word, names[:-3] if not self.words.fewer else names)

    def example(self) -> str:
        """Return a hint with an example of an expression."""
        if self.words.letter:
            letter = self.words.letter.upper()
            return f"write, for example, `4{letter} vs 15` or `4{letter} vs 3{letter}`"
        first = self.words.shown[:2] or ("",)
        return f"write, for example, `2 {first[0]} vs 1 {first[-1]}`"


def upgraded(
    dice: Mapping[str, int], count: int, upgrades: Mapping[str, str]
) -> dict[str, int] | None:
    """Return `dice` after `count` upgrades, or None if none of them can be upgraded.

    When no die is left to upgrade, a die is added.
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
        OddsError: A character has no meaning.
    """
    found, at = [], 0
    while at < len(text):
        if part := _FRACTION.match(text, at):
            hint = "write a whole number of dice, and pips behind a sign: `3D+1`"
            raise OddsError(f"`{part[0]}` is not a whole number", at, len(part[0]), hint)
        if gap := _GAP.match(text, at):
            at = gap.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise OddsError(f"`{text[at]}` is not expected here", at)
        found.append(Token(str(match.lastgroup), match[0], at))
        at = match.end()
    return found
