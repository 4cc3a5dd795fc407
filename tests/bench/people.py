"""Many different characters and NPCs for the benches: real ones, each told otherwise.

    python tests/bench/people.py COUNT FOLDER

The same count always gives the same files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from sheetgen.cli.new import NpcRequest, generate_npcs, levels_of
from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import rulesets_folder

ROOT = Path(__file__).resolve().parent.parent.parent
HEROES = ROOT / "content" / "characters" / "hyperspace-d6"
FIRST = ("Ada", "Bren", "Corvin", "Dašenka", "Edo", "Farrin", "Grell", "Hanno", "Imre", "Joss")
LAST = ("Kest", "Lund", "Mirren", "Noll", "Ottar", "Piâ", "Quill", "Rurik", "Senn", "Tobb", "Voss")
WORDS = (
    *("keeps", "a", "ledger", "of", "every", "debt", "grey", "coat", "left", "hand", "never"),
    *("smiles", "old", "map", "sister", "harbour", "burnt", "sleeve", "three", "moons", "night"),
)
_A_FILE = 100


def heroes(count: int) -> Iterator[tuple[str, str]]:
    """Yield name and text of `count` character files, all legal, no two alike."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(HEROES.glob("*.yaml"))]
    random = Random(count)
    for number in range(1, count + 1):
        text = sources[number % len(sources)]
        name = f"{random.choice(FIRST)} {random.choice(LAST)} {number}"
        told = {
            "name": name,
            "player": random.choice(FIRST),
            "concept": _words(random, 5),
            "appearance": _words(random, 8),
            "notes": _words(random, random.randrange(4, 40)),
        }
        kept = [
            line
            for line in text.splitlines()
            if line.partition(":")[0] not in {*told, "portrait"} and not line.startswith("#")
        ]
        head = [f"{key}: {value}" for key, value in told.items()]
        yield f"{number:05}", "\n".join([*_top(kept), *head, *_rest(kept)]) + "\n"


def _words(random: Random, count: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(count)).capitalize()


def _top(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("ruleset:")]


def _rest(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("ruleset:")]


def write(count: int, folder: Path) -> None:
    """Write the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in heroes(count):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def npcs(count: int, folder: Path, first: int = 1) -> None:
    """Write files of NPCs, a hundred in each, as `sheetgen new npc` draws them.

    Args:
        first: The seed of the first file; those of the others follow.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shelf = RulesetCache()
    rules = shelf.load(rulesets_folder() / HEROES.name).value
    assert rules is not None
    kind, own = rules.kinds["npc"], shelf.kind(rules, "npc")
    assert kind.maker is not None
    level = str(next(iter(levels_of(kind.maker, own).entries)))
    for number in range(-(-count // _A_FILE)):
        many = min(_A_FILE, count - number * _A_FILE)
        file = folder / f"{number:03}.yaml"
        drawn = generate_npcs(NpcRequest(level), many, first + number, "npc", kind, own, str(file))
        assert drawn.value is not None
        file.write_text(drawn.value, encoding="utf-8")


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
