"""An author's own figures against his stock, his words and his formulas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run

GAME = """\
id: game
title: Game
version: 1
format: 1
credit: {short: My game, long: My own game, licence: CC0-1.0}
formulas: {cubed(n): n * n * n}
groups:
  stats: {label: Stats, one: stat, rating: dice, traits: {might: {name: Might}, wits: {name: Wits}}}
gear:
  rope: {name: Rope, aliases: [Line], cost: 5, special: holds two people}
  coat: {name: Coat, cost: 9, tags: [armor], gives: cover, bonus: 2, worn: true}
derived: {cover: {label: Cover, value: might + modifiers(cover)}}
texts: {rest: {text: rest, blank: "two wounds a day"}}
kinds:
  beast:
    one: beast
    label: Beasts
    folder: beasts
    keeps: [groups]
    choices:
      size: {entries: {big: {name: Big, grants: {raise: {might: 4, wits: 1}}}}}
    character:
      name: {kind: text, required: true}
      size: {kind: choice, of: size}
      stats: {kind: codes, of: stats}
      claws: {kind: items, open: true, tags: [weapon]}
      skilled: {kind: raises, of: stats, count: 3, by: 1 if has(big) > 0 else 2}
    lists:
      claws: {of: claws, columns: {name: "{name}", damage: "{damage}D"}}
"""
BEASTS = """\
ruleset: game
kind: beast
entries:
  - {name: Ox, stats: {Might: 5D, Wits: 1D}, claws: {Horns: 3D, Hooves: 2D}}
"""


def game(tmp_path: Path, proof: str, **files: str) -> Path:
    folder = tmp_path / "game"
    (folder / "printed").mkdir(parents=True)
    (folder / "beasts").mkdir()
    (folder / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    (folder / "beasts" / "all.yaml").write_text(BEASTS, encoding="utf-8")
    (folder / "proof.yaml").write_text(f"proof:\n{proof}", encoding="utf-8")
    for name, text in files.items():
        (folder / "printed" / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def proved(folder: Path) -> list[tuple[object, ...]]:
    said = run("proof", folder, "--format", "json")
    assert said.err == ""
    assert said.status == 0
    found = json.loads(said.out)["differences"]
    return [(d["line"], d["kind"], d["what"], d["printed"], d["computed"]) for d in found]


STOCK = """\
  - file: beasts.csv
    of: kinds.beast
    each: {claws: claws}
    cells: {might: "{might}D", claws: "{name} {damage}"}
"""


def test_stock_that_is_as_printed(tmp_path: Path) -> None:
    rows = "line,name,might,claws\n3,Ox,5D,Hooves 2D; Horns 3D\n"
    assert proved(game(tmp_path, STOCK, beasts=rows)) == []


def test_stock_that_is_not(tmp_path: Path) -> None:
    rows = "line,name,might,claws\n3,Ox,4D,Horns 3D\n4,Oxx,1D,-\n"
    assert proved(game(tmp_path, STOCK, beasts=rows)) == [
        (3, "text", "Ox, claws", "Horns 3D", "Horns 3D; Hooves 2D"),
        (3, "wrong", "Ox, might", "4D", "5D"),
        (4, "undefined", "name", "Oxx", "did you mean `Ox`?"),
    ]


MADE = """\
  - file: sizes.csv
    kind: beast
    name: size
    makes: {size: size}
    cells: {might: "{might}D", raises: "{count.skilled} times +{by.skilled}D"}
"""


def test_a_row_is_what_its_file_would_be(tmp_path: Path) -> None:
    rows = "line,size,might,raises\n5,Big,4D,three times +1D\n"
    assert proved(game(tmp_path, MADE, sizes=rows)) == []
    other = "line,size,might,raises\n5,Big,3D,three times +2D\n"
    (tmp_path / "game" / "printed" / "sizes.csv").write_text(other)
    assert [d[2:] for d in proved(tmp_path / "game")] == [
        ("Big, might", "3D", "4D"),
        ("Big, raises", "three times +2D", "3 times +1D"),
    ]


WITHIN = """\
  - {file: gear.csv, of: gear, within: {holds: "{special}"}, besides: [nothing else]}
  - {file: pack.csv, of: gear, name: item, thing: rope, within: {figure: "{special}"}}
"""


def test_figures_stand_within_our_own_text(tmp_path: Path) -> None:
    gear = "line,name,holds\n2,Rope,2 people; nothing else\n3,Line,three people\n"
    pack = "line,item,figure\n7,Anything,two\n"
    found = proved(game(tmp_path, WITHIN, gear=gear, pack=pack))
    assert found == [(3, "text", "Line, holds", "three people", "holds two people")]


LOOSE = """\
  - {file: gear.csv, of: gear, loose: true, cells: {worth: "+2D"}}
"""


def test_other_spellings_are_not_other_figures(tmp_path: Path) -> None:
    found = proved(game(tmp_path, LOOSE, gear="line,name,worth\n2,Rope,-2D\n3,Coat,+2D\n"))
    assert found == [(2, "wrong", "Rope, worth", "-2D", "+2D")]


WORN = """\
  - {file: rows.csv, totals: {might: might}, worn: armor, cells: {cover: "{cover}"}}
"""


def test_what_is_printed_behind_what_is_worn(tmp_path: Path) -> None:
    rows = "line,name,might,armor,cover\n8,Guard,3D,Coat; cover +2,5\n9,Boss,3D,Coat; cover +3,5\n"
    found = proved(game(tmp_path, WORN, rows=rows))
    assert found == [(9, "wrong", "Boss, Coat, Cover", "+3", "+2")]


WORDS = """\
  - file: prose.csv
    examples:
      - {at: price, formula: cubed(n), reads: {three times itself: n*n*n}}
      - {at: square, formula: cubed(n), reads: {itself: n}}
      - {at: rest, text: "{blank.rest}", within: true}
      - at: again
        text: "{there + 1}"
        against: {file: prose.csv, row: {about: rest}, column: printed}
      - {at: size, text: "{size.stats}"}
      - {at: aside, unread: no rule says it}
"""


def test_formulas_and_words_of_running_text(tmp_path: Path) -> None:
    prose = (
        "line,about,printed\n1,price,three times itself\n2,square,itself*itself\n3,rest,two\n"
        "4,again,three\n5,size,two\n6,aside,99\n"
    )
    assert proved(game(tmp_path, WORDS, prose=prose)) == [
        (
            *(2, "text", "square", "itself*itself"),
            "8 at 2, where the printed formula gives 4",
        )
    ]


NAMES = """\
  - {file: names.csv, name: what, names: {said: [gear]}}
"""


def test_a_name_that_means_something_else_is_said_to(tmp_path: Path) -> None:
    names = "line,what,said\n1,shop,Rope; Anchor\n"
    other = "line,name\n44,Anchor 3D\n"
    found = proved(game(tmp_path, NAMES, names=names, ships=other))
    assert found == [(1, "undefined", "shop, said", "Anchor", "line 44 has it in another list")]


@pytest.mark.parametrize(
    ("proof", "part"),
    [
        ("  - {file: a.csv, of: kinds.bird}", "there is no kind `bird`"),
        ("  - {file: a.csv, kind: bird, makes: {size: name}}", "there is no kind `bird`"),
        (
            '  - {file: a.csv, of: kinds.beast, each: {n: fangs}, cells: {n: "{name}"}}',
            "there is no list `fangs`",
        ),
        ("  - {file: a.csv, of: kinds.beast, each: {n: claws}}", "no text for the column `n`"),
        ('  - {file: a.csv, where: {name: Ox}, examples: [{at: Cow, in: n, text: "2"}]}', "`Cow`"),
        ("  - {file: a.csv, makes: {size: x}, kind: beast}", "no column `x`"),
        ("  - {file: a.csv, unread: {y: no rule}}", "no column `y`"),
        ('  - {file: a.csv, of: gear, within: {z: "{text}"}}', "no column `z`"),
        ("  - {file: a.csv, examples: [{at: Ox, in: n, formula: cube(n)}]}", "cube"),
        ('  - {file: a.csv, examples: [{at: Ox, in: n, text: "{lines.owl}"}]}', "lines.owl"),
        ('  - {file: a.csv, examples: [{at: Ox, in: n, text: "{custom.x.base}"}]}', "custom.x"),
    ],
)
def test_what_is_broken_is_told(proof: str, part: str, tmp_path: Path) -> None:
    said = run("proof", game(tmp_path, proof, a="line,name,n\n1,Ox,2\n"))
    assert said.status == 1
    assert part in said.err
    assert "Traceback" not in said.err
    assert said.out == ""
