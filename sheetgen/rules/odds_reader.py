"""Questions about odds: an expression such as `5D vs 14 cover 5 actions 2` to what it means.

One grammar for dice that are added up and for dice with symbols; which words it knows
besides is up to the ruleset.
"""

from __future__ import annotations

from sheetgen.rules.odds_words import (
    ACTIONS,
    FILLERS,
    MOST_DICE,
    MOST_NUMBER,
    MOST_TOTAL,
    OPPOSED,
    TIES,
    WINNERS,
    Cursor,
    Hand,
    OddsError,
    Question,
    Token,
    Words,
)


def parse(text: str, words: Words) -> Question:
    """Return what `text` asks.

    Raises:
        OddsError: It cannot be read; nothing else is raised.
    """
    return _Reader(text, words).question()


def understood(text: str, words: Words) -> int:
    """Return how many words of `text` are those of a roll: its dice, targets and cover."""
    try:
        reader = _Reader(text, words)
    except OddsError:
        return 0
    found = 0
    while reader.place < len(reader.tokens):
        try:
            known = reader.die() or reader.named(words.targets) or reader.named(words.behind)
        except OddsError:  # a die, with a number of faces that none has
            known = "die"
            reader.place += 1
        found += 1 if known else 0
        reader.place += 0 if known else 1
    return found


class _Reader(Cursor):
    """Reads an expression from left to right."""

    def question(self) -> Question:
        """Return the whole."""
        if not self.tokens:
            raise OddsError("nothing is asked", 0, hint=self.example())
        hand = self.hand()
        if self.peek().kind == "end":
            return Question(self.text, hand)
        if not self.versus():
            raise self.stray()
        target, other, more = self._against()
        ties, actions = "", other.actions if other is not None else hand.actions
        while self.peek().kind != "end":
            if self.word(TIES):
                ties = self._winner()
            elif (found := self._actions()) is not None:
                actions = found
            elif self.word(frozenset({OPPOSED})):
                if other is None:
                    before = self.tokens[self.place - 1]
                    message = "opposed is a roll of dice, and here stands a number"
                    raise OddsError(message, before.at, len(before.text))
            elif not self.word(FILLERS):
                more.append(self._more())
        if other is None:
            hand = Hand(hand.dice, hand.pips, actions)
        else:
            other = Hand(other.dice, other.pips, actions)
        return Question(self.text, hand, other, target, tuple(more), ties)

    def _against(self) -> tuple[int | None, Hand | None, list[tuple[str, int]]]:
        """Read a target number, by its name or with what is added to it, or another hand."""
        more: list[tuple[str, int]] = []
        if name := self.named(self.words.targets):
            return self.words.targets[name], None, more
        if self._dice_ahead() or not self.words.letter:
            return None, self.hand(), more
        if self.peek().kind == "word":
            raise self.stray()
        return self.number(MOST_NUMBER, "the target number"), None, more

    def _dice_ahead(self) -> bool:
        """Whether dice stand before the end, whatever numbers and signs come first."""
        start = self.place
        while self.peek().kind in ("number", "sign"):
            self.place += 1
        found = bool(self.die())
        self.place = start
        return found

    def hand(self) -> Hand:
        """Read the dice of one side."""
        dice: dict[str, int] = {}
        pips, actions, begun = 0, 1, False
        while self.peek().kind in ("number", "sign", "word"):
            if (found := self._actions()) is not None:
                actions = found
                continue
            start = self.place
            sign = self._sign()
            token = self.peek()
            count = self.number(MOST_NUMBER, "the number of dice") if token.kind == "number" else 1
            if die := self.die():
                dice[die] = dice.get(die, 0) + (count if sign != "-" else -count)
            elif token.kind == "number" and self.words.letter and (sign or not begun):
                self._may_have_pips(token)
                pips += count if sign != "-" else -count
            elif token.kind == "number" or sign:
                raise self.unknown(self.peek() if self.peek().kind == "word" else token)
            else:
                self.place = start
                if self.word(FILLERS):
                    continue
                break
            begun = True
        return self._hand(dice, pips, actions, begun)

    def _hand(self, dice: dict[str, int], pips: int, actions: int, begun: bool) -> Hand:
        token = self.peek()
        if not begun:
            raise (
                self.unknown(token)
                if token.kind == "word"
                else OddsError("dice are missing here", token.at, len(token.text), self.example())
            )
        if sum(map(abs, dice.values())) > MOST_DICE:
            raise OddsError(f"at most {MOST_DICE} dice are counted", 0, token.at)
        if self.words.letter and sum(int(f) * abs(n) for f, n in dice.items()) > MOST_TOTAL:
            message = f"totals up to {MOST_TOTAL:,} are counted, and these dice go beyond"
            raise OddsError(message, 0, token.at, "take fewer dice, or dice with fewer faces")
        if not self.words.letter and min(dice.values()) < 0:
            raise OddsError("fewer than no dice cannot be rolled", 0, token.at, self.example())
        return Hand(dice, pips, actions)

    def _may_have_pips(self, token: Token) -> None:
        if not self.words.pips:
            message = "these dice have no pips"
            hint = f"whole dice only, such as 5{self.words.letter.upper()}"
            raise OddsError(message, token.at, len(token.text), hint)

    # -- what follows ------------------------------------------------------------------------

    def _sign(self) -> str:
        if self.peek().kind != "sign":
            return ""
        self.place += 1
        return "+" if self.tokens[self.place - 1].text == "+" else "-"

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
            before = self.tokens[self.place - 1]
            raise OddsError("there is one action at least", before.at, len(before.text))
        return count

    def _of_actions(self) -> bool:
        """Whether the next number counts actions: `cover 2 actions`, not `cover 5 actions 2`."""
        return self.peek(1).text.casefold() in ACTIONS and self.peek(2).kind != "number"

    def _winner(self) -> str:
        token = self.peek()
        if token.kind != "word" or token.text.casefold() not in WINNERS:
            hint = f"ties {', ties '.join(WINNERS)}"
            raise OddsError("who wins ties?", token.at, len(token.text), hint)
        self.place += 1
        return token.text.casefold()

    def _more(self) -> tuple[str, int]:
        """Read what makes the target number higher: `+5`, `cover`, `cover 5`."""
        if sign := self._sign():
            count = self.number(MOST_NUMBER, "what is added")
            return sign, count if sign == "+" else -count
        start = self.peek()
        name = self.named(self.words.behind)
        if not name:
            raise self.stray()
        self._sign()
        usual = self.words.behind[name]
        if self.peek().kind == "number" and (usual is None or not self._of_actions()):
            return name, self.number(MOST_NUMBER, f"`{name}`")
        if usual is None:
            hint = f"such as {name} 5"
            raise OddsError(f"how much is `{name}`?", start.at, len(start.text), hint)
        return name, usual
