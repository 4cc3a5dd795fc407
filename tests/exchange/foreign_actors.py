"""Actors as strangers export them: the habits of their tools and of old versions of the system."""

from __future__ import annotations

from random import Random
from typing import Any

HTML = (
    '<p><span class="fontstyle0">A guard of the &ldquo;old&rdquo; quay.&nbsp;</span></p>',
    "<p><strong>Type: </strong>Dock tool<br style=\"font-style: normal;\" /></p>\n<p>&nbsp;</p>",
    "<ul>\n<li>See @UUID[Compendium.x.y.Item.z]{the hook}.</li>\n<li>[[/r 3d6]]</li>\n</ul>",
    "", None, "plain text", "<p>unclosed <b>", "<table><tr><td>1</td><td>2</td></tr></table>",
)  # fmt: skip
KNOWN = ("Firearms", "Dodge", "Brawling", "Search", "Sneak")
OTHER = ("Blaster", "Astrogation", "Starship gunnery", "Rigging", "(A) Tidal engineering", "dodge ")
OTHER_ITEMS = (
    "item-group", "action", "character-template", "species-template", "cybernetic",
    "manifestation", "specialability", "disadvantage", "spell", "",
)  # fmt: skip


class Stranger:
    """An author's habits: the version of the tool, and how numbers are written."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.old = self.draw.random() < 0.4
        self.key = "data" if self.old else "system"
        self.weapons: list[str] = []

    def number(self, value: int) -> Any:
        """Return a number as it may be written."""
        return self.draw.choice([value, value, value, float(value), str(value), [value]])

    def document(self, name: str, form: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a document with what the tool adds to it."""
        head = {"name": name, "type": form, "img": "icons/svg/mystery-man.svg", self.key: data}
        if self.draw.random() < 0.7:
            head["_id"] = "".join(self.draw.choices("abcdefgh12345678", k=16))
        more: list[dict[str, Any]] = [
            {"permission": {"default": 0}, "sort": None},
            {"flags": {"core": {"sourceId": "a.b.c"}, "exportSource": {"system": "od6s"}}},
            {"_stats": {"systemId": self.draw.choice(["od6s", None]), "lastModifiedBy": None}},
            {"effects": [{"changes": [{"key": "system.move.value", "mode": 2, "value": "4"}]}]},
            {"flags": [], "folder": "ER3owB6MKb9xhOjH"},
            {"dice": 2, "pips": 0, "id": "okafj8lNn062yzLO"},
        ]  # fmt: skip
        for one in self.draw.sample(more, 3):
            head |= one
        return head

    def item(self, name: str, form: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return an item; some lack what others have."""
        common = {
            "description": self.draw.choice(HTML),
            "labels": {},
            "tags": [],
            "label": "OD6S.CHAR_GEAR",
            "cost": self.draw.choice([None, "", self.number(50)]),
            "quantity": self.number(self.draw.randrange(3)),
            "equipped": {"value": self.draw.choice([True, [True], None]), "type": "Boolean"},
        }
        kept = {k: v for k, v in common.items() if self.draw.random() < 0.8}
        return self.document(name, form, kept | data)

    def skill(self) -> dict[str, Any]:
        """Return a skill, of the rules or not."""
        name = self.draw.choice([*KNOWN, *OTHER])
        own = {"attribute": self.draw.choice(["agi", "AGI", "", None]), "score": 0, "min": False}
        return self.item(name, "skill", own | {"base": self.number(3 * self.draw.randrange(4))})

    def weapon(self, form: str) -> dict[str, Any]:
        """Return a weapon of a person or a ship."""
        name = f"{self.draw.choice(['Quay Gun', 'Pistol', 'Boat Hook, Long', '2 Harpoons'])}"
        name += self.draw.choice(["", f" Mk {len(self.weapons)}"])
        self.weapons.append(name)
        damage = {"type": "e", "score": self.number(12), "muscle": False}
        data: dict[str, Any] = {
            "damage": self.draw.choice([damage, damage, {"score": None}, None]),
            "range": self.draw.choice(
                [{"short": "3-6", "medium": "STR-12", "long": 0}, {"short": 10}, None, "10"]
            ),
            "stun": self.draw.choice([0, {"score": 3}]),
            "blast_radius": {"1": {"range": None, "damage": 5}},
            "ammo": self.draw.choice([None, 100, {"value": None}]),
            "stats": self.draw.choice(
                [{"attribute": "AGI", "skill": self.draw.choice(OTHER)}, None, []]
            ),
            "fire_control": {"type": "Number", "score": self.number(3)},
            "skill": self.draw.choice([{"value": "Gunnery"}, "Gunnery", None]),
            "linked": {"value": self.number(2)},
        }
        return self.item(name, form, {k: v for k, v in data.items() if self.draw.random() < 0.9})

    def rated(self) -> dict[str, Any]:
        """Return attributes; some are missing, null or outside their bounds."""
        names = ["agi", "str", "mec", "kno", "per", "tec", "met"]
        kept = [n for n in names if n == "agi" or self.draw.random() < 0.9]
        bases = [self.number(3 * self.draw.randrange(1, 6)) for _ in kept]
        extra = {
            "label": "OD6S_X",
            "score": 0,
            "mod": None,
            "min": 3,
            "max": None,
            "type": "Number",
        }
        return {n: {"base": base, **extra} for n, base in zip(kept, bases, strict=True)}

    def actor(self, name: str, form: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        """Return an actor with `items`."""
        ship = form == "starship"
        own: dict[str, Any] = {
            "attributes": self.rated(),
            "description": self.draw.choice([{"content": self.draw.choice(HTML)}, None, "text"]),
            "wounds": {"value": self.draw.choice(["0", 1, None]), "body_points": {"max": 0}},
            "move": {"value": self.number(10)},
            "custom1": self.draw.choice(["", {"value": "x"}]),
            "characterpoints": {"value": self.number(3)},
        }
        if ship:
            own |= {
                "maneuverability": {"score": self.number(6)},
                "toughness": {"score": self.number(12)},
                "shields": self.draw.choice(
                    [{"value": 3, "skill": {"value": "x"}}, {"value": None}]
                ),
                "vehicle_type": {"value": self.draw.choice(["Scout", None])},
                "crewmembers": [{"id": "x"}, None],
                "embedded_pilot": {"value": [True], "actor": {"name": "deep", "items": [{}]}},
            }
        found = self.document(name, form, own) | {"items": items}
        return found | ({"token": {"name": name}} if self.old else {"prototypeToken": None})


def foreign_actors(form: str, count: int, weapons: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return actors of several strangers with so many weapons, and the weapons' names."""
    found, names = [], []
    for number in range(count):
        one = Stranger(number)
        mounted = "starship-weapon" if form == "starship" else "weapon"
        mine = weapons // count + (number < weapons % count)
        items: list[Any] = [one.weapon(mounted) for _ in range(mine)]
        items += [one.skill() for _ in range(one.draw.randrange(5))]
        for other in one.draw.sample(OTHER_ITEMS, 2):
            items.append(one.item(f"Odd thing {number}", other, {"value": one.number(2)}))
        gear = "starship-gear" if form == "starship" else "gear"
        items.append(one.item(one.draw.choice(["Rope", "Lamp", "Ration"]), gear, {}))
        items += one.draw.sample([None, "no item", {"name": None, "type": "gear"}], 1)
        found.append(one.actor(f"Stranger {form} {number}", form, items))
        names += one.weapons
    return found, names
