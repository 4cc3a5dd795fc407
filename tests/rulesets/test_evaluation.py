"""What a ruleset says counts: grants see ratings, counts count, what nobody reads is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheetgen.check.character.advancement import list_offers
from sheetgen.check.character.builds import check_character, check_draft
from sheetgen.check.ruleset.rulesets import check_kinds, check_ruleset
from sheetgen.diag.findings import Finding, Severity
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.scopes import list_compared_words
from tests.effort import at_most_calls
from tests.shelf import ruleset

HEAD = """\
id: game
title: Game
version: 1
format: 1
credit: {short: a, long: a, licence: none stated}
"""

GAME = """\
groups:
  scores: {rating: rank, stated: true, traits: {might: {name: Might}, wit: {name: Wit}}}
  mods: {rating: rank, traits: {might_mod: {name: Might bonus}, wit_mod: {name: Wit bonus}}}
  skills:
    rating: rank
    traits: {climb: {name: Climb, under: might_mod}, lore: {name: Lore, under: wit_mod}}
choices:
  feats:
    one: feat
    entries:
      slam: {name: Slam, modifies: {load: 2}, grants: {take: [push]}}
      push: {name: Push, grants: {raise: {climb: 1}, gear: [rope]}}
      strong: {name: Strong, modifies: {load: might_mod}}
given:
  raise: {might_mod: might - 10, wit_mod: (wit - 10) // 2}
  when: [{if: might_mod >= 3, take: [slam], when: [{if: lore >= 2, raise: {climb: 1}}]}]
pools: {xp: {label: XP, start: 10, adds: xp}}
advances: {pool: xp, groups: {skills: n, mods: n}}
gear:
  rope: {name: Rope, modifies: {load: 10}, stacks: 1 == 1, tags: [tool], dice: 2}
  shield: {name: Shield, modifies: {load: might_mod}, tags: [held]}
derived:
  load: {label: Load, value: modifiers(load)}
  tools: {label: Tools, value: "items(tool) + 10 * best(tool) + 100 * holds(gear, tool)"}
tracks: {harm: {label: Harm, boxes: 3 + might_mod, marked: hurt}}
character:
  name: {kind: text}
  scores: {kind: ratings}
  skills: {kind: raises, count: 1 + wit_mod, by: 1, repeat: 1 == 1}
  feats: {kind: choices}
  gear: {kind: items}
  xp: {kind: number, least: 0}
  hurt: {kind: number, least: 0}
  advances: {kind: advances}
"""


def loaded(folder: Path, *changes: tuple[str, str], text: str = HEAD + GAME) -> Ruleset:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "game").mkdir(exist_ok=True)
    (folder / "game" / "ruleset.yaml").write_text(text, encoding="utf-8")
    found = load_ruleset(folder / "game", complete=True)
    assert found.value is not None, found.findings
    return found.value


def built(rules: Ruleset, text: str) -> tuple[Build, Sequence[Finding]]:
    source = parse_yaml(f"name: Ada\n{text}\n", "case.yaml").value
    assert source is not None
    checked = check_character(source, rules)
    assert checked.value is not None
    return checked.value, checked.findings


def values(build: Build) -> dict[str, Any]:
    """Return what a build comes to, without how its lists were written."""
    ratings = {id_: (rating.own, rating.total) for id_, rating in build.ratings.items()}
    return ratings | {d.id: d.value for d in build.derived.values()} | dict(build.marked)


def test_grants_see_ratings_that_the_author_wrote(tmp_path: Path) -> None:
    rules = loaded(tmp_path)
    assert not check_ruleset(rules)
    build, findings = built(rules, "scores: {Might: 14, Wit: 13}\nskills: [Lore, Climb]")
    assert not findings
    assert {pick.entry: pick.because for pick in build.picks} == {
        "slam": "the rules",
        "push": "Slam",
    }
    assert [build.ratings[t].total for t in ("might_mod", "wit_mod", "climb", "lore")] == [
        4,
        1,
        7,
        2,
    ]
    assert [item.name for item in build.items] == ["Rope"]
    weak, findings = built(rules, "scores: {Might: 12, Wit: 10}\nskills: [Lore]")
    assert not findings
    assert not weak.picks
    assert weak.ratings["might_mod"].total == 2


def test_grants_see_advances_and_picks_at_creation_do_not(tmp_path: Path) -> None:
    rules = loaded(tmp_path)
    text = "scores: {Might: 12, Wit: 10}\nskills: [Lore]\nadvances: [Might bonus, Wit bonus]"
    build, findings = built(rules, text)
    assert not findings
    assert [pick.entry for pick in build.picks] == ["slam", "push"]
    assert build.derived["load"].value == 12


def test_a_rule_about_creation_sees_no_advances(tmp_path: Path) -> None:
    young = (
        "young: {require: climb + load <= 13, creation: true, at: skills, message: '{climb} now'}"
    )
    rules = loaded(tmp_path, ("tracks:", f"rules:\n  {young}\ntracks:"))
    assert not check_ruleset(rules)
    text = "scores: {Might: 11, Wit: 12}\nskills: [Climb, Climb]\ngear: [Rope]\nxp: 90"
    build, findings = built(rules, f"{text}\nadvances: [Climb, Climb]")
    assert (build.ratings["climb"].total, [*findings]) == (5, [])
    source = parse_yaml(text, "case.yaml").value
    assert source is not None
    climb = next(o for o in list_offers(check_draft(source, rules)) if o.id == "climb")
    assert not climb.refused
    _, findings = built(rules, text.replace("Might: 11", "Might: 12") + "\nadvances: [Climb]")
    assert [f.message for f in findings] == ["4 now"]
    _, findings = built(rules, text.replace("[Rope]", "[Rope x2]"))
    assert [f.message for f in findings] == ["3 now"]


def test_a_choice_may_lower_a_rating_with_a_sign(tmp_path: Path) -> None:
    group = "stats: {rating: signed, traits: {bold: {name: Bold}}}"
    rules = loaded(
        tmp_path,
        ("  scores: {rating", f"  {group}\n  scores: {{rating"),
        ("grants: {raise: {climb: 1}, gear", "grants: {raise: {bold: -1}, gear"),
    )
    assert not check_ruleset(rules)
    build, findings = built(rules, "scores: {Might: 10, Wit: 10}\nskills: [Climb]\nfeats: [Push]")
    assert not findings
    assert rules.rating_text("stats", build.ratings["bold"].total) == "−1"


def test_what_a_choice_brings_along_need_not_be_listed(tmp_path: Path) -> None:
    priced = ("gear: {kind: items}", "gear: {kind: items, pool: xp}")
    rules = loaded(tmp_path, priced, ("rope: {name: Rope,", "rope: {name: Rope, cost: none,"))
    _, findings = built(rules, "skills: [Climb]\nfeats: [Push]\ngear: [Rope]")
    assert [f.hint for f in findings if f.code.id == "SG214"] == [
        "leave it out: it comes with Push already"
    ]


def test_limits_at_creation_are_written_like_ratings(tmp_path: Path) -> None:
    group = "attributes: {rating: die, base: 1, traits: {brawn: {name: Brawn}}}"
    key = "brawny: {kind: raises, of: attributes, by: 3, most: 3}"
    changes = (
        ("  scores: {rating", f"  {group}\n  scores: {{rating"),
        ("  xp: {kind", f"  {key}\n  xp: {{kind"),
    )
    _, findings = built(loaded(tmp_path, *changes), "skills: [Climb]\nbrawny: [Brawn]")
    assert "Brawn is d10 at creation; at most d8" in [f.message for f in findings]


@pytest.mark.parametrize("formula", ["has(slam) == 0", "climb == 0", "load == 0"])
def test_a_grant_that_takes_away_its_own_reason_is_a_finding(tmp_path: Path, formula: str) -> None:
    rules = loaded(tmp_path, ("if: might_mod >= 3", f"if: {formula}"))
    _, findings = built(rules, "scores: {Might: 10, Wit: 10}\nskills: [Lore]")
    said = [f for f in findings if f.code.id == "SG104"]
    assert [f.span.file.endswith("ruleset.yaml") for f in said] == [True]
    assert said[0].hint


def test_a_grant_that_cannot_be_computed_in_the_end_is_reported_once(tmp_path: Path) -> None:
    rules = loaded(tmp_path, ("might_mod: might - 10", "might_mod: 20 // (might - 14)"))
    _, findings = built(rules, "scores: {Might: 14, Wit: 10}\nskills: [Lore]")
    assert [f.code.id for f in findings] == ["SG108"]
    _, findings = built(rules, "scores: {Might: 16, Wit: 10}\nskills: [Lore]")
    assert not [f for f in findings if f.code.id == "SG108"]


LISTS = {
    "gear": ("Rope", "Shield"),
    "feats": ("Slam", "Push", "Strong"),
    "skills": ("Lore", "Climb"),
}
COUNTED = st.fixed_dictionaries(
    {
        key: st.lists(st.tuples(st.sampled_from(names), st.integers(1, 4)), max_size=4)
        for key, names in LISTS.items()
    }
)


@settings(max_examples=60, deadline=None)
@given(counted=COUNTED, might=st.integers(8, 15))
def test_a_count_counts_like_the_name_written_out(
    counted: dict[str, list[tuple[str, int]]], might: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rules = _shared(tmp_path_factory)
    short, long = (f"scores: {{Might: {might}, Wit: 10}}\n" for _ in range(2))
    for key, names in counted.items():
        short += f"{key}: [{', '.join(f'{name} x{n}' for name, n in names)}]\n"
        long += f"{key}: [{', '.join(name for name, n in names for _ in range(n))}]\n"
    one, other = built(rules, short), built(rules, long)
    assert values(one[0]) == values(other[0])
    lost = [[f for f in found if "does not count" in f.message] for _, found in (one, other)]
    assert bool(lost[0]) == bool(lost[1])


_LOADED: list[Ruleset] = []


def _shared(factory: pytest.TempPathFactory) -> Ruleset:
    if not _LOADED:
        _LOADED.append(loaded(factory.mktemp("counted")))
    return _LOADED[0]


def test_one_of_several_improved_things_still_counts(tmp_path: Path) -> None:
    rules = loaded(tmp_path, ("groups: {skills: n, mods: n}", "groups: {skills: n}, gear: n"))
    build, _ = built(rules, "scores: {Might: 10, Wit: 10}\ngear: [Rope x3]\nadvances: [Rope]")
    assert build.derived["load"].value == 30


@pytest.mark.parametrize(("hurt", "said"), [(6, ""), (7, "Harm has 6 boxes; 7 are marked")])
def test_more_marks_than_boxes_are_a_warning(tmp_path: Path, hurt: int, said: str) -> None:
    _, findings = built(
        loaded(tmp_path), f"scores: {{Might: 13, Wit: 10}}\nhurt: {hurt}\nskills: [Lore]"
    )
    assert [f.message for f in findings] == ([said] if said else [])
    assert all(f.severity is Severity.WARNING and f.span.line == 3 for f in findings)


def test_a_rating_above_its_boxes_is_a_warning(tmp_path: Path) -> None:
    rules = loaded(tmp_path, ("stated: true", "stated: true, boxes: 11"))
    _, findings = built(rules, "scores: {Might: 12, Wit: 10}\nskills: [Lore]")
    assert [f.message for f in findings] == ["Might is 12; a sheet has 11 boxes for it"]


CREATURE = """\
kinds:
  creature:
    one: creature
    label: Creatures
    keeps: [KEEPS]
    groups: {beast: {rating: rank, stated: true, traits: {bite: {name: Bite}}}}
    character:
      name: {kind: text}
      gear: {kind: items}
      beast: {kind: ratings}
      scores: {kind: ratings}
"""


@pytest.mark.parametrize(
    ("keeps", "own", "mod"),
    [
        ("groups", "", 0),
        ("groups, choices, gear, derived, given", "", 4),
        ("groups", "given: {raise: {might_mod: 2}}", 2),
    ],
)
def test_a_kind_says_what_it_is_given(tmp_path: Path, keeps: str, own: str, mod: int) -> None:
    kind = CREATURE.replace("KEEPS", keeps) + (f"    {own}\n" if own else "")
    rules = loaded(tmp_path, text=HEAD + GAME + kind)
    notes = [*check_kinds(rules, ())]
    assert [f.severity for f in notes] == ([] if own or mod else [Severity.NOTE])
    build, findings = built(kind_rules(rules, "creature"), "scores: {Might: 14}\nbeast: {Bite: 2}")
    assert not findings
    assert build.ratings["might_mod"].total == mod


def test_a_kind_with_groups_of_its_own_needs_nothing_of_the_characters(tmp_path: Path) -> None:
    priced = ("stated: true, traits: {might:", "stated: true, price: n, pool: xp, traits: {might:")
    kind = CREATURE.replace("keeps: [KEEPS]", "keeps: [groups.scores]")
    rules = loaded(tmp_path, priced, text=HEAD + GAME + "rolls: {hit: {dice: {d: climb}}}\n" + kind)
    assert not [*check_kinds(rules, ())]
    own = kind_rules(rules, "creature")
    assert not own.rolls
    _, findings = built(own, "scores: {Might: 14}\nbeast: {Bite: 2}")
    assert not findings


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: {kind: text}", "name: {kind: text, count: 3}", "`count` has no effect"),
        ("hurt: {kind: number,", "hurt: {kind: number, tags: [tool],", "`tags` has no effect"),
        ("feats: {kind: choices}", "feats: {kind: choices, passing: true}", "`passing` has no"),
        ("hurt: {kind: number,", "hurt: {kind: number, price: 2,", "belong together"),
        (
            "skills:\n    rating: rank",
            "skills:\n    price: n\n    pool: xp\n    rating: rank",
            "nobody buys",
        ),
        ("take: [slam],", "spread: {points: 3, of: scores}, take: [slam],", "`spread` has no"),
        ("grants: {take: [push]}", "grants: {take: [push], asked: 2}", "`asked` has no effect"),
        ("might_mod: might - 10", "might_mod: might_mod + 1", "depend on each other"),
    ],
)
def test_what_nobody_reads_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    findings = check_ruleset(loaded(tmp_path, (old, new)))
    assert [f for f in findings if said in f.message], [f.message for f in findings]
    assert all(f.hint for f in findings)


def test_a_requirement_counts_for_every_kind_of_key(tmp_path: Path) -> None:
    rules = loaded(
        tmp_path, ("feats: {kind: choices}", "feats: {kind: choices, requires: might > 11}")
    )
    scores = "skills: [Lore]\nfeats: [Push]\nscores: {Wit: 10, Might: "
    assert [f.code.id for f in built(rules, f"{scores}10}}")[1]] == ["SG205"]
    assert not built(rules, f"{scores}12}}")[1]


OVERLAY = """\
id: deep
title: Deep
version: 1
format: 1
credit: {short: b, long: b, licence: none stated}
extends: ../game
"""


def overlaid(folder: Path, text: str) -> Any:
    loaded(folder)
    (folder / "deep").mkdir(exist_ok=True)
    (folder / "deep" / "ruleset.yaml").write_text(text, encoding="utf-8")
    return load_ruleset(folder / "deep")


ODD = ("{a: 1}", "[1, [2]]", "{id: ../game, version: 99}", "")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", ["id", "title", "version", "format", "credit", "extends", "lang"])
def test_a_head_of_the_wrong_type_is_a_finding_at_its_line(
    tmp_path: Path, key: str, odd: str
) -> None:
    lines = [one for one in OVERLAY.splitlines() if not one.startswith(f"{key}:")]
    found = overlaid(tmp_path, "\n".join([*lines, f"{key}: {odd}"]) + "\n")
    assert [f for f in found.findings if f.span.line == len(lines) + 1], found.findings


def test_an_overlay_has_its_own_language(tmp_path: Path) -> None:
    assert overlaid(tmp_path, OVERLAY).value.lang == "en"
    assert overlaid(tmp_path, f"{OVERLAY}lang: de\n").value.lang == "de"
    for odd in ("5", "English", "xx-!", '""'):  # the page would say it, and no reader knows it
        (told,) = overlaid(tmp_path, f"{OVERLAY}lang: {odd}\n").findings
        assert "language tag" in told.message


def test_an_overlay_keeps_the_pips_of_its_base(tmp_path: Path) -> None:
    found = overlaid(tmp_path, f"{OVERLAY}pips: true\n")
    assert [f.span.line for f in found.findings] == [7]
    assert not overlaid(tmp_path, f"{OVERLAY}pips: false\n").findings


def test_extends_in_another_file_is_a_finding(tmp_path: Path) -> None:
    overlaid(tmp_path, OVERLAY.replace("extends: ../game\n", ""))
    (tmp_path / "deep" / "more.yaml").write_text("extends: ../game\n", encoding="utf-8")
    found = load_ruleset(tmp_path / "deep")
    assert [f.message for f in found.findings] == ["`extends` is read in ruleset.yaml only"]


@pytest.mark.parametrize("odd", [*ODD[:2], "12", "text", "true", "null"])
def test_a_key_of_the_wrong_type_is_a_finding_or_counts(tmp_path: Path, odd: str) -> None:
    """Nothing is taken for absent: each key of the top is refused, or read as what it says."""
    top = [line.partition(":")[0] for line in GAME.splitlines() if line[0] != " "]
    for key in top:
        (tmp_path / "game").mkdir(exist_ok=True)
        (tmp_path / "game" / "ruleset.yaml").write_text(f"{HEAD}{key}: {odd}\n", encoding="utf-8")
        found = load_ruleset(tmp_path / "game")
        nothing = odd == "null" and key in ("given", "advances")
        assert nothing or [f for f in found.findings if f.span.line == 6], (key, found.findings)


KOR = """\
attributes: {DEX: 3D, KNO: 3D, MEC: 3D, PER: 3D, STR: 3D, TEC: 3D}
skills: {Dodge: 1D, Firearms: 2D, Sneak: 1D, Search: 1D, Con: 1D}
specialised: 1
"""


@pytest.mark.parametrize(
    ("uses", "paid", "said"),
    [
        ("[Firearms (pistols) 7D]", 0, ""),  # the die of creation buys six pips
        ("[Firearms (pistols): 7D]", 0, ""),
        ("[{Firearms (pistols): 7D}]", 0, ""),
        ("[Firearms (pistols) 7D+1]", 0, "these specialisations cost 4 Character Points"),
        ("[Firearms (pistols) 7D+1]", 4, ""),
        ("[Firearms (pistols) 6D, Dodge (shots) 5D]", 0, ""),
        ("[Nosuchskill (x) 7D]", 9, "there is no skill `Nosuchskill`"),
        ("[Firearms (pistols) 4D]", 0, "`Firearms (pistols)` is 4D; Firearms alone is 5D"),
        ("[Firearms (pistols)]", 0, "`Firearms (pistols)` has no code"),
        ("[Firearms (pistols) lots]", 0, "`lots` is no code"),
        ("[Firearms]", 0, "`Firearms` does not say which skill it is a use of"),
        ("[Firearms () 6D]", 0, "`Firearms () 6D` does not say which use of Firearms it is"),
        ("[Firearms (pistols) 6D, firearms (Pistols) 6D+1]", 0, "`firearms (Pistols)` is listed"),
    ],
)
def test_a_narrow_use_is_checked_and_paid(uses: str, paid: int, said: str) -> None:
    text = f"{KOR}specialisations: {uses}\nspecialisation points: {paid}\npoints: 20"
    _, findings = built(ruleset("d6-pips"), text)
    assert len(findings) == bool(said), findings
    assert all(said in f.message and f.hint for f in findings)


def test_the_next_step_of_a_narrow_use_is_offered() -> None:
    text = f"name: Kor\n{KOR}specialisations: [Firearms (pistols) 7D]\n"
    source = parse_yaml(text, "case.yaml").value
    assert source is not None
    offers = list_offers(check_draft(source, ruleset("d6-pips")))
    (offer,) = (one for one in offers if one.kind == "use")
    assert (offer.what, offer.step, offer.price) == ("Firearms (pistols)", "7D to 7D+1", 4)


def test_a_derivation_shows_figures(tmp_path: Path) -> None:
    value = "value: 2 * (might_mod + modifiers(load)) + (wit - 1) // 4"
    rules = loaded(tmp_path, ("value: modifiers(load)", value))
    build, _ = built(rules, "scores: {Might: 12, Wit: 13}\nskills: [Lore, Lore]\ngear: [Rope x2]")
    assert build.derived["load"].value == 47
    assert build.derived["load"].how == "2(Might bonus 2 + modifiers 20) + (Wit 13 − 1)/4"


def test_a_thing_that_no_table_shows_is_a_warning(tmp_path: Path) -> None:
    cells = "cells: [{head: A, text: '{name}'}]"
    table = f"tables: {{tools: {{label: Tools, of: gear, where: [tool], {cells}}}}}\n"
    rules = loaded(tmp_path, text=HEAD + GAME + table)
    (finding,) = check_ruleset(rules)
    assert finding.message == "no table shows Shield; they show other things of `gear`"
    assert finding.severity is Severity.WARNING


def test_the_short_form_of_a_thing_of_ones_own_has_an_attack() -> None:
    own = kind_rules(ruleset("hyperspace-d6"), "npc")
    attributes = "{DEX: 3D, KNO: 2D, MEC: 2D, PER: 2D, STR: 3D, TEC: 2D}"
    text = (
        f"attributes: {attributes}\nskills: {{Melee: 4D}}\ngear: [{{Hook: 4D Melee}}, {{Net: 2D}}]"
    )
    build, findings = built(own, text)
    assert not findings
    assert [(i.name, i.damage, i.attack) for i in build.items] == [("Hook", 4, 4), ("Net", 2, None)]
    _, findings = built(own, text.replace("4D Melee", "4D Meele"))
    assert [f.hint for f in findings] == ["did you mean `Melee`?"]


@pytest.mark.parametrize(
    ("formula", "known"),
    [
        ("1 if style == 'reckless' else 0", True),
        ("1 if 'reckless'==style else 0", True),
        ('1 if (style) != "reckless" and 1 < 2 else 0', True),
        ("1 if style < 'reckless' else 0", False),
        ("1 if might == 3 else 0", False),
    ],
)
def test_compared_words_are_read_from_formulas(formula: str, known: bool, tmp_path: Path) -> None:
    line = f"{{{formula}}}, style == 'no formula'".replace('"', "'")
    rules = loaded(
        tmp_path,
        ("  name: {kind: text}", "  name: {kind: text}\n  style: {kind: text}"),
        text=f'{HEAD}{GAME}texts: {{move: {{text: "{line}"}}}}\n',
    )
    assert list_compared_words(rules) == ({"style": {"reckless"}} if known else {})


GROWTH = """\
pools: {xp: {label: XP, start: 200}, pts: {label: Points, start: 50}}
groups:
  stats:
    rating: signed
    stated: true
    traits: {cool: {name: Cool}, hard: {name: Hard}, hot: {name: Hot}}
  nerves: {rating: die, stated: true, traits: {fight: {name: Fight}, flee: {name: Flee}}}
  powers: {rating: rank, traits: {force: {name: Force}}}
  ways:
    rating: rank
    stated: true
    price: n + 1
    pool: pts
    open: {most: 5}
    traits: {lore: {name: Lore, aliases: [Deep lore]}}
choices:
  folk: {entries: {elf: {name: Elf, grants: {raise: {hard: -1, flee: -1, lore: -1}}}}}
  marks:
    entries:
      awake: {name: Awake, grants: {take: [deep], raise: {force: 1}}}
      deep: {name: Deep}
advances:
  pool: xp
  named:
    unlock: {name: Unlock, price: 1, take: [awake], requires: has(awake) + has(deep) + force == 0}
    again: {name: Again, price: 1, take: [awake], requires: has(deep) < 3}
    plunge: {name: Plunge, price: 1, take: [deep]}
    late: {name: Late, price: 1, requires: has(deep) > 0}
character:
  name: {kind: text}
  folk: {kind: choice}
  stats: {kind: ratings, of: [stats, nerves], values: ["-1", "1", "2", d8, d6]}
  ways: {kind: ratings}
  lost: {kind: losses, of: [stats]}
  advances: {kind: advances}
"""
SCORES = "stats: {Cool: -1, Hard: 1, Hot: 2, Fight: d8, Flee: d6}"


@pytest.mark.parametrize(
    ("advances", "taken", "refused"),
    [
        ("[Unlock]", 2, ""),  # what it takes is no reason against it
        ("[Unlock, Unlock]", 4, "Unlock"),
        ("[Again x3]", 6, ""),
        ("[Again x4]", 8, "Again"),
        ("[Again, Late]", 2, ""),
        ("[Late, Again]", 2, "Late"),  # what is taken later does not count yet
        ("[Plunge x100]", 100, ""),
        ("[Plunge x101]", 0, "`Plunge x101`"),
    ],
)
def test_an_advance_sees_what_was_taken_before_it(
    tmp_path: Path, advances: str, taken: int, refused: str
) -> None:
    rules = loaded(tmp_path, text=HEAD + GROWTH)
    assert not check_ruleset(rules)
    build, findings = built(rules, f"{SCORES}\nadvances: {advances}")
    assert sum(pick.times for pick in build.picks) == taken
    assert [f.message.partition(":")[0] for f in findings] == ([refused] if refused else [])


@pytest.mark.parametrize("kind", ["circle", "doubles", "chain"])
def test_choices_that_take_each_other_are_bounded(tmp_path: Path, kind: str) -> None:
    number = {"circle": 14, "doubles": 40, "chain": 900}[kind]
    taken = {
        "circle": lambda n: [m for m in range(number) if m != n],
        "doubles": lambda n: [n + 1] * 2 if n + 1 < number else [],
        "chain": lambda n: [n + 1] if n + 1 < number else [],
    }[kind]
    entries = "".join(
        f"      m{n}: {{name: M{n}, grants: {{take: [{', '.join(f'm{m}' for m in taken(n))}]}}}}\n"
        for n in range(number)
    )
    text = f"choices:\n  marks:\n    entries:\n{entries}character:\n  name: {{kind: text}}\n"
    text += "  marks: {kind: choices}\n"
    rules = loaded(tmp_path, text=HEAD + text)
    with at_most_calls(2_000_000):
        _, findings = built(rules, "marks: [M0, M1]")
    assert "brings along more than 600 choices" in findings[0].message
    assert len(findings) == 1


def test_pools_and_limits_count_what_advances_took_in_the_end(tmp_path: Path) -> None:
    pool, limit = "deeps: {label: Deeps, start: 4, needs: has(deep) > 0}", "limit: {most: under}"
    text = GROWTH.replace("pts: {", f"{pool}, pts: {{")
    text = text.replace("rank, traits: {force", f"rank, {limit}, traits: {{force")
    text = text.replace("force: {name: Force}", "force: {name: Force, under: cool}")
    text = text.replace("{name: Plunge,", "{name: Plunge, raise: {cool: 3},")
    text += "derived: {room: {label: Room, sum: limit, over: [powers]}}\n"
    rules = loaded(tmp_path, text=HEAD + text)
    build, findings = built(rules, f"{SCORES}\nadvances: [Plunge]")
    assert not findings
    assert (build.ledgers["deeps"].left, build.derived["room"].value) == (4, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SCORES, ""),
        ("folk: Elf\nstats: {Cool: -1, Hard: 0, Hot: 2, Fight: d8, Flee: d4}", ""),
        ("folk: Elf\nstats: {Cool: 1, Hard: -2, Hot: 2, Fight: d8, Flee: d4}", ""),
        ("stats: {Cool: -1, Hard: 1, Hot: 1, Fight: d8, Flee: d6}\nlost: {Hot: 1}", ""),
        ("stats: {Cool: -1, Hard: 1, Hot: 1, Fight: d8, Flee: d6}", "SG212"),
        ("stats: {Cool: -1, Hard: 1, Hot: 2, Fight: d8, Flee: d10}", "SG212"),
    ],
)
def test_arrays_are_assigned_before_what_raises_and_lowers(
    tmp_path: Path, text: str, code: str
) -> None:
    _, findings = built(loaded(tmp_path, text=HEAD + GROWTH), text)
    assert [f.code.id for f in findings] == [code] * bool(code)


def test_open_groups_list_traits_and_lowered_ones_cost_the_steps_back(tmp_path: Path) -> None:
    rules = loaded(tmp_path, text=HEAD + GROWTH)
    build, findings = built(rules, f"{SCORES}\nways: {{Deep lore: 2, Song: 1}}")
    assert not findings
    assert [(r.id, r.own) for r in build.ratings.values() if r.group == "ways"] == [
        ("lore", 2),
        ("song", 1),
    ]
    _, twice = built(rules, f"{SCORES}\nways: {{Deep lore: 2, lore: 1}}")
    assert [f.code.id for f in twice] == ["SG005"]
    elf = "folk: Elf\nstats: {Cool: -1, Hard: 0, Hot: 2, Fight: d8, Flee: d4}\n"
    for ways, own, left in (("{}", -1, 50), ("{Lore: 0}", 0, 49), ("{Lore: 1}", 1, 47)):
        build, _ = built(rules, f"{elf}ways: {ways}")
        rating = build.ratings["lore"]
        assert (rating.own, sum(part.steps for part in rating.parts)) == (own, own)
        assert build.ledgers["pts"].left == left
