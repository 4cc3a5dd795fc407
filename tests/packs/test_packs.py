"""Packs: one file with the same bytes everywhere, checked, added, found by name, credited."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.rulesets.rulesets import layers_of
from sheetgen.plugins.builder.session import FormSession
from sheetgen.plugins.builder.site import _content
from sheetgen.plugins.packs.packs import fits, parse_version
from tests.cli.commands import run, run_apart, starter

BASE = "hyperspace-d6"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def pack_of(
    name: str, version: str = "1.0.0", needs: str = "", like: str = "", ruleset: str = ""
) -> Path:
    """Return the folder of a new pack with a small ruleset of its own, or that extends `like`."""
    folder = Path("made", f"{name}-{version}")
    more = ("--extends", like) if like else ()
    said = run("new", "ruleset", ruleset or name, "--out", folder, *more)
    assert said.status == 0, said.err
    head = f"name: {name}\nversion: {version}\nlicence: CC-BY-4.0\n"
    text = f"{head}credit: The {name} of Ada.\n" + (f"needs: {{{needs}}}\n" if needs else "")
    (folder / "pack.yaml").write_text(text, encoding="utf-8")
    return folder


def packed(
    name: str, version: str = "1.0.0", needs: str = "", like: str = "", ruleset: str = ""
) -> Path:
    """Return the file of a new pack; see `pack_of`."""
    said = run("pack", pack_of(name, version, needs, like, ruleset))
    assert said.status == 0, said.err
    return Path(said.out.strip())


def written() -> list[str]:
    """Return every path in `packs`; nothing but whole packs may be there."""
    return sorted(str(path) for path in Path("packs").rglob("*")) if Path("packs").exists() else []


def texts_of(path: Path | str) -> list[str]:
    """Return the short credits that the pages of a PDF carry: its subject."""
    with pikepdf.open(path) as pdf:
        return [str(pdf.docinfo["/Subject"])]


def test_equal_folders_give_equal_bytes() -> None:
    folder = pack_of("lamps")
    run("pack", folder, "--out", "a.zip")
    shutil.copytree(folder, "other")
    for number, path in enumerate(sorted(Path("other").rglob("*"), reverse=True)):
        os.utime(path, (number * 9_999_999, 9_999_999))
        path.chmod(0o700)
    run("pack", "other", "--out", "b.zip")
    assert Path("a.zip").read_bytes() == Path("b.zip").read_bytes()
    env = {"PATH": os.environ["PATH"], "HOME": str(Path.cwd()), "TZ": "Asia/Tokyo"}
    env |= {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C"}
    said = run_apart("pack", folder, "--out", "c.zip", cwd=Path.cwd(), env=env)
    assert said.status == 0, said.err
    assert Path("a.zip").read_bytes() == Path("c.zip").read_bytes()
    # What was added is the same pack again.
    run("add", "a.zip")
    run("pack", "packs/lamps", "--out", "d.zip")
    assert Path("a.zip").read_bytes() == Path("d.zip").read_bytes()
    with zipfile.ZipFile("a.zip") as archive:  # libraries compress in different ways
        assert {one.compress_type for one in archive.infolist()} == {zipfile.ZIP_STORED}


def test_a_ruleset_of_a_pack_is_found_by_name_here_and_below() -> None:
    run("add", packed("lamps"))
    assert "lamps" in run("list", "rulesets").out
    assert run("list", "lamps", "gear").status == 0
    hero = Path("people/deep/hero.yaml")
    hero.parent.mkdir(parents=True)
    text = Path("packs/lamps/characters/ada-quill.yaml").read_text(encoding="utf-8")
    hero.write_text(text.replace("ruleset: ..", "ruleset: Lamps"), encoding="utf-8")
    assert run("check", hero).status == 0
    assert run("check", "packs").status == 0
    said = run("new", "ruleset", "Oil", "--extends", "lamps")
    assert said.status == 0, said.err
    assert "extends: lamps\n" in Path("oil/ruleset.yaml").read_text(encoding="utf-8")
    # The form of `preview` and of a page finds it in the same way.
    answer = FormSession(hero.parent, hero).answer({"do": "open", "text": hero.read_text()})
    assert answer["title"] == "lamps"
    assert run("list", "packs").out.startswith("lamps ")


@pytest.mark.slow
def test_what_is_printed_credits_the_packs_that_it_uses() -> None:
    folder = Path("folk")
    starter(folder, BASE)
    (folder / "pack.yaml").write_text(
        "name: folk\nversion: 1.0.0\nlicence: CC-BY-4.0\ncredit: Folk by Cy.\n"
        f"needs: {{{BASE}: 1}}\n"
    )
    (folder / "fight.yaml").write_text(
        f"ruleset: {BASE}\nencounter: Fight\nplayers: [bo.yaml]\ncombatants: [{{npc: Thug}}]\n"
    )
    assert run("pack", folder).status == 0
    assert run("add", "folk-1.0.0.zip").status == 0
    said = run("sheet", "packs/folk/bo.yaml")
    assert said.status == 0, said.err
    assert texts_of("output/bo.pdf")[0].startswith("Folk by Cy. ")
    said = run("encounter", "packs/folk/fight.yaml", "--to", "html")
    assert "Folk by Cy." in Path("output/fight.html").read_text(encoding="utf-8")
    # A fight of one's own with somebody of a pack.
    mine = Path("mine.yaml")
    mine.write_text(
        f"ruleset: {BASE}\nencounter: Mine\nplayers: [packs/folk/bo.yaml]\n"
        "combatants: [{npc: Thug}]\n"
    )
    run("encounter", mine, "--to", "html")
    assert "Folk by Cy." in Path("output/mine.html").read_text(encoding="utf-8")
    said = run("sheet", "--blank", BASE)
    assert "Folk" not in texts_of(said.out.strip())[0]


@pytest.mark.slow
def test_a_print_of_several_files_credits_the_packs_of_all() -> None:
    for name, author in (("folk", "Cy"), ("more", "Di")):
        starter(Path("packs", name), BASE)
        Path("packs", name, "pack.yaml").write_text(
            f"name: {name}\nversion: 1.0.0\nlicence: CC-BY-4.0\ncredit: {name} by {author}.\n"
        )
    said = run("party", "packs/folk/bo.yaml", "packs/more/bo.yaml")
    assert said.status == 0, said.err
    assert {"folk by Cy.", "more by Di."} <= {*re.findall(r"\w+ by \w+\.", _subject(said.out))}
    Path("letter.md").write_text(
        f"---\nruleset: {BASE}\n---\n![[packs/folk/bo.yaml]]\n![[packs/more/bo.yaml]]\n"
    )
    said = run("handout", "letter.md")
    assert said.status == 0, said.err
    assert {"folk by Cy.", "more by Di."} <= {*re.findall(r"\w+ by \w+\.", _subject(said.out))}


def _subject(out: str) -> str:
    return texts_of(next(line for line in out.splitlines() if line.endswith(".pdf")))[0]


def test_a_pack_that_cannot_be_read_can_be_removed() -> None:
    broken = Path("packs/broken/pack.yaml")
    broken.parent.mkdir(parents=True)
    broken.write_text("name: broken\nversion: x\n")
    assert "--force" in run("remove", "broken").err
    assert broken.exists()
    assert run("remove", "broken", "--force").status == 0
    assert written() == []


def test_an_overlay_credits_itself_its_base_and_their_packs() -> None:
    run("add", packed("lamps"))
    run("add", packed("oil", needs="lamps: 1.0", like="lamps"))
    assert run("tables", "oil", "--to", "html").status == 0
    page = Path("output/lamps-tables.html")
    page = page if page.exists() else next(Path("output").glob("*.html"))
    text = page.read_text(encoding="utf-8")
    assert "The oil of Ada." in text
    assert "The lamps of Ada." in text


def test_another_version_asks_and_nothing_is_overwritten() -> None:
    first, second = packed("lamps"), packed("lamps", "1.1.0")
    run("add", first)
    before = {path: Path(path).stat().st_mtime_ns for path in written()}
    said = run("add", second)
    assert said.status == 1
    assert "SG402" in said.err
    assert "sheetgen remove lamps" in said.err
    assert {path: Path(path).stat().st_mtime_ns for path in written()} == before
    assert run("add", second, "--force").status == 0
    assert "1.1.0" in run("list", "packs").out
    assert run("remove", "lamps").status == 0
    assert written() == []
    assert "no packs" in run("list", "packs").out


def test_changed_files_are_not_removed_unasked() -> None:
    run("add", packed("lamps"))
    path = Path("packs/lamps/LICENSE.txt")
    path.write_text(path.read_text() + "mine")
    said = run("remove", "lamps")
    assert said.status == 1
    assert "SG702" in said.err
    assert path.read_text().endswith("mine")
    assert path.exists()
    assert run("remove", "lamps", "--force").status == 0
    assert not path.exists()


def test_a_missing_or_wrong_base_is_a_finding_and_nothing_is_written() -> None:
    lamps = packed("lamps")
    run("add", lamps)
    oil = packed("oil", needs="lamps: 1.0", like="lamps")
    run("remove", "lamps")
    said = run("add", oil)
    assert said.status == 1
    assert "oil: pack.yaml:" in said.err
    assert "error[SG408]: `oil` needs the pack `lamps` 1.0, which is not here" in said.err
    assert written() == []
    assert run("add", packed("lamps", "2.0.0")).status == 0
    assert "needs `lamps` 1.0, and 2.0.0 is here" in run("add", oil).err
    assert not Path("packs/oil").exists()
    assert run("add", lamps, oil, "--force").status == 0  # both at once, in any order
    said = run("remove", "lamps")
    assert said.status == 1
    assert "remove the pack that needs it first" in said.err
    assert "and 2.0.0 is here" in run("add", "lamps-2.0.0.zip", "--force").err
    assert "lamps                        1.0.0" in run("list", "packs").out


def test_a_base_that_needs_does_not_name_is_a_finding() -> None:
    run("add", packed("lamps"))
    said = run("pack", pack_of("oil", like="lamps"))
    assert "this uses `lamps`, which `needs` of pack.yaml does not name" in said.err
    folder = pack_of("wick", like="./packs/lamps", needs="lamps: 1")
    head = folder / "ruleset.yaml"
    text = head.read_text(encoding="utf-8")
    path = os.path.relpath("packs/lamps", folder)
    head.write_text(text.replace("extends: lamps", f"extends: {path}"), encoding="utf-8")
    assert "leads out of the pack" in run("pack", folder).err
    assert run("pack", pack_of("wrong", needs="lamps: 3")).status == 1


@pytest.mark.slow
def test_packs_that_need_each_other_are_a_finding() -> None:
    for one, other in (("lamps", "oil"), ("oil", "wick"), ("wick", "lamps")):
        folder = pack_of(one)
        run("pack", folder)
        run("add", f"{one}-1.0.0.zip")
        text = (folder / "pack.yaml").read_text() + f"needs: {{{other}: 1}}\n"
        Path(f"made/{one}.yaml").write_text(text)
    for one in ("lamps", "oil", "wick"):
        shutil.copy(f"made/{one}.yaml", f"made/{one}-1.0.0/pack.yaml")
    run("pack", "made/lamps-1.0.0", "--force")
    run("pack", "made/oil-1.0.0", "--force")
    run("add", "lamps-1.0.0.zip", "oil-1.0.0.zip", "--force")
    said = run("pack", "made/wick-1.0.0", "--force")
    assert said.err.count("these packs need each other") == 1
    assert "lamps → oil → wick → lamps" in said.err


def test_two_rulesets_of_one_id_are_a_finding() -> None:
    torches = packed("torches", ruleset="lamps")
    run("add", packed("lamps"))
    said = run("add", torches)
    assert "`torches` has a ruleset `lamps`, and lamps has one too" in said.err
    assert not Path("packs/torches").exists()
    # Somebody unpacked it by hand.
    shutil.copytree("made/torches-1.0.0", "packs/torches")
    assert "two packs have a ruleset `lamps`" in run("sheet", "--blank", "lamps").err
    assert run("list", "packs").status == 1
    said = run("pack", pack_of("wound-points"))
    assert "and sheetgen has one too" in said.err


@pytest.mark.many
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: lamps", "name: Lamps", "is no name of a pack"),
        ("name: lamps", "name: con", "is no name of a pack"),
        ("version: 1.0.0", "version: '1.0'", "is no version"),
        ("version: 1.0.0", "version: 1.0.0-01", "is no version"),
        ("licence: CC-BY-4.0", "licence: free for all", "is no SPDX licence"),
        ("licence: CC-BY-4.0", "licence: CC-BY-4", "did you mean `CC-BY-4.0`"),
        ("credit: The lamps of Ada.", "credit: ''", "credit"),
        ("credit: The lamps of Ada.", "", "needs a value for `credit`"),
    ],
)
def test_what_a_pack_says_of_itself_is_checked(old: str, new: str, told: str) -> None:
    path = pack_of("lamps") / "pack.yaml"
    path.write_text(path.read_text().replace(old, new))
    assert told in run("pack", path.parent).err


def test_other_files_are_left_out_and_named() -> None:
    folder = pack_of("lamps")
    (folder / "run.py").write_text("print()")
    (folder / "output").mkdir()
    (folder / "output/x.png").write_bytes(b"")
    (folder / "away").symlink_to("/etc")
    said = run("pack", folder)
    assert said.status == 0
    assert "left out: `run.py`" in said.err
    with zipfile.ZipFile("lamps-1.0.0.zip") as archive:
        assert not {"run.py", "output/x.png", "away"} & {*archive.namelist()}


def test_a_book_that_is_sold_has_nothing_that_forbids_it() -> None:
    text = f"title: T\n{{}}entries:\n  - screens: [{BASE}, d6-pips]\n"
    for keys, count in (
        ("", 0),
        ("sold: true\n", 1),
        ("licence: MIT\n", 1),
        ("licence: MIT\nsold: true\n", 2),
        ("licence: CC-BY-NC-SA-4.0\n", 0),
        ("licence: CC-BY-NC-SA-4.0 AND MIT\nsold: true\n", 1),
    ):
        Path("book.yaml").write_text(text.format(keys))
        assert run("check", "book.yaml").out.count("SG709") == count, keys
    Path("letter.md").write_text(f"---\nruleset: {BASE}\n---\n# A letter\n")
    Path("book.yaml").write_text("sold: true\nentries: [{handouts: [letter.md]}]\n")
    assert run("check", "book.yaml").out.count("SG709") == 1
    folder = pack_of("lamps")
    head = folder / "pack.yaml"
    for licence, count in (("MIT OR CC-BY-NC-4.0", 0), ("(CC-BY-NC-4.0 OR CC-BY-NC-SA-4.0)", 1)):
        head.write_text(re.sub(r"(?m)^licence: .*", f"licence: {licence}", head.read_text()))
        Path("book.yaml").write_text(f"sold: true\nentries: [{{screens: ./{folder}}}]\n")
        assert run("check", "book.yaml").out.count("forbids selling") == count, licence
    Path("book.yaml").write_text("sold: true\nentries: [{screens: wound-points}]\n")
    assert "states no licence" in run("check", "book.yaml").out


def test_packs_of_files_that_a_fight_or_a_handout_names_fit_the_book() -> None:
    folder = pack_of("lamps")
    head = folder / "pack.yaml"
    head.write_text(head.read_text().replace("CC-BY-4.0", "CC-BY-NC-4.0"))
    values = "kind: npc\nname: Ann\nattributes: {DEX: 3D}\n"
    (folder / "ann.yaml").write_text(f"ruleset: d6-pips\n{values}")
    rules = "ruleset: d6-pips\n"
    Path("fight.yaml").write_text(
        f"{rules}encounter: F\nplayers: [Bo]\ncombatants: [{{file: {folder}/ann.yaml}}]\n"
    )
    Path("letter.md").write_text(f"---\n{rules}---\n# A letter\n\n![[{folder}/ann.yaml]]\n")
    for entry in ("encounters: fight.yaml", "handouts: letter.md"):
        Path("book.yaml").write_text(f"sold: true\nentries: [{{{entry}}}]\n")
        assert run("check", "book.yaml").out.count("forbids selling") == 1, entry


@pytest.mark.parametrize(
    ("licence", "told"), [("free for all", "error"), ("CC-BY-4", "did you mean `CC-BY-4.0`")]
)
def test_the_licence_of_a_book_is_one_that_is_known(licence: str, told: str) -> None:
    Path("book.yaml").write_text(f"licence: {licence}\nentries: [{{screens: d6-pips}}]\n")
    done = run("check", "book.yaml")
    assert "SG709" in done.out
    assert told in done.out


def test_check_looks_into_handouts_and_descriptions_of_packs() -> None:
    folder = pack_of("lamps")
    head = folder / "pack.yaml"
    head.write_text(head.read_text().replace("1.0.0", "one"))
    (folder / "letter.md").write_text("---\nruleset: d6-pips\n---\n![[tabel: Wounds]]\n")
    (folder / "README.md").write_text("---\ntitle: About\n---\n![[tabel: Wounds]]\n")
    done = run("check", str(folder))
    assert "did you mean `table`?" in done.out
    assert "`one` is no version" in done.out
    assert "README" not in done.all


def test_a_page_that_builds_characters_takes_packs() -> None:
    for name, needs, like in (("lamps", "", ""), ("oil", "lamps: 1", "lamps")):
        run("add", packed(name, needs=needs, like=like))
    folders = layers_of(Path("packs/oil"))
    for name, content in _content(folders):
        if name.startswith("games/"):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(content)
    shutil.rmtree("packs")
    for game in ("oil", "lamps"):
        answer = FormSession(Path("games").absolute()).answer({"do": "new", "game": game})
        assert "The lamps of Ada." in answer["credit"]


@given(*(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),) * 2)
def test_versions_fit_as_they_promise(
    have: tuple[int, int, int], need: tuple[int, int, int]
) -> None:
    texts = [".".join(map(str, one)) for one in (have, need)]
    same = have[0] == need[0] and (have[0] > 0 or have[1] == need[1])
    assert fits(*texts) is (same and have >= need)


def test_versions_are_in_the_order_of_semantic_versioning() -> None:
    order = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2"]
    order += ["1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1"]
    parsed = [parse_version(text) for text in order]
    assert None not in parsed
    assert parsed == sorted(parsed)  # type: ignore[type-var]
    assert parse_version("1.0.0+a") == parse_version("1.0.0+b")
    assert [fits("1.4.2", need) for need in ("1", "1.4", "1.5", "2")] == [True, True, False, False]
