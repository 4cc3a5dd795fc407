"""A player who takes what the form offers, at random."""

from __future__ import annotations

from random import Random
from typing import Any

from sheetgen.plugins.builder.session import Answer, FormSession


class Player:
    """Fills in a form as a person would: one thing after the other, and only what can be taken."""

    def __init__(self, session: FormSession, seed: int) -> None:
        self.session, self.chance = session, Random(seed)
        self.state: Answer = {}

    def do(self, act: str, **request: Any) -> Answer:
        """Send a change; the file is what the answer says."""
        answer = self.session.answer({"do": act, "text": self.state.get("text", ""), **request})
        if "text" in answer:
            self.state = answer
        return answer

    def field(self, key: str) -> Answer:
        return next(one for one in self.state["fields"] if one["key"] == key)

    def build(self, game: str, kind: str = "") -> str:
        """Return the text of a character that was built from nothing."""
        self.do("new", game=game, kind=kind)
        self.do("put", key="name", value=f"Ada {self.chance.randrange(1000)}")
        for field in list(self.state["fields"]):
            if field["control"] == "choose":
                self._choose(field["key"])
            elif field["control"] == "rate" and field["required"]:
                self._rate(field["key"])
        for _ in range(2):
            self._buy()
        return str(self.state["text"])

    def _choose(self, key: str) -> None:
        for _ in range(self.field(key)["most"] or 2):
            if len(self.field(key)["value"]) >= (self.field(key)["most"] or 2):
                return
            listed = self.do("options", key=key, **{"from": 0})["options"]
            open_ = [one for one in listed if not one["why"]]
            if not open_:
                return
            option = self.chance.choice(open_)
            answer = self.do("choose", key=key, name=option["name"], detail=self._detail(option))
            assert "refused" not in answer, answer

    def _detail(self, option: Answer) -> Any:
        if "spread" in option:
            points, of = option["spread"]["points"], option["spread"]["of"]
            shares = [points // len(of) + (n < points % len(of)) for n in range(len(of))]
            return {name: share for name, share in zip(of, shares, strict=True) if share}
        asked = option.get("asks")
        if asked is None or asked.get("may"):
            return None
        return self.chance.choice(asked["of"]) if asked["of"] else "in my words"

    def _rate(self, key: str) -> None:
        for row in self.field(key)["rows"]:
            before = self.state["text"]
            to = min(row["limit"] or 99, row["own"] + self.chance.randrange(2, 4))
            assert "refused" not in self.do("rate", key=key, trait=row["id"], to=to)
            if any(pool["left"] < 0 for pool in self.state["pools"]):
                self.do("open", text=before)

    def _buy(self) -> None:
        offers = [one for one in self.do("offers")["offers"] if one["can"] and not one["why"]]
        if offers:
            number = self.chance.choice(offers)["number"]
            assert "refused" not in self.do("buy", number=number)
