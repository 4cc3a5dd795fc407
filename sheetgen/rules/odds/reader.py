"""The parser of questions about odds, such as `5D vs 14 cover 5 actions 2`.

There is one grammar for dice that are added up and for dice with symbols. The ruleset adds words.
"""

from __future__ import annotations

from sheetgen.rules.odds.words import (
    ACTIONS,
    FILLERS,
    MOST_DICE,
    MOST_EXTRA,
    MOST_NUMBER,
    MOST_TOTAL,
    OPPOSED,
    TIES,
    TIMES,
    UPGRADES,
    WINNERS,
    Cursor,
    DicePool,
    OddsError,
    Question,
    RollWords,
    Token,
    upgraded,
)


def parse_question(text: str, words: RollWords) -> Question:
    """Parse `text`.

    Raises:
        OddsError: It cannot be parsed; nothing else is raised.
    """
    return _QuestionReader(text, words).question()


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


class _QuestionReader(Cursor):
    """A parser that reads an expression from left to right."""

    def question(self) -> Question:
        """Parse the whole expression."""
        self._check_ends()
        pool = self.pool()
        if self.peek().kind == "end":
            return Question(self.text, pool)
        if not self.versus():
            raise self.stray()
        target, other = self._against()
        more: list[tuple[str, int]] = []
        extra: list[tuple[str, int, int]] = []
        ties, actions = "", other.actions if other is not None else pool.actions
        while self.peek().kind != "end":
            if self.word(TIES):
                ties = self._winner()
            elif (found := self._actions()) is not None:
                actions = found
            elif self.word(frozenset({OPPOSED})):
                if other is None:
                    message = "`opposed` needs dice on both sides, and this is a number"
                    raise self.last.error(message)
            elif not self.word(FILLERS):
                name, number, faces = self._more()
                if faces:
                    extra.append((name, faces, number))
                else:
                    more.append((name, number))
        if other is None:
            pool = DicePool(pool.dice, pool.pips, actions)
        else:
            other = DicePool(other.dice, other.pips, actions)
        return Question(self.text, pool, other, target, tuple(more), ties, tuple(extra))

    def _check_ends(self) -> None:
        """Refuse an expression that is empty, or ends in a word such as `of`."""
        if not self.tokens:
            raise OddsError("nothing is asked", 0, hint=self.example())
        if (end := self.tokens[-1]).text.casefold() in FILLERS - {"die", "dice"}:
            raise end.error(f"something is missing after `{end.text}`", self.example())

    def _against(self) -> tuple[int | None, DicePool | None]:
        """Read a target number, as a name or a figure, or an opposing pool."""
        if name := self.named(self.words.targets):
            return self.words.targets[name], None
        if self._dice_ahead() or not self.words.letter:
            return None, self.pool()
        if self.peek().kind == "word":
            raise self.stray()
        return self.number(MOST_NUMBER, "the target number"), None

    def _dice_ahead(self) -> bool:
        """Whether dice follow, perhaps after numbers and signs.

        A number and dice with a sign, `15 +1D`, is a target number that the dice raise.
        """
        if self.peek().kind == "number" and self.peek(1).kind == "sign":
            return False
        start = self.place
        while self.peek().kind in ("number", "sign"):
            self.place += 1
        found = bool(self.die())
        self.place = start
        return found

    def pool(self) -> DicePool:
        """Read the dice pool of one side."""
        dice: dict[str, int] = {}
        pips, actions, upgrades, begun = 0, 1, 0, False
        unsigned: Token | None = None
        while self.peek().kind in ("number", "sign", "word"):
            if (found := self._actions()) is not None:
                actions = found
                continue
            if found := self._upgrades():
                upgrades += found
                continue
            if self.word(FILLERS):
                continue
            start = self.place
            sign = self.sign()
            token = self.peek()
            count = self.number(MOST_NUMBER, "the number of dice") if token.kind == "number" else 1
            word = self.peek()
            if die := self.die():
                self._check_sign(sign, unsigned)
                dice[die] = dice.get(die, 0) + (count if sign != "-" else -count)
            elif token.kind == "number" and self.words.letter and (sign or not begun):
                self._may_have_pips(token)
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
        self._check_pool(dice, begun)
        return DicePool(self._upgraded(dice, upgrades), pips, actions)

    def _upgraded(self, dice: dict[str, int], upgrades: int) -> dict[str, int]:
        better = upgraded(dice, upgrades, self.words.upgrades) if upgrades else dice
        if better is None:
            raise OddsError("no die here can be upgraded", self.peek().at, hint=self.example())
        return better

    def _check_sign(self, sign: str, unsigned: Token | None) -> None:
        """Refuse dice without a sign after a number without one."""
        if unsigned is not None and not sign:
            message = f"a plus or minus sign is missing after `{unsigned.text}`"
            raise unsigned.error(message, self.example())

    def _check_pool(self, dice: dict[str, int], begun: bool) -> None:
        token = self.peek()
        if not begun:
            raise (
                self.unknown(token)
                if token.kind == "word"
                else token.error("dice are missing here", self.example())
            )
        if sum(map(abs, dice.values())) > MOST_DICE:
            raise OddsError(f"at most {MOST_DICE} dice are counted", 0, token.at)
        if self.words.letter and sum(int(f) * abs(n) for f, n in dice.items()) > MOST_TOTAL:
            message = f"these dice can exceed the highest total that is counted, {MOST_TOTAL:,}"
            raise OddsError(message, 0, token.at, "take fewer dice, or dice with fewer faces")
        if not self.words.letter and any(count < 0 for count in dice.values()):
            raise OddsError("the number of dice is below 0", 0, token.at, self.example())

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
        for die, count in self.words.adds[name].items() if name else ():
            if count or not any(self.words.adds[name].values()):  # `Simple` adds no dice
                dice[die] = dice.get(die, 0) + count
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

    def _may_have_pips(self, token: Token) -> None:
        if not self.words.pips:
            message = "these dice have no pips"
            hint = f"use whole dice, such as 5{self.words.letter.upper()}"
            raise token.error(message, hint)

    # -- after the target ------------------------------------------------------------------------

    def _actions(self) -> int | None:
        """Read `actions 2`, or `2 actions`."""
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

    def _of_actions(self) -> bool:
        """Whether the next number counts actions: `cover 2 actions`, not `cover 5 actions 2`."""
        return self.peek(1).text.casefold() in ACTIONS and self.peek(2).kind != "number"

    def _winner(self) -> str:
        token = self.peek()
        if token.kind != "word" or token.text.casefold() not in WINNERS:
            hint = f"write one of: ties {', ties '.join(WINNERS)}"
            raise token.error("who wins ties?", hint)
        self.place += 1
        return token.text.casefold()

    def _more(self) -> tuple[str, int, int]:
        """Read a modifier of the target number: `+5`, `cover`, `cover 5`, `cover 1D`.

        Returns:
            The name, the number, and the faces of that number of dice, or 0 for a plain number.
        """
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
        if self.peek().kind == "number" and (usual is None or not self._of_actions()):
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
