"""The builder's form: it offers what can be taken, writes what was chosen, and loses nothing."""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sheetgen.check.character import builds
from sheetgen.check.character.builds import check_character
from sheetgen.load import pictures
from sheetgen.load.pictures import build_png
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.plugins.builder.session import ACTS, FormSession
from tests.builder.driving import Player
from tests.cli.commands import CHARACTERS, run
from tests.samples import ALL
from tests.shelf import TESTS, ruleset

pytestmark = pytest.mark.many

KINDS = [(game, kind) for game in ruleset_ids() for kind in ("", *ruleset(game).kinds)]
SEEDS = range(10 if ALL else 2)
OPEN_ENDS = {
    ("d6-pips", ""): "attributes",  # they share 18D, which random ratings do not
    ("second-edition-update", ""): "attributes",
    ("wound-points", ""): "attributes",
    ("keyword-dots", ""): "xp",
    ("hyperspace-d6", "vehicle"): "attributes",
}
"""What a player who knows no rule leaves undone: the key that the finding is about."""


@pytest.fixture
def session(tmp_path: Path) -> FormSession:
    return FormSession(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_what_is_offered_is_legal(session: FormSession, game: str, kind: str, seed: int) -> None:
    player = Player(session, seed)
    player.build(game, kind)
    wrong = [one for one in player.state["findings"] if one["severity"] == "error"]
    undone = OPEN_ENDS.get((game, kind), "")
    assert [one for one in wrong if one["key"] not in (undone, "defenses") or not undone] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["hyperspace-d6", "narrative-powers"])
def test_prints_the_bytes_of_the_command_line(
    session: FormSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = Player(session, 1).build(game)
    for format_ in ("pdf", "html"):
        answer = session.answer({"do": "print", "text": text, "format": format_})
        file = tmp_path / answer["name"]
        file.with_suffix(".yaml").write_text(text, encoding="utf-8")
        run("sheet", file.with_suffix(".yaml").name, "--to", format_)
        assert base64.b64decode(answer["file"]) == (tmp_path / "output" / file.name).read_bytes()


@pytest.mark.parametrize(
    ("codes", "left", "shown"),
    [("", 54, "18D"), ("DEX: 3D+1, KNO: 2D", 38, "12D+2"), ("DEX: 20D", -6, "−2D")],
)
def test_dice_to_place_are_a_pool_before_all_are_placed(
    session: FormSession, codes: str, left: int, shown: str
) -> None:
    text = f"ruleset: d6-pips\nattributes: {{{codes}}}\n" if codes else "ruleset: d6-pips\n"
    answer = session.answer({"do": "open", "text": text})
    pool = next(one for one in answer["pools"] if one["id"] == "attributes")
    assert (pool["label"], pool["left"], pool["shown"]) == ("Attributes", left, shown)


KESSA = """\
# Written by hand.
ruleset: hyperspace-d6
name: Kessa Vorn     # of the Vorns
species: Human
profession: Scoundrel
skills: [Blasters, Deceive, Pilot]  # her trade
edge: {Trained: Stealth}
burden: Wanted
gear:
  - Blaster Pistol   # her aunt's
  - Medpac x2
notes: |
  Two lines
  of notes.
"""


def _changed(session: FormSession, act: str, **request: Any) -> list[str]:
    """Return the lines of Kessa's file that a change adds or removes."""
    answer = session.answer({"do": act, "text": KESSA, **request})
    assert "refused" not in answer, answer
    before, after = KESSA.splitlines(), answer["text"].splitlines()
    return [f"-{x}" for x in before if x not in after] + [f"+{x}" for x in after if x not in before]


@pytest.mark.parametrize(
    ("act", "request_", "lines"),
    [
        (
            "put",
            {"key": "name", "value": "Kess"},
            ["-name: Kessa Vorn     # of the Vorns", "+name: Kess     # of the Vorns"],
        ),
        ("put", {"key": "wounds", "value": "2"}, ["+wounds: 2"]),
        ("put", {"key": "wounds", "value": 0}, ["+wounds: 0"]),
        ("put", {"key": "goals", "value": ["Run", "Hide"]}, ["+goals: [Run, Hide]"]),
        ("put", {"key": "burden", "value": ""}, ["-burden: Wanted"]),
        (
            "choose",
            {"key": "species", "at": 0, "name": "Rodian"},
            ["-species: Human", "+species: Rodian"],
        ),
        ("choose", {"key": "gear", "name": "Comlink"}, ["+  - Comlink"]),
        ("choose", {"key": "gear", "name": "Comlink", "times": 2}, ["+  - Comlink x2"]),
        ("choose", {"key": "gear", "at": 1, "name": ""}, ["-  - Medpac x2"]),
        ("count", {"key": "gear", "at": 1, "times": 3}, ["-  - Medpac x2", "+  - Medpac x3"]),
        (
            "count",
            {"key": "gear", "at": 0, "times": 2},
            [
                "-  - Blaster Pistol   # her aunt's",
                "+  - Blaster Pistol x2   # her aunt's",
            ],
        ),
        (
            "choose",
            {"key": "edge", "at": 0, "name": "Trained", "detail": "Pilot"},
            ["-edge: {Trained: Stealth}", "+edge: {Trained: Pilot}"],
        ),
        (
            "choose",
            {"key": "skills", "at": 1, "name": "Stealth"},
            [
                "-skills: [Blasters, Deceive, Pilot]  # her trade",
                "+skills: [Blasters, Stealth, Pilot]  # her trade",
            ],
        ),
        (
            "put",
            {"key": "options.creation.credits", "value": "900"},
            ["+options: {creation.credits: 900}"],
        ),
        ("put", {"key": "options.armour.stack", "value": True}, ["+options: {armour.stack: true}"]),
        ("put", {"key": "options.armour.stack", "value": False}, []),
        (
            "play",
            {"key": "sessions", "row": {"session": 1, "gained": 3, "note": ""}},
            ["+sessions: [{session: 1, gained: 3}]"],
        ),
    ],
)
def test_a_change_changes_one_thing_and_keeps_comments(
    session: FormSession, act: str, request_: dict[str, Any], lines: list[str]
) -> None:
    assert _changed(session, act, **request_) == lines


def test_a_step_is_bought_at_its_price(session: FormSession) -> None:
    player = Player(session, 0)
    player.do("open", text=KESSA)
    before = {pool["id"]: pool["left"] for pool in player.state["pools"]}
    offer = next(one for one in player.do("offers")["offers"] if one["what"] == "Pilot")
    player.do("buy", number=offer["number"])
    after = {pool["id"]: pool["left"] for pool in player.state["pools"]}
    assert before[offer["pool"]] - after[offer["pool"]] == offer["price"]
    compared = player.do("compare", before=KESSA)
    assert [step["price"] for step in compared["steps"]] == [offer["price"]]


def test_says_why_an_option_cannot_be_taken(session: FormSession) -> None:
    text = KESSA.replace("gear:\n", "credits: 1\ngear:\n")
    options = session.answer({"do": "options", "text": text, "key": "gear", "from": 0})["options"]
    assert all(one["why"] for one in options if (one["price"] or 0) > 1)
    again = session.answer({"do": "options", "text": KESSA, "key": "skills", "from": 0, "at": 1})
    whys = {one["name"]: one["why"] for one in again["options"]}
    assert not whys["Stealth"]
    assert "Blasters" in whys["Blasters"]


def test_a_finding_stands_at_its_field_with_its_correction(session: FormSession) -> None:
    text = KESSA.replace("Scoundrel", "Scoundrl")
    [wrong] = [
        one
        for one in session.answer({"do": "open", "text": text})["findings"]
        if one["severity"] == "error"
    ]
    assert wrong["key"] == "profession"
    fixed = session.answer({"do": "fix", "text": text, **wrong["fix"]})
    assert fixed["text"] == KESSA


@pytest.mark.parametrize("act", [*ACTS, "nothing", None])
def test_a_strange_request_is_refused_and_raises_nothing(session: FormSession, act: Any) -> None:
    for more in ({}, {"key": "nope"}, {"key": [], "value": {}}, {"key": "gear", "at": 99}):
        for text in ("", KESSA, "a: [", "ruleset: nowhere", "x" * 300_000, 7):
            answer = session.answer({"do": act, "text": text, **more})
            assert isinstance(answer, dict)


def test_a_file_of_wrong_keys_is_checked_once_and_told_in_part(
    session: FormSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = []
    check = builds.check_draft
    monkeypatch.setattr(builds, "check_draft", lambda *given: checks.append(1) or check(*given))
    text = KESSA + "".join(f"k{i}: 1\n" for i in range(300))
    found = session.answer({"do": "open", "text": text})["findings"]
    assert len(checks) <= 2
    assert len(found) == 201
    assert found[-1]["message"] == "not shown: 100 more; correct these first"


def test_every_game_opens_empty_and_names_what_is_missing(session: FormSession) -> None:
    for game, kind in KINDS:
        state = session.answer({"do": "new", "game": game, "kind": kind})
        needed = {one["key"] for one in state["fields"] if one["required"]}
        lacking = {one["key"] for one in state["findings"] if one["lacks"]}
        assert lacking <= needed
        assert "name" in needed


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_every_finding_stands_at_a_field(session: FormSession, game: str, kind: str) -> None:
    player = Player(session, 1)
    player.do("new", game=game, kind=kind)
    found = player.state["findings"]
    for field in list(player.state["fields"]):
        for option in player.do("options", key=field["key"]).get("options", [])[-3:]:
            player.do("choose", key=field["key"], name=option["name"])  # whether legal or not
        for row in field.get("rows", [])[:2]:
            player.do("rate", key=field["key"], trait=row["id"], to=9)
        found += player.state["findings"]
    fields = {one["key"] for one in player.state["fields"]}
    assert [one for one in found if one["key"] not in fields] == []


def test_a_finding_about_an_option_stands_at_its_field(session: FormSession) -> None:
    text = f"{KESSA}options:\n  minions.extra_actions: nobody\n  dice.minimum: 2\nfavourite: red\n"
    found = session.answer({"do": "open", "text": text})["findings"]
    minions, dice = "options.minions.extra_actions", "options.dice.minimum"
    assert [one["key"] for one in found] == [minions, dice, ""]


def test_the_form_shows_what_the_file_says(session: FormSession) -> None:
    state = session.answer({"do": "open", "text": KESSA})
    fields = {one["key"]: one for one in state["fields"]}
    assert fields["name"]["value"] == "Kessa Vorn"
    assert [(one["name"], one["times"]) for one in fields["gear"]["value"]] == [
        ("Blaster Pistol", 1),
        ("Medpac", 2),
    ]
    assert fields["edge"]["value"][0]["detail"] == "stealth"
    build = check_character(parse_yaml(KESSA, "x.yaml").value, ruleset("hyperspace-d6")).value  # type: ignore[arg-type]
    assert build is not None
    assert {one["id"]: one["value"] for one in state["values"]}["dodge"] == build.derived[
        "dodge"
    ].shown


WARDEN = """\
ruleset: ./emberhall
name: Ada
class: {Warden: 1, Mage: 2}
gear: [{Rope: {count: 2, weight: 7}}, {Chain coat: 1}, Bow]
"""


@pytest.mark.parametrize(
    ("act", "request_", "now"),
    [
        ("count", {"key": "class", "at": 0, "times": 2}, "class: {Warden: 2, Mage: 2}"),
        ("choose", {"key": "class", "at": 0, "name": ""}, "class: {Mage: 2}"),
        ("choose", {"key": "class", "at": 0, "name": "Sage"}, "class: {Sage: 1, Mage: 2}"),
        ("count", {"key": "gear", "at": 0, "times": 3}, "{Rope: {count: 3, weight: 7}}"),
        ("count", {"key": "gear", "at": 1, "times": 3}, "{Chain coat: 3}"),
        ("count", {"key": "gear", "at": 2, "times": 3}, "{Chain coat: 1}, Bow x3]"),
        ("choose", {"key": "gear", "at": 0, "name": ""}, "gear: [{Chain coat: 1}, Bow]"),
    ],
)
def test_what_a_pick_says_besides_its_name_stays(
    tmp_path: Path, act: str, request_: dict[str, Any], now: str
) -> None:
    game = tmp_path / "emberhall"
    game.mkdir()
    (game / "ruleset.yaml").write_text(
        "id: emberhall\ntitle: Emberhall\nversion: 1\nformat: 1\nlang: en\n"
        "credit: {short: Ours, long: Ours, licence: MIT}\n"
        "character: {name: {kind: text}, class: {kind: choices}, gear: {kind: items}}\n"
        "choices: {class: {label: Classes, one: class, entries: "
        "{warden: {name: Warden}, mage: {name: Mage}, sage: {name: Sage}}}}\n"
        "gear: {rope: {name: Rope, numbers: {weight: 1}}, chain_coat: {name: Chain coat}, "
        "bow: {name: Bow}}\n",
        encoding="utf-8",
    )
    session = FormSession(tmp_path)
    answer = session.answer({"do": act, "text": WARDEN, **request_})
    assert now in answer["text"], answer


@pytest.mark.parametrize(
    ("key", "name", "value", "line"),
    [
        ("links", "A", "Jump, Surprise", "links: {A: [Jump, Surprise]}"),
        ("pinned", "Leadership", "d4", "pinned: {Leadership: d4}"),
        ("lost", "Jump", "1", "lost: {Jump: 1}"),
        ("lost", "Jump", "[5]", "lost: {Jump: [5]}"),
        *(("details", "Jump", bad, "") for bad in ("&a [*a]", "{a: &x 1, b: *x}", "a: b: c", "'")),
    ],
)
def test_what_a_trait_has_is_a_pair_and_no_yaml(
    session: FormSession, key: str, name: str, value: str, line: str
) -> None:
    text = "ruleset: keyword-dots\nname: Ada\n"
    asked = {"do": "pair", "key": key, "name": name}
    answer = session.answer({**asked, "text": text, "value": value})
    assert line in answer["text"]
    field = next(one for one in answer["fields"] if one["key"] == key)
    assert field["value"] == [[name, value]]
    assert session.answer({**asked, "text": answer["text"], "value": ""})["text"] == text


@pytest.mark.parametrize("game", ruleset_ids())
def test_a_session_that_is_added_is_legal(session: FormSession, game: str) -> None:
    start = session.answer({"do": "new", "game": game})
    known = [one["message"] for one in start["findings"]]
    for field in start["fields"]:
        if field["control"] == "sessions":
            row = {"session": 1, "gained": 2, "note": "The dock"}
            asked = {"do": "play", "text": start["text"], "key": field["key"], "row": row}
            found = session.answer(asked)["findings"]
            assert [one["message"] for one in found if one["message"] not in known] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ruleset_ids())
def test_each_option_can_be_set_and_taken_back(session: FormSession, game: str) -> None:
    start = session.answer({"do": "new", "game": game})
    refused = 0
    for field in start["fields"]:
        if not field["key"].startswith("options."):
            continue
        other = {"number": "6", "flag": not field["value"]}.get(field["control"])
        other = next((word for word in field["words"] if word != field["value"]), other)
        asked = {"do": "put", "key": field["key"]}
        answer = session.answer({**asked, "text": start["text"], "value": other})
        if ".modules." in field["key"]:  # two that exclude each other are refused
            refused += "refused" in answer
            assert answer.get("fields") or "cannot be on together" in answer["refused"]
            continue
        now = next(one for one in answer["fields"] if one["key"] == field["key"])
        assert (now["here"], now["value"]) == (True, other)
        back = session.answer({**asked, "text": answer["text"], "value": field["value"]})
        assert back["text"] == start["text"]
    assert refused or game != "wound-points"


def test_points_are_spread_in_place(session: FormSession) -> None:
    line = "species: {Quickplay: {PER: +2D, DEX: +1D, TEC: +1D}}  # the usual"
    asked: dict[str, Any] = {"do": "spread", "key": "species", "at": 0}
    text = f"ruleset: hyperspace-d6\nname: Ada\n{line}\n"
    field = next(
        one
        for one in session.answer({"do": "open", "text": text})["fields"]
        if one["key"] == "species"
    )
    assert field["value"][0]["detail"] == {"Perception": 2, "Dexterity": 1, "Technical": 1}
    for trait, to, before, after in [
        ("Dexterity", 2, "DEX: +1D", "DEX: +2D"),
        ("Technical", 0, ", TEC: +1D", ""),
        ("Strength", 1, "TEC: +1D", "TEC: +1D, Strength: +1D"),
    ]:
        answer = session.answer({**asked, "text": text, "trait": trait, "to": to})
        assert line.replace(before, after) in answer["text"]
    bare = "ruleset: hyperspace-d6\nname: Ada\nspecies: Quickplay\n"
    answer = session.answer({**asked, "text": bare, "trait": "Strength", "to": 2})
    assert "Strength" in answer["text"]
    assert "refused" in session.answer({**asked, "text": bare, "trait": "Nothing", "to": 2})


def test_a_correction_is_made_where_the_word_is(session: FormSession) -> None:
    text = "ruleset: d6-pips\nname: Ada\ngear: [Medpacs, Medpac, Medpa]\n"
    state = session.answer({"do": "open", "text": text})
    fix = next(one["fix"] for one in state["findings"] if one.get("fix", {}).get("old") == "Medpa")
    answer = session.answer({"do": "fix", "text": text, **fix})
    assert answer["text"] == text.replace("Medpa]", f"{fix['new']}]")


def test_a_correction_of_another_line_is_made_there(session: FormSession) -> None:
    text = "ruleset: keyword-dots\nname: Ada\nxp: 1\nsessions:\n  - {session: 1, gained: 40}\n"
    found = session.answer({"do": "open", "text": text})["findings"]
    fix = next(one["fix"] for one in found if one["key"] == "sessions")
    assert "xp: 40" in session.answer({"do": "fix", "text": text, **fix})["text"]


def test_a_missing_part_of_a_value_is_shown_and_a_missing_key_is_not(session: FormSession) -> None:
    text = "ruleset: keyword-dots\nname: Ada\nabilities: {Stealth: }\n"
    found = session.answer({"do": "open", "text": text})["findings"]
    lacking = {one["key"]: one["lacks"] for one in found if one["code"] == "SG012"}
    assert lacking == {"class": True, "xp": True, "abilities": False}
    assert not [one for one in found if one["lacks"] and one["hint"]]


def test_a_state_that_passes_is_no_step_of_building(session: FormSession) -> None:
    fields = session.answer({"do": "new", "game": "narrative-powers"})["fields"]
    assert [one["key"] for one in fields if one.get("section") == "In play"] == ["condition"]


def test_a_code_begins_at_the_least_that_it_may_be(session: FormSession) -> None:
    fields = session.answer({"do": "new", "game": "d6-pips"})["fields"]
    assert {one["key"]: one["least"] for one in fields if one["control"] == "rate"} == {
        "attributes": 6,
        "skills": 0,
    }


def test_a_star_that_a_choice_grants_is_put_and_taken_back(session: FormSession) -> None:
    path = CHARACTERS / "keyword-dots" / "ansa-reth.yaml"
    text = path.read_text(encoding="utf-8")
    asked = {"key": "abilities", "trait": "piloting"}
    without = session.answer({"do": "star", "text": text, **asked, "to": 0})
    assert "Piloting: {dots: 3}" in without["text"]
    assert [
        one["hint"] for one in without["findings"] if "no rating has its star" in one["message"]
    ]
    again = session.answer({"do": "star", "text": without["text"], **asked, "to": 1})
    assert again["text"] == text
    rows = next(one["rows"] for one in again["fields"] if one["key"] == "abilities")
    stars = {row["name"]: row["stars"] for row in rows if "stars" in row}
    assert stars == {"Piloting": {"count": 1, "most": 1}}


def test_a_rating_may_be_typed(session: FormSession) -> None:
    text = "ruleset: d6-pips\nname: Ada\n"
    for trait, typed, written in (
        ("dexterity", "3d+1", "attributes: {Dexterity: 3D+1}\n"),
        ("strength", "2D", "attributes: {Dexterity: 3D+1, Strength: 2D}\n"),
        ("dexterity", " ", "attributes: {Strength: 2D}\n"),
    ):
        asked = {"do": "rate", "key": "attributes", "trait": trait, "to": typed}
        text = session.answer({**asked, "text": text})["text"]
        assert text == f"ruleset: d6-pips\nname: Ada\n{written}"
    assert "no rating" in session.answer({**asked, "text": text, "to": "many"})["refused"]
    labels = [one["label"] for one in session.answer({"do": "open", "text": text})["fields"]]
    assert labels.count("Attributes") == labels.count("Skills") == 1


def jpeg(*size: int) -> bytes:
    """Return a picture as the page draws it: baseline, of three components."""
    file = io.BytesIO()
    Image.effect_noise(size, 40).convert("RGB").save(file, "JPEG", quality=85)
    return file.getvalue()


def test_a_portrait_is_a_file_beside_the_character_and_prints_without_pillow(
    session: FormSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = base64.b64encode(jpeg(480, 600)).decode()
    asked = {"do": "portray", "file": content, "alt": "A scoundrel # with a hat"}
    text = session.answer({**asked, "text": KESSA})["text"]
    again = session.answer({**asked, "text": text})
    assert [one.name for one in tmp_path.glob("*.jpg")] == [again.pop("picture")]
    assert again["text"] == text
    field = next(one for one in again["fields"] if one["control"] == "picture")
    assert (field["alt"], field["here"]) == ("A scoundrel # with a hat", True)
    prints = [session.answer({"do": "print", "text": text, "format": f}) for f in ("pdf", "html")]
    (file,) = tmp_path.glob("*.jpg")
    file.unlink()
    assert session.answer({"do": "portray", "name": file.name, "file": content}) == {}
    assert file.read_bytes() == base64.b64decode(content)
    pictures._has_pillow.cache_clear()
    monkeypatch.setitem(sys.modules, "PIL", None)
    fresh = FormSession(tmp_path)
    assert fresh.answer({"do": "open", "text": text}) == again
    for format_, printed in zip(("pdf", "html"), prints, strict=True):
        bare = fresh.answer({"do": "print", "text": text, "format": format_})
        assert bare["name"] == printed["name"]
        assert b"image" in base64.b64decode(bare["file"]).lower()
    png = KESSA + "portrait: face.png\n"
    (tmp_path / "face.png").write_bytes(build_png([(b"IHDR", b""), (b"IDAT", b""), (b"IEND", b"")]))
    (wrong,) = fresh.answer({"do": "open", "text": png})["findings"]
    assert "browser" in wrong["message"]
    flat = bytearray(base64.b64decode(content))
    at = flat.index(b"\xff\xc0") + 5  # the height in the header of the frame
    flat[at : at + 2] = b"\0\0"
    (tmp_path / "flat.jpg").write_bytes(flat)
    (wrong,) = fresh.answer({"do": "open", "text": f"{KESSA}portrait: flat.jpg\n"})["findings"]
    assert "breaks off" in wrong["message"]
    monkeypatch.undo()
    pictures._has_pillow.cache_clear()
    gone = session.answer({"do": "portray", "text": text})
    assert gone["text"] == KESSA
    other = KESSA + "Portrait: old.jpg  # as before\n"
    text = session.answer({**asked, "text": other})["text"]
    assert "Portrait: {file: kessa" in text
    assert "portrait:" not in text


def test_a_portrait_never_takes_the_name_of_another_file(tmp_path: Path) -> None:
    session = FormSession(tmp_path, tmp_path / "Kessa v1.2+.yaml")
    content = jpeg(480, 600)
    asked = {"do": "portray", "text": KESSA, "file": base64.b64encode(content).decode()}
    first = session.answer(asked)["picture"]
    assert session.answer(asked)["picture"] == first
    (tmp_path / first).write_bytes(b"another")
    second = session.answer(asked)["picture"]
    assert second != first
    assert (tmp_path / second).read_bytes() == content
    assert (tmp_path / first).read_bytes() == b"another"
    given = {"do": "portray", "name": first, "file": asked["file"]}
    assert "another file" in session.answer(given)["refused"]


def test_the_long_form_of_a_rating_is_written_with_a_word_that_it_has(tmp_path: Path) -> None:
    game = TESTS / "live" / "games" / "vault"
    session = FormSession(tmp_path)
    text = f"ruleset: {game}\nname: Orla\nlevel: 5\nscores: {{Might: {{dots: 9, note: strong}}}}\n"
    text += "gifts: {Charm: {note: loud}}\n"
    for key, trait, to in (("scores", "might", 11), ("gifts", "charm", 2)):
        asked = {"do": "rate", "text": text, "key": key, "trait": trait, "to": to}
        text = session.answer(asked)["text"]
    assert "{dots: 11, note: strong}" in text
    assert [
        one["message"] for one in session.answer({"do": "open", "text": text})["findings"]
    ] == []


@pytest.mark.parametrize(
    "more",
    [
        {"file": "R0lGODlh"},
        {"file": base64.b64encode(b"\xff\xd8\xff" + bytes(2_000_000)).decode()},
        {"file": base64.b64encode(jpeg(8, 8)).decode(), "text": "", "name": "../face.jpg"},
        {"file": base64.b64encode(jpeg(8, 8)).decode(), "text": "", "name": "face.yaml"},
    ],
)
def test_only_pictures_are_written_and_only_there(
    session: FormSession, tmp_path: Path, more: dict[str, str]
) -> None:
    assert "refused" in session.answer({"do": "portray", "text": KESSA, **more})
    assert [*tmp_path.rglob("*"), *tmp_path.parent.glob("*.jpg")] == []


def test_a_file_of_several_is_refused(session: FormSession) -> None:
    text = "ruleset: d6-pips\nkind: npc\nentries:\n  - name: Ada\n  - name: Bo\n"
    assert "entries" in session.answer({"do": "open", "text": text})["refused"]
    put = {"do": "put", "key": "name", "value": "Zoë"}
    assert "refused" in session.answer({**put, "text": text})


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (f"ruleset: hyperspace-d6\nname: {'[' * 5000}\n", "nested more than 40 levels deep", 2),
        ("name: x\nspecies: *nobody\n", "there is no `&nobody` for `*nobody` to copy", 2),
    ],
)
def test_a_text_that_is_no_yaml_is_told_as_by_check(
    session: FormSession, text: str, message: str, line: int
) -> None:
    (found,) = session.answer({"do": "open", "text": text})["findings"]
    assert (found["message"], found["line"]) == (message, line)
