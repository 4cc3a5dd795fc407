"""Speed, as ratios against the layout engine used directly, in one run on one machine.

    python tests/bench/bench.py [SHEET…]

Prints a table; asserts nothing, since a machine's speed is nobody's promise. Figures are
medians of processor time; the whole-process rows are medians of wall time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sheetgen.diag.findings import Span
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.designs import load_design, load_fonts
from sheetgen.materials.plates import find_plate
from sheetgen.plan.contexts import build_blank_context, build_filled_context
from sheetgen.plan.sheets.sheets import SheetContents, plan_sheet
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import load_character

ROOT = Path(__file__).resolve().parent.parent.parent
HEROES = ("hyperspace-d6/oshen_tal.yaml", "keyword-dots/ansa-reth.yaml")
COLD = """
import sys, weasyprint
from pathlib import Path
from sheetgen.render.flow.layout import closed_fetcher
fonts = {p.stem: p.read_bytes() for p in Path(sys.argv[1]).glob("*.ttf")}
html = Path(sys.argv[1], "sheet.html").read_text()
weasyprint.HTML(string=html, url_fetcher=closed_fetcher(fonts)).write_pdf(
    Path(sys.argv[1], "cold.pdf"), pdf_forms=True, pdf_variant="pdf/ua-1")
"""


@dataclass(frozen=True)
class Case:
    """One character's sheet, ready for either engine."""

    file: Path
    plan: object
    html: Callable[[], str]
    fonts: dict[str, bytes]


def main(names: list[str]) -> None:
    """Measure, and print a table."""
    for name in names or list(HEROES):
        case = prepared(ROOT / "content" / "characters" / name)
        print(f"\n{name}")
        for what, ours, theirs in (*in_process(case), *processes(case)):
            ratio = theirs / ours
            print(f"  {what:<44} {ours * 1e3:9.2f} ms  {theirs * 1e3:9.1f} ms  1 : {ratio:6.1f}")


def prepared(file: Path) -> Case:
    """Return everything that either engine needs for the sheet of the character."""
    from sheetgen.materials.plates import build_measure
    from sheetgen.render.fonts.fonts import build_face
    from sheetgen.render.html.page import build_styles, render_template
    from sheetgen.render.html.styles import build_token_styles

    one = load_character(file, RulesetCache(), {})
    assert one.build is not None
    assert one.rules is not None
    design = load_design(str(one.rules.sheet), "standard", "a4").value
    assert design is not None
    context = build_blank_context(one.rules, design.facts, ("standard", "a4"), one.build.options)
    plate = find_plate(design, design.template, one.rules, context)
    more = str(design.facts["continuation"])
    name = one.build.name
    wanted = SheetContents(name, name, one.build.digest, build_view(one.build, one.rules))
    planned = plan_sheet(
        wanted,
        plate,
        lambda: find_plate(design, more, one.rules, context),  # type: ignore[arg-type]
        one.rules,
        Span(str(file)),
    )
    faces = {name: build_face(data).layout for name, data in load_fonts(design).items()}
    generated = build_token_styles(design.tokens, "a4", "page", lambda face: f"asset:{face}")
    styles = build_styles(design.texts, design.styles, generated)
    told = {**build_filled_context(context, planned), "styles": styles, "csp": ""}
    told["measure"] = build_measure(design.tokens)
    html = lambda: render_template(design.texts, design.template, told)  # noqa: E731
    return Case(file, planned.plan, html, faces)


def in_process(case: Case) -> list[tuple[str, float, float]]:
    """Return the press against the engine, both warm, values to compressed bytes."""
    from sheetgen.render.flow.layout import lay_out
    from sheetgen.render.press.press import press

    fill = timed(lambda: press(case.plan), 40)  # type: ignore[arg-type]
    direct = timed(lambda: lay_out(case.html(), case.fonts, forms=True, complaints=[]), 3)
    return [("fill through the press : engine direct", fill, direct)]


def processes(case: Case) -> list[tuple[str, float, float]]:
    """Return whole processes: a warm sheet, and help, against a cold engine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sheet.html").write_text(case.html())
        for face, data in case.fonts.items():
            (folder / f"{face}.ttf").write_bytes(data)
        command = [sys.executable, "-m", "sheetgen"]
        sheet = [*command, "sheet", str(case.file), "--out", name]
        warm, helped, cold = in_turn(
            sheet, [*command, "--help"], [sys.executable, "-c", COLD, name], runs=7
        )
    return [
        ("warm `sheetgen sheet` : cold engine", warm, cold),
        ("`sheetgen --help` : cold engine", helped, cold),
    ]


def timed(work: Callable[[], object], runs: int) -> float:
    """Return the median processor time of `work`, in seconds, after one run to warm up."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def in_turn(*commands: list[str], runs: int) -> list[float]:
    """Return the median wall time of each whole process, in seconds.

    They take turns, so that a machine whose speed drifts is fair to all of them; one
    round before is not counted. Compiled modules are kept, as on any user's machine.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(runs + 1):
        for taken, command in zip(times, commands, strict=True):
            start = time.perf_counter()
            subprocess.run(
                command,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken[1:]) for taken in times]


if __name__ == "__main__":
    main(sys.argv[1:])
