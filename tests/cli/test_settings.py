"""Defaults from `sheetgen.toml`: what holds where, and findings about the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run, starter


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / "deep").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work" / "deep")


def _shown() -> dict[str, list[str]]:
    said = run("config")
    assert said.status == 0, said.out
    return {line.split()[0]: line.split()[1:] for line in said.out.splitlines()}


def _write_user_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "home" / "sheetgen").mkdir(parents=True)
    (tmp_path / "home" / "sheetgen" / "sheetgen.toml").write_text(text)


def test_the_nearest_file_holds_and_else_the_users_own(tmp_path: Path) -> None:
    assert _shown()["paper"] == ["a4", "default"]
    _write_user_file(tmp_path, 'paper = "letter"\ntheme = "mono"\n')
    assert _shown()["paper"][0] == "letter"
    Path("../sheetgen.toml").write_text(
        'theme = "ink-saver"\nout = "prints"\n[cards]\nsize = "a6"\n'
    )
    shown = _shown()
    assert shown["paper"] == ["a4", "default"]
    assert shown["theme"] == ["ink-saver", "../sheetgen.toml:1"]
    assert shown["out"] == ["../prints", "../sheetgen.toml:2"]
    assert shown["cards.size"] == ["a6", "../sheetgen.toml:4"]
    Path("sheetgen.toml").write_text("dpi = 150\n")
    assert _shown()["dpi"] == ["150", "sheetgen.toml:1"]
    assert _shown()["theme"][1] == "default"


def test_options_have_these_defaults_and_the_command_line_comes_first() -> None:
    text = 'paper = "letter"\nout = "prints"\n[tables]\nto = ["csv"]\npaper = "a4"\n'
    Path("sheetgen.toml").write_text(text)
    assert "[default: letter]" in run("sheet", "--help").out
    assert "[default: a4]" in run("tables", "--help").out
    assert "[default: a5]" in " ".join(run("odds", "--help").out.split())  # it has its own
    assert run("tables", "hyperspace-d6").status == 0
    assert [*Path("prints").glob("*.csv")]
    assert run("tables", "hyperspace-d6", "--out", "elsewhere").status == 0
    assert [*Path("elsewhere").glob("*.csv")]
    said = run("new", "character", "hyperspace-d6", "Ada")  # its `--out` is a file
    assert said.out == "ada.yaml\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('papper = "a4"', "did you mean `paper`?"),
        ('paper = "a5"', "`paper`: 'a5' is not one of 'a4', 'letter'"),
        ('theme = "monno"', "did you mean `mono`?"),
        ("out = 3", "`out`: write a text in quotes"),
        ('out = "../elsewhere"', "it leads out of the folder of this file"),
        ('strict = "yes"', "`strict`: write true or false"),
        ("dpi = 5000", "5000 is not in the range"),
        ('[crads]\nsize = "a6"', "did you mean `cards`?"),
        ('[cards]\nsise = "a6"', "did you mean `size`?"),
        ('[cards]\nto = "pdf"', "write a list of a text in quotes"),
        ('[new]\nout = "x"', "there is no option of `new` `out`"),
        ("paper = letter", "sheetgen.toml:1:"),
    ],
)
def test_mistakes_are_findings_wherever_a_default_would_hold(line: str, message: str) -> None:
    Path("sheetgen.toml").write_text(f"{line}\n")
    said = run("config")
    assert said.status == 1
    assert message in said.out
    said = run("tables", "hyperspace-d6")
    assert said.status == 1
    assert message in said.err
    assert run("sheet", "--help").status == 0


def test_the_users_own_file_may_name_any_folder(tmp_path: Path) -> None:
    _write_user_file(tmp_path, f'out = "{tmp_path / "all"}"\n')
    assert run("tables", "hyperspace-d6", "--to", "csv").status == 0
    assert [*(tmp_path / "all").glob("*.csv")]


@pytest.mark.parametrize(
    "text",
    [
        '[build]\ncluster = "tcp://far:8786"\n',
        '[build]\nread = ["/"]\n',
        "[build]\nclean = true\n",
        "[sheet]\nforce = true\n",
        '[import]\ninto = "../../far"\n',
        '[build]\nout = "s3://far/x"\n',
        'out = "~/x"\n',
        'out = "../.."\n',
    ],
)
def test_a_folders_file_sets_only_how_prints_look(text: str, tmp_path: Path) -> None:
    Path("sheetgen.toml").write_text(text)
    said = run("config")
    assert said.status == 1
    assert "error[SG" in said.all
    assert "may be a stranger's" in said.all or "leads out of the folder" in said.all
    Path("sheetgen.toml").unlink()
    _write_user_file(tmp_path, text.replace("~/x", str(tmp_path)))
    assert run("config").status == 0


@pytest.mark.parametrize(
    "text",
    [
        '"theme" = 5\n',
        "[ sheet ]\ntheme = 5\n",
        '["sheet"]\ntheme = 5\n',
        "sheet.theme = 5\n",
        "sheet = {theme = 5}\n",
        "x = " + "[" * 3000 + "\n",
        "dpi = " + "1" * 5000 + "\n",
        'out = "a\\u0000b"\n',
        "theme = ",
    ],
    ids=range(9),
)
def test_whatever_is_wrong_is_a_finding(text: str) -> None:
    Path("sheetgen.toml").write_text(text)
    said = run("config")
    assert said.status == 1
    assert "sheetgen.toml:" in said.all
    assert "Traceback" not in said.all


def test_the_folder_of_the_file_itself_may_be_written_to() -> None:
    Path("sheetgen.toml").write_text('out = "."\n')
    assert _shown()["out"][0] == "."


def test_an_option_given_to_config_says_where_it_is_written() -> None:
    said = run("config", "--paper", "letter")
    assert said.status == 2
    assert "write `paper = …` into a file `sheetgen.toml` in this folder" in said.err


@pytest.mark.parametrize("formats", [["pdf"], ["html"], ["pdf", "html"]], ids=str)
def test_a_resolution_without_pictures_is_told(formats: list[str], tmp_path: Path) -> None:
    """One of the command line alone: a file of settings is for all commands."""
    to = [word for format_ in formats for word in ("--to", format_)]
    hero = starter(tmp_path, "d6-pips")
    said = run("sheet", hero, *to, "--dpi", "200", "--out", tmp_path)
    assert said.status == 0
    assert "only pictures have a resolution" in said.err
    Path("sheetgen.toml").write_text("dpi = 150\n")
    assert run("sheet", hero, *to, "--out", tmp_path).err == ""


@pytest.mark.parametrize("line", ['to = ["html"]', "blank = true", "copies = 3"])
def test_an_option_of_one_command_at_the_top_is_a_finding(tmp_path: Path, line: str) -> None:
    Path("sheetgen.toml").write_text(f"{line}\n")
    said = run("sheet", starter(tmp_path, "d6-pips"), "--flatten")
    assert said.status == 1
    assert "there is no setting" in said.err, said.err
