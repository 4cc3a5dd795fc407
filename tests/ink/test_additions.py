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
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.printing import print_request
from tests import samples
from tests.ink.collisions import find_collisions
from tests.ink.prints import DECK_MARGIN, PAPER_MARGIN
from tests.printing import CHARACTERS, LOOKS
from tests.shelf import ruleset

GAMES = ruleset_ids()
MOST, LONGEST = 6, 40
"""Additions at once, and letters of their names."""

WORDS = ("Gambling", "Lore", "Unarmed", "Extraordinarily", "Xenobiological", "Kite", "Bargaining")
PER_GAME = 16 if samples.ALL else 1
CASES = [(game, PER_GAME * n + k) for n, game in enumerate(GAMES) for k in range(PER_GAME)]
SLOW = ("tables", "screens", "cards")


@pytest.mark.parametrize(("game", "seed"), CASES)
def test_a_sheet_has_room_for_additions(game: str, seed: int, tmp_path: Path) -> None:
    added = add(game, random.Random(seed), tmp_path / "added")
    paper, theme = LOOKS[seed % len(LOOKS)]
    look = {"paper": paper, "theme": theme, "draft": True}
    hero = hero_with(game, added, tmp_path)
    for kind, of in (("blanks", str(tmp_path / "added")), ("sheets", str(hero))):
        (printed,) = prints(PrintRequest(kind=kind, of=(of,), **look))
        assert printed.files, printed.findings
        full = [f.message for f in errors(printed.findings) if f.code is codes.NO_ROOM]
        assert full == []
        assert [str(c) for c in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []
        names = added["traits"] + (added["gear"] + added["choices"] if kind == "sheets" else [])
        assert lost(names, printed.files["pdf"]) == []


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("label", ["Woe", "Below nothing", "Debts to the harbour"])
def test_titles_of_tracks_leave_room(label: str, theme: str, tmp_path: Path) -> None:
    """On the generated sheet: what is beyond the boxes stands beside a short title or below."""
    game = Path(__file__).parent.parent / "live" / "games" / "delve"
    rules = yaml.safe_load((game / "ruleset.yaml").read_text())
    rules["tracks"]["below"]["label"] = label
    (tmp_path / "ruleset.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    (printed,) = prints(PrintRequest(kind="blanks", of=(str(tmp_path),), theme=theme))
    assert [f.message for f in printed.findings if f.code is codes.NO_ROOM] == []
    assert [str(c) for c in find_collisions(printed.files["pdf"], PAPER_MARGIN)] == []


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize(("game", "seed"), samples.spread(CASES, 2))
def test_other_prints_have_room_for_additions(
    game: str, seed: int, kind: str, tmp_path: Path
) -> None:
    added = add(game, random.Random(seed), tmp_path / "added")
    more = {"of_kind": "gear"} if kind == "cards" else {}
    if kind == "cards" and "gear" not in ruleset(game).card_sets:
        pytest.skip("no cards of gear")
    request = PrintRequest(kind=kind, of=(str(tmp_path / "added"),), **more)
    margin = DECK_MARGIN if kind == "cards" else PAPER_MARGIN
    files = [one.files["pdf"] for one in prints(request)]
    assert [str(c) for file in files for c in find_collisions(file, margin)] == []
    if kind == "cards":
        assert lost(added["gear"], *files) == []


def prints(request: PrintRequest) -> list[PrintResult]:
    """Return what is printed, with its findings; a print that is withheld is one, too."""
    found = [one for one in print_request(request, PrintContext()) if one.files or one.findings]
    return [one for one in found if one.files] or found


def lost(names: list[str], *files: bytes) -> list[str]:
    """Return the names that stand on no page."""
    texts = [page.get_text() for data in files for page in pymupdf.open(stream=data)]
    said = re.sub(r"\s+", "", "".join(texts)).casefold()
    return [name for name in names if re.sub(r"\s+", "", name).casefold() not in said]


def add(game: str, chance: random.Random, folder: Path) -> dict[str, list[str]]:
    """Write an overlay on `game` with additions like what is there, and return their names."""
    whole = raw(game)
    added: dict[str, Any] = {}
    names: dict[str, list[str]] = {"traits": [], "gear": [], "choices": []}
    groups = [g for g, v in whole["groups"].items() if has_places(game, g) and v.get("traits")]
    places = [("traits", f"groups/{g}/traits") for g in groups]
    places += [("gear", "gear")] if whole.get("gear") else []
    places += [("choices", f"choices/{c}/entries") for c in listed(game, whole)]
    numbers = count(1)
    for _ in range(chance.randint(1, MOST)):
        kind, path = chance.choice(places)
        *above, last = path.split("/")
        known, into = whole, added
        for step in above:
            known, into = known[step], into.setdefault(step, {})
        like = deepcopy(chance.choice(list(known[last].values())))
        name = new_name(chance, next(numbers))
        like = {k: v for k, v in like.items() if k not in ("aliases", "short", "keyword_short")}
        into.setdefault(last, {})[f"added_{len(str(added))}"] = {**like, "name": name}
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
    words = [chance.choice(WORDS) for _ in range(chance.randint(1, 4))]
    return f"{' '.join(words)[: LONGEST - 3].strip()} {number}"


def has_places(game: str, group: str) -> bool:
    """Whether a group is drawn: an author rates its traits."""
    return bool(ruleset(game).groups[group].one) and not any(
        trait.text == "" and str(id_).startswith(("base_", "ward_", "weak_"))
        for id_, trait in ruleset(game).groups[group].traits.items()
    )


def listed(game: str, whole: dict[str, Any]) -> list[str]:
    """Return the catalogues that a key of a character's file picks one entry of."""
    keys = ruleset(game).character
    of = {str(c) for k, key in keys.items() if key.kind == "choice" for c in key.of or (k,)}
    return [id_ for id_, c in whole.get("choices", {}).items() if id_ in of and c.get("entries")]


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
    """Write a character of the overlay that has what is added."""
    path = next(p for p in CHARACTERS if p.parent.name == game)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    data.pop("portrait", None)
    data |= {"ruleset": "./added", "notes": ", ".join(added["traits"] + added["choices"])}
    data["gear"] = [*_list(data.get("gear")), *({name: "granted"} for name in added["gear"])]
    if not added["gear"]:
        data.pop("gear")
    hero = folder / "hero.yaml"
    hero.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return hero


def _list(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else [value] if value else []
