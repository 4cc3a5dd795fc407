"""What commands print where, and the status that they leave."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sheetgen import write as files
from sheetgen.diag.codes import CODES
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.rules.formulas.expressions import FormulaError
from tests.cli.commands import CHARACTERS, ROOT, run, run_apart, starter
from tests.printing import CHARACTERS as ALL
from tests.printing import GAMES

BROKEN = "ruleset: keyword-dots\nname: Broken\nclass: Jedi Gardener\nxp: 5\n"
WARNED = CHARACTERS / "keyword-dots" / "osric-vayne.yaml"
RIVET = CHARACTERS / "hyperspace-d6" / "rivet.yaml"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN)
    return path


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    """Return a character with warnings and no errors."""
    more = "specials: [Flurry]\n"
    path = starter(tmp_path, "keyword-dots", more=more, stem="warned")
    data = json.loads(run("check", path, "--format", "json").out)[0]["findings"]
    assert {f["severity"] for f in data} == {"warning"}
    return path


def test_status_0_clean(tmp_path: Path) -> None:
    for game in GAMES:
        said = run("check", starter(tmp_path, game, stem=game))
        assert (said.status, said.err) == (0, "")
        assert said.out == f"{tmp_path / game}.yaml: clean\n"


def test_status_1_the_files_are_wrong(broken: Path) -> None:
    for command in ("check", "show", "advance", "sheet"):
        said = run(command, broken)
        assert said.status == 1
        findings, other = (said.out, said.err) if command == "check" else (said.err, said.out)
        assert "error[SG201]" in findings
        assert "class: Jedi Gardener" in findings
        assert "error[" not in other


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("nonsense",),
        ("check", "--nonsense", "a.yaml"),
        ("check", "a.yaml", "--set", "no-sign"),
        ("check", "a.yaml", "--format", "xml"),
        ("sheet",),
        ("sheet", "a.yaml", "--to", "docx"),
        ("sheet", "a.yaml", "--paper", "a5"),
        ("sheet", "--blank", "no-game"),
        ("list", "nothing"),
        ("list", "keyword-dots", "nothing"),
        ("new", "character", "no-game", "Bo"),
        ("new", "character", "keyword-dots"),
        ("explain", "SG999"),
        ("advance",),
    ],
    ids=lambda words: " ".join(map(str, words[:2])).rpartition("/")[2],
)
def test_status_2_wrong_usage(words: tuple[str, ...]) -> None:
    said = run(*words)
    assert said.status == 2
    assert said.out == ""
    assert "Error: " in said.err or "--blank: error[" in said.err


def test_a_near_command_is_named() -> None:
    assert "did you mean `sheet`?" in run("sheets").err


def test_a_look_that_is_not_there(tmp_path: Path) -> None:
    said = run("sheet", RIVET, "--theme", "monochrome", "--out", tmp_path)
    assert said.status == 2
    assert "SG304" in said.err
    assert list(tmp_path.iterdir()) == []


def test_strict_makes_warnings_count(warned: Path) -> None:
    assert run("check", warned).status == 0
    strict = run("check", warned, "--strict")
    assert strict.status == 1
    assert "error[" in strict.out
    assert "warning[" not in strict.out
    assert run("show", warned, "--strict").status == 1


def test_strict_prints_no_sheet_of_what_is_warned_of(warned: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = run("sheet", warned, "--strict", "--out", out)
    assert said.status == 1
    assert "not printed" in said.err
    assert not out.exists()
    assert run("sheet", warned, "--out", out).status == 0


def test_set_plays_a_rule_another_way(warned: Path) -> None:
    """Guards `--set`: it wins over the file, and a wrong one is said, never passed over."""
    assert run("check", warned, "--strict", "--set", "special_ability.awarded=true").status == 0
    wrong = run("check", warned, "--set", "special_ability.awarded=perhaps")
    assert wrong.status == 2
    assert "SG107" in wrong.err
    unknown = run("check", warned, "--set", "specials.awarded=true")
    assert unknown.status == 2
    assert "SG107" in unknown.err
    data = json.loads(run("show", warned, "--set", "limits=house", "--format", "json").out)
    assert data["options"]["limits"] == "house"


def test_set_is_not_passed_over_for_a_blank(tmp_path: Path) -> None:
    """A blank once took any option, and none of them had an effect."""
    said = run("sheet", "--blank", GAMES[0], "--set", "nonsense=1", "--out", tmp_path)
    assert said.status == 2
    assert "SG107" in said.err


def test_check_as_json_is_complete(broken: Path, tmp_path: Path) -> None:
    paths = [broken, RIVET, tmp_path / "gone.yaml"]
    said = run("check", *paths, "--format", "json")
    data = json.loads(said.out)
    assert said.status == 1
    assert said.err == ""
    assert [entry["file"] for entry in data] == [str(path) for path in paths]
    assert [entry["ok"] for entry in data] == [False, True, False]
    for finding in (f for entry in data for f in entry["findings"]):
        assert finding.keys() == {
            *("code", "severity", "file", "line", "column", "width", "message", "hint", "rule")
        }
        assert finding["code"] in CODES
    first = data[0]["findings"][0]
    assert (first["code"], first["line"], first["column"]) == ("SG201", 3, 8)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_show_as_json_is_complete(path: Path) -> None:
    data = json.loads(run("show", path, "--format", "json").out)
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data["name"] == written["name"]
    assert path.parent.name in data["ruleset"].split("+")
    assert data["file"] == os.path.relpath(path)
    assert data["ratings"]
    assert data["derived"]
    for ledger in data["ledgers"].values():
        assert ledger["left"] == ledger["gained"] - ledger["spent"]
        assert ledger["left"] == ledger["lines"][-1]["left"]
    assert {f["severity"] for f in data["findings"]} <= {"note", "warning"}
    text = run("show", path).out
    assert written["name"] in text
    assert data["_credit"] in text


def test_json_says_why_there_is_nothing(tmp_path: Path) -> None:
    """A program once got `[]` for a file that could not be read, and no reason."""
    gone = tmp_path / "gone.yaml"
    for command in ("show", "advance"):
        said = run(command, gone, "--format", "json")
        assert said.status == 1
        assert [f["code"] for f in json.loads(said.out)["findings"]] == ["SG001"]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_advance_as_json_is_complete(path: Path) -> None:
    data = json.loads(run("advance", path, "--format", "json").out)
    show = json.loads(run("show", path, "--format", "json").out)
    assert data["left"] == {pool: ledger["left"] for pool, ledger in show["ledgers"].items()}
    assert data["offers"]
    for offer in data["offers"]:
        assert offer["can"] == (not offer["why_not"])
        assert not offer["can"] or offer["price"] <= data["left"][offer["pool"]]
    can = [offer["what"] for offer in data["offers"] if offer["can"]]
    text, everything = run("advance", path).out, run("advance", path, "--all").out
    assert all(what in text for what in can)
    assert all(offer["what"] in everything for offer in data["offers"])


def test_results_and_talk_go_apart(broken: Path, tmp_path: Path) -> None:
    """Guards pipes: stdout carries paths and nothing else, whatever is wrong besides."""
    out = tmp_path / "out"
    said = run("sheet", RIVET, broken, "--to", "pdf", "--to", "html", "--out", out)
    assert said.status == 1
    assert said.out.splitlines() == [str(out / "rivet.pdf"), str(out / "rivet.html")]
    assert all(Path(line).is_file() for line in said.out.splitlines())
    assert "broken.yaml: not printed" in said.err


def test_one_bad_file_stops_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    starter(folder, GAMES[0], stem="a")
    (folder / "b.yaml").write_text("ruleset: [\n")
    (folder / "c.yaml").write_bytes(b"\xff\x00")
    (folder / "d.yaml").write_text(BROKEN)
    (folder / "e.yaml").write_text("ruleset: ./nowhere\nname: E\n")
    starter(folder, GAMES[-1], stem="f")
    said = run("sheet", folder, "--out", tmp_path / "out")
    assert said.status == 1
    assert [Path(line).name for line in said.out.splitlines()] == ["a.pdf", "f.pdf"]
    for stem in "bcde":
        assert f"{stem}.yaml" in said.err
    counted = re.findall(r"/[a-f]\.yaml: ", run("check", folder).out)
    assert len(counted) == 6


def test_a_draft_is_stamped_and_says_what_is_wrong(broken: Path, tmp_path: Path) -> None:
    said = run("sheet", broken, "--draft", "--out", tmp_path / "out")
    assert said.status == 1
    [path] = said.out.splitlines()
    text = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True).stdout.decode()
    assert "DRAFT" in text
    assert "Jedi Gardener" in text.replace("\n", " ")


def _kinds(folder: Path) -> dict[str, Path]:
    """Return paths that are no characters' files, each by what it is."""
    found = {
        "empty": folder / "empty.yaml",
        "binary": folder / "binary.yaml",
        "zeros": folder / "zeros.yaml",
        "large": folder / "large.yaml",
        "fifo": folder / "fifo.yaml",
        "gone": folder / "gone.yaml",
        "folder": folder / "folder.yaml",
        "loop": folder / "loop.yaml",
        "long": folder / ("x" * 300),
        "below-a-file": folder / "empty.yaml" / "a.yaml",
    }
    found["empty"].touch()
    found["binary"].write_bytes(bytes(range(256)) * 40)
    found["zeros"].write_bytes(bytes(5000))
    with found["large"].open("wb") as file:
        file.truncate(50_000_000)
    os.mkfifo(found["fifo"])
    found["folder"].mkdir()
    found["loop"].symlink_to(found["loop"])
    return found


@pytest.mark.parametrize("command", ["check", "show", "advance", "sheet"])
def test_what_is_no_character_is_a_finding(command: str, tmp_path: Path) -> None:
    """Guards against tracebacks, hanging on a pipe, and silence about an empty folder."""
    for kind, path in _kinds(tmp_path).items():
        said = run(command, path, *(["--out", tmp_path / "out"] if command == "sheet" else []))
        assert said.status == 1, kind
        assert "error[SG00" in said.err + said.out, kind
    assert not (tmp_path / "out").exists()


def test_a_way_to_what_is_no_character(tmp_path: Path) -> None:
    for kind, path in _kinds(tmp_path).items():
        said = run("advance", RIVET, "--to", path)
        assert said.status == 1, kind
        assert "not legal: one of the two files cannot be read" in said.out


def test_lines_end_as_their_author_ends_them(tmp_path: Path) -> None:
    """Files from Windows were once shown with a stray mark at the end of each line."""
    path = tmp_path / "crlf.yaml"
    path.write_bytes(BROKEN.replace("\n", "\r\n").encode())
    said = run("check", path)
    assert " 3 | class: Jedi Gardener\n" in said.out


@pytest.mark.many
@pytest.mark.parametrize("formats", [["html"], ["pdf", "html"], ["png"]], ids=str)
@pytest.mark.parametrize("stem", ["bo", "й" * 97])
def test_two_inputs_of_one_name(tmp_path: Path, formats: list[str], stem: str) -> None:
    """Both are printed, and one finding says what the second is called."""
    one = starter(tmp_path / "a", GAMES[0], name="First", stem=stem)
    two = starter(tmp_path / "b", GAMES[0], name="Second", stem=stem)
    to = [word for format_ in formats for word in ("--to", format_)]
    said = run("sheet", one, two, *to, "--out", tmp_path / "out")
    assert said.status == 0
    names = [Path(line).name for line in said.out.splitlines()]
    first, second = names[: len(names) // 2], names[len(names) // 2 :]
    assert len(set(names)) == 2 * len(first) == 2 * len(second) > 0
    assert said.err.count("SG403") == 1
    assert str(one) in said.err
    assert run("sheet", two, *to, "--out", tmp_path / "alone").status == 0
    for name, alone in zip(second, first, strict=True):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "alone" / alone).read_bytes()


def test_an_input_that_is_named_twice_is_printed_once(tmp_path: Path) -> None:
    one = starter(tmp_path / "a", GAMES[0], name="First")
    twice = run("sheet", one, one, tmp_path / "a", "--out", tmp_path / "out")
    assert twice.status == 0
    assert len(twice.out.splitlines()) == 1


def test_a_formula_without_a_value_ends_no_blank_in_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def divide(*_: object) -> None:
        raise FormulaError("this divides by nothing")

    monkeypatch.setattr("sheetgen.prints.sheet.print_blank", divide)
    said = run("sheet", "--blank", "d6-pips", "--out", tmp_path)
    assert said.status == 1
    assert "a formula of the ruleset cannot be computed: this divides by nothing" in said.err


def test_a_blank_and_a_character_of_one_name(tmp_path: Path) -> None:
    one = starter(tmp_path, GAMES[0], stem=f"{GAMES[0]}-blank")
    said = run("sheet", one, "--blank", GAMES[0], "--out", tmp_path / "out")
    assert said.status == 0
    assert len(said.out.splitlines()) == 2
    assert "SG403" in said.err
    assert "None" not in said.err


def test_never_over_a_source(tmp_path: Path) -> None:
    """A source may have any name; one named like an output was once written over, if it
    came later in the same run."""
    path = starter(tmp_path, GAMES[0], stem="bo")
    odd = tmp_path / "bo.pdf"
    shutil.copy(path, odd)
    before = odd.read_bytes()
    for order in ((odd,), (path, odd), (odd, path)):
        said = run("sheet", *order, "--out", tmp_path)
        assert said.status == 1
        assert "SG402" in said.err
        assert odd.read_bytes() == before
    link = tmp_path / "out"
    link.mkdir()
    (link / "bo.pdf").symlink_to(odd)
    assert run("sheet", odd, "--out", link).status == 1
    assert odd.read_bytes() == before


def test_out_that_cannot_be_written(tmp_path: Path) -> None:
    """Even root cannot write there, so that this holds wherever tests run."""
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "taken" / "rivet.pdf").mkdir(parents=True)
    for out in (file, file / "below", Path("/proc/none"), tmp_path / ("x" * 300)):
        said = run("sheet", RIVET, "--out", out)
        assert said.status == 1
        assert "SG401" in said.err
        assert said.out == ""
    assert "SG401" in run("sheet", RIVET, "--out", tmp_path / "taken").err
    assert file.read_bytes() == b""


ODD_NAMES = {
    "quotes": 'Bo "Q" O\'Neil',
    "newline": "two\nlines",
    "emoji": "🎲",
    "long": "x" * 300,
    "long-emoji": "🎲é" * 150,
    "way-up": "../x",
    "absolute": "/etc/passwd",
    "backslash": "C:\\x\\",
    "place": "{name}",
    "comment": "#x",
    "yes": "yes",
    "number": "1e3",
    "controls": "a\x07\x1b[31mb",
    "separators": "a\u2028b\x85c",
    "reserved": "a: b, [c] {d} & *e !f |g >h %i @j `k",
}


@pytest.mark.many
@pytest.mark.parametrize("game", ruleset_ids())
@pytest.mark.parametrize("kind", ODD_NAMES)
def test_new_characters_check_clean(
    kind: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    said = run("new", "character", game, ODD_NAMES[kind])
    assert (said.status, said.err) == (0, "")
    [made] = folder.iterdir()
    assert said.out == f"{made.name}\n"
    assert sorted(tmp_path.iterdir()) == [folder]
    assert run("check", made, "--strict").status == 0
    data = json.loads(run("show", made, "--format", "json").out)
    plain = "".join(c if c.isprintable() else " " for c in ODD_NAMES[kind])
    assert data["name"].split() == plain.split()


@pytest.mark.parametrize("name", ["", "  ", "\n", "\x07"])
def test_a_new_character_needs_a_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("new", "character", GAMES[0], name)
    assert said.status == 2
    assert "a character needs a name" in said.err
    assert not list(tmp_path.iterdir())


def test_new_never_writes_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bo.yaml"
    path.write_text("mine")
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "nowhere")
    for words in (("Bo",), ("Bo", "--out", path), ("Bo", "--out", "."), ("Dangling",)):
        said = run("new", "character", GAMES[0], *words)
        assert said.status == 1
        assert "SG402" in said.err
        assert said.out == ""
    assert path.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    long = run("new", "character", GAMES[0], "Bo", "--out", tmp_path / ("x" * 300))
    assert long.status == 1
    assert "SG401" in long.err


def _ways(tmp_path: Path, old: Path, new: str) -> tuple[int, dict[str, object]]:
    path = tmp_path / "new.yaml"
    path.write_text(new, encoding="utf-8")
    said = run("advance", old, "--to", path, "--format", "json")
    return said.status, json.loads(said.out)


def test_a_legal_way_by_dots(tmp_path: Path) -> None:
    """Jump from 2 to 4 costs 3 + 4, Piloting from 1 to 2 costs 2: 9 in all."""
    old = starter(tmp_path, "keyword-dots", stem="old")
    new = old.read_text().replace("Jump: 2", "Jump: 4").replace("Piloting: 1", "Piloting: 2")
    status, data = _ways(tmp_path, old, new.replace("xp: 20", "xp: 40"))
    assert status == 0, data
    assert data["cost"] == {"xp": 9}
    assert data["refused"] == []


def test_an_illegal_way_by_dots(tmp_path: Path) -> None:
    """What was bought stays bought, and a price that is not there cannot be paid."""
    old = starter(tmp_path, "keyword-dots", stem="old")
    status, data = _ways(tmp_path, old, old.read_text().replace("Jump: 2", "Jump: 1"))
    assert status == 1
    assert data["refused"]
    dear = old.read_text().replace("Jump: 2", "Jump: 5")
    status, data = _ways(tmp_path, old, dear)
    assert status == 1
    assert data["refused"]


def test_a_legal_way_by_dice(tmp_path: Path) -> None:
    """A skill costs three times its new dice, an attribute nine times: 6 + 45 + 9 are 60."""
    old = starter(tmp_path, "hyperspace-d6", stem="old")
    new = old.read_text().replace("points: 0 ", "points: 55 ")
    status, data = _ways(tmp_path, old, new + "\nadvances: [Blasters, Dexterity, Blasters]\n")
    assert status == 0, data
    steps = data["steps"]
    assert isinstance(steps, list)
    assert [step["price"] for step in steps] == [6, 45, 9]
    assert data["cost"] == {"cp": 60}
    left = data["left"]
    assert isinstance(left, dict)
    assert left["cp"] == 0


def test_an_illegal_way_by_dice(tmp_path: Path) -> None:
    old = starter(tmp_path, "hyperspace-d6", stem="old")
    for advances in ("[Blasters, Blasters]", "[Dexterity]", "[Nonsense]"):
        status, data = _ways(tmp_path, old, f"{old.read_text()}\nadvances: {advances}\n")
        assert status == 1
        assert data["refused"]
    other = starter(tmp_path, "keyword-dots", stem="other")
    said = run("advance", old, "--to", other)
    assert said.status == 1
    assert "different rulesets" in said.out


def test_a_way_to_oneself_costs_nothing() -> None:
    for path in ALL:
        said = run("advance", path, "--to", path, "--format", "json")
        data = json.loads(said.out)
        assert said.status == 0
        assert (data["steps"], data["refused"]) == ([], [])


@pytest.mark.parametrize("what", ["rulesets", "themes", "sheets", *ruleset_ids()])
def test_lists_are_results(what: str) -> None:
    said = run("list", what)
    assert said.status == 0
    assert said.out
    assert said.err == ""
    if what in ruleset_ids():
        for line in said.out.splitlines():
            part, _, count = line.partition(")")[0].partition(" (")
            assert run("list", what, part).out.count("\n") == int(count)


def test_every_code_is_explained() -> None:
    assert len(run("explain").out.splitlines()) == len(CODES)
    for code in CODES:
        said = run("explain", code.lower())
        assert said.status == 0
        assert said.out.startswith(f"{code}: ")


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards `put`: neither a full disk nor an interrupt leaves half a file, or litter."""
    target = tmp_path / "a.pdf"
    target.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", full)
    finding = files.write_file(target, b"new", force=True)
    assert finding is not None
    assert "no space left" in finding.message
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write_file(target, b"new", force=True)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


SLOW_WRITE = """
import os, sys, time
from pathlib import Path
from sheetgen import write as files
class Slow:
    def __init__(self, file): self.file, self.name, self.fileno = file, file.name, file.fileno
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def write(self, content):
        self.file.write(content[:len(content) // 2]); self.file.flush()
        print("half", flush=True)
        time.sleep(60)
files.open = lambda *a: Slow(open(*a))
files.write_file(Path(sys.argv[1]), b"new" * 100000, force=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_no_half_file(how: signal.Signals, tmp_path: Path) -> None:
    target = tmp_path / "a.pdf"
    target.write_bytes(b"old")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITE, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout
    assert process.stdout.readline() == b"half\n"
    process.send_signal(how)
    process.communicate(timeout=300)
    assert target.read_bytes() == b"old"


def test_a_pipe_that_is_closed_ends_it_quietly(tmp_path: Path) -> None:
    command = f"{sys.executable} -m sheetgen show {RIVET} | true"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for _ in range(3):
        done = subprocess.run(
            command, shell=True, env=env, cwd=tmp_path, capture_output=True, check=False
        )
        assert done.stderr == b""


def test_help_loads_no_engine(tmp_path: Path) -> None:
    """Guards lazy imports: an engine that is loaded for `--help` costs half a second."""
    program = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from sheetgen.cli.console import run\n"
        "try: run()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    engines = {"weasyprint", "reportlab", "fontTools", "jinja2", "PIL", "yaml"}
    assert "Usage" in done.stdout
    assert not engines & set(done.stderr.split())


@pytest.mark.parametrize(
    "wrong",
    [
        ("sheet", "--blank", "keyword-dots", "--theme", "zz"),
        ("sheet", "--blank", "keyword-dots", "--set", "zz=1"),
        ("tables", "keyword-dots", "--set", "max_dots=many"),
        ("odds", "4D", "--ruleset", "hyperspace-d6", "--set", "zz=1"),
    ],
)
def test_a_wrong_option_is_wrong_usage(wrong: tuple[str, ...], tmp_path: Path) -> None:
    said = run(*wrong, "--out", str(tmp_path))
    assert said.status == 2
    assert said.err.startswith(f"{wrong[-2]}: error")


@pytest.mark.parametrize(
    "words",
    [
        *((name, "keywrd-dots") for name in ("cards", "tables", "screen", "proof")),
        ("odds", "keywrd-dots", "--to", "pdf"),
        ("odds", "4D", "--ruleset", "keywrd-dots"),
        ("diff", RIVET, RIVET, "--set", "modles=no"),
    ],
)
def test_a_misspelt_ruleset_or_option_is_wrong_usage(words: tuple[str | Path, ...]) -> None:
    said = run(*words)
    assert said.status == 2
    assert said.err.startswith("--set: error" if "--set" in words else "RULESET: error")
    assert ":1:1" not in said.err


@pytest.mark.slow
def test_first_prints_say_what_is_prepared_and_later_ones_are_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cards = ("cards", "hyperspace-d6", "--kind", "gear", "--theme", "mono", "--out", tmp_path)
    first = "".join(run(*cards).notices)
    assert first.startswith("preparing ")
    assert "laying out the thing-cards of HyperspaceD6" in first
    assert run(*cards, "--force").notices == ()
    book = tmp_path / "book.yaml"
    book.write_text("defaults: {theme: mono}\nentries: [{blanks: [d6-pips, wound-points]}]\n")
    built = run_apart("build", book, "--jobs", "2", cwd=tmp_path).notices
    assert "laying out the sheet of D6 with Pips" in "".join(built)
    again = run_apart("build", book, "--force", cwd=tmp_path).notices
    assert not any("this happens once" in line for line in again)


@pytest.mark.parametrize(
    "words",
    [("sheet", RIVET), ("sheet", "--blank", "d6-pips"), ("tables", "d6-pips", "play")],
    ids=lambda words: " ".join(map(str, words[:2])).rpartition("/")[2],
)
def test_an_out_that_cannot_be_opened_is_a_finding(
    words: tuple[str | Path, ...], tmp_path: Path
) -> None:
    """A file stands in the way, so that this holds for root, too."""
    (tmp_path / "file").write_text("mine")
    said = run(*words, "--out", tmp_path / "file" / "below")
    assert said.status == 1
    assert "error[SG401]" in said.err
    assert "cannot write it: not a directory" in said.err
    assert (tmp_path / "file").read_text() == "mine"
