"""Combined files: one PDF of several, in which everything still works."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf
import pypdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String
from reportlab.pdfgen import canvas

from sheetgen.books.combining import combine_parts, entry_title
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Span
from sheetgen.finish.merging import BrokenPart, MergedInfo, MergePart, merge_parts, part_info
from sheetgen.finish.pictures import PaintedPages
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.model.books import CombinedFile, Cover
from sheetgen.model.requests import CardRequest, PrintRequest
from sheetgen.prints.sheet import SheetRequest
from sheetgen.units import MM
from tests.printers.files import printed, small
from tests.render.ua_rules import faults
from tests.render.viewers import text_of

pytestmark = pytest.mark.slow

HEROES = data_folder() / "content" / "characters"
TOLD = MergedInfo("The book", "en", "Whose rules these are.")
FACE = font_bytes("SourceSansPro-Semibold.ttf")


@cache
def files() -> tuple[tuple[str, Path], ...]:
    """Return prints of all sorts, by entry."""
    return (
        ("heroes", printed("sheet", str(HEROES / "hyperspace-d6" / "brakka_sool.yaml"))),
        ("heroes", printed("sheet", str(HEROES / "keyword-dots" / "ansa-reth.yaml"))),
        ("vehicle-cards", printed("cards", "hyperspace-d6", "--kind", "vehicle")),
        ("tables", printed("tables", "keyword-dots", "--paper", "letter")),
        ("screens", printed("screen", "hyperspace-d6")),
        ("screens", printed("screen", "wound-points")),
    )


@cache
def parts() -> tuple[MergePart, ...]:
    read = [(entry, path.read_bytes()) for entry, path in files()]
    return tuple(MergePart(part_info(data).title, data, entry) for entry, data in read)


@cache
def whole() -> bytes:
    return merge_parts(parts(), TOLD, face=FACE)


def opened(data: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(data))


def of(*data: bytes, **more: Any) -> pikepdf.Pdf:
    made = [MergePart(f"Part {n}", one, f"Entry {n}") for n, one in enumerate(data, start=1)]
    return opened(merge_parts(made, TOLD, **more))


def changed(data: bytes, change: Any) -> bytes:
    target = io.BytesIO()
    with opened(data) as pdf:
        change(pdf)
        pdf.save(target)
    return target.getvalue()


def folio(page: pypdfium2.PdfPage) -> str:
    """Return the number that stands alone at the foot, in the middle or at the right."""
    text, middle = page.get_textpage(), page.get_width() / 2
    lines = (text.get_rect(n) for n in range(text.count_rects()))
    low = [line for line in lines if line[1] < 14 * MM and line[0] > middle - 6 * MM]
    found = {str(text.get_text_bounded(*line)).strip() for line in low}
    return " ".join(sorted(one for one in found if one.isdigit()))


def test_a_combined_file_is_as_accessible_as_its_parts() -> None:
    assert faults(whole()) == []
    with opened(whole()) as pdf:
        assert pdf.check_pdf_syntax() == []
        root = pdf.Root.StructTreeRoot
        assert root.K.S == "/Document"
        assert [str(kid.T) for kid in root.K.K] == [
            "heroes",
            "Cards · HyperspaceD6 v1.5",
            "Keyword Dots, tables",
            "screens",
        ]
        assert [str(kid.S) for kid in root.K.K[0].K] == ["/Sect", "/Sect"]


def test_all_pages_are_there_in_their_order_and_as_large_as_they_were() -> None:
    sizes = []
    for part in parts():
        with opened(part.data) as pdf:
            sizes += [[*map(float, page.mediabox)] for page in pdf.pages]
    with opened(whole()) as pdf:
        assert [[*map(float, page.mediabox)] for page in pdf.pages] == sizes
        assert len({tuple(size) for size in sizes}) > 3


@pytest.mark.usefixtures("laid_out_anew")
def test_equal_input_gives_equal_bytes_and_no_more_than_all_parts_have() -> None:
    assert merge_parts(parts(), TOLD, face=FACE) == whole()
    assert len(whole()) < sum(len(part.data) for part in parts())


def test_parts_that_are_alike_share_what_they_draw_with() -> None:
    part = parts()[0]
    one, four = (merge_parts([part] * count, TOLD) for count in (1, 4))
    assert len(four) < 2.2 * len(one)
    assert faults(four) == []


def test_each_part_is_filled_on_its_own() -> None:
    part = parts()[0]
    data = merge_parts([part, part], TOLD)
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        if "/Annots" in page:
            writer.update_page_form_field_values(
                page, {"p2.dodge.value": "99"}, auto_regenerate=False
            )
    target = io.BytesIO()
    writer.write(target)
    fields = pypdf.PdfReader(target).get_fields() or {}
    assert fields["p2.dodge.value"]["/V"] == "99"
    assert fields["p1.dodge.value"]["/V"] != "99"
    with opened(data) as pdf:
        form = pdf.Root.AcroForm
        assert "/NeedAppearances" not in form
        assert [str(group.TU) for group in form.Fields] == [part.title] * 2
        fonts = {f"/{word[1:]}" for word in str(form.DA).split() if word[0] == "/"}
        assert fonts <= set(form.DR.Font.keys())


def test_fields_of_a_sheet_keep_their_names_below_the_group_and_their_fonts() -> None:
    with opened(parts()[1].data) as before, opened(whole()) as pdf:
        group = pdf.Root.AcroForm.Fields[1]
        assert str(group.T) == "p2"
        names = [str(field.T) for field in before.Root.AcroForm.Fields]
        assert [str(field.T) for field in group.Kids] == names
        assert set(before.Root.AcroForm.DR.Font.keys()) <= set(pdf.Root.AcroForm.DR.Font.keys())


def test_bookmarks_are_entries_parts_and_what_parts_brought_along() -> None:
    with opened(whole()) as pdf, pdf.open_outline() as outline:
        assert [item.title for item in outline.root] == [
            "heroes",
            "vehicle-cards",
            "tables",
            "screens",
        ]
        heroes, cards, tables, screens = outline.root
        assert [item.title for item in heroes.children] == [part.title for part in parts()[:2]]
        assert cards.children == []
        assert tables.children[0].title == "Making a character"
        for part, entry in zip(parts()[4:], screens.children, strict=True):
            with opened(part.data) as own, own.open_outline() as brought:
                titles = [item.title for item in brought.root]
            assert entry.title == part.title
            assert [item.title for item in entry.children] == titles
            assert len(titles) > 1
        assert pdf.Root.PageMode == "/UseOutlines"
        assert pdf.Root.Outlines.Count == 4  # closed below
    reader = pypdf.PdfReader(io.BytesIO(whole()))
    entries = [item for item in reader.outline if not isinstance(item, list)]
    counts = [part_info(part.data).pages for part in parts()]
    starts = [0, sum(counts[:2]), sum(counts[:3]), sum(counts[:4])]
    assert [reader.get_destination_page_number(item) for item in entries] == starts


def test_pages_are_numbered_where_nothing_else_stands() -> None:
    before = []
    for part in parts():
        pdf = pypdfium2.PdfDocument(part.data)
        before += [folio(page) for page in pdf]
    assert set(before) == {""}
    pdf = pypdfium2.PdfDocument(whole())
    assert [folio(page) for page in pdf] == [str(n) for n in range(1, len(pdf) + 1)]
    assert pdf.get_page_label(4) == "5"
    # Numbers of a part's own, such as `1 / 2`, are gone; without numbers of the book they stay.
    text = [page.get_textpage().get_text_bounded(0, 0, 999, 20 * MM) for page in pdf]
    assert not any(re.search(r"\d / \d", one) for one in text)
    plain = pypdfium2.PdfDocument(merge_parts(parts(), TOLD))
    assert {folio(page) for page in plain} == {""}


def test_cards_of_their_own_page_are_not_numbered() -> None:
    path = printed("cards", "hyperspace-d6", "--kind", "vehicle", "--single", "--bleed", "3mm")
    part = MergePart("Cards", path.read_bytes(), "Cards")
    pdf = pypdfium2.PdfDocument(merge_parts([part, parts()[0]], TOLD, face=FACE))
    count = len(pypdfium2.PdfDocument(part.data))
    drawn = [page.get_textpage().get_text_bounded(0, 0, 999, 6 * MM) for page in pdf]
    assert not any(text.strip().isdigit() for text in drawn[:count])
    assert folio(pdf[count]) == str(count + 1)
    with opened(merge_parts([part], TOLD, face=FACE)) as made, opened(part.data) as own:
        assert [float(side) for side in made.pages[0].trimbox] == [
            float(side) for side in own.pages[0].trimbox
        ]
        assert made.Root.ViewerPreferences.PrintScaling == "/None"


def test_what_the_file_says_of_itself() -> None:
    with opened(whole()) as pdf:
        info = {key: str(value) for key, value in pdf.docinfo.items()}
        assert info == {"/Title": TOLD.title, "/Subject": TOLD.subject, "/Producer": "sheetgen"}
        assert str(pdf.Root.Lang) == "en"
        with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:
            assert meta["dc:title"] == TOLD.title
            assert meta["dc:description"] == TOLD.subject
            assert meta["pdf:Producer"] == "sheetgen"


def test_a_part_in_another_language_says_so() -> None:
    def german(pdf: pikepdf.Pdf) -> None:
        pdf.Root.Lang = String("de")

    pdf = of(parts()[2].data, changed(parts()[2].data, german))
    langs = [str(kid.get("/Lang", "")) for kid in pdf.Root.StructTreeRoot.K.K]
    assert langs == ["", "de"]


def test_a_file_with_an_untagged_part_does_not_claim_to_be_accessible() -> None:
    pdf = of(parts()[2].data, small())
    assert pdf.Root.MarkInfo.Marked is False
    assert b"pdfuaid" not in pdf.Root.Metadata.read_bytes()
    assert "/StructTreeRoot" not in of(small(), small()).Root


def test_names_of_places_that_clash_lead_where_they_did() -> None:
    def place(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        names = Array([String("there"), Array([page, Name.Fit])])
        pdf.Root.Names = Dictionary(Dests=Dictionary(Names=names))
        link = Dictionary(
            Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], Dest=String("there")
        )
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(link)])

    one = changed(small(pages=2), place)
    pdf = of(one, one)
    named = pikepdf.NameTree(pdf.Root.Names.Dests)
    for first, target in ((0, 1), (2, 3)):
        name = str(pdf.pages[first].Annots[0].Dest)
        assert named[name][0].objgen == pdf.pages[target].objgen


def test_fonts_of_fields_that_clash_get_names_of_their_own() -> None:
    def form(font: str) -> Any:
        def change(pdf: pikepdf.Pdf) -> None:
            made = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/" + font))
            field = Dictionary(
                Type=Name.Annot,
                Subtype=Name.Widget,
                FT=Name.Tx,
                T="name",
                TU="Name",
                DA="/F1 9 Tf 0 g",
                Rect=[9, 9, 99, 29],
            )
            pdf.pages[0].obj.Annots = Array([pdf.make_indirect(field)])
            fonts = Dictionary(Font=Dictionary(F1=pdf.make_indirect(made)))
            fields = Array([pdf.pages[0].obj.Annots[0]])
            pdf.Root.AcroForm = Dictionary(Fields=fields, CO=fields, DR=fonts, DA="/F1 0 Tf 0 g")

        return change

    pdf = of(*(changed(small(), form(font)) for font in ("Courier", "Times-Roman", "Courier")))
    form_ = pdf.Root.AcroForm
    fields = [group.Kids[0] for group in form_.Fields]
    said = [str(field.DA).split()[0] for field in fields]
    assert said == ["/F1", "/F1-2", "/F1"]
    assert [str(form_.DR.Font[name].BaseFont) for name in said] == [
        "/Courier",
        "/Times-Roman",
        "/Courier",
    ]
    assert [str(group.DA).split()[0] for group in form_.Fields] == said
    assert [one.objgen for one in form_.CO] == [field.objgen for field in fields]


def test_roles_that_clash_mean_what_they_did() -> None:
    def role(meaning: str) -> Any:
        def change(pdf: pikepdf.Pdf) -> None:
            root = pdf.Root.StructTreeRoot
            root.RoleMap = Dictionary(Card=Name("/" + meaning))
            top = root.K if isinstance(root.K, Dictionary) else root.K[0]
            top.K[0].S = Name.Card

        return change

    data = parts()[2].data
    pdf = of(*(changed(data, role(meaning)) for meaning in ("Sect", "Div", "Sect")))
    root = pdf.Root.StructTreeRoot
    roles = [str(part.K[0].S) for part in root.K.K]
    assert [str(root.RoleMap[role]) for role in roles] == ["/Sect", "/Div", "/Sect"]


def test_identifiers_of_cells_are_those_of_their_own_table() -> None:
    part = parts()[3]
    pdf = of(part.data, part.data)
    ids = pikepdf.NameTree(pdf.Root.StructTreeRoot.IDTree)
    assert len(ids) % 2 == 0
    assert {name.partition(".")[0] for name in ids} == {"1", "2"}
    for name, element in ids.items():
        assert str(element.ID) == name
    heads = [
        str(head)
        for one in pdf.objects
        if isinstance(one, Dictionary) and "/Headers" in (one.get("/A") or {})
        for head in one.A.Headers
    ]
    assert heads
    assert set(heads) <= set(ids)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 and no more", None])
def test_a_broken_part_is_named(data: bytes | None) -> None:
    data = parts()[0].data[:20_000] if data is None else data
    with pytest.raises(BrokenPart) as caught:
        merge_parts([parts()[2], MergePart("Broken", data, "b")], TOLD)
    assert caught.value.at == 1


def test_an_encrypted_part_is_refused() -> None:
    target = io.BytesIO()
    with opened(small()) as pdf:
        pdf.save(target, encryption=pikepdf.Encryption(owner="o", user=""))
    with pytest.raises(BrokenPart, match="encrypted"):
        merge_parts([MergePart("Locked", target.getvalue(), "l")], TOLD)


# -- with a cover ---------------------------------------------------------------------------

COVER = Cover("Salt and iron", "For four heroes", "Said first.\n\nAnd then.", "© Somebody")


def wanted(cover: Cover | None = COVER, numbers: bool = True) -> CombinedFile:
    entries = tuple(dict.fromkeys(entry for entry, _ in files()))
    return CombinedFile(
        "combined/all", "all", Span("book.yaml"), entries, "The book", cover, numbers
    )


def make(
    folder: Path, how: PrintRequest, of_: Sequence[tuple[str, Path]] = (), **more: Any
) -> bytes:
    done = combine_parts(wanted(**more), of_ or files(), how, folder)
    assert done.value is not None, done.findings
    assert done.findings == ()
    return done.value.read_bytes()


@pytest.mark.parametrize(("paper", "theme"), [("a4", "standard"), ("letter", "mono")])
def test_the_cover_leads_to_what_it_lists(tmp_path: Path, paper: str, theme: str) -> None:
    data = make(tmp_path, SheetRequest((), Span(""), paper=paper, theme=theme))
    assert faults(data) == []
    pdf = pypdfium2.PdfDocument(data)
    text, listed = (pdf[at].get_textpage().get_text_bounded() for at in (0, 1))
    for said in ("Salt and iron", "For four heroes", "Said first.", "© Somebody"):
        assert said in text
    assert "Contents" in listed
    with pymupdf.open(stream=data) as opened_data:
        lines = opened_data[1].get_drawings()
    leaders = [line["rect"] for line in lines if line["type"] == "s" and len(line["dashes"]) > 5]
    assert leaders
    assert all(one.x0 < 18 * MM for one in leaders)  # as long as the longest line
    assert text.count("Matt Click") == text.count("Picture: sheetgen") == 1
    outer = [folio(page) for page in pdf]
    blank = [not page.get_textpage().get_text_bounded().strip() for page in pdf]
    assert all(not outer[at] for at in range(len(pdf)) if at == 0 or blank[at])
    assert all(str(at + 1) in outer[at].split() for at in range(2, len(pdf)) if not blank[at])
    assert blank.count(True) > 1
    with opened(data) as made:
        numbers = {page.objgen: n for n, page in enumerate(made.pages, start=1)}
        led = [numbers[one.Dest[0].objgen] for one in made.pages[1].Annots]
        assert led[0] == 3
        assert led == sorted(led)
        assert len(led) == len(set(led)) + 2  # entries and their first parts
        assert set(map(str, led)) <= set(listed.split())
        assert str(made.docinfo["/Title"]) == "The book"
        assert made.Root.StructTreeRoot.K.K[0].T == "The book"
    assert make(tmp_path, SheetRequest((), Span(""), paper=paper, theme=theme)) == data


@pytest.mark.parametrize("face", ["stencil", "ledger-seal", "star-lanes"])
def test_the_title_of_a_cover_stands_clear_of_the_subtitle(tmp_path: Path, face: str) -> None:
    """Its lines are counted as wide as its letters are set."""
    cover = Cover("The Long Perimeter", "Subtitle", face=face)
    data = make(tmp_path, SheetRequest((), Span("")), files()[:1], cover=cover)
    with pymupdf.open(stream=data) as pdf:
        words = {word[4]: word for word in pdf[0].get_text("words")}
    size = words["Subtitle"][3] - words["Subtitle"][1]
    assert -0.2 * size < words["Subtitle"][1] - words["Perimeter"][3] < size


@pytest.mark.parametrize("cover", [COVER, None])
def test_cards_with_backs_begin_on_a_new_sheet_of_paper(
    tmp_path: Path, cover: Cover | None
) -> None:
    """Fronts have odd page numbers, whatever comes before, and the contents name these pages."""
    backs = printed("cards", "hyperspace-d6", "--kind", "vehicle", "--backs", "long-edge")
    plain = printed("cards", "hyperspace-d6", "--kind", "vehicle")
    assert part_info(plain.read_bytes()).pages % 2  # so that what follows needs a blank page
    of_ = [("plain", plain), ("backs", backs), ("again", plain), ("more", backs)]
    order = SheetRequest((), Span(""))
    made = combine_parts(
        CombinedFile(
            "all", "all", Span("book.yaml"), tuple(n for n, _ in of_), "Book", cover, True
        ),
        of_,
        order,
        tmp_path,
    )
    assert made.value is not None, made.findings
    data = made.value.read_bytes()
    reader = pypdf.PdfReader(io.BytesIO(data))
    starts = [reader.get_destination_page_number(item) + 1 for item in reader.outline]
    assert starts[1] % 2 == starts[3] % 2 == 1
    if cover is not None:
        assert faults(data) == []
        assert {*map(str, starts)} <= {*reader.pages[1].extract_text().split()}


def test_every_part_begins_on_a_right_hand_page_unless_duplex_is_off(tmp_path: Path) -> None:
    of_, order = files()[2:], CardRequest((), Span(""))
    counts = [part_info(path.read_bytes()).pages for _, path in of_]
    assert any(count % 2 for count in counts[:-1])
    for duplex in (True, False):
        file = dataclasses.replace(wanted(COVER), duplex=duplex)
        made = combine_parts(file, of_, order, tmp_path)
        assert made.value is not None, made.findings
        with opened(made.value.read_bytes()) as pdf:
            numbers = {page.objgen: n for n, page in enumerate(pdf.pages, start=1)}
            marks = list(siblings(pdf.Root.Outlines.First))
            starts = {numbers[mark.Dest[0].objgen] % 2 for mark in marks}
            assert (starts == {1}) == duplex
            links = [numbers[one.Dest[0].objgen] for one in pdf.pages[1].Annots]
            assert {numbers[mark.Dest[0].objgen] for mark in marks} <= {*links}
            said = str(pdf.Root.ViewerPreferences.get("/Duplex", ""))
            assert said == ("/DuplexFlipLongEdge" if duplex else "")
            assert len(pdf.pages) == sum(counts) + 2 + duplex * sum(c % 2 for c in counts[:-1])


def siblings(item: Any) -> Iterator[Any]:
    while item is not None:
        yield item
        item = item.get("/Next")


def test_without_cover_and_numbers_there_are_just_the_parts(tmp_path: Path) -> None:
    data = make(tmp_path, SheetRequest((), Span("")), cover=None, numbers=False)
    pdf = pypdfium2.PdfDocument(data)
    assert {folio(page) for page in pdf} == {""}
    with opened(data) as made:
        assert "Matt Click" in str(made.docinfo["/Subject"])
        assert "/PageLabels" not in made.Root


def test_a_combined_file_may_be_kept_as_an_archive(tmp_path: Path) -> None:
    data = make(tmp_path, SheetRequest((), Span(""), archive=True), files()[:3])
    assert faults(data) == []
    with opened(data) as pdf:
        assert b"<pdfaid:part>2" in pdf.Root.Metadata.read_bytes()


def test_parts_that_cannot_be_read_are_findings(tmp_path: Path) -> None:
    broken, order = tmp_path / "broken.pdf", SheetRequest((), Span(""))
    broken.write_bytes(b"%PDF-1.7\nnothing")
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    for path, code in ((broken, codes.PART_MISSING), (tmp_path / "none", codes.UNREADABLE)):
        done = combine_parts(wanted(), [files()[0], ("more", path)], order, drafts)
        assert done.value is None
        assert [(one.code, one.span.file) for one in done.findings] == [(code, str(path))]
    assert [*drafts.iterdir()] == []


def test_entries_are_called_what_readers_can_read() -> None:
    assert entry_title("vehicle-cards") == "Vehicle cards"
    assert entry_title("die_gefährten") == "Die gefährten"
    assert entry_title("npcs", ["NPCs", "Vehicles"]) == "NPCs"
    assert entry_title("more-npcs-and-vehicles", ["NPCs", "Vehicles"]) == "More NPCs and vehicles"


def test_boxes_of_what_is_painted_are_those_on_the_page() -> None:
    """White is paper; what a form paints is where the form is placed, however deep."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(300, 200))
    page.setFillColorRGB(1, 1, 1)
    page.rect(0, 0, 300, 200, stroke=0, fill=1)
    page.setFillColorRGB(0, 0, 0)
    page.beginForm("inner", 0, 0, 50, 50)
    page.rect(10, 10, 20, 5, stroke=0, fill=1)
    page.endForm()
    page.beginForm("outer", 0, 0, 200, 200)
    page.translate(100, 0)
    page.doForm("inner")
    page.endForm()
    page.translate(0, 100)
    page.doForm("outer")
    page.showPage()
    page.save()
    (box,) = PaintedPages(file.getvalue()).boxes(0)
    assert box == pytest.approx((110, 110, 130, 115), abs=0.01)


def test_a_part_that_refers_to_its_own_pages_keeps_their_numbers() -> None:
    calla = printed("sheet", str(HEROES / "narrative-powers" / "calla.yaml")).read_bytes()
    assert "on page 3" in text_of(calla)
    two = [MergePart(f"Part {n}", data, "Heroes") for n, data in enumerate((calla, calla))]
    pdf = pypdfium2.PdfDocument(merge_parts(two, TOLD, face=FACE))
    low = [page.get_textpage().get_text_bounded(0, 0, 999, 20 * MM) for page in pdf]
    assert ["3 / 3" in one for one in low] == [False, False, True] * 2
    assert "6" in low[5].split()


@pytest.mark.parametrize("text", ["9 / 9", "left in the case 1 / 2"])
def test_what_looks_like_the_number_of_another_page_stays(text: str) -> None:
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(400, 600))
    page.drawString(300, 40, text)
    page.addLiteral("BT /F1 10 Tf 350 30 Td (1 / 1) Tj ET")
    page.showPage()
    page.save()
    merged = merge_parts([MergePart("Part", file.getvalue(), "Entry")], TOLD, face=FACE)
    said = pypdfium2.PdfDocument(merged)[0].get_textpage().get_text_bounded()
    assert text in said
    assert "1 / 1" not in said
