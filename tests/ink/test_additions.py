"""What an overlay adds has room on every print of the game: nothing collides, no name is lost."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.model.requests import PrintRequest
from sheetgen.prints.kinds import PrintContext, PrintResult, find_kind, print_request
from sheetgen.prints.sheet import BlankRequest, SheetRequest
from sheetgen.rules.index import folded
from tests import samples
from tests.ink.collisions import find_collisions
from tests.ink.prints import DECK_MARGIN, PAPER_MARGIN
from tests.printing import CHARACTERS, LOOKS
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

GAMES = ruleset_ids()
MOST, LONGEST = 6, 40
"""Additions at once, and letters of their names."""

WORDS = ("Gambling", "Lore", "Unarmed", "Extraordinarily", "Xenobiological", "Kite", "Bargaining")
LONG_WORDS = ("Supercalifragilisticexpialidocious", "Donaudampfschiffahrtsgesellschaft")
NOTE = (
    "Costs a turn; then, until the sun sets, each ally in sight may reroll one die and keep "
    "either result, but never twice"
)
NEW_GROUP, LONG_WORD, LONGER = 0.12, 0.15, 0.4
"""How often a new group is added, a word is long, and another value of a thing is."""

PER_GAME = 16 if samples.ALL else 1
CASES = [(game, PER_GAME * n + k) for n, game in enumerate(GAMES) for k in range(PER_GAME)]
CASES += [("keyword-dots", 102), ("keyword-dots", 104), ("keyword-dots", 209), ("d6-pips", 206)]
SLOW = ("tables", "screens", "cards")


@pytest.mark.parametrize(("game", "seed"), CASES)
def test_a_sheet_has_room_for_additions(game: str, seed: int, tmp_path: Path) -> None:
    added = add(game, random.Random(seed), tmp_path / "added")
    paper, theme = LOOKS[seed % len(LOOKS)]
    look = {"paper": paper, "theme": theme}
    hero = hero_with(game, added, tmp_path)
    blank = BlankRequest((str(tmp_path / "added"),), **look)
    for request in (blank, SheetRequest((str(hero),), draft=True, **look)):
        (printed,) = prints(request)
        assert printed.files, printed.findings
        full = [f.message for f in errors(printed.findings) if f.code is codes.NO_ROOM]
        assert full == []
        assert [str(c) for c in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []
        names = added["traits"] + added["groups"]
        names += added["gear"] + added["choices"] if request is not blank else []
        assert lost(names, printed.files["pdf"]) == []


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("label", ["Woe", "Below nothing", "Debts to the harbour"])
def test_titles_of_tracks_leave_room(label: str, theme: str, tmp_path: Path) -> None:
    """On the generated sheet: what is beyond the boxes stands beside a short title or below."""
    game = Path(__file__).parent.parent / "live" / "games" / "delve"
    rules = yaml.safe_load((game / "ruleset.yaml").read_text())
    rules["tracks"]["below"]["label"] = label
    (tmp_path / "ruleset.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    (printed,) = prints(BlankRequest((str(tmp_path),), theme=theme))
    assert [f.message for f in printed.findings if f.code is codes.NO_ROOM] == []
    assert [str(c) for c in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("letters", [18, 27, 35, 60])
def test_labels_beside_their_places_leave_room(letters: int, theme: str, tmp_path: Path) -> None:
    """On the generated sheet: a label that is too long stands above its place."""
    game = Path(__file__).parent.parent / "live" / "games" / "delve"
    rules = yaml.safe_load((game / "ruleset.yaml").read_text())
    label = ("What is owed to the harbour masters of the seven free cities " * 2)[:letters].strip()
    rules["character"]["owed"] = {"kind": "number", "least": 0, "label": label}
    rules["texts"] |= {"short": {"label": label, "text": "{level}", "blank": "a level"}}
    rules["texts"] |= {"long": {"label": label, "text": "so much " * 9, "blank": "so much " * 9}}
    (tmp_path / "ruleset.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    (printed,) = prints(BlankRequest((str(tmp_path),), theme=theme))
    assert [f.message for f in printed.findings if f.code is codes.NO_ROOM] == []
    assert [str(c) for c in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []
    assert lost([label], printed.files["pdf"]) == []


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize(("game", "seed"), samples.spread(CASES[: len(GAMES) * PER_GAME], 2))
def test_other_prints_have_room_for_additions(
    game: str, seed: int, kind: str, tmp_path: Path
) -> None:
    added = add(game, random.Random(seed), tmp_path / "added")
    more = {"of_kind": "gear"} if kind == "cards" else {}
    if kind == "cards" and "gear" not in ruleset(game).card_sets:
        pytest.skip("no cards of gear")
    request = find_kind(kind).request((str(tmp_path / "added"),), **more)
    margin = DECK_MARGIN if kind == "cards" else PAPER_MARGIN
    files = [one.files["pdf"] for one in prints(request)]
    assert [str(c) for file in files for c in find_collisions(file, margin)] == []
    if kind == "cards":
        assert lost(added["gear"], *files) == []


FIGHTS = sorted((rulesets_folder().parent / "encounters").glob("*/*.yaml"))


@pytest.mark.parametrize("fight", FIGHTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_encounters_have_room_for_additions(fight: Path, tmp_path: Path) -> None:
    """Each combatant has all gear that is added, and a word of its own in its name."""
    chance = random.Random(fight.stem)
    added = add(fight.parent.name, chance, tmp_path / "added")
    data = yaml.safe_load(fight.read_text(encoding="utf-8"))
    data |= {"ruleset": "./added", "encounter": f"{data['encounter']} {LONG_WORDS[0]}"}
    data["players"] = ["Ada", LONG_WORDS[1]]
    for one in data["combatants"]:
        if "npc" in one:
            one |= {"name": f"{one['npc']} {new_name(chance, 1)}", "gear": added["gear"]}
    (tmp_path / "fight.yaml").write_text(yaml.safe_dump(data, allow_unicode=True))
    theme = ("standard", "large-print")[len(fight.stem) % 2]
    request = find_kind("encounters").request((str(tmp_path / "fight.yaml"),), theme=theme)
    (printed,) = prints(request)
    assert printed.files, printed.findings
    assert [str(one) for one in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []


def prints(request: PrintRequest) -> list[PrintResult]:
    """Return what is printed, with its findings; a print that is withheld is one, too."""
    found = [one for one in print_request(request, PrintContext()) if one.files or one.findings]
    return [one for one in found if one.files] or found


def lost(names: list[str], *files: bytes) -> list[str]:
    """Return the names that stand on no page."""
    texts = [page.get_text() for data in files for page in pymupdf.open(stream=data)]
    said, *wanted = (
        re.sub(r"[\s\u2010-]+", "", text).casefold() for text in ("".join(texts), *names)
    )
    return [name for name, one in zip(names, wanted, strict=True) if one not in said]


def add(game: str, chance: random.Random, folder: Path) -> dict[str, list[str]]:
    """Write an overlay on `game` with additions like what is there, and return their names.

    Some have longer words, notes, damage or prices than those; some traits are in a new group.
    """
    whole = raw(game)
    added: dict[str, Any] = {}
    names: dict[str, list[str]] = {"traits": [], "gear": [], "choices": [], "groups": []}
    groups = [g for g, v in whole["groups"].items() if has_places(game, g) and v.get("traits")]
    places = [("traits", f"groups/{g}/traits") for g in groups]
    places += [("gear", "gear")] if whole.get("gear") else []
    places += [
        ("choices", f"choices/{c}/entries")
        for c, v in whole.get("choices", {}).items()
        if v.get("entries")
    ]
    numbers = count(1)
    for _ in range(chance.randint(1, MOST)):
        if chance.random() < NEW_GROUP:
            like = deepcopy(whole["groups"][chance.choice(groups)])
            kept = {k: v for k, v in like.items() if k in ("rating", "boxes", "sums", "text")}
            traits = [new_name(chance, next(numbers)) for _ in range(chance.randint(1, 9))]
            label = new_name(chance, next(numbers))
            ids = {f"added_{next(numbers)}": {"name": name} for name in traits}
            group = {**kept, "label": label, "one": "trait", "traits": ids}
            added.setdefault("groups", {})[f"added_{next(numbers)}"] = group
            names["groups"].append(label)
            names["traits"] += traits
            continue
        kind, path = chance.choice(places)
        *above, last = path.split("/")
        known, into = whole, added
        for step in above:
            known, into = known[step], into.setdefault(step, {})
        like = deepcopy(chance.choice(list(known[last].values())))
        name = new_name(chance, next(numbers))
        like = {k: v for k, v in like.items() if k not in ("aliases", "short", "keyword_short")}
        for key in ("text", "special", "conditional"):
            if like.get(key) and chance.random() < LONGER:
                like[key] = NOTE[: chance.choice((40, 70, len(NOTE)))]
        if "dice" in like and kind == "gear" and chance.random() < LONGER:
            like["dice"] = "12D+2" if isinstance(like["dice"], str) else 14
        if "cost" in like and chance.random() < LONGER:
            like["cost"] = 12_500_000
        into.setdefault(last, {})[f"added_{next(numbers)}"] = {**like, "name": name}
        names[kind].append(name)
    (folder / "modules").mkdir(parents=True)
    credit = {"short": "Ours.", "long": "Ours.", "licence": "MIT", "changes": "additions"}
    head = {"id": "added", "extends": game, "title": "Added", "version": 1, "format": 1}
    head |= {"lang": "en", "credit": credit}
    module = {"module": "more", "label": "More", "text": "More of all", "add": added}
    for file, value in (("ruleset.yaml", head), ("modules/1-more.yaml", module)):
        (folder / file).write_text(yaml.safe_dump(value, allow_unicode=True), encoding="utf-8")
    return names


def new_name(chance: random.Random, number: int) -> str:
    if chance.random() < LONG_WORD:
        return f"{chance.choice(LONG_WORDS)} {number}"
    words = [chance.choice(WORDS) for _ in range(chance.randint(1, 4))]
    return f"{' '.join(words)[: LONGEST - 3].strip()} {number}"


def has_places(game: str, group: str) -> bool:
    """Whether a group is drawn: an author rates its traits."""
    return bool(ruleset(game).groups[group].one) and not any(
        trait.text == "" and str(id_).startswith(("base_", "ward_", "weak_"))
        for id_, trait in ruleset(game).groups[group].traits.items()
    )


@cache
def raw(game: str) -> dict[str, Any]:
    """Return the data of the game that `game` is or is laid over."""
    origin = ruleset(game).composition.origins
    folder = rulesets_folder() / (origin[0].id if origin else game)
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        for key, value in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).items():
            if isinstance(value, dict):
                found.setdefault(key, {}).update(value)
    return found


def hero_with(game: str, added: dict[str, list[str]], folder: Path) -> Path:
    """Write a character of the overlay that has, rates and picks what is added."""
    path = next(p for p in CHARACTERS if p.parent.name == game)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    data.pop("portrait", None)
    rules = ruleset(str(folder / "added"))
    noted = [*added["traits"], *added["choices"]]
    data |= {"ruleset": "./added", "notes": ", ".join(noted)}
    homes = {str(t.name): str(id_) for id_, g in rules.groups.items() for t in g.traits.values()}
    picks = {
        str(one.name): str(id_)
        for id_, catalogue in rules.choices.items()
        for one in catalogue.entries.values()
    }
    for id_, key in rules.character.items():
        known = {folded(id_), *map(folded, key.aliases)}
        at = next((k for k in data if folded(k) in known), str(id_).replace("_", " "))
        of = {str(word) for word in key.of or (id_,)}
        rated = [name for name in added["traits"] if homes.get(name) in of]
        chosen = [name for name in added["choices"] if picks.get(name) in of]
        if key.kind in ("ratings", "codes") and rated:
            value = 2 if key.kind == "ratings" else "2D"
            data[at] = {**(data.get(at) or {}), **dict.fromkeys(rated, value)}
        elif key.kind in ("raises", "advances") and rated and isinstance(data.get(at), list):
            data[at] = [*data[at], *rated]
        elif key.kind == "choices" and chosen:
            data[at] = [*_list(data.get(at)), *chosen]
        elif key.kind == "choice" and chosen:
            data[at] = chosen[-1]
        elif key.kind == "items" and added["gear"]:
            data[at] = [*_list(data.get(at)), *({name: "granted"} for name in added["gear"])]
    hero = folder / "hero.yaml"
    hero.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return hero


def _list(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else [value] if value else []
