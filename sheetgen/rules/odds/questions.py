"""The parser of questions about odds, such as `5D vs 14 cover 5 actions 2`.

There is one grammar for dice that are added up and for dice with symbols. The ruleset adds words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final, NamedTuple

from sheetgen.diag.words import suggestion
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded
from sheetgen.rules.scopes import OptionScope

MOST_TEXT: Final = 200
MOST_DICE: Final = 100
# The highest total of dice that raise a target number; each total is computed separately.
MOST_EXTRA: Final = 300
MOST_NUMBER: Final = 9999
MOST_FACES: Final = 1000
MOST_TOTAL: Final = 3000  # the highest total of a pool; the computing time grows with its square
MOST_WORDS: Final = 6  # the most words of one name
AGAINST: Final = frozenset({"vs", "v", "versus", "against"})
ACTIONS: Final = frozenset({"action", "actions"})
OPPOSED: Final = "opposed"
TIES: Final = frozenset({"tie", "ties"})
WINNERS: Final = ("first", "second", "neither", "again")
SIGNS: Final = AGAINST | ACTIONS | TIES | {OPPOSED}
FILLERS: Final = frozenset({"and", "with", "of", "at", "die", "dice"})
UPGRADES: Final = frozenset({"upgrade", "upgrades", "upgraded"})
TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}

BEST: Final = "best"
WORST: Final = "worst"
COUNT: Final = "count"
EXPLODE: Final = "explode"
REROLL: Final = "reroll"
ADDED: Final = "sum"
_NUMBERS: Final = {COUNT: (1, 9), EXPLODE: (0, 1), ADDED: (0, 0)}
# Functions of dice, and how many numbers each takes.
FUNCTIONS: Final = dict.fromkeys((BEST, WORST, REROLL), (1, 1)) | _NUMBERS
MOST_NESTED: Final = 5  # how deeply functions of dice may be nested

# Signs between the sides: whether lower totals succeed, and whether equal ones do not.
_SIDES: Final = {"<=": (True, False), "≤": (True, False), "<": (True, True), ">": (False, True)}
_TOKEN: Final = re.compile(
    r"(?P<word>\d+/\d+(?!\w)|[^\W\d_]+(?:['’][^\W\d_]+)*)|(?P<number>\d+)|(?P<versus>[<>]=?|[≥≤])"
    r"|(?P<sign>[+\-−–])|(?P<bracket>[(),])"
)
_GAP: Final = re.compile(r"[\s,;.]+")
_GAP_INSIDE: Final = re.compile(r"[\s;.]+")
_FRACTION: Final = re.compile(r"\d+[.,]\d+|(?<!\w)\.\d+")


class OddsError(Exception):
    """An expression that cannot be parsed: the place in it, and what to write instead."""

    def __init__(self, message: str, at: int, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.width, self.hint = at, max(1, width), hint


@frozen
class RollWords:
    """The meanings of a roll's own words."""

    dice: Mapping[str, str] = field(default_factory=dict)  # ids of dice, by folded name
    letter: str = ""  # the folded letter of dice that are added up, or empty, and their faces
    faces: int = 6
    targets: Mapping[str, int] = field(default_factory=dict)  # numbers, by folded name
    # modifiers of a target number, and their numbers; None must be written out
    behind: Mapping[str, int | None] = field(default_factory=dict)
    # modifiers that add this number of dice to a target number
    behind_dice: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[str, ...] = ()  # names for hints, in the ruleset's spelling
    pips: bool = True  # whether a code may have pips
    fewer: bool = True  # whether further actions cost dice
    # the dice that a word adds to a pool, by folded word
    adds: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    # the words among these of which an expression may have only one
    states: frozenset[str] = frozenset()
    # words for situations without a roll, and why, by folded word
    refuses: Mapping[str, str] = field(default_factory=dict)
    # the better die of each die that can be upgraded
    upgrades: Mapping[str, str] = field(default_factory=dict)
    # expressions that a word stands for, by folded word
    words: Mapping[str, str] = field(default_factory=dict)


@frozen
class RollTerm:
    """Dice, a plain number, or a function of such terms."""

    function: str = ""  # one of `FUNCTIONS`; empty for dice and for a number
    count: int = 1  # how many dice, or the number; of a function 1, or -1 where it is taken off
    faces: int = 0  # the faces of the dice; 0 for a number
    numbers: tuple[int, ...] = ()  # the numbers among the arguments of the function
    terms: tuple[RollTerm, ...] = ()  # the other arguments


@frozen
class DicePool:
    """The dice of one side."""

    # the numbers of dice by id; for dice that are added up the id is the number of faces
    dice: Mapping[str, int]
    pips: int = 0  # the number added to their total
    actions: int = 1  # the number of actions taken in this round
    terms: tuple[RollTerm, ...] = ()  # functions of dice, which are added


@frozen
class Question:
    """A question: a pool alone, against a target number, or against another pool."""

    text: str
    pool: DicePool
    other: DicePool | None = None
    target: int | None = None
    # modifiers of the target number or of the other total: name and number
    more: tuple[tuple[str, int], ...] = ()
    ties: str = ""  # who wins ties, if the expression says so
    extra: tuple[tuple[str, int, int], ...] = ()  # dice that modify them: name, faces and number
    # whether lower totals succeed, and equal ones do not, if the expression says so
    sides: tuple[bool, bool] | None = None
    # both sides of an opposed roll in which each rolls against a number of its own
    each: tuple[Question, ...] = ()


class Token(NamedTuple):
    """A token: `number`, `word`, `sign`, `versus` or `bracket`, or `end` after the last."""

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


class _QuestionReader:
    """A parser that reads an expression from left to right."""

    def __init__(self, text: str, words: RollWords) -> None:
        self.text, self.words, self.place = text, words, 0
        self.state = ""
        self.taken: dict[str, OddsError] = {}
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
        found = token.kind == "word" and token.text.casefold() in words
        self.place += found
        return found

    def versus(self) -> bool:
        """Take the next token if it separates the two sides."""
        self.place += (sign := self.peek().kind == "versus")
        return sign or self.word(AGAINST)

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
        at = self.peek().at
        if refused := self.named(self.words.refuses):
            raise OddsError(self.words.refuses[refused], at, self.last.end - at)

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
            return token.error(f"`{token.text}` is not expected here", self.example())
        return token.error(f"unknown word `{token.text}`", self._known(token.text))

    def _known(self, word: str = "") -> str:
        names = [*self.words.shown, "vs", "actions", OPPOSED, "ties"]
        return suggestion(word, names[:-3] if not self.words.fewer else names)

    def example(self) -> str:
        """Return a hint with an example of an expression."""
        if letter := self.words.letter.upper():
            return f"write, for example, `4{letter} vs 15` or `4{letter} vs 3{letter}`"
        first = self.words.shown[:2] or ("",)
        return f"write, for example, `2 {first[0]} vs 1 {first[-1]}`"

    def question(self) -> Question:
        """Parse the whole expression."""
        if not self.tokens:
            raise OddsError("nothing is asked", 0, hint=self.example())
        if (end := self.tokens[-1]).text.casefold() in FILLERS - {"die", "dice"}:
            raise end.error(f"something is missing after `{end.text}`", self.example())
        pool = self.side()
        if self.peek().kind == "end":
            return Question(self.text, pool)
        if not self.versus():
            raise self.stray()
        sides = _SIDES.get(self.last.text)
        target, other = self._against()
        more: list[tuple[str, int]] = []
        extra: list[tuple[str, int, int]] = []
        ties, actions = "", other.actions if other is not None else pool.actions
        while self.peek().kind != "end":
            if self.word(TIES):
                token = self.peek()
                if token.kind != "word" or token.text.casefold() not in WINNERS:
                    hint = f"write one of: ties {', ties '.join(WINNERS)}"
                    raise token.error("who wins ties?", hint)
                self.place += 1
                ties = token.text.casefold()
            elif (found := self._actions()) is not None:
                actions = found
            elif self.word(frozenset({OPPOSED})):
                if other is None:
                    message = "`opposed` needs dice on both sides, and this is a number"
                    raise self.last.error(message)
            elif target is not None and self.word(AGAINST):
                start, second = self.last, self.question()
                if second.target is None or second.each:
                    hint = "write, for example, `1d100 <= 50 vs 1d100 <= 40`"
                    raise start.error("each of two sides needs dice and a number here", hint)
                mine = replace(pool, actions=actions)
                first = Question(
                    self.text, mine, None, target, tuple(more), ties, tuple(extra), sides
                )
                won = second.ties or ties
                return Question(self.text, mine, second.pool, ties=won, each=(first, second))
            elif not self.word(FILLERS):
                name, number, faces = self._more()
                extra += [(name, faces, number)] if faces else []
                more += [] if faces else [(name, number)]
        pool = replace(pool, actions=actions) if other is None else pool
        other = replace(other, actions=actions) if other is not None else None
        return Question(self.text, pool, other, target, tuple(more), ties, tuple(extra), sides)

    def _against(self) -> tuple[int | None, DicePool | None]:
        if name := self.named(self.words.targets):
            return self.words.targets[name], None
        if self._dice_ahead() or not self.words.letter:
            return None, self.side()
        if self.peek().kind == "word":
            raise self.stray()
        return self.number(MOST_NUMBER, "the target number"), None

    def _dice_ahead(self) -> bool:
        """Whether dice follow; in `15 +1D`, they raise a target number."""
        if self.peek().kind == "number" and self.peek(1).kind == "sign":
            return False
        start = self.place
        while self.peek().kind in ("number", "sign"):
            self.place += 1
        found = self._function_ahead() or self._word_ahead() or bool(self.die())
        self.place = start
        return found

    def _function_ahead(self) -> bool:
        calls = self.peek().text.casefold() in FUNCTIONS and self.peek(1).text == "("
        return calls and bool(self.words.letter)

    def _word_ahead(self) -> bool:
        start = self.place
        found = bool(self.words.words) and bool(self.named(self.words.words))
        self.place = start
        return found

    def _function(self, count: int = 1, depth: int = 1) -> RollTerm:
        """Read a function of dice: `best(2, 3d6)`, `count(6d10, 7, 10)`."""
        start = self.peek()
        name = start.text.casefold()
        self.place += 2
        numbers, terms, closed = list[int](), list[RollTerm](), False
        if depth > MOST_NESTED:
            raise start.error(f"functions of dice are nested at most {MOST_NESTED} deep")
        while not closed:
            sign = self.sign()
            if sign == "-" and name != ADDED and self._dice_ahead():
                raise self.last.error(f"dice cannot be taken off inside `{name}`", "use `sum(…)`")
            if self._dice_ahead() or (name == ADDED and self.peek().kind == "number"):
                terms += self._terms(-1 if sign == "-" else 1, depth)
            else:
                number = self.number(MOST_NUMBER, f"a number or dice of `{name}`")
                numbers.append(-number if sign == "-" else number)
            token = self.peek()
            closed = token.text == ")"
            if not closed and token.kind != "sign" and token.text != ",":
                if token.kind == "word":
                    raise self.unknown(token)
                raise token.error(f"`{name}(` is not closed", self._function_example(name))
            self.place += token.kind == "bracket"
        if not numbers and name in (BEST, WORST):
            numbers = [1]
        least, most = FUNCTIONS[name]
        if not terms or not least <= len(numbers) <= most:
            what = {0: "no number", 1: "one number"}.get(most, "numbers")
            raise start.error(f"`{name}` takes dice and {what}", self._function_example(name))
        few = min(numbers, default=1) < (name != EXPLODE)
        if few if name != COUNT else 0 in numbers:  # `count` may take faces off, below 0
            raise start.error(f"the number in `{name}` is too low", self._function_example(name))
        return RollTerm(name, count, 0, tuple(numbers), tuple(terms))

    def _terms(self, sign: int, depth: int) -> tuple[RollTerm, ...]:
        """Read an argument of a function: dice, a plain number, a function, or a word for them."""
        if self._function_ahead():
            return (self._function(sign, depth + 1),)
        token = self.peek()
        if (meant := self._worded("-" if sign < 0 else "", token)) is not None:
            dice = (RollTerm(count=count, faces=int(f)) for f, count in meant.dice.items())
            if not meant.pips:
                return (*dice, *meant.terms)
            return (RollTerm(ADDED, terms=(*dice, *meant.terms, RollTerm(count=meant.pips))),)
        count = self.number(MOST_NUMBER, "the number of dice") if token.kind == "number" else 1
        return (RollTerm(count=sign * count, faces=int(self.die() or 0)),)

    def _function_example(self, name: str) -> str:
        dice = f"3{self.words.letter}{self.words.faces}"
        shown = f"2, {dice}" if name in (BEST, WORST) else dice
        shown += {COUNT: ", 5", REROLL: ", 1"}.get(name, "")
        return f"write, for example, `{name}({shown})`"

    def side(self) -> DicePool:
        """Read the dice pool of one side, which has the dice that are taken off it."""
        self.taken.clear()
        found = self.pool()
        for die, wrong in self.taken.items():
            if self.words.letter and found.dice[die] < 0:
                raise wrong
        return found

    def pool(self) -> DicePool:
        """Read dice, such as those of one side."""
        dice, terms, unsigned = dict[str, int](), list[RollTerm](), None
        pips, actions, upgrades, begun = 0, 1, 0, False
        while self.peek().kind in ("number", "sign", "word"):
            if (found := self._actions()) is not None:
                actions = found
                continue
            if found := self._upgrades():
                upgrades += found
                continue
            if not self._word_ahead() and self.word(FILLERS):
                continue
            start = self.place
            sign = self.sign()
            token = self.peek()
            count = self.number(MOST_NUMBER, "the number of dice") if token.kind == "number" else 1
            word = self.peek()
            if (more := self._worded(sign, token)) is not None:
                terms += more.terms
                pips += more.pips
                _add_dice(dice, more.dice)
            elif die := self.die():
                if unsigned is not None and not sign:
                    message = f"a plus or minus sign is missing after `{unsigned.text}`"
                    raise unsigned.error(message, self.example())
                self._add(dice, die, count if sign != "-" else -count, token)
            elif token.kind == "number" and self.words.letter and (sign or not begun):
                if not self.words.pips:
                    message = "these dice have no pips"
                    hint = f"use whole dice, such as 5{self.words.letter.upper()}"
                    raise token.error(message, hint)
                pips += count if sign != "-" else -count
                unsigned = None if sign else token
            elif sign != "-" and self._added(dice):
                if token.kind == "number":
                    raise token.error(f"`{word.text}` takes no number")
            elif token.kind == "number" or sign:
                raise self.unknown(self.peek() if self.peek().kind == "word" else token)
            else:
                self.place = start
                break
            begun = True
        token = self.peek()
        if not begun and token.kind == "word":
            raise self.unknown(token)
        if not begun:
            raise token.error("dice are missing here", self.example())
        sizes = [_size(term) for term in terms]
        if sum(map(abs, dice.values())) + sum(count for count, _ in sizes) > MOST_DICE:
            raise OddsError(f"at most {MOST_DICE} dice are counted", 0, token.at)
        total = sum(int(f) * abs(n) for f, n in dice.items()) if self.words.letter else 0
        if total + sum(most for _, most in sizes) > MOST_TOTAL:
            message = f"these dice can exceed the highest total that is counted, {MOST_TOTAL:,}"
            raise OddsError(message, 0, token.at, "take fewer dice, or dice with fewer faces")
        if not self.words.letter and any(count < 0 for count in dice.values()):
            raise OddsError("the number of dice is below 0", 0, token.at, self.example())
        better = upgraded(dice, upgrades, self.words.upgrades) if upgrades else dice
        if better is None:
            raise OddsError("no die here can be upgraded", self.peek().at, hint=self.example())
        return DicePool(better, pips, actions, tuple(terms))

    def _add(self, dice: dict[str, int], die: str, count: int, start: Token) -> None:
        """Add dice, and note those that are taken off where none of their faces are so far."""
        if count < 0 and die not in dice:
            code = self.text[start.at : self.last.end]
            message = f"`{code}` cannot be taken off: there are no such dice in this roll"
            hint = f"write `sum({code})` to take off what is rolled"
            self.taken[die] = OddsError(message, start.at, len(code), hint)
        dice[die] = dice.get(die, 0) + count

    def _worded(self, sign: str, token: Token) -> DicePool | None:
        """Read a function of dice, or a word for dice, after a sign and `token`."""
        times, start = -1 if sign == "-" else 1, self.peek()
        function = self._function_ahead()
        if not function and not self._word_ahead():
            return None
        if token.kind == "number":
            raise token.error(f"`{start.text}` takes no number")
        if function:
            return DicePool({}, terms=(self._function(times),))
        text = self.words.words[self.named(self.words.words)]
        try:
            meant = parse_pool(text, replace(self.words, words={}, fewer=False))
        except OddsError as error:
            raise start.error(f"`{start.text}` stands for `{text}`: {error}", error.hint) from None
        dice = {die: times * count for die, count in meant.dice.items()}
        terms = tuple(replace(term, count=times * term.count) for term in meant.terms)
        return DicePool(dice, times * meant.pips, terms=terms)

    def _added(self, dice: dict[str, int]) -> bool:
        """Read a word that adds dice, and add them; return whether there is one."""
        start = self.peek()
        self.refuse()
        name = self.named(self.words.adds)
        if name in self.words.states:
            if self.state and self.state != name:
                message = f"`{name}` and `{self.state}` cannot be combined"
                raise start.error(message, "name one of them")
            self.state = name
        adds = self.words.adds[name] if name else {}
        any_dice = any(adds.values())  # `Simple` adds no dice
        _add_dice(dice, {die: count for die, count in adds.items() if count or not any_dice})
        return bool(name)

    def _upgrades(self) -> int:
        """Read `upgraded`, `upgraded twice` or `2 upgrades`; return the number."""
        if not self.words.upgrades:
            return 0
        if self.peek().kind == "number" and self.peek(1).text.casefold() in UPGRADES:
            count = self.number(MOST_DICE, "the number of upgrades")
            self.place += 1
            return count
        if not self.word(UPGRADES):
            return 0
        if self.peek().text.casefold() in TIMES:
            self.place += 1
            return TIMES[self.last.text.casefold()]
        start = self.place
        if self.peek().kind != "number":
            return 1
        count = self.number(MOST_DICE, "the number of upgrades")
        if self.die():  # the number is that of the next dice
            self.place = start
            return 1
        self.word(frozenset({"times"}))
        return count

    def _actions(self) -> int | None:
        ahead = self.peek(1)
        if self.peek().kind == "number" and ahead.kind == "word":
            if ahead.text.casefold() not in ACTIONS or not self.words.fewer:
                return None
            count = self.number(MOST_DICE, "the number of actions")
            self.place += 1
        elif self.words.fewer and self.word(ACTIONS):
            count = self.number(MOST_DICE, "the number of actions")
        else:
            return None
        if count < 1:
            raise self.last.error("there must be at least one action")
        return count

    def _more(self) -> tuple[str, int, int]:
        """Read a modifier, `+5` or `cover 1D`: name, number, and faces or 0."""
        if sign := self.sign():
            count, faces = self._much("what is added")
            if faces and sign == "-":
                raise self.last.error("dice cannot be subtracted from a number")
            return sign, count if sign == "+" else -count, faces
        start = self.peek()
        self.refuse()
        if name := self.named(self.words.behind_dice):
            name_typed = self.text[start.at : self.last.end]  # `½` as it was typed
            return name_typed, self.words.behind_dice[name], self.words.faces
        name = self.named(self.words.behind)
        if not name:
            raise self.stray()
        self.sign()
        usual = self.words.behind[name]
        if self.peek().kind == "number" and (
            usual is None
            or not (self.peek(1).text.casefold() in ACTIONS and self.peek(2).kind != "number")
        ):
            return name, *self._much(f"`{name}`")
        if usual is None:
            hint = f"write `{name} 5` or `{name} 1{self.words.letter.upper()}`, for example"
            raise start.error(f"how much is `{name}`?", hint)
        return name, usual, 0

    def _much(self, what: str) -> tuple[int, int]:
        """Read a number or dice; return the number, and the faces or 0."""
        token = self.peek()
        count = self.number(MOST_NUMBER, what)
        faces = int(self.die() or 0) if self.words.letter else 0
        if count * faces > MOST_EXTRA:
            raise token.error(f"these dice may show at most {MOST_EXTRA} together")
        return count, faces


def _add_dice(dice: dict[str, int], more: Mapping[str, int]) -> None:
    for die, count in more.items():
        dice[die] = dice.get(die, 0) + count


def _size(term: RollTerm) -> tuple[int, int]:
    """Return how many dice are in a term, and the highest total of each rolled once."""
    if not term.function:
        count = abs(term.count)
        return (count, count * term.faces) if term.faces else (0, count)
    sizes = [_size(inner) for inner in term.terms]
    again = 1 + (term.numbers[0] if term.function == EXPLODE and term.numbers else 0)
    return sum(count for count, _ in sizes), sum(most for _, most in sizes) * again


def upgraded(
    dice: Mapping[str, int], count: int, upgrades: Mapping[str, str]
) -> dict[str, int] | None:
    """Return `dice` after upgrades, which add a die where none is left; None if none can be."""
    found = dict(dice)
    for die, better in [pair for pair in upgrades.items() if dice.keys() & set(pair)][:1]:
        for _ in range(count):
            there = found.get(die, 0) > 0
            _add_dice(found, {die: -1, better: 1} if there else {die: 1})
        return found
    return None


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of an expression; raises OddsError: a character has no meaning."""
    found, at = list[Token](), 0
    while at < len(text):
        inside = any(token.text == "(" for token in found)  # there a comma separates
        if (part := _FRACTION.match(text, at)) and not (inside and "," in part[0]):
            hint = "write a whole number of dice, and pips behind a sign: `3D+1`"
            raise OddsError(f"`{part[0]}` is not a whole number", at, len(part[0]), hint)
        if gap := (_GAP_INSIDE if inside else _GAP).match(text, at):
            at = gap.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise OddsError(f"`{text[at]}` is not expected here", at)
        found.append(Token(str(match.lastgroup), match[0], at))
        at = match.end()
    return found


def parse_question(text: str, words: RollWords) -> Question:
    """Parse `text`; raises OddsError: it cannot be parsed; nothing else is raised."""
    return _QuestionReader(text, words).question()


def parse_pool(text: str, words: RollWords) -> DicePool:
    """Parse an expression that is dice alone; raises OddsError, and nothing else."""
    reader = _QuestionReader(text, words)
    found = reader.pool()
    if reader.peek().kind != "end":
        raise reader.stray()
    return found


def count_known_words(text: str, words: RollWords) -> int:
    """Return how many words of `text` are words of a roll: dice, targets and modifiers."""
    try:
        reader = _QuestionReader(text, words)
    except OddsError:
        return 0
    found = 0
    while reader.place < len(reader.tokens):
        named = (words.targets, words.behind, words.behind_dice, words.adds, words.refuses)
        try:
            known = reader.die() or any(map(reader.named, named))
        except OddsError:  # a die with an impossible number of faces
            known = True
            reader.place += 1
        found += 1 if known else 0
        reader.place += 0 if known else 1
    return found


_NUMBER = re.compile(r"\d+")


def target_numbers(
    roll: RollRules, rules: Ruleset | None
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return target numbers by folded name, and the names as they are printed.

    They come from a table of the ruleset. Of `30+` or `11–15` the first number counts. A table or
    column that does not exist gives nothing; the ruleset's checks report it.
    """
    targets = roll.targets
    table = rules.tables.get(str(targets.table)) if rules and targets else None
    if targets is None or table is None or not {targets.name, targets.number} <= {*table.columns}:
        return {}, ()
    name, number = table.columns.index(targets.name), table.columns.index(targets.number)
    figures = ((row[name], _NUMBER.search(row[number])) for row in table.rows)
    numbers = {shown: int(figure[0]) for shown, figure in figures if figure is not None}
    found = {folded(shown): figure for shown, figure in numbers.items()}
    for other, shown in targets.also.items():
        if folded(shown) in found:
            found.setdefault(folded(other), found[folded(shown)])
    return found, tuple(numbers)


class _StateScope(OptionScope):
    """The scope of a character who is in one state, and of whom nothing else is known."""

    def __init__(
        self, rules: Ruleset, options: Mapping[str, Value] | None, names: Sequence[str]
    ) -> None:
        super().__init__(rules, options)
        self.names = names

    def ask(self, function: str, names: Sequence[str]) -> Value:
        if function == "has":
            return int(names[0] in self.names)
        raise FormulaError(f"`{function}` needs a character, and only a state is known")


def added_dice(roll: RollRules, rules: Ruleset, options: Mapping[str, Value] | None) -> RollWords:
    """Return the words that add dice to a pool of `roll`; raises FormulaError: one fails."""
    found: dict[str, Mapping[str, int]] = {}
    names: tuple[str, ...] = ()
    if roll.targets is not None and roll.targets.die is not None:
        numbers, names = target_numbers(roll, rules)
        found |= {name: {str(roll.targets.die): number} for name, number in numbers.items()}
    # The dice that the roll of states adds for each of them.
    states: dict[str, dict[str, int]] = {}
    if roll.states is not None and roll.states.of in rules.choices:
        of = str(roll.states.of)
        dice = rules.rolls[str(roll.states.roll)].dice if roll.states.roll in rules.rolls else {}
        for id_, entry in rules.choices[of].entries.items():
            tagged = (str(id_), of, f"{of}.{id_}", *map(str, entry.tags))
            state = _StateScope(rules, options, tagged)
            counts = {str(die): integer_value(formula, state) for die, formula in dice.items()}
            states |= dict.fromkeys(map(str, (entry.name, *entry.aliases)), counts)
    scope = OptionScope(rules, options)
    others = {
        str(word): {str(die): integer_value(formula, scope) for die, formula in adds.items()}
        for word, adds in roll.adds.items()
    }
    found |= {folded(word): dice for word, dice in (states | others).items()}
    shown = (*names, *states, *others)
    return RollWords(adds=found, states=frozenset(map(folded, states)), shown=shown, fewer=False)
