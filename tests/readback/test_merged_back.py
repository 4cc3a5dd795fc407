"""What each kind of field does to a file: one change, the lines that it touches, and no other."""

from __future__ import annotations

import difflib
from dataclasses import replace
from pathlib import Path

import pytest

from sheetgen.model.filled import ON
from tests.live.test_advances import GAME
from tests.readback.sheets import blank_sheet, filled, hero, merged, named, said, states

ANSA, OSHEN, BRAM = "ansa-reth", "oshen_tal", "bram_oldecott"


def changed(stem: str, values: dict[str, str]) -> str:
    """Return the lines that go (-) and come (+); a second read changes nothing."""
    path = named(stem)
    sheet = filled(path, values)
    into = merged(sheet, path)
    again = merged(sheet, path, into.after)
    assert again.after == into.after
    lines = difflib.ndiff(into.before.splitlines(), into.after.splitlines())
    return "\n".join(line for line in lines if line[0] in "+-")


@pytest.mark.parametrize(
    ("stem", "values", "lines"),
    [
        (ANSA, {"player": "Zoe"}, "- player: Mara\n+ player: Zoe"),
        (ANSA, {"player": ""}, "- player: Mara"),
        (ANSA, {"force_powers.jump.4": ON}, "-   Jump: 3\n+   Jump: 4"),
        (
            ANSA,
            {"force_powers.saber_block.5": ""},
            "-   Saber block: {dots: 5, stars: 2}\n+   Saber block: {dots: 4, stars: 2}",
        ),
        (ANSA, {"abilities.luck.1": ON}, "+   Luck: 1"),
        (
            "ilo-tamarack",  # a number of steps that went counts down from the rating
            {"abilities.banter.1": ON},
            (
                "- abilities: {Luck: 4, Stealth: 2, Banter: 0}\n"
                "+ abilities: {Luck: 4, Stealth: 2, Banter: 1}\n"
                "- unlearned: {Force Push: 2, Banter: 1}\n"
                "+ unlearned: {Force Push: 2, Banter: [1]}"
            ),
        ),
        (ANSA, {"hits.box.7": ON}, "- hits lost: 6\n+ hits lost: 7"),
        (ANSA, {"xp.ledger.14.gained": "12"}, "- xp: 130\n+ xp: 142"),
        (
            ANSA,
            {"materials.2": "Silk"},
            "- materials: [Phrik hilt]\n+ materials: [Phrik hilt, Silk]",
        ),
        (ANSA, {"dice.3": "d2"}, "- dice: [d8, d4]\n+ dice: [d8, d4, d2]"),
        (
            ANSA,
            {"specials.4.name": ""},
            (
                "- specials: [Specialist, Midochlorians x2, Flyboy, Flurry]\n"
                "+ specials: [Specialist, Midochlorians x2, Flyboy]"
            ),
        ),
        (
            ANSA,
            {"specials.5.name": "jar kai"},
            (
                "- specials: [Specialist, Midochlorians x2, Flyboy, Flurry]\n"
                "+ specials: [Specialist, Midochlorians x2, Flyboy, Flurry, Jar'Kai]"
            ),
        ),
        (ANSA, {"class": "sentinel"}, "- class: Jedi Guardian\n+ class: Jedi Sentinel"),
        (ANSA, {"wield": "Lightsaber"}, "- wield: Crossguard\n+ wield: Lightsaber"),
        (
            ANSA,
            {"equipment": "Armor, Rope and lamp, Lightsaber, Bell"},
            "- equipment: [Armor, Rope and lamp]\n+ equipment: [Armor, Rope and lamp, Bell]",
        ),
        (
            ANSA,
            {"force_powers.jump.link": "A"},
            (
                "- links: {A: [Saber fighting, Surprise], B: [Force Push, Leadership]}\n"
                "+ links: {A: [Saber fighting, Surprise, Jump], B: [Force Push, Leadership]}"
            ),
        ),
        (
            ANSA,
            {"abilities.speed.die": "d4"},
            "- pinned: {Surprise: d8}\n+ pinned: {Surprise: d8, Speed: d4}",
        ),
        (
            ANSA,
            {"abilities.piloting.detail": "kites"},
            "- details: {Piloting: anything that glides}\n+ details: {Piloting: kites}",
        ),
        (
            ANSA,
            {
                "unique.1.name": "Bone Songs",
                "unique.1.1": ON,
                "unique.1.2": ON,
                "unique.1.link": "B",
            },
            (
                "+ unique:\n+   Bone Songs: {dots: 2}\n"
                "- links: {A: [Saber fighting, Surprise], B: [Force Push, Leadership]}\n"
                "+ links: {A: [Saber fighting, Surprise], B: [Force Push, Leadership, Bone Songs]}"
            ),
        ),
        (
            "ilo-tamarack",
            {"unique.1.3": ON},
            "-   Dune Whistling: {dots: 2, max: 3}\n+   Dune Whistling: {dots: 3, max: 3}",
        ),
        (
            "ilo-tamarack",
            {"unique.1.name": "Dune Song"},
            "-   Dune Whistling: {dots: 2, max: 3}\n+   Dune Song: {dots: 2, max: 3}",
        ),
        (
            "osric-vayne",
            {"xp.ledger.14.gained": "9"},
            "- xp: 75\n+ xp: 84\n+   - {session: 5, gained: 9}",
        ),
        (
            "quill-hesk",
            {"dice.3": "d3"},
            (
                "- dice: [d5, d3, d2]\n+ dice: [d5, d3, d3]\n"
                "- dice history: [d2 -> d3, d3 -> d4, d4 -> d5, buy d2, d2 -> d3]\n"
                "+ dice history: [d2 -> d3, d3 -> d4, d4 -> d5, buy d2, d2 -> d3, d2 -> d3]"
            ),
        ),
        (
            OSHEN,
            {"skills.melee.own": "+3D"},
            "- advances: [Sense, Melee]\n+ advances: [Sense, Melee, Melee]",
        ),
        (
            OSHEN,
            {"skills.melee.own": "+3D", "attributes.dexterity.total": "5"},
            "- advances: [Sense, Melee]\n+ advances: [Sense, Melee, Dexterity, Melee]",
        ),
        (OSHEN, {"skills.sense.own": ""}, "- advances: [Sense, Melee]\n+ advances: [Melee]"),
        (OSHEN, {"gear.3.text": "datapad"}, "+   - Datapad"),
        (OSHEN, {"gear.1.text": "Medpac ×3"}, "-   - Medpac\n+   - Medpac x3"),
        (OSHEN, {"gear.1.text": ""}, "-   - Medpac"),
        (OSHEN, {"edge": "Trained: Melee"}, "- edge: {Trained: Stealth}\n+ edge: {Trained: Melee}"),
        (
            OSHEN,
            {"stunned.box.1": ON, "wounds.box.1": ON, "wounds.box.2": ON},
            "+ wounds: 2\n+ stunned: true",
        ),
        (OSHEN, {"holdings.1": "The barge"}, "+ holdings: [The barge]"),
        ("jorra_kest", {"attributes.perception.total": "4"}, "+   20: [Perception]"),
        (
            "brakka_sool",
            {"attributes.force.total": "1"},
            "- advances: [Medium Armor]\n+ advances: [Medium Armor, Unlock the Force]",
        ),
        (BRAM, {"skills.dodge.own": "+1D+2"}, "-   5: [Strength]\n+   5: [Strength, Dodge]"),
        (
            BRAM,
            {"condition.wounded": "", "condition.dead": ON},
            "- condition: Wounded\n+ condition: Dead",
        ),
        (BRAM, {"condition.wounded": ""}, "- condition: Wounded"),
        ("calla", {"skills.arcana.total": "2"}, "+ later ranks: [Arcana]"),
        ("calla", {"level": "2"}, "+ level: 2"),
        (
            "calla",
            {"feats.1.name": "Warded: fire"},
            (
                "- feats: [Hardy, {Warded: Cold}, Wide Repertoire]\n"
                "+ feats: [{Warded: Against fire}, {Warded: Cold}, Wide Repertoire]"
            ),
        ),
        ("ines_harrow", {"wound_points.box.7": ON}, "- wounds: 6\n+ wounds: 7"),
    ],
)
def test_a_field_finds_its_place(stem: str, values: dict[str, str], lines: str) -> None:
    assert changed(stem, values) == lines


@pytest.mark.parametrize(
    ("stem", "values", "code", "note"),
    [
        (ANSA, {"class": "Sith Nobody"}, "SG808", "  Class: Sith Nobody"),
        (
            ANSA,
            {"xp.ledger.14.what": "Bribe", "xp.ledger.14.cost": "3"},
            "SG808",
            "  XP ledger, row 14: Bribe, cost 3",
        ),
        (ANSA, {"abilities.speed.die": "d7"}, "SG809", "  Speed, die: d7"),
        (OSHEN, {"skills.melee.own": "lots"}, "SG809", "  Melee: lots"),
        (
            OSHEN,
            {"weapons.2.name": "Rusty pike", "weapons.2.damage": "3"},
            "SG808",
            "  Weapons 2: Rusty pike · 3",
        ),
        (
            OSHEN,
            {"credits.ledger.6.what": "Bribe", "credits.ledger.6.cost": "300"},
            "SG808",
            "  Credits ledger, row 6: Bribe, cost 300",
        ),
        ("calla", {"level": "two"}, "SG809", "  Level: two"),
        ("calla", {"daily.2.text": "my own words"}, "SG808", "  Daily 2: my own words"),
    ],
)
def test_what_has_no_place_goes_to_the_notes_once(
    stem: str, values: dict[str, str], code: str, note: str
) -> None:
    path = named(stem)
    sheet = filled(path, values)
    into = merged(sheet, path)
    assert code in said(into)
    assert note in into.after.splitlines()
    assert into.after.count(note) == 1
    again = merged(sheet, path, into.after)
    assert again.after == into.after


def test_words_beside_what_has_no_place_share_the_notes() -> None:
    path = named(OSHEN)
    sheet = filled(path, {"notes": "Other notes.", "weapons.3.name": "Rusty pike"})
    into = merged(sheet, path)
    assert into.after.endswith("notes: |-\n  Other notes.\n  Weapons 3: Rusty pike\n")
    again = merged(sheet, path, into.after)
    assert again.after == into.after


def test_a_row_that_the_rules_compute_is_no_news() -> None:
    path = named(ANSA)
    row = {"xp.ledger.14.what": "Jump 2–4", "xp.ledger.14.cost": "9"}
    into = merged(filled(path, {"force_powers.jump.4": ON, **row}), path)
    assert "SG808" not in said(into)
    assert "Jump: 4" in into.after


def test_boxes_off_the_track_stay_marked(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    powers = "{Jump: 5, Sprint: 5, Choke: 5, Reflect: 5, Heal Self: 5, Ghost: 5, Heal Others: 5}"
    head = "ruleset: keyword-dots\nname: Ada\nclass: Jedi Sentinel\nxp: 200\n"
    path.write_text(f"{head}force powers: {powers}\nforce spent: 103\n")
    into = merged(filled(path, {"force.box.100": "", "force.box.99": ""}), path)
    assert "force spent: 101\n" in into.after


def test_what_changed_in_both_places_is_a_conflict() -> None:
    path = named(ANSA)
    text = path.read_text(encoding="utf-8").replace("player: Mara", "player: Maro")
    into = merged(filled(path, {"player": "Zoe", "storyteller": "Kim"}), path, text)
    assert states(into) == {"Player": "conflict", "Storyteller": "merged"}
    assert "player: Maro" in into.after
    assert "storyteller: Kim" in into.after
    (finding,) = (f for f in into.findings if f.code.id == "SG806")
    assert finding.message == "Player: printed `Mara`, on the sheet `Zoe`, in the file `Maro`"
    assert finding.span.line == 5


def test_what_changed_alike_in_both_places_is_none() -> None:
    path = named(ANSA)
    text = path.read_text(encoding="utf-8").replace("player: Mara", "player: Zoe")
    into = merged(filled(path, {"player": "Zoe"}), path, text)
    assert not into.changes
    assert into.after == text


def test_a_sheet_that_does_not_say_what_was_printed_is_not_believed() -> None:
    path = named(ANSA)
    sheet = filled(path, {"player": "Zoe"})
    bare = replace(sheet, fields={n: replace(f, printed=None) for n, f in sheet.fields.items()})
    into = merged(bare, path)
    assert states(into) == {"Player": "unknown"}
    assert said(into) == ["SG807"]
    assert into.after == into.before


def test_a_rating_that_no_advance_raised_is_not_lowered() -> None:
    into = merged(filled(named(OSHEN), {"skills.medicine.own": ""}), named(OSHEN))
    assert said(into) == ["SG811"]
    assert into.after == into.before


@pytest.mark.many
@pytest.mark.parametrize("advances", ["[Grit, Craft]", "[Training, Grit x2]", "[Training]"])
@pytest.mark.parametrize("price", ["price: n", ""])
def test_a_rating_that_is_lowered_below_creation_gives_its_advances_back(
    tmp_path: Path, advances: str, price: str
) -> None:
    game = GAME.replace("price: n + might + has(gifts)", price)
    game = game if price else game.replace("    pool: points\n", "")
    (tmp_path / "ruleset.yaml").write_text(game, "utf-8")
    path = tmp_path / "ada.yaml"
    path.write_text(
        f"ruleset: .\nname: Ada\nlessons: 90\nscores: {{Grit: 2, Craft: 3}}\nadvances: {advances}\n"
    )
    trained = "Training" in advances
    for typed in range(4):
        into = merged(filled(path, {"scores.grit.total": str(typed)}), path)
        assert into.character.build is not None
        if typed >= trained:
            assert into.character.build.ratings["grit"].own == typed
            assert not into.findings
        else:  # what a named advance gave stays
            assert into.after == into.before
            assert "SG811" in said(into)


def test_two_states_at_once_are_not_guessed() -> None:
    into = merged(filled(named(BRAM), {"condition.dead": ON}), named(BRAM))
    assert said(into) == ["SG809"]
    assert into.after == into.before


def test_a_step_that_the_rules_refuse_is_not_written() -> None:
    path = named("brakka_sool")
    sheet = filled(path, {"skills.alter.own": "+2D"})
    into = merged(sheet, path)
    assert "SG809" in said(into)
    assert "advances: [Medium Armor]\n" in into.after
    assert merged(sheet, path, into.after).after == into.after


def test_a_typed_total_is_only_compared() -> None:
    path = named(OSHEN)
    into = merged(filled(path, {"dodge.value": "99"}), path)
    assert said(into) == ["SG810"]
    assert into.after == into.before


def test_a_mark_without_a_place_is_only_said() -> None:
    into = merged(filled(named("calla"), {"daily.1.used": ON}), named("calla"))
    assert said(into) == ["SG816"]
    assert into.after == into.before


def test_a_long_text_that_was_cut_off_keeps_its_end() -> None:
    path = named("calla")
    whole = blank_sheet(path).fields["notes"].filled
    into = merged(filled(path, {"notes": whole[:100].rstrip() + "…"}), path)
    assert said(into) == ["SG815"]
    assert into.after == into.before


def test_the_file_keeps_its_line_ends_and_its_last_line_without_one() -> None:
    path = named(ANSA)
    text = path.read_text(encoding="utf-8").rstrip("\n").replace("\n", "\r\n")
    into = merged(filled(path, {"player": "Zoe", "abilities.luck.1": ON}), path, text)
    expected = text.replace("player: Mara", "player: Zoe")
    expected = expected.replace("stars: 1}\r\nspecials", "stars: 1}\r\n  Luck: 1\r\nspecials")
    assert into.after == expected


def test_an_alias_in_the_way_is_said() -> None:
    path = named(ANSA)
    text = path.read_text(encoding="utf-8").replace("player: Mara", "player: &who Mara")
    text = text.replace("storyteller: Ben", "storyteller: *who")
    into = merged(filled(path, {"player": "Zoe", "abilities.luck.1": ON}), path, text)
    assert "SG813" in said(into)
    assert "  Luck: 1" in into.after
    assert "player: &who Mara" in into.after


def test_a_new_file_is_begun_from_what_was_typed() -> None:
    path = named(BRAM)
    sheet = blank_sheet(path)
    empty = {n: replace(f, printed="", filled="") for n, f in sheet.fields.items()}
    typed = {"name": "Nova", "attributes.dexterity.total": "3D+1", "skills.dodge.own": "1D"}
    empty |= {n: replace(empty[n], filled=v) for n, v in typed.items()}
    into = merged(replace(sheet, fields=empty), path, "ruleset: d6-pips\n", is_new=True)
    assert into.after == (
        "ruleset: d6-pips\nname: Nova\nattributes: {Dexterity: 3D+1}\nskills: {Dodge: +1D}\n"
    )


def test_every_topic_of_every_sheet_has_a_name() -> None:
    for stem in (ANSA, OSHEN, BRAM, "calla"):
        path = named(stem)
        into = merged(filled(path, {"name": "Somebody"}), path)
        assert [(c.label, c.state) for c in into.changes] == [("Name", "merged")]
        assert into.after == hero(path).source.text.replace(hero(path).build.name, "Somebody", 1)


ALIKE = """\
ruleset: d6-pips
name: Two Clubs
attributes: {DEX: 3D, KNO: 3D, MEC: 3D, PER: 3D, STR: 3D, TEC: 3D}
skills: {Firearms: +2D, Dodge: +2D, Brawling: +2D, Melee Combat: +1D}
gear: [Medpac, {Club: {note: first}}, Pistol, {Club: {note: second}}, Club, Medpac]
"""


@pytest.mark.many
@pytest.mark.parametrize(
    ("values", "gear"),
    [
        ({"weapons.3.name": ""}, "[Medpac, {Club: {note: first}}, Pistol, Club, Medpac]"),
        (
            {"weapons.4.name": ""},
            "[Medpac, {Club: {note: first}}, Pistol, {Club: {note: second}}, Medpac]",
        ),
        (
            {"weapons.3.name": "Bow"},
            "[Medpac, {Club: {note: first}}, Pistol, Bow, Club, Medpac]",
        ),
        ({"weapons.1.name": "", "weapons.3.name": ""}, "[Medpac, Pistol, Club, Medpac]"),
        (
            {"gear.2.text": ""},
            "[Medpac, {Club: {note: first}}, Pistol, {Club: {note: second}}, Club]",
        ),
    ],
)
def test_of_things_of_one_name_the_row_that_was_changed_is_meant(
    values: dict[str, str], gear: str, tmp_path: Path
) -> None:
    path = tmp_path / "alike.yaml"
    path.write_text(ALIKE, encoding="utf-8")
    sheet = filled(path, values)
    into = merged(sheet, path)
    assert f"gear: {gear}\n" in into.after, said(into)
    assert merged(sheet, path, into.after).after == into.after
