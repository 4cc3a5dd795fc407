"""PDF/A-2: the rules that our files could break, and that they stay what they were besides."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import pytest
from PIL import ImageCms

from sheetgen.plugins.prepress.preflight import inspect_file
from sheetgen.plugins.prepress.printers import convert_to_archive, srgb_profile
from tests.cli.commands import CHARACTERS
from tests.printers.files import printed, small
from tests.printing import values
from tests.render.ua_rules import faults
from tests.render.viewers import qpdf_says, text_of

pytestmark = pytest.mark.slow

HERO = str(CHARACTERS / "hyperspace-d6" / "jorra_kest.yaml")
PRINTS = {
    "sheet": ("sheet", HERO),
    "flat": ("sheet", HERO, "--flatten"),
    "cards": ("cards", "hyperspace-d6", "--kind", "npc"),
    "tables": ("tables", "hyperspace-d6"),
    "screen": ("screen", "hyperspace-d6"),
}


@pytest.mark.parametrize("kind", PRINTS)
def test_an_archive_keeps_the_rules(kind: str) -> None:
    path = printed(*PRINTS[kind], "--archive")
    data = path.read_bytes()
    assert qpdf_says(data) == ""
    assert faults(data) == [], "it is PDF/UA still"
    looked = inspect_file(path, None).value
    assert looked is not None
    assert looked.claims == ("PDF/A-2a", "PDF/UA-1")
    assert looked.conditions == ("GTS_PDFA1: sRGB, with its profile",)
    assert (looked.faults, looked.live, looked.unread) == ((), (), ())
    assert all(font.embedded for font in looked.fonts)
    assert all(page.drawn.colours.isdisjoint({"cmyk"}) for page in looked.pages)
    with pikepdf.open(path) as pdf:
        assert "/ID" in pdf.trailer
        for key in ("/OpenAction", "/AA"):
            assert key not in pdf.Root
        for page in pdf.pages:
            for one in page.obj.get("/Annots", ()):
                assert int(one.F) & 4
                assert not int(one.F) & (1 | 2 | 32 | 256)
                assert "/AA" not in one
                if one.Subtype == "/Widget":
                    assert "/A" not in one
                    assert list(one.AP.keys()) == ["/N"]
        packet = pdf.Root.Metadata
        assert "/Filter" not in packet
        with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:
            assert meta["dc:title"] == str(pdf.docinfo["/Title"])
            assert meta["dc:description"] == str(pdf.docinfo["/Subject"])
            assert meta["pdf:Producer"] == str(pdf.docinfo["/Producer"])
        assert b"pdfaExtension:schemas" in packet.read_bytes()


def test_an_archived_sheet_says_and_holds_the_same() -> None:
    plain = printed(*PRINTS["sheet"], "--no-calc")
    kept = printed(*PRINTS["sheet"], "--archive")
    assert text_of(kept.read_bytes()) == text_of(plain.read_bytes())
    assert values(kept.read_bytes()) == values(plain.read_bytes())


def test_pictures_are_not_smoothed() -> None:
    with pikepdf.open(io.BytesIO(small())) as pdf:
        pixel = pikepdf.Stream(pdf, b"\0", {"/Subtype": pikepdf.Name.Image, "/Interpolate": True})
        pdf.pages[0].obj.Own = pdf.make_indirect(pixel)
        target = io.BytesIO()
        pdf.save(target)
    assert b"/Interpolate" in target.getvalue()
    with pikepdf.open(io.BytesIO(convert_to_archive(target.getvalue()))) as archive:
        assert "/Interpolate" not in archive.pages[0].obj.Own


def test_the_profile_bears_no_time_of_day() -> None:
    assert srgb_profile()[24:36] == bytes.fromhex("07d000010001000000000000")
    profile = ImageCms.ImageCmsProfile(io.BytesIO(srgb_profile()))
    assert "sRGB" in ImageCms.getProfileName(profile)
    plain = printed(*PRINTS["sheet"]).read_bytes()
    assert convert_to_archive(plain) == convert_to_archive(plain)


def test_scripts_are_taken_out(tmp_path: Path) -> None:
    script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="app.alert(1)")
    widget = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Widget,
        FT=pikepdf.Name.Tx,
        T="a",
        Rect=[10, 10, 50, 30],
        AA=pikepdf.Dictionary(K=script),
        F=2,
    )
    with pikepdf.open(io.BytesIO(small(b"0 g", root={"/OpenAction": script}))) as pdf:
        field = pdf.make_indirect(widget)
        pdf.pages[0].obj.Annots = [field]
        pdf.Root.AcroForm = pikepdf.Dictionary(NeedAppearances=True, Fields=[field])
        target = io.BytesIO()
        pdf.save(target)
    data = target.getvalue()
    with pikepdf.open(io.BytesIO(convert_to_archive(data))) as pdf:
        one = pdf.pages[0].Annots[0]
        assert int(one.F) == 4
        assert "/AA" not in one
        assert one.AP.N.BBox == [0, 0, 40, 20]
        assert "/OpenAction" not in pdf.Root
        assert "/NeedAppearances" not in pdf.Root.AcroForm
        path = tmp_path / "b.pdf"
        path.write_bytes(convert_to_archive(data))
    looked = inspect_file(path, None).value
    assert looked is not None
    assert looked.claims == ("PDF/A-2b",), "a file without tags does not claim them"
