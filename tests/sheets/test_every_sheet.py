"""Every character of ours in every look: a sound file in which each value can be seen."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pikepdf
import pypdf
import pytest
from PIL import ImageChops

from sheetgen.model.seals import sealed
from sheetgen.prints.sheet import SheetRequest
from sheetgen.render.press.prepared import UNFOLLOWED
from sheetgen.render.press.press import press
from tests.printing import (
    CHARACTERS,
    FIRST,
    FULLEST,
    GAMES,
    LAST,
    LOOKS,
    USUAL,
    Sheet,
    character_at,
    expected_values,
    fields,
    opened,
    printed,
    sheet,
    unseen,
    values,
)
from tests.render.ua_rules import faults
from tests.render.viewers import VIEWERS, qpdf_says, text_of
from tests.samples import ALL

pytestmark = pytest.mark.many

MOST_BYTES = 200_000
"""Of a sheet of ours on A4: what is sent in a message without a thought."""


TIGHT = ("letter", "large-print")
"""The look with the least room."""


def _cases() -> list[tuple[Path, tuple[str, str]]]:
    """Return each character in one look, by turns, and one of each game where room is as usual
    and where it is tight; one of the first game in all looks."""
    tried = LOOKS if ALL else (USUAL, ("a4", "ink-saver"), ("a4", "mono"), TIGHT)
    cases = [(path, tried[n % len(tried)]) for n, path in enumerate(CHARACTERS)]
    cases += [(path, look) for path in FULLEST.values() for look in (USUAL, TIGHT)]
    cases += [(FULLEST[FIRST], look) for look in LOOKS]
    return sorted(dict.fromkeys(cases), key=lambda case: (case[1], case[0].parent.name))


CASES = _cases()
NAMES = ["-".join((path.stem, *look)) for path, look in CASES]
each_sheet = pytest.mark.parametrize(("path", "look"), CASES, ids=NAMES)


@each_sheet
def test_the_file_is_sound(path: Path, look: tuple[str, str]) -> None:
    """Guards the syntax of the file, and the rules of PDF/UA-1 for forms and tags."""
    data = sheet(path, look).pdf
    assert qpdf_says(data) == ""
    assert faults(data) == []
    with opened(data) as pdf:
        assert "/NeedAppearances" not in pdf.Root.AcroForm


@each_sheet
def test_values_are_read_back(path: Path, look: tuple[str, str]) -> None:
    """Guards the way back: what was printed is what other programs read, no more, no less."""
    one = sheet(path, look)
    wanted = expected_values(one.plan)
    assert any(wanted.values())
    assert values(one.pdf) == wanted
    found = pypdf.PdfReader(io.BytesIO(one.pdf)).get_fields() or {}
    ends = {name: field for name, field in found.items() if "/FT" in field}
    assert {name: str(field.get("/V", "")) for name, field in ends.items()} == wanted


@each_sheet
def test_fields_say_what_they_are(path: Path, look: tuple[str, str]) -> None:
    """Guards tooltips: a screen reader has nothing else to say of a box."""
    one = sheet(path, look)
    labels = {p.name: p.label for leaf in one.plan.leaves for p in leaf.plate.places}
    with opened(one.pdf) as pdf:
        said = {
            name: str(field.get("/TU", "")).removesuffix(UNFOLLOWED)
            for name, field in fields(pdf).items()
        }
    assert said == {name: labels.get(name, label) for name, label in said.items()}
    assert [name for name, label in said.items() if not label.strip()] == []


@each_sheet
def test_every_value_can_be_seen(path: Path, look: tuple[str, str]) -> None:
    """Guards appearances: a value that stands in a field is not yet one on the page."""
    one = sheet(path, look)
    viewers = tuple(VIEWERS)
    if look not in (USUAL, TIGHT) or path not in FULLEST.values():
        # The fullest characters are seen by all, where room is as usual and where it is tight.
        turn = CHARACTERS.index(path) + LOOKS.index(look)
        viewers = (viewers[turn % len(viewers)],)
    assert unseen(one.plan, one.pdf, viewers) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_what_is_not_there_is_not_seen(game: str) -> None:
    """Guards the eye of the test above: it has to miss a text, a tick, and see what is astray."""
    plan = sheet(FULLEST[game]).plan
    [leaf, *more] = plan.leaves
    texts, ticks = dict(leaf.filling.texts), dict(leaf.filling.ticks)
    text = next(p.name for p in leaf.plate.places if p.kind == "text" and p.name in texts)
    tick = next(name for name in ticks)
    del texts[text], ticks[tick]
    lacking = replace(leaf, filling=replace(leaf.filling, texts=texts, ticks=ticks))
    pressed = press(replace(plan, leaves=(lacking, *more)))
    said = unseen(plan, pressed)
    assert {fault.split("`")[1] for fault in said if "`" in fault} == {text, tick}
    assert len(said) == 2 * len(VIEWERS)
    astray = unseen(replace(plan, leaves=(lacking, *more)), press(plan))
    assert sum("where no place is" in fault for fault in astray) >= len(VIEWERS)


@each_sheet
def test_fonts_are_embedded_once(path: Path, look: tuple[str, str]) -> None:
    """Guards the size of files: a form's own copy of each font once doubled them."""
    with opened(sheet(path, look).pdf) as pdf:
        files = [
            (_plain_name(one.FontName), one.FontFile2.objgen)
            for one in pdf.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/FontDescriptor"
        ]
    assert files
    names, embedded = zip(*files, strict=True)
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert len(set(embedded)) == len(embedded)


@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: path.stem)
def test_files_are_small(path: Path) -> None:
    assert len(sheet(path).pdf) <= MOST_BYTES


@each_sheet
def test_the_file_says_what_it_is(path: Path, look: tuple[str, str]) -> None:
    """Guards the way back to rules and source, and what a viewer shows as the title."""
    character, one = character_at(path), sheet(path, look)
    assert character.build
    assert character.rules
    assert character.source
    with opened(one.pdf) as pdf:
        info = {str(key): str(value) for key, value in pdf.docinfo.items()}
        assert info["/sheetgen_ruleset"] == character.rules.id
        assert path.parent.name in character.rules.id.split("+")
        assert info["/sheetgen_version"] == str(character.rules.version)
        assert info["/sheetgen_character"] == character.build.name != ""
        assert info["/sheetgen_source"] == character.source.digest
        assert info["/Subject"] == character.rules.credit.short
        assert info["/Title"] == f"{character.build.name} · {character.rules.title}"
        assert not info.keys() & {"/CreationDate", "/ModDate"}
        assert str(pdf.Root.Lang) == character.rules.lang
        assert pdf.Root.ViewerPreferences.DisplayDocTitle is True


@each_sheet
def test_the_credit_stands_on_it(path: Path, look: tuple[str, str]) -> None:
    """Guards the licence: every output bears the short credit of its rules."""
    rules = character_at(path).rules
    assert rules
    words = Counter(text_of(sheet(path, look).pdf).replace("-\n", "-").split())
    assert Counter(rules.credit.short.split()) <= words


@pytest.mark.slow
@pytest.mark.parametrize("look", [USUAL, ("letter", "large-print")])
@pytest.mark.parametrize("game", GAMES)
def test_flat_is_the_same_without_fields(game: str, look: tuple[str, str]) -> None:
    """Guards `--flatten`: same words, same looks in each viewer, and nothing to type in."""
    one, flat = sheet(FULLEST[game], look), _flat(FULLEST[game], look)
    still = printed(character_at(FULLEST[game]), look, calc=False)
    assert qpdf_says(flat.pdf) == ""
    assert faults(flat.pdf) == []
    with opened(flat.pdf) as pdf:
        assert "/AcroForm" not in pdf.Root
        kinds = {str(a.Subtype) for page in pdf.pages for a in page.get("/Annots", [])}
        assert kinds <= {"/Link"}
        pages = len(pdf.pages)
    words = Counter(text_of(one.pdf).split()) - Counter(("reset",))  # a button
    assert Counter(text_of(flat.pdf).split()) == words
    for viewer, drawn in VIEWERS.items():
        for page in range(pages):
            gone = ImageChops.difference(drawn(still.pdf, page), drawn(flat.pdf, page))
            strong = gone.convert("L").point(lambda value: 255 if value > 128 else 0)
            assert strong.histogram()[255] < 40, (viewer, page, strong.getbbox())


@pytest.mark.slow
def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    """Guards against the order of sets and the clock, in PDF and in HTML."""
    made = _made_apart(GAMES, "2", tmp_path / "out", os.environ["XDG_CACHE_HOME"])
    for game in GAMES:
        assert made[game] == _written(FULLEST[game])


def test_a_plate_made_anew_gives_equal_bytes(tmp_path: Path) -> None:
    """Of the first game, and of the last, which differs most: layout takes its time."""
    games = (FIRST, LAST) if ALL else (LAST,)
    made = _made_apart(games, "1", tmp_path / "out", str(tmp_path / "cache"))
    for game in games:
        assert made[game] == _written(FULLEST[game])


def _written(path: Path) -> tuple[bytes, bytes]:
    """Return PDF and HTML of a character as the command writes them."""
    one = character_at(path)
    words = {"name": one.build.name, "ruleset": str(one.rules.id)}
    printed = replace(sheet(path).printed, words=words)
    request = SheetRequest(formats=("pdf", "html"))
    pdf, html = (
        sealed(f"a.{format_}", printed.files[format_], printed.identify(request, format_))
        for format_ in ("pdf", "html")
    )
    return pdf, html


def _made_apart(
    games: tuple[str, ...], seed: str, out: Path, kept: str
) -> dict[str, tuple[bytes, bytes]]:
    """Return PDF and HTML of the fullest character of each game, made by a process of its own.

    Args:
        seed: Of the order of sets.
        kept: The folder of plates.
    """
    command = [sys.executable, "-m", "sheetgen", "sheet", *(str(FULLEST[game]) for game in games)]
    command += ["--to", "pdf", "--to", "html", "--out", str(out)]
    env = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": kept}
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    files = [Path(line).read_bytes() for line in done.stdout.splitlines()]
    assert len(files) == len([*out.iterdir()]) == 2 * len(games)
    return dict(zip(games, zip(files[::2], files[1::2], strict=True), strict=True))


@pytest.mark.slow
def test_every_look_has_its_own_paper() -> None:
    """Guards the parameters: a paper that is ignored would pass every other test."""
    sizes = {look: sheet(FULLEST[GAMES[0]], look).plan.leaves[0].plate.sizes[0] for look in LOOKS}
    for (paper, _), size in sizes.items():
        wanted = (595.3, 841.9) if paper == "a4" else (612, 792)
        assert size == pytest.approx(wanted, abs=0.1)


def test_a_plan_is_all_that_the_press_needs() -> None:
    for path in FULLEST.values():
        assert press(sheet(path).plan) == sheet(path).pdf


def _flat(path: Path, look: tuple[str, str]) -> Sheet:
    return printed(character_at(path), look, flatten=True)


def _plain_name(name: object) -> str:
    return re.sub(r"^/?[A-Z]{6}\+", "", str(name))
