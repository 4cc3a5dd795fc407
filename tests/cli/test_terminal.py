"""What reaches a terminal: author text with its control characters escaped, and nothing else."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, show
from sheetgen.diag.visible import visible
from tests.cli.commands import CHARACTERS, NOTICE, ROOT, run

pytestmark = pytest.mark.many

RIVET = CHARACTERS / "hyperspace-d6" / "rivet.yaml"
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\u2028\x7f\nerror[SG999]: forged"
OURS = re.compile(r"\x1b\[(\d*(;\d+)*m|2?K|1A|\?25[lh])|\r\n|\r(?=[^\n])|\n")
"""What we write ourselves: colours, the bar of progress (rich hides the cursor), and line ends."""

HOSTILE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


RUN = """
from sheetgen.cli import console
console._BAR_INTERVAL = 0.0
console.run()
"""
"""`sheetgen` with a bar that is drawn at each step, as it is on a slow machine."""


def on_terminal(*words: str | Path, cwd: Path) -> str:
    """Return all that `sheetgen` writes to a terminal that is its stdout and its stderr."""
    try:
        ours, theirs = pty.openpty()
    except OSError:
        pytest.skip("this machine gives no pseudo-terminal, as a chroot without /dev/pts")
    usual = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *map(str, words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=usual | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "HOME": str(cwd)},
    )
    os.close(theirs)
    said = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        try:
            part = os.read(ours, 65536) if ready else b""
        except OSError as error:
            if error.errno != errno.EIO:  # which says that the other end is closed
                raise
            part = b""
        if not part:
            break
        said += part
    os.close(ours)
    process.wait(60)
    return said.decode("utf-8", "surrogateescape")


def escaped(text: str) -> str:
    """Return `text` as a quoted YAML or JSON text."""
    return json.dumps(text)


def pdf_with_hostile_names(path: Path) -> None:
    """Write a PDF whose title, fields and fonts are called something hostile."""
    import pikepdf

    with pikepdf.new() as pdf:
        page = pdf.add_blank_page()
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name("/A\x1b[2J\x07"),
        )
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        page.Contents = pdf.make_stream(b"BT /F1 9 Tf 50 50 Td (x) Tj ET")
        field = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Widget,
            FT=pikepdf.Name.Tx,
            T=pikepdf.String(EVIL),
            V=pikepdf.String(EVIL),
            Rect=[0, 0, 10, 10],
        )
        held = pdf.make_indirect(field)
        page.Annots = pikepdf.Array([held])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([held]))
        for key in ("Title", "Author", "sheetgen_ruleset", "sheetgen_character"):
            pdf.docinfo[f"/{key}"] = pikepdf.String(EVIL)
        pdf.save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of files with hostile text in every place."""
    evil = escaped(EVIL)
    (tmp_path / "name.yaml").write_text(
        f"ruleset: hyperspace-d6\nname: {evil}\nspecies: {evil}\n{evil}: 1\n"
        f"skills: [{evil}, Pilot]\nadvances: [{evil}]\ngear: [{{{evil}: {evil}}}]\n"
        "edge: \u202eLuck\noptions: {" + evil + ": yes}\n"
    )
    (tmp_path / "rules.yaml").write_text(f"ruleset: {evil}\nname: a\n")
    (tmp_path / "fight.yaml").write_text(
        f"ruleset: hyperspace-d6\nencounter: {evil}\nplayers: [{evil}]\n"
        f"combatants: [{evil}, {{npc: {evil}}}]\n{evil}: 1\n"
    )
    (tmp_path / "book.yaml").write_text(
        f"title: {evil}\nout: out\n{evil}: 3\nentries:\n"
        f"  - sheets: [{evil}]\n  - sheets: [rows.csv]\n    template: row.yaml\n"
    )
    (tmp_path / "row.yaml").write_text("ruleset: hyperspace-d6\nname: $name\nspecies: $kind\n")
    (tmp_path / "rows.csv").write_text(f'name,kind,{evil}\n"{EVIL}","{EVIL}",1\n')
    (tmp_path / "bad.json").write_text(json.dumps({EVIL: EVIL}))
    sheet = {"sheetgen": "filled sheet", "format": 1, "ruleset": EVIL, "character": EVIL}
    fields = {"fields": {"name": EVIL, EVIL: EVIL}, "printed": {"name": EVIL}}
    (tmp_path / "filled.json").write_text(json.dumps({**sheet, **fields}))
    known = {**sheet, "ruleset": "hyperspace-d6", **fields}
    (tmp_path / "known.json").write_text(json.dumps(known))
    pdf_with_hostile_names(tmp_path / "hostile.pdf")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4\n\x1b[2J\n")
    name = "x\x1b[2J\u202e\x07\nerror: forged.yaml"
    (tmp_path / name).write_text(f"ruleset: {evil}\n")
    game = tmp_path / "game"
    game.mkdir()
    (game / "ruleset.yaml").write_text(
        f"id: game\ntitle: {evil}\nversion: 1\nformat: 1\n{evil}: {evil}\ncredit: "
        f"{{short: {evil}, long: {evil}, licence: {evil}}}\n"
    )
    return tmp_path


COMMANDS = [
    ("check", "."),
    ("check", "name.yaml", "--strict", "--set", f"{EVIL}={EVIL}"),
    ("check", "name.yaml", "--format", "json"),
    ("show", "name.yaml"),
    ("advance", "name.yaml"),
    ("diff", "name.yaml", str(RIVET)),
    ("sheet", ".", "--out", f"out{EVIL}"),
    ("sheet", "--blank", EVIL),
    ("sheet", str(RIVET), "--theme", EVIL),
    ("cards", "fight.yaml"),
    ("cards", EVIL),
    ("cards", "hyperspace-d6", "--kind", EVIL, "--grid", EVIL),
    ("encounter", "fight.yaml"),
    ("build", "book.yaml", "--dry-run"),
    ("build", "."),
    ("read", "bad.json", "bad.pdf", "--into", f"x{EVIL}"),
    ("read", "filled.json", "known.json", "hostile.pdf"),
    ("read", "known.json", "--into", "name.yaml", "--dry-run"),
    ("read", "known.json", "hostile.pdf", "--format", "json"),
    ("preflight", "bad.pdf"),
    ("preflight", "hostile.pdf"),
    ("preflight", "hostile.pdf", "--format", "json"),
    ("booklet", "bad.pdf", "--creep", EVIL),
    ("odds", EVIL),
    ("odds", "3D", "--ruleset", EVIL),
    ("tables", "game"),
    ("tables", "hyperspace-d6", EVIL),
    ("screen", "hyperspace-d6", EVIL),
    ("proof", "game"),
    ("list", "./game"),
    ("list", EVIL),
    ("list", "hyperspace-d6", EVIL),
    ("explain", EVIL),
    ("new", "character", EVIL, "Bo"),
    ("new", "character", "hyperspace-d6", "Bo", "--out", "\x1b[2J.yaml"),
    ("new", "ruleset", EVIL),
    ("new", EVIL),
    (EVIL,),
    ("check", f"--{EVIL}"),
    ("check", f"{EVIL}.yaml", "nothing\x1b.yaml"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: "-".join(words[:1]).split("\x1b")[0])
def test_no_control_of_an_author_reaches_the_terminal(words: tuple[str, ...], folder: Path) -> None:
    said = on_terminal(*words, cwd=folder)
    assert "Traceback" not in said
    ours = OURS.sub("", said)
    assert not HOSTILE.search(ours), repr(HOSTILE.search(ours))
    assert not re.search(r"(?m)^\s*error(\[SG999\])?: forged", said)


def test_our_own_colours_stay(folder: Path) -> None:
    assert "\x1b[31;1merror[SG101]\x1b[0m" in on_terminal("check", "rules.yaml", cwd=folder)


def test_the_caret_stands_under_what_is_escaped() -> None:
    line = 'a: "\x07\u202e" \u9f8d\u0301 wrong'
    finding = Finding(codes.WRONG_TYPE, Span("f", 1, line.index("wrong") + 1, 5), "no")
    excerpt, caret = show(finding, [line]).splitlines()[2:4]
    assert excerpt == ' 1 | a: "\\x07\\u202e" \u9f8d\u0301 wrong'
    wide, joined = 1, 1
    assert caret.index("^") == excerpt.index("wrong") + wide - joined
    assert caret.endswith(" ^^^^^")


def test_json_has_controls_as_its_own_escapes(tmp_path: Path) -> None:
    name = "a\x85\x7f\u202e\u2066\U000e0041.yaml"
    said = run("check", name, "--format", "json").out
    assert not HOSTILE.search(said)
    assert "\\u007f\\u202e\\u2066\\udb40\\udc41" in said
    assert json.loads(said)[0]["file"] == name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zo\u00eb \u9f8d \U0001f409 \u00a0\u3000", "Zo\u00eb \u9f8d \U0001f409 \u00a0\u3000"),
        ("a\u200db\u200c", "a\u200db\u200c"),
        ("\x1b[31m\x9b\x07\n\r\t", "\\x1b[31m\\x9b\\x07\\n\\r\\t"),
        ("\u2028\u202e\u2066\u200f\ufeff", "\\u2028\\u202e\\u2066\\u200f\\ufeff"),
        ("\udcff\ud83d\U000e0041", "\\xff\\ud83d\\U000e0041"),
    ],
)
def test_what_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = f"{sys.executable} -m sheetgen"
    return subprocess.run(
        command.replace("sheetgen", program, 1),  # not in the names of folders
        shell=True,
        executable="/bin/bash",
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "--help",
        f"check {RIVET}",
        f"show {RIVET}",
        f"check {RIVET} --format json",
        f"advance {RIVET}",
        "list rulesets",
        "odds 3D",
        "explain SG001",
        "tables hyperspace-d6 --list",
        "proof wound-points",
        f"build {RIVET.parent} --dry-run",
    ],
)
def test_a_full_device(words: str, tmp_path: Path) -> None:
    """Guards against a traceback, and against Python's own words at the end."""
    done = shell(f"sheetgen {words} >/dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "sheetgen: cannot write to stdout: no space left on device\n"
    both = shell(f"sheetgen {words} >/dev/full 2>/dev/full", tmp_path)
    assert (both.returncode, both.stderr) == (1, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed: str, tmp_path: Path) -> None:
    """A file that was opened once got the number of a closed stream, and what was said to it."""
    done = shell(f"sheetgen sheet {RIVET} {closed}", tmp_path)
    assert (done.returncode, NOTICE.sub("", done.stderr)) == (0, "")
    assert (tmp_path / "output" / "rivet.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "a.yaml").write_text("ruleset: nothing\n")
    assert shell(f"sheetgen check a.yaml {closed}", tmp_path).returncode == 1


def test_files_that_cannot_be_read_stop_no_other(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "good.yaml").write_bytes(RIVET.read_bytes())
    bad = [tmp_path / f"{name}.yaml" for name in ("none", "folder", "pipe", "dangling", "loop")]
    for command in (("check",), ("sheet", "--out", tmp_path / "out")):
        said = run(*command, *bad, tmp_path / "good.yaml")
        assert said.status == 1
        assert (said.err + said.out).count("error[SG001]") == len(bad)
        assert "good" in said.out


def test_a_file_without_permission_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against click's own check, which ended everything as wrong usage."""
    shut = tmp_path / "shut.yaml"
    shut.write_text("name: a\n")
    usual = os.open

    def refused(path: str | Path, *more: int, **kinds: int) -> int:
        if str(path) == str(shut):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return usual(path, *more, **kinds)

    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != str(shut))
    said = run("check", shut, RIVET)
    assert said.status == 1
    assert "cannot read it: permission denied" in said.out
    assert f"{RIVET}: clean" in said.out
