"""Speed of the language server: processor time of its process for each key that is typed.

    python tests/bench/lsp.py

Figures are the median and the slowest of answers to a client over stdio, after the first ones. It
reads the processor time of the server from /proc, so it runs on Linux only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.rules.index import index_of
from tests.lsp.editor import Editor
from tests.shelf import ruleset

TYPED = 12
COMPLETION, DIAGNOSTICS = 0.05, 0.15
"""The seconds that an answer may take."""


def main() -> None:
    """Measure, and print a table."""
    characters = rulesets_folder().parent / "characters"
    files = {game.name: max(game.glob("*.yaml"), key=_size) for game in characters.iterdir()}
    texts = {f"{game}/{file.stem}": file.read_text() for game, file in files.items()}
    texts["keyword-dots, all there is"] = all_there_is()
    print(
        f"{'milliseconds, median and slowest':<44} {'bytes':>6} {'typing':>15} {'completion':>15}"
    )
    with TemporaryDirectory() as folder:
        for what, text in texts.items():
            typed, asked = measure(Path(folder) / "character.yaml", text)
            figures = " ".join(
                f"{median(t) * 1e3:7.1f} {max(t) * 1e3:7.1f}" for t in (typed, asked)
            )
            late = median(typed) > DIAGNOSTICS or median(asked) > COMPLETION
            print(f"{what:<44} {len(text):>6} {figures}{'  TOO SLOW' if late else ''}")


def _size(path: Path) -> int:
    return path.stat().st_size


def all_there_is() -> str:
    """Return a character with each trait and thing of its ruleset, after many sessions."""
    rules = ruleset("keyword-dots")
    index = index_of(rules)
    lines = ["ruleset: keyword-dots", "name: All", "class: Sith Warrior", "sessions:"]
    lines += [f"  - {{session: {n}, gained: 9}}" for n in range(1, 101)]
    for id_, key in rules.character.items():
        if key.kind == "ratings" and id_ not in ("sessions", "unique"):
            names = [
                index.among([str(of)]).shown[t] for of in key.of for t in rules.groups[of].traits
            ]
            lines += [f"{id_}:", *(f"  {name}: 1" for name in names)]
    lines += ["equipment:", *(f"  - {index.gear.shown[str(item)]}" for item in rules.gear)]
    return "\n".join([*lines, "notes: a"])


def measure(path: Path, text: str) -> tuple[list[float], list[float]]:
    """Return the processor time of the checks and of the completions as one types."""
    editor = Editor()
    path.write_text(text)

    def clocked(work: Callable[[], object]) -> float:
        start = editor_seconds(editor)
        work()
        time.sleep(0.3)  # It reads the schema behind a first check.
        return editor_seconds(editor) - start

    def check(changed: str) -> None:
        editor.write(path, changed)
        editor.diagnostics(path)

    typed = [clocked(lambda n=n: check(f"{text}\nconcept: {'x' * n}")) for n in range(TYPED + 2)]
    lines = text.split("\n")
    keys = [n for n, line in enumerate(lines) if line.startswith("  ") and ": " in line] or [1]
    asked = []
    for number in range(TYPED + 1):
        at = keys[number * 7 % len(keys)]
        check("\n".join([*lines[:at], "  ", *lines[at:]]) + f"\nconcept: {number}")
        place = {"line": at, "character": 2}
        asked.append(clocked(lambda p=place: editor.ask("completion", path, position=p)))
    editor.close()
    return typed[2:], asked[1:]


def editor_seconds(editor: Editor) -> float:
    """Return the processor time of a server, all its threads together."""
    client = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children")
    threads = Path(f"/proc/{client.read_text().split()[0]}/task")
    return sum(int((t / "schedstat").read_text().split()[0]) for t in threads.iterdir()) / 1e9


if __name__ == "__main__":
    main()
