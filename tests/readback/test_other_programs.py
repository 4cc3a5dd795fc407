"""Filled sheets that other programs joined, copied, cut or compressed: whose is each value?"""

from __future__ import annotations

import base64
import io
import itertools
import shutil
import subprocess
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf
import pypdf
import pytest

from sheetgen.load.filled import read_filled
from sheetgen.model.filled import ON, OWNER, FilledSheet
from sheetgen.prints.sheet import SheetRequest, print_sheet
from tests.cli.commands import run
from tests.readback.sheets import (
    CHARACTERS,
    PROGRAMS,
    blank_sheet,
    by_pikepdf,
    hero,
    named,
    printed,
)
from tests.samples import by_turns, cover, spread

Join = Callable[[Sequence[Path], Path], None]


def by_pypdf(parts: Sequence[Path], out: Path) -> None:
    writer = pypdf.PdfWriter()
    for part in parts:
        writer.append(str(part))
    writer.write(out)


def by_pypdf_pages(parts: Sequence[Path], out: Path) -> None:
    writer = pypdf.PdfWriter()
    for part in parts:
        for page in pypdf.PdfReader(part).pages:
            writer.add_page(page)
    writer.write(out)


def by_qpdf(parts: Sequence[Path], out: Path) -> None:
    first, *others = map(str, parts)
    subprocess.run(["qpdf", first, "--pages", ".", *others, "--", str(out)], check=True)


def by_qpdf_empty(parts: Sequence[Path], out: Path) -> None:
    subprocess.run(["qpdf", "--empty", "--pages", *map(str, parts), "--", str(out)], check=True)


def by_pdfunite(parts: Sequence[Path], out: Path) -> None:
    subprocess.run(["pdfunite", *map(str, parts), str(out)], check=True)


def by_mupdf(parts: Sequence[Path], out: Path) -> None:
    with pymupdf.open(parts[0]) as pdf:
        for part in parts[1:]:
            pdf.insert_pdf(pymupdf.open(part))
        pdf.save(out)


def by_mupdf_empty(parts: Sequence[Path], out: Path) -> None:
    with pymupdf.open() as pdf:
        for part in parts:
            pdf.insert_pdf(pymupdf.open(part))
        pdf.save(out, garbage=3, deflate=True)


def by_pikepdf_pages(parts: Sequence[Path], out: Path) -> None:
    with warnings.catch_warnings(), pikepdf.new() as pdf:
        warnings.simplefilter("ignore")
        opened = [pikepdf.open(part) for part in parts]
        for one in opened:
            pdf.pages.extend(one.pages)
        pdf.save(out)


JOINS: Mapping[str, Join] = {
    "pypdf": by_pypdf, "pypdf-pages": by_pypdf_pages, "qpdf": by_qpdf,
    "qpdf-empty": by_qpdf_empty, "pdfunite": by_pdfunite, "mupdf": by_mupdf,
    "mupdf-empty": by_mupdf_empty, "pikepdf": by_pikepdf_pages,
}  # fmt: skip


def saved_as_is(content: bytes) -> bytes:
    return content


def saved_compressed(content: bytes) -> bytes:
    out = io.BytesIO()
    modes = {"object_stream_mode": pikepdf.ObjectStreamMode.generate, "recompress_flate": True}
    pikepdf.open(io.BytesIO(content)).save(out, **modes)
    return out.getvalue()


def saved_twice(content: bytes) -> bytes:
    """An incremental save that appends a new value for nothing, as viewers do on each save."""
    with pymupdf.open(stream=saved_compressed(content)) as pdf:
        pdf.set_metadata({"title": "twice"})
        return bytes(pdf.tobytes())


SAVES = {"as is": saved_as_is, "compressed": saved_compressed, "twice": saved_twice}

BY_GAME = {
    game: list(paths)
    for game, paths in itertools.groupby(CHARACTERS, lambda path: path.parent.name)
}
PAIRS = [(paths[0], paths[-1]) for paths in BY_GAME.values() if len(paths) > 1]
PAIRS += list(itertools.pairwise(paths[0] for paths in BY_GAME.values()))[:1]
"""Two characters of each game, and two of different games."""

pytestmark = [
    pytest.mark.many,
    pytest.mark.filterwarnings("ignore::pikepdf.exceptions.PageCopyWarning"),
]


def typed(path: Path, player: str) -> dict[str, str]:
    """Return values to type: a text, a long text, and a mark."""
    fields = blank_sheet(path).fields
    box = next(n for n, f in fields.items() if f.box and not f.filled)
    return {"player": player, "notes": f"{player}: {'Größe — Σ. ' * 30}", box: ON}


@cache
def filled(path: Path, player: str, program: str) -> bytes:
    return PROGRAMS[program](printed(path), typed(path, player))


def changes(sheet: FilledSheet) -> dict[str, str]:
    return {
        name: one.filled.strip()
        for name, one in sheet.fields.items()
        if one.filled.strip() != (one.printed or "").strip()
    }


def wanted(path: Path, player: str) -> dict[str, str]:
    return {name: text.strip() for name, text in typed(path, player).items()}


def joined(contents: Sequence[bytes], join: Join, folder: Path) -> Path:
    parts = []
    for number, content in enumerate(contents):
        parts.append(folder / f"part{number}.pdf")
        parts[-1].write_bytes(content)
    join(parts, folder / "joined.pdf")
    return folder / "joined.pdf"


def unmarked(content: bytes) -> bytes:
    """Return a sheet as it was printed before its fields said whose they are."""
    pdf = pikepdf.open(io.BytesIO(content))
    for page in pdf.pages:
        for one in page.get("/Annots", ()):
            if OWNER.decode() in one:
                del one[OWNER.decode()]
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "program", "join", "save"), by_turns(PAIRS, list(PROGRAMS), list(JOINS), list(SAVES))
)
def test_joined_sheets_are_told_apart(
    pair: tuple[Path, Path], program: str, join: str, save: str, tmp_path: Path
) -> None:
    parts = [filled(path, f"P{n}", program) for n, path in enumerate(pair)]
    path = joined(parts, JOINS[join], tmp_path)
    path.write_bytes(SAVES[save](path.read_bytes()))
    read = read_filled(path)
    assert read.value is not None, read.findings
    assert [one.character for one in read.value] == [hero(one).build.name for one in pair]
    assert [changes(one) for one in read.value] == [
        wanted(one, f"P{n}") for n, one in enumerate(pair)
    ]
    assert [one.digest for one in read.value] == [hero(one).source.digest for one in pair]
    assert not any(one.lacks_pages for one in read.value)


@pytest.mark.slow
@pytest.mark.parametrize("join", JOINS)
def test_sheets_without_marks_are_never_mixed(join: str, tmp_path: Path) -> None:
    pair = PAIRS[0]
    parts = [unmarked(filled(path, f"P{n}", "pikepdf")) for n, path in enumerate(pair)]
    path = joined(parts, JOINS[join], tmp_path)
    read = read_filled(path)
    for one in read.value or ():
        found = changes(one).get("player"), (one.fields.get("notes") and one.fields["notes"].filled)
        assert found[1] is None or found[0] in (None, found[1][:2])
    if read.value is not None:
        names = {one.character for one in read.value}
        assert names <= {hero(one).build.name for one in pair} | {""}


@pytest.mark.slow
@pytest.mark.parametrize(("join", "program"), by_turns(list(JOINS), list(PROGRAMS)))
def test_a_copy_says_whose_it_is(join: str, program: str, tmp_path: Path) -> None:
    path = named("rivet")
    copy = joined([filled(path, "Zoe", program)], JOINS[join], tmp_path)
    party = tmp_path / "party"
    party.mkdir()
    shutil.copy(path, party)
    said = run("read", copy)
    assert "Player: Juno -> Zoe" in said.out or "-> Zoe" in said.out
    said = run("read", copy, "--into", party)
    assert "SG8" not in said.err.replace("SG817", "")
    assert "player: Zoe" in (party / path.name).read_text()
    assert "Größe" in (party / path.name).read_text()


def test_a_copy_of_one_sheet_does_not_go_into_the_file_of_another(tmp_path: Path) -> None:
    one, other = PAIRS[0]
    copy = joined([filled(one, "Zoe", "pypdf")], by_pypdf, tmp_path)
    for content in (copy.read_bytes(), unmarked(copy.read_bytes())):
        copy.write_bytes(content)
        into = tmp_path / "other.yaml"
        shutil.copy(other, into)
        said = run("read", copy, "--into", into)
        assert said.status == 1
        assert "SG812" in said.err
        assert "Zoe" in said.out
        assert into.read_bytes() == other.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("path", spread(CHARACTERS, 8), ids=lambda path: path.stem)
def test_a_program_that_records_edits_as_printed_is_reported(path: Path, tmp_path: Path) -> None:
    sheet, into = tmp_path / "sheet.pdf", tmp_path / path.name
    for typed in (False, True):
        shutil.copy(path, into)
        content = by_pikepdf(printed(path), {"name": "Zoe"} if typed else {})
        with pikepdf.open(io.BytesIO(content)) as pdf:
            for page in pdf.pages:
                for one in page.get("/Annots", ()):
                    while one is not None:
                        if "/DV" in one and "/V" in one:
                            one.DV = one.V
                        one = one.get("/Parent")
            pdf.save(sheet)
        said = run("read", sheet, "--into", into)
        assert ("SG807" in said.err, "`Zoe` instead of" in said.err) == (typed, typed), said.err
        assert into.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_joined_sheets_go_into_their_files(tmp_path: Path) -> None:
    pair = PAIRS[0]
    parts = [filled(path, f"Zoe{n}", "pypdf") for n, path in enumerate(pair)]
    copy = joined(parts, by_qpdf_empty, tmp_path)
    party = tmp_path / "party"
    party.mkdir()
    for path in pair:
        shutil.copy(path, party)
    said = run("read", copy, "--into", party / pair[0].name)
    assert said.status == 1
    assert "SG812" in said.err
    texts = [(party / path.name).read_text() for path in pair]
    assert "Zoe0" in texts[0]
    assert "Zoe1" not in "".join(texts)
    run("read", copy, "--into", party)
    assert "Zoe1" in (party / pair[1].name).read_text()
    assert "Zoe0" not in (party / pair[1].name).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("join", JOINS)
def test_two_values_of_one_field_are_a_conflict(join: str, tmp_path: Path) -> None:
    path = named("rivet")
    copies = [by_pikepdf(printed(path), {"player": who}) for who in ("Zoe", "Max")]
    copy = joined(copies, JOINS[join], tmp_path)
    into = tmp_path / "rivet.yaml"
    shutil.copy(path, into)
    said = run("read", copy, "--into", into)
    assert said.status == 1
    assert "SG822" in said.err
    assert "Max" in said.out + said.err
    assert into.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_copies_that_agree_or_change_different_fields_are_both_read(tmp_path: Path) -> None:
    path, into = named("rivet"), tmp_path / "rivet.yaml"
    fields = ({"player": "Zoe"}, {"player": "Zoe", "campaign": "The Reach"}, {})
    copies = [by_pikepdf(printed(path), values) for values in fields]
    shutil.copy(path, into)
    said = run("read", joined(copies, by_pypdf, tmp_path), "--into", into)
    assert said.status == 0, said.err
    assert "player: Zoe" in into.read_text()
    assert "The Reach" in into.read_text()


@pytest.mark.slow
def test_empty_sheets_of_two_people_do_not_begin_one_file(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    said = run("sheet", "--blank", "d6-pips", "--out", empty)
    (sheet,) = empty.glob("*.pdf")
    people = [{"name": who, "player": f"{who}'s"} for who in ("Ada", "Bo")]
    parts = [by_pikepdf(sheet.read_bytes(), values) for values in people]
    path = joined(parts, by_pypdf, tmp_path)
    said = run("read", path, "--into", tmp_path / "new.yaml")
    assert said.status == 1
    assert "SG822" in said.err
    assert "`Ada` and `Bo`" in said.err
    assert not (tmp_path / "new.yaml").exists()
    said = run("read", path)
    assert said.status == 0, said.err


def by_qpdf_with(*options: str) -> Callable[[bytes, Path], None]:
    """Return a function that writes a sheet as qpdf does with some options."""

    def save(content: bytes, out: Path) -> None:
        source = out.with_suffix(".source")
        source.write_bytes(content)
        subprocess.run(["qpdf", str(source), *options, str(out)], check=True)

    return save


def with_names_below(content: bytes, out: Path) -> None:
    """Put all fields below one, as programs do that keep the names of several forms apart."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        fields = pdf.Root.AcroForm.Fields
        top = pdf.make_indirect(pikepdf.Dictionary(T="form1", Kids=fields))
        for field in fields:
            field["/Parent"] = top
        pdf.Root.AcroForm.Fields = pikepdf.Array([top])
        pdf.save(out)


def with_other_names(content: bytes, out: Path) -> None:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        for field in pdf.Root.AcroForm.Fields:
            field["/T"] = pikepdf.String("x_" + str(field["/T"]))
        pdf.save(out)


def without_a_form(content: bytes, out: Path) -> None:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        del pdf.Root["/AcroForm"]
        pdf.save(out)


def baked(content: bytes, out: Path) -> None:
    with pymupdf.open(stream=content) as pdf:
        pdf.bake()
        pdf.save(out)


def without_values(content: bytes, out: Path) -> None:
    """Show what was typed, and hold it no more."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        for one in pdf.objects:
            if isinstance(one, pikepdf.Dictionary) and "/V" in one and "/T" in one:
                del one["/V"]
        pdf.save(out)


def with_a_wrong_table(content: bytes, out: Path) -> None:
    """Let the end of a file name no place, and let a program repair it."""
    with pymupdf.open(
        stream=content[: content.rindex(b"startxref")] + b"startxref\n7\n%%EOF"
    ) as pdf:
        pdf.save(out)


REWRITTEN: Mapping[str, tuple[Callable[[bytes, Path], None], str]] = {
    "linearised": (by_qpdf_with("--linearize"), ""),
    "in QDF": (by_qpdf_with("--qdf"), ""),
    "without object streams": (by_qpdf_with("--object-streams=disable"), ""),
    "rotated": (by_qpdf_with("--rotate=+90"), ""),
    "an empty password": (by_qpdf_with("--encrypt", "", "owner", "256", "--"), ""),
    "a password": (by_qpdf_with("--encrypt", "x", "owner", "256", "--"), "SG804"),
    "pages backwards": (by_qpdf_with("--pages", ".", "z-1", "--"), ""),
    "flattened": (by_qpdf_with("--flatten-annotations=all"), "SG802"),
    "baked": (baked, "SG802"),
    "below a field": (with_names_below, ""),
    "other names": (with_other_names, ""),
    "without a form": (without_a_form, ""),
    "repaired": (with_a_wrong_table, ""),
    "without values": (without_values, "SG802"),
}
"""How else a program may write a filled sheet, and the code of the error if it cannot be read."""


@pytest.mark.parametrize("how", REWRITTEN)
def test_a_sheet_that_was_written_anew(how: str, tmp_path: Path) -> None:
    rewrite, code = REWRITTEN[how]
    path, into, out = named("rivet"), tmp_path / "rivet.yaml", tmp_path / "sheet.pdf"
    shutil.copy(path, into)
    rewrite(filled(path, "Zoe", "pypdf"), out)
    said = run("read", out, "--into", into)
    if code:
        assert said.status == 1
        assert f"error[{code}]" in said.err
        assert into.read_bytes() == path.read_bytes()
    else:
        assert "error[" not in said.err
        assert "player: Zoe" in into.read_text()
        assert "Größe" in into.read_text()


def test_two_values_of_one_mark_are_refused(tmp_path: Path) -> None:
    """A program copied a page within a file; then one of both was filled in otherwise."""
    pdf = pikepdf.open(io.BytesIO(by_pikepdf(printed(named("rivet")), {"player": "Zoe"})))
    page = pdf.pages[0]
    copy = next(one for one in page.Annots if str(one.get("/T", "")) == "player")
    double = pdf.make_indirect(pikepdf.Dictionary(copy))
    double.T, double.V = pikepdf.String("player+1"), pikepdf.String("Max")
    page.Annots.append(double)
    path = tmp_path / "double.pdf"
    pdf.save(path)
    read = read_filled(path)
    assert read.value is None
    (finding,) = read.findings
    assert finding.code.id == "SG822"
    assert "`Zoe` and `Max`" in finding.message


def test_a_field_of_two_sheets_is_refused(tmp_path: Path) -> None:
    """Programs that merge forms make one field of two with one name."""
    path = joined([printed(one) for one in PAIRS[0]], by_pypdf, tmp_path)
    pdf = pikepdf.open(path, allow_overwriting_input=True)
    tops = [one for one in pdf.Root.AcroForm.Fields if str(one.T) == "player"]
    merged = pdf.make_indirect(
        pikepdf.Dictionary(T="player", FT=pikepdf.Name.Tx, V="Zoe", Kids=pikepdf.Array(tops))
    )
    for one in tops:
        del one.T
        one.Parent = merged
    others = [one for one in pdf.Root.AcroForm.Fields if str(one.get("/T", "player")) != "player"]
    pdf.Root.AcroForm.Fields = pikepdf.Array([merged, *others])
    pdf.save(path)
    assert [one.code.id for one in read_filled(path).findings] == ["SG822"]


@pytest.mark.parametrize("path", spread(CHARACTERS, 4), ids=lambda path: path.stem)
@pytest.mark.parametrize("page", [1, 2])
def test_pages_that_are_left_are_read_right(path: Path, page: int, tmp_path: Path) -> None:
    """Rows of a list that begins on a missing page keep their places."""
    content = printed(path)
    if len(pikepdf.open(io.BytesIO(content)).pages) < 2:
        pytest.skip("a sheet of one page")
    (tmp_path / "whole.pdf").write_bytes(filled(path, "Zoe", "pikepdf"))
    part = tmp_path / "part.pdf"
    command = ["qpdf", "--empty", "--pages", tmp_path / "whole.pdf", str(page), "--", part]
    subprocess.run(list(map(str, command)), check=True)
    (sheet,) = read_filled(part).value or ()
    assert sheet.lacks_pages
    assert changes(sheet).items() <= wanted(path, "Zoe").items()
    into = tmp_path / path.name
    shutil.copy(path, into)
    said = run("read", part, "--into", into)
    assert "pages are missing" in said.err
    expected = {line for line in path.read_text().splitlines() if line.startswith("gear")}
    assert expected <= set(into.read_text().splitlines())


def test_sheets_of_one_print_have_their_names(tmp_path: Path) -> None:
    party = tmp_path / "party"
    party.mkdir()
    for path in PAIRS[0]:
        shutil.copy(path, party)
    (tmp_path / "book.yaml").write_text(
        "book: Party\nentries: [{id: all, sheets: party, joined: true}]\n"
    )
    run("build", tmp_path / "book.yaml", "--out", tmp_path / "out")
    (path,) = (tmp_path / "out").rglob("*.pdf")
    said = run("read", path)
    for one in PAIRS[0]:
        assert f": {hero(one).build.name} (" in said.out
    assert "no name" not in said.out


def test_copies_in_one_print_keep_their_parts(tmp_path: Path) -> None:
    path = tmp_path / "two.pdf"
    path.write_bytes(print_sheet(hero(named("rivet")), SheetRequest(copies=2)).files["pdf"])
    assert [one.part for one in read_filled(path).value or ()] == ["c1", "c2"]


# -- how a value is stored --------------------------------------------------------------------

TEXTS = {
    "pdfdoc": ("Owes 500 – “now”", "Owes 500 – “now”".replace("–", "\x85").replace("“", "\x8d")
               .replace("”", "\x8e").encode("latin-1")),
    "utf-16": ("Größe Σ\nline 2", b"\xfe\xff" + "Größe Σ\nline 2".encode("utf-16-be")),
    "utf-16 of the other order": ("Größe Σ", b"\xff\xfe" + "Größe Σ".encode("utf-16-le")),
    "utf-8": ("Größe Σ 🐉", b"\xef\xbb\xbf" + "Größe Σ 🐉".encode()),
    "utf-16 with a language": ("Größe", b"\xfe\xff" + "\x1bdeDE\x1bGröße".encode("utf-16-be")),
    "long": ("word " * 4000 + "end", b"word " * 4000 + b"end"),
}  # fmt: skip

FILTERS: Mapping[str, tuple[list[str], Callable[[bytes], bytes]]] = {
    "none": ([], bytes),
    "Flate": (["FlateDecode"], zlib.compress),
    "ASCIIHex": (["ASCIIHexDecode"], lambda data: data.hex().encode() + b">"),
    "ASCII85": (["ASCII85Decode"], lambda data: base64.a85encode(data) + b"~>"),
    "RunLength": (
        ["RunLengthDecode"],
        lambda data: b"".join(bytes([0, byte]) for byte in data) + b"\x80",
    ),
    "LZW": (["LZWDecode"], lambda data: _lzw(data)),
    "ASCII85 of Flate": (
        ["ASCII85Decode", "FlateDecode"],
        lambda data: base64.a85encode(zlib.compress(data)) + b"~>",
    ),
}


def _lzw(data: bytes) -> bytes:
    """Encode with a clear code before the codes grow beyond nine bits."""
    bits = ""
    for start in range(0, len(data), 200):
        bits += format(256, "09b") + "".join(format(b, "09b") for b in data[start : start + 200])
    bits += format(257, "09b")
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")


def stored(value: Any, save: Mapping[str, Any], path: Path, where: str = "own") -> None:
    """Save a sheet whose notes have `value`."""
    pdf = pikepdf.open(io.BytesIO(printed(named("rivet"))))
    field = next(
        one for page in pdf.pages for one in page.Annots if str(one.get("/T", "")) == "notes"
    )
    value = value(pdf)
    for key in ("/V", "/DV"):
        if key in field:
            del field[key]
    if where == "parent":
        del field["/T"]
        group = pikepdf.Dictionary(T="notes", V=value, FT=pikepdf.Name.Tx, Kids=[field])
        field.Parent = pdf.make_indirect(group)
        tops = [one for one in pdf.Root.AcroForm.Fields if one.objgen != field.objgen]
        pdf.Root.AcroForm.Fields = pikepdf.Array([*tops, field.Parent])
    else:
        field[where if where != "own" else "/V"] = value
    pdf.save(path, **save)


def stream(content: bytes, filters: Sequence[str]) -> Callable[[Any], Any]:
    def make(pdf: Any) -> Any:
        made = pikepdf.Stream(pdf, content)
        if filters:
            made.Filter = pikepdf.Array([pikepdf.Name(f"/{name}") for name in filters])
        return pdf.make_indirect(made)

    return make


def string(content: bytes) -> Callable[[Any], Any]:
    return lambda pdf: pdf.make_indirect(pikepdf.String(content))


SAVED = {
    "plain": {"object_stream_mode": pikepdf.ObjectStreamMode.disable, "compress_streams": False},
    "compressed": {"object_stream_mode": pikepdf.ObjectStreamMode.generate},
}


@pytest.mark.parametrize(
    ("text", "filters", "save", "where"), cover(TEXTS, FILTERS, SAVED, ["own", "parent"])
)
def test_texts_in_streams(text: str, filters: str, save: str, where: str, tmp_path: Path) -> None:
    words, content = TEXTS[text]
    names, encode = FILTERS[filters]
    stored(stream(encode(content), names), SAVED[save], tmp_path / "a.pdf", where)
    read = read_filled(tmp_path / "a.pdf")
    assert read.value is not None, read.findings
    assert read.value[0].fields["notes"].filled == words


@pytest.mark.parametrize(("text", "where"), cover(TEXTS, ["own", "parent"]))
def test_texts_in_strings(text: str, where: str, tmp_path: Path) -> None:
    words, content = TEXTS[text]
    stored(string(content), SAVED["compressed"], tmp_path / "a.pdf", where)
    (sheet,) = read_filled(tmp_path / "a.pdf").value or ()
    assert sheet.fields["notes"].filled == words


def test_formatted_text_alone(tmp_path: Path) -> None:
    rich = (
        '<?xml version="1.0"?><body xmlns="http://www.w3.org/1999/xhtml"><p>Owes <b>500</b> &amp;'
        "</p><p>a ship</p></body>"
    )
    stored(string(rich.encode()), SAVED["plain"], tmp_path / "a.pdf", "/RV")
    (sheet,) = read_filled(tmp_path / "a.pdf").value or ()
    assert sheet.fields["notes"].filled == "Owes 500 &\na ship"


BROKEN: Mapping[str, tuple[Callable[[], bytes], list[str], str]] = {
    "not Flate": (lambda: b"no zlib data here", ["FlateDecode"], "SG803"),
    "an unknown filter": (lambda: b"abc", ["XYZDecode"], "SG803"),
    "a picture": (lambda: b"\xff\xd8\xff\xe0abc", ["DCTDecode"], "SG803"),
    "bad ASCII85": (lambda: b"\xff\xff{{{~>", ["ASCII85Decode"], "SG803"),
    "a text that expands": (lambda: zlib.compress(b"x" * 40_000_000), ["FlateDecode"], "SG805"),
    "a text that expands twice": (
        lambda: zlib.compress(zlib.compress(b"x" * 900_000_000)), ["FlateDecode"] * 2, "SG805",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_decoded_is_an_error(case: str, tmp_path: Path) -> None:
    content, filters, code = BROKEN[case]
    path, into = tmp_path / "a.pdf", tmp_path / "rivet.yaml"
    stored(stream(content(), filters), SAVED["plain"], path)
    shutil.copy(named("rivet"), into)
    said = run("read", path, "--into", into)
    assert said.status == 1
    assert code in said.err
    assert into.read_bytes() == named("rivet").read_bytes()


def test_a_character_file_instead_of_a_sheet(tmp_path: Path) -> None:
    into = tmp_path / "rivet.yaml"
    shutil.copy(named("rivet"), into)
    assert f"--into {into}`" in run("read", into).err


@pytest.mark.parametrize("text", ["(Zoe) Tj", "[(Zo) 20 (e)] TJ", "<5A> '", "( ) Tj", "BT ET"])
def test_a_text_that_only_the_appearance_has_is_an_error(text: str, tmp_path: Path) -> None:
    out = tmp_path / "sheet.pdf"
    with pikepdf.open(io.BytesIO(printed(named("rivet")))) as pdf:
        field = next(f for f in pdf.Root.AcroForm.Fields if f.get("/T") == "player")
        field.AP = pikepdf.Dictionary(N=pdf.make_stream(f"/Tx BMC q {text} Q EMC".encode()))
        pdf.save(out)
    read = read_filled(out)
    shows = "Z" in text or "5A" in text
    assert (read.value is None) == shows
    assert not shows or "the field has no value" in read.findings[0].message


# -- form data --------------------------------------------------------------------------------

XFDF = (
    '<?xml version="1.0" encoding="UTF-8"?><xfdf xmlns="http://ns.adobe.com/xfdf/">'
    '<f href="C:\\games\\rivet.pdf"/><fields>'
    '<field name="player"><value>Zoe &amp; Mia</value></field><field name="skills">'
    '<field name="medicine"><field name="own"><value>1D</value></field></field></field>'
    '<field name="stunned.box.1"><value>On</value></field></fields></xfdf>'
)  # fmt: skip
FDF = (
    b"%FDF-1.2\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</FDF<</F(rivet.pdf)/Fields[<</T(player)"
    b"/V(Zoe \\046 Mia)>><</T(skills)/Kids[<</T(medicine)/Kids[<</T(own)/V<FEFF00310044>>>]>>]>>"
    b"<</T(stunned.box.1)/V/On>>]>>>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n"
)
FORM_DATA = {"a.xfdf": XFDF.encode(), "a.fdf": FDF}


@pytest.mark.parametrize("name", FORM_DATA)
@pytest.mark.parametrize("beside", ["rivet.pdf", "a.pdf", ""])
def test_form_data_is_read_with_its_sheet(name: str, beside: str, tmp_path: Path) -> None:
    path, into = tmp_path / name, tmp_path / "rivet.yaml"
    path.write_bytes(FORM_DATA[name])
    shutil.copy(named("rivet"), into)
    if not beside:
        said = run("read", path, "--into", into)
        assert said.status == 1
        assert "form data" in said.err
        assert "`rivet.pdf`" in said.err
        assert into.read_bytes() == named("rivet").read_bytes()
        return
    (tmp_path / beside).write_bytes(printed(named("rivet")))
    read = read_filled(path)
    assert read.value is not None, read.findings
    expected = {"player": "Zoe & Mia", "skills.medicine.own": "1D", "stunned.box.1": ON}
    assert changes(read.value[0]) == expected
    run("read", path, "--into", into)
    assert "player: Zoe & Mia\n" in into.read_text()


@pytest.mark.parametrize(
    "content",
    [
        b'<?xml version="1.0"?><!DOCTYPE xfdf [<!ENTITY a "x">]><xfdf><fields/></xfdf>',
        b"<xfdf><fields>" + b'<field name="a">' * 90 + b"<value>1</value>",
        b"<xfdf><fields><field name='a'>",
        FDF.replace(b"endobj", b""),
        FDF[:80],
        b"%FDF-1.2\n1 0 obj\n<</FDF<</Fields " + b"[" * 5000 + b"\nendobj\ntrailer<</Root 1 0 R>>",
    ],
    ids=["entities", "deep", "cut", "endless", "cut FDF", "nested"],
)
def test_hostile_form_data_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rivet.xfdf"
    path.write_bytes(content)
    (tmp_path / "rivet.pdf").write_bytes(printed(named("rivet")))
    read = read_filled(path)
    assert read.value is None
    assert {one.code.id for one in read.findings} <= {"SG803", "SG805", "SG801"}
