"""The print shop's sheets: many different characters, a PDF each or all in one."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from sheetgen.load.characters import RulesetCache
from sheetgen.materials.plates import PlateStore
from sheetgen.model.prints import Plan
from sheetgen.prints.characters import load_characters
from sheetgen.prints.sheet import SheetRequest, print_sheet
from sheetgen.render.flow.layout import lay_out
from sheetgen.render.pdf.pdf_file import FAST_LEVEL
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.render.press.press import press, press_many
from sheetgen.write import write_file
from tests.bench import people
from tests.bench.bench import Case, prepared
from tests.bench.measuring import Row, clocked, in_chunks, median_of

SAMPLE = 6
_STREAM = re.compile(rb"(<<[^\n]*?/Length (\d+)[^\n]*?>>)stream\n")
_FONT = b"/Length1"


def sheets(count: int, folder: Path) -> Iterator[Row]:
    """Yield rows of one PDF a character: all counted, the press alone, and mere compression."""
    people.write(count, folder / "heroes")
    paths = sorted((folder / "heroes").iterdir())
    desk = _Desk(folder / "out")
    cases = [prepared(path) for path in paths[:: -(-count // SAMPLE)]]
    desk.written(paths[:SAMPLE])
    _laid_out(cases[0])
    ours, pressed, theirs = [], [], []
    waiting = iter(cases)
    for chunk in in_chunks(paths, max(1, count // 10)):
        took, _ = clocked(lambda c=chunk: desk.written(c))  # type: ignore[misc]
        ours.append(took / len(chunk))
        plans = desk.plans(chunk)
        took, _ = clocked(lambda p=plans: [press(plan) for plan in p])  # type: ignore[misc]
        pressed.append(took / len(chunk))
        if (case := next(waiting, None)) is not None:
            theirs.append(clocked(lambda c=case: _laid_out(c, folder / "peer.pdf"))[0])  # type: ignore[misc]
    made = sorted((folder / "out").iterdir())
    size = sum(path.stat().st_size for path in made)
    peer = median(theirs)
    told = f"{len(ours)} × {len(paths) // len(ours)}; WeasyPrint {len(theirs)} sheets; medians"
    yield _faster(f"{count} characters, YAML to PDFs", median(ours), peer, "≥ 100", size, told)
    yield _faster("  the press alone, plans to bytes", median(pressed), peer, "≥ 150", size, told)
    yield from _against_compression(made, desk, paths, folder)


def _faster(what: str, ours: float, peer: float, goal: str, size: int, told: str) -> Row:
    return Row(what, ours, peer, peer / ours, goal, size, told)


class _Desk:
    """What prints sheets one after another, with all at hand that a run has."""

    def __init__(self, out: Path) -> None:
        self.out, self.shelf, self.rack = out, RulesetCache(), PlateStore()

    def written(self, paths: Sequence[Path]) -> None:
        """Print characters, all of the way, each to a file."""
        for one in load_characters(paths, rulesets=self.shelf):
            content = print_sheet(one, SheetRequest(), self.rack).files["pdf"]
            assert write_file(self.out / f"{one.path.stem}.pdf", content, [one.path]) is None

    def plans(self, paths: Sequence[Path], *, calc: bool = True) -> list[Plan]:
        """Return the plans of the characters."""
        return list(self.each_plan(paths, calc=calc))

    def each_plan(self, paths: Sequence[Path], *, calc: bool = True) -> Iterator[Plan]:
        """Yield the plans of the characters as they are made; `calc`: of sheets that compute."""
        for one in load_characters(paths, rulesets=self.shelf):
            plan = print_sheet(one, SheetRequest(formats=(), calc=calc), self.rack).plan
            assert plan is not None
            yield plan


def _laid_out(case: Case, target: Path | None = None) -> bytes:
    """Let the engine make the sheet of a character, and write it."""
    made = lay_out(case.html(), case.fonts, forms=True, complaints=[])
    if target is not None:
        target.write_bytes(made)
    return made


# -- against mere compression ----------------------------------------------------------------


def _against_compression(
    made: Sequence[Path], desk: _Desk, paths: Sequence[Path], folder: Path
) -> Iterator[Row]:
    """Yield what pressing and writing takes against compressing and writing the same bytes.

    First all streams but fonts are compressed anew, then only those that no other file has.
    """
    target = folder / "again.pdf"
    files = [path.read_bytes() for path in made[: len(made) // 4]]
    common = _streams(files[0]) & _streams(files[-1])
    whole = [_parts(file, frozenset()) for file in files]
    own = [_parts(file, common) for file in files]
    plans = desk.plans(paths[: len(files)])
    pressed, all_of_it, varying = [], [], []
    for at in range(0, len(files), max(1, len(files) // 5)):
        some = slice(at, at + max(1, len(files) // 5))
        count = len(files[some])
        took, _ = clocked(lambda s=some: [target.write_bytes(press(p)) for p in plans[s]])  # type: ignore[misc]
        pressed.append(took / count)
        for parts, times in ((whole[some], all_of_it), (own[some], varying)):
            took, _ = clocked(lambda p=parts: [_again(one, target) for one in p])  # type: ignore[misc]
            times.append(took / count)
    ours, size, told = median(pressed), sum(map(len, files)), f"5 × {len(files) // 5}; medians"
    for what, times in (("all but fonts", all_of_it), ("only what varies", varying)):
        peer = median(times)
        label = f"  press and write : compress ({what}) and write"
        yield Row(label, ours, peer, ours / peer, "≤ 2", size, told)


def _again(parts: Sequence[tuple[bytes, bool]], target: Path) -> None:
    """Write a file, the parts that are marked compressed on the way."""
    target.write_bytes(
        b"".join([zlib.compress(part, FAST_LEVEL) if small else part for part, small in parts])
    )


def _parts(file: bytes, common: frozenset[bytes]) -> list[tuple[bytes, bool]]:
    """Return a file in parts: inflated streams, marked, and what stands between them.

    Fonts and the streams that are `common` stay as they are.
    """
    parts: list[tuple[bytes, bool]] = []
    done = 0
    for match in _STREAM.finditer(file):
        end = match.end() + int(match[2])
        data = file[match.end() : end]
        if b"/FlateDecode" not in match[1] or _FONT in match[1] or data in common:
            continue
        parts += [(file[done : match.end()], False), (zlib.decompress(data), True)]
        done = end
    return [*parts, (file[done:], False)]


def _streams(file: bytes) -> frozenset[bytes]:
    found = _STREAM.finditer(file)
    return frozenset(file[match.end() : match.end() + int(match[2])] for match in found)


# -- all in one --------------------------------------------------------------------------------


def joined_sheets(count: int, folder: Path) -> Iterator[Row]:
    """Yield rows of one PDF of all characters: all counted, and the press alone.

    The peer's sheets do not compute; ours are measured without, and with.
    """
    people.write(count, folder / "heroes")
    paths = sorted((folder / "heroes").iterdir())
    desk, target = _Desk(folder), folder / "all.pdf"
    for calc in (True, False):
        _together(lambda c=calc: desk.each_plan(paths[:SAMPLE], calc=c), target)  # type: ignore[misc]
    cases = [prepared(path) for path in paths[:SAMPLE]]
    whole = _one_of(cases)
    _laid_out(cases[0])
    ours, theirs = {True: [], False: []}, []
    for _ in range(3):
        for calc, took in ours.items():
            plans = lambda c=calc: desk.each_plan(paths, calc=c)  # type: ignore[misc] # noqa: E731
            took.append(clocked(lambda p=plans: _together(p, target))[0] / count)  # type: ignore[misc]
        theirs.append(clocked(lambda: _laid_out(whole, folder / "peer.pdf"))[0] / SAMPLE)
    size, peer = target.stat().st_size, median(theirs)
    made = desk.plans(paths, calc=False)
    pressed = median_of(lambda: _together(lambda: made, target), 3) / count
    told = f"3 × {count}; WeasyPrint 3 × one PDF of {SAMPLE} sheets; medians"
    one, also = f"{count} characters, YAML to one PDF", "  the same, each sheet computing"
    yield _faster(one, median(ours[False]), peer, "≥ 200", size, told)
    yield _faster(also, median(ours[True]), peer, "", size, told)
    yield _faster("  the press alone, plans to a file", pressed, peer, "≥ 200", size, told)


def _together(plans: Callable[[], Iterator[Plan] | list[Plan]], target: Path) -> None:
    with open(target, "wb") as out:
        press_many(plans(), DocumentInfo("All", "en", "All of them"), flatten=False, out=out)


def _one_of(cases: Sequence[Case]) -> Case:
    """Return several sheets as one document; each one's fields have names of their own."""

    def html() -> str:
        texts = [case.html() for case in cases]
        head, _, _ = texts[0].partition("<main>")
        inner = [text.partition("<main>")[2].rpartition("</main>")[0] for text in texts]
        named = [
            re.sub(r' name="', f' name="c{number}.', text) for number, text in enumerate(inner, 1)
        ]
        return f"{head}<main>{''.join(named)}</main></body></html>"

    return replace(cases[0], html=html)
