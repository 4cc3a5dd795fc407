"""Packs of strangers: nothing is written but whole packs, and nothing outside `packs`."""

from __future__ import annotations

import io
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sheetgen.diag.findings import Span
from sheetgen.plugins.packs.packs import (
    check_names,
    read_pack_archive,
    read_pack_file,
    write_pack_file,
)
from tests.cli.commands import run

HEAD = "name: evil\nversion: 1.0.0\nlicence: MIT\ncredit: Nobody.\n"
PNG = b"\x89PNG\r\n\x1a\n"


def archive(
    *names: str | zipfile.ZipInfo, content: bytes = b"a: 1\n", method: int = zipfile.ZIP_STORED
) -> bytes:
    """Return an archive with a correct `pack.yaml` and files of one content."""
    target = io.BytesIO()
    files = {str(getattr(name, "filename", name)): content for name in names}
    Path("head").mkdir(exist_ok=True)
    Path("head/pack.yaml").write_text(HEAD)
    file = read_pack_file(Path("head")).value
    assert file is not None
    with zipfile.ZipFile(target, "w", method) as made:
        made.writestr("pack.yaml", write_pack_file(file, files))
        for name in names:
            made.writestr(name, content)
    return target.getvalue()


def linked() -> bytes:
    entry = zipfile.ZipInfo("a.yaml")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return archive(entry, content=b"/etc/passwd")


def device() -> bytes:
    entry = zipfile.ZipInfo("a.yaml")
    entry.external_attr = (stat.S_IFCHR | 0o777) << 16
    return archive(entry)


def bomb() -> bytes:
    return archive("a.yaml", content=bytes(47_000_000), method=zipfile.ZIP_DEFLATED)


def encrypted() -> bytes:
    content = bytearray(archive("a.yaml"))
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.rfind(mark) + at] |= 1
    return bytes(content)


def overlapping() -> bytes:
    """Each entry of the directory is the same large file."""
    content = archive("a.txt", content=b"x" * 900_000)
    start = content.rfind(b"PK\1\2")
    entry, end = content[start : content.rfind(b"PK\5\6")], content[content.rfind(b"PK\5\6") :]
    first = content.find(b"PK\1\2")
    more = b"".join(entry.replace(b"a.txt", b"%c.txt" % (98 + n)) for n in range(20))
    size = struct.unpack("<I", end[12:16])[0] + len(more)
    end = end[:8] + struct.pack("<HHII", 22, 22, size, first) + end[20:]
    return content[: content.rfind(b"PK\5\6")] + more + end


def wrong_sum() -> bytes:
    return archive("a.yaml").replace(b"a: 1\n", b"a: 2\n")


def fake_size() -> bytes:
    """The directory says that there is little."""
    content = bytearray(
        archive("a.txt", content=bytes(b"x" * 9_000_000), method=zipfile.ZIP_DEFLATED)
    )
    at = content.rfind(b"PK\1\2") + 24
    content[at : at + 4] = struct.pack("<I", 10)
    return bytes(content)


def renamed(old: bytes, new: bytes) -> bytes:
    return archive(old.decode()).replace(old, new)


NESTED = {"a.zip": "is no text", "a.yaml": "holds something else than yaml", "a.png": "than png"}
HOSTILE: dict[str, Callable[[], bytes]] = {
    "climbs": lambda: archive("../evil.yaml"),
    "climbs inside": lambda: archive("a/../../evil.yaml"),
    "absolute": lambda: archive("/tmp/evil.yaml"),
    "backslash": lambda: archive("..\\evil.yaml"),
    "drive": lambda: archive("C:/evil.yaml"),
    "drive alone": lambda: archive("c:evil.yaml"),
    "share": lambda: archive("//server/evil.yaml"),
    "stream": lambda: archive("a.yaml:evil.yaml"),
    "dot": lambda: archive("./a.yaml"),
    "empty part": lambda: archive("a//b.yaml"),
    "turned": lambda: archive("a\u202elmay.yaml"),
    "hidden": lambda: archive(".git/config.txt"),
    "device name": lambda: archive("aux.yaml"),
    "device folder": lambda: archive("con/a.yaml"),
    "device by extension": lambda: archive("NUL.tar.txt"),
    "end in dot": lambda: archive("a./b.yaml"),
    "end in blank": lambda: archive("a /b.yaml"),
    "control": lambda: archive("a\n.yaml"),
    "nothing": lambda: renamed(b"aXb.yaml", b"a\0b.yaml"),
    "long": lambda: archive("a" * 250 + ".yaml"),
    "deep": lambda: archive("/".join("abcdefghijk") + ".yaml"),
    "case": lambda: archive("a.yaml", "A.yaml"),
    "case of folders": lambda: archive("a/b.yaml", "A/c.yaml"),
    "unicode": lambda: archive("\u00e9.yaml", "e\u0301.yaml"),
    "decomposed": lambda: archive(unicodedata.normalize("NFD", "\u00e9.yaml")),
    "fold": lambda: archive("stra\u00dfe.yaml", "strasse.yaml"),
    "file and folder": lambda: archive("a.yaml", "a.yaml/b.yaml"),
    "two heads": lambda: archive("pack.yaml"),
    "head in capitals": lambda: archive("PACK.yaml"),
    "a pack inside": lambda: archive("packs/other/pack.yaml"),
    "a head inside": lambda: archive("a/pack.yaml"),
    "printed": lambda: archive("output/a.png", content=PNG),
    "twice": lambda: archive("a.yaml", "a.yaml"),
    "code": lambda: archive("a.py"),
    "page": lambda: archive("a.html"),
    "no extension": lambda: archive("run"),
    "link": linked,
    "device": device,
    "bomb": bomb,
    "many": lambda: archive(*(f"{n}.txt" for n in range(2_100))),
    "overlapping": overlapping,
    "encrypted": encrypted,
    "cut": lambda: archive("a.yaml")[:-30],
    "cut in the middle": lambda: archive("a.yaml")[:200],
    "before it": lambda: b"#!/bin/sh\n" + archive("a.yaml"),
    "wrong sum": wrong_sum,
    "fake size": fake_size,
    "other method": lambda: archive("a.yaml", method=zipfile.ZIP_LZMA),
    "other bytes": lambda: archive("a.yaml", content=b"\xff\xfe"),
    "no archive": lambda: b"PK",
    "empty": lambda: b"",
    "nothing in it": lambda: b"PK\5\6" + bytes(18),
    **{f"nested {name}": lambda n=name: archive(n, content=archive("b.yaml")) for name in NESTED},
}


@pytest.mark.many
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_a_finding_and_nothing_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "deep" / "er"
    top.mkdir(parents=True)
    monkeypatch.chdir(top)
    Path("evil.zip").write_bytes(HOSTILE[name]())
    before = {*tmp_path.rglob("*")}
    said = run("add", "evil.zip", "--force")
    assert said.status == 1, said.out
    assert "SG407" in said.err
    assert {*tmp_path.rglob("*")} == before


@pytest.mark.parametrize("change", ["a: 1", "credit", "1.0.0"])
def test_what_was_changed_after_packing_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good = archive("a.txt", content=b"a: 1")
    Path("good.zip").write_bytes(good)
    assert run("add", "good.zip").status == 0
    with zipfile.ZipFile(io.BytesIO(good)) as made:
        files = {one: made.read(one) for one in made.namelist()}
    with zipfile.ZipFile("bad.zip", "w") as bad:
        for one, content in files.items():
            new = (
                change.replace("a: 1", "a: 2").replace("credit", "about").replace("1.0.0", "1.0.1")
            )
            bad.writestr(one, content.replace(change.encode(), new.encode()))
    said = run("add", "bad.zip", "--force")
    assert said.status == 1
    assert "pack.yaml" in said.err or "the digest differs" in said.err
    assert Path("packs/evil/a.txt").read_bytes() == b"a: 1"


def test_links_in_the_project_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("good.zip").write_bytes(archive("a.txt"))
    Path("packs").symlink_to("../elsewhere")
    assert run("add", "good.zip", "--force").status == 1
    assert [*(tmp_path / "elsewhere").iterdir()] == []
    Path("packs").unlink()
    Path("packs").mkdir()
    Path("packs/evil").symlink_to("../../elsewhere")
    assert run("add", "good.zip").status == 1
    assert run("add", "good.zip", "--force").status == 0
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damaged_archives_are_read_or_refused(
    data: st.DataObject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = bytearray(archive("a/b.txt", "c.png", content=PNG))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    Path("a.zip").write_bytes(content)
    read = read_pack_archive(Path("a.zip"))
    assert (read.value is None) == bool(read.findings)
    for name in read.value or ():
        assert not name.startswith("/")
        assert ".." not in name.split("/")


@given(
    st.lists(st.text(st.sampled_from("aA\u00e9e\u0301./\\:C *\0\u00df"), max_size=8), max_size=4)
)
def test_names_that_pass_are_apart_on_every_system(names: list[str]) -> None:
    names = [f"{name}.yaml" for name in names]
    if any(check_names(names, Span("x"))):
        return
    keys = {unicodedata.normalize("NFKD", name).casefold() for name in names}
    assert len(keys) == len(names)
    for name in names:
        path = Path("/top", name)
        assert path.resolve().is_relative_to("/top")
        assert unicodedata.normalize("NFC", name) == name
