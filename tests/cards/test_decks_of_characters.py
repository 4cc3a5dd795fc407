"""The card of a character, its deck, and the rules that it uses: figures are those of the sheet."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pikepdf
import pymupdf
import pytest

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_complete, load_ruleset
from sheetgen.model.build import Build
from sheetgen.model.requests import CardRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.build_parts import BuildPart, list_build_parts
from sheetgen.plan.imposition import plan_layout
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.cards import ChosenCard, build_deck, select_cards
from sheetgen.prints.characters import load_characters
from tests.cli.commands import CHARACTERS, run
from tests.render.ua_rules import faults
from tests.render.viewers import text_of

STRANGE = Path(__file__).parent.parent / "rulesets" / "games"
HEROES = (
    CHARACTERS / "narrative-powers" / "tib_marlow.yaml",
    CHARACTERS / "hyperspace-d6" / "brakka_sool.yaml",
    CHARACTERS / "keyword-dots" / "ansa-reth.yaml",
    CHARACTERS / "d6-pips" / "bram_oldecott.yaml",
    STRANGE / "lantern" / "characters" / "grown.yaml",
    STRANGE / "saltglass" / "characters" / "grown.yaml",
)
BRAKKA, NAN = HEROES[1], HEROES[4]


def _build(path: Path) -> tuple[Build, Ruleset]:
    one = next(load_characters([path]))
    assert one.build is not None
    assert one.rules is not None
    rules = load_complete(one.rules)
    assert rules is not None
    return one.build, rules


def _parts(path: Path) -> tuple[list[BuildPart], Build, Ruleset]:
    build, rules = _build(path)
    return list_build_parts(build, rules, build_view(build, rules)), build, rules


def _cards(path: Path, **more: object) -> list[ChosenCard]:
    return select_cards(str(path), CardRequest((str(path),), **more)).cards  # type: ignore[arg-type]


@pytest.mark.parametrize("path", HEROES, ids=lambda path: path.stem)
def test_each_thing_has_a_card_with_the_figures_of_the_sheet(path: Path) -> None:
    parts, build, rules = _parts(path)
    cards = _cards(path, every=True)
    assert {card.design for card in cards} == {"kind-card"}
    assert {card.place for card in cards} == {(n, len(cards)) for n in range(1, len(cards) + 1)}
    said = {card.about.name: " ".join(card.about.texts.values()) for card in cards}
    names = " ".join(said)
    assert all(pick.name in names for pick in build.picks)
    assert all(item.name in names for item in build.items)
    for id_, rows in build.rows.items():
        if rules.lists[id_].of in rules.groups:
            continue
        for row in rows:
            _, *columns = row.values()
            name = next(iter(row.values())).partition(" ×")[0]
            card = next(text for own, text in said.items() if own.startswith(name[: len(own)]))
            assert all(line in card for column in columns for line in column.split("\n")), row
    assert not any(part.source == "own" for part in parts if part.thing is not None)


@pytest.mark.parametrize("game", ruleset_ids())
def test_all_that_one_chooses_has_a_picture_of_its_own(game: str) -> None:
    rules = load_ruleset(rulesets_folder() / game, complete=True).value
    assert rules is not None
    shown = {str(of): one.emblems for one in rules.card_sets.values() for of in one.of}
    bare = [
        f"{catalogue}.{id_}"
        for key_id, key in rules.character.items()
        for catalogue in (key.of or (key_id,))
        if key.kind in ("choice", "choices")
        for id_, entry in rules.choices[catalogue].entries.items()
        if not {str(id_), str(catalogue), str(key_id), *map(str, entry.tags), "others"}
        & {*rules.emblems, *shown.get(f"choices.{catalogue}", ())}
    ]
    assert bare == []


def test_a_character_without_a_portrait_has_the_picture_of_a_choice(tmp_path: Path) -> None:
    run("new", "character", "hyperspace-d6", "Ada", "--out", tmp_path / "ada.yaml")
    ada = (tmp_path / "ada.yaml").read_text(encoding="utf-8")
    for species, picture in (("Human", "boss"), ("Trandoshan", "reptile")):
        path = tmp_path / f"{picture}.yaml"
        path.write_text(ada.replace("Human", species), encoding="utf-8")
        assert _cards(path, every=True)[0].about.texts["emblem"] == picture


def test_numbers_of_dice_are_codes_as_on_the_sheet() -> None:
    (knife,) = (part for part in _parts(BRAKKA)[0] if part.name == "Combat Knife")
    assert knife.figures[:2] == (("Attack", "3D"), ("Damage", "6D"))
    assert knife.attacks


def test_bought_stars_and_pinned_dice_are_on_the_card_of_a_trait() -> None:
    figures = {part.name: dict(part.figures) for part in _parts(HEROES[2])[0]}
    assert figures["Saber Block"] == {"Dots": "5", "Stars": "2"}
    assert figures["Surprise"]["Die"] == "d8"


def test_narrow_uses_of_a_trait_have_a_card_and_a_rule() -> None:
    parts, build, _ = _parts(CHARACTERS / "d6-pips" / "kor_ashveld.yaml")
    assert build.lists["specialisations"] == ("Riding (plains beasts) 6D+1",)
    found = [part for part in parts if "specialisations" in part.ids]
    assert [(p.heading, p.name, p.figures) for p in found] == [
        ("Specialisations", "Riding (plains beasts)", (("Dice", "6D+1"),))
    ]


def test_uses_left_and_states_are_those_of_the_file() -> None:
    parts = {part.name: part for part in _parts(NAN)[0]}
    assert dict(parts["Wheel pistol"].figures)["Uses"] == "☑☐"
    assert dict(parts["Bleeding"].figures) == {"Harm": "4 of 7"}
    (card, *_) = _cards(NAN, every=True)
    assert card.about.marked["harm"] == 4


def test_what_a_file_marks_is_crossed_on_the_cards_of_npcs(tmp_path: Path) -> None:
    head = "ruleset: keyword-dots\nkind: npc\nentries:\n"
    rows = "".join(f"  - {{name: N{n}, abilities: {{Speed: 2}}, hits_lost: {n}}}\n" for n in (1, 0))
    (file := tmp_path / "two.yaml").write_text(head + rows)
    request = CardRequest((str(file),), single=True)
    deck = build_deck(_cards(file), plan_layout(request), request).value
    assert deck is not None
    shapes = [[*strip.filling.marks.values()] for face in deck.faces for strip in face.strips]
    assert [found.count("card-box-on") for found in shapes if "card-box" in found] == [1, 0]


def test_cards_of_games_with_different_fonts_are_not_in_one_file(tmp_path: Path) -> None:
    result = run("cards", *map(str, HEROES[1:3]), "--out", str(tmp_path))
    assert result.status == 1
    assert "HyperspaceD6 v1.5 and Keyword Dots have different fonts" in result.err


def test_attributes_are_in_one_row_and_a_portrait_is_on_the_last() -> None:
    path = CHARACTERS / "hyperspace-d6" / "pell_marrow.yaml"
    request = CardRequest((str(path),), single=True)
    deck = build_deck(_cards(path), plan_layout(request), request).value
    assert deck is not None
    texts = [[" ".join(strip.filling.texts) for strip in face.strips] for face in deck.faces]
    assert [sum("cells8.cells.value" in names for names in some) for some in texts] == [0, 1]
    assert all(any(s.filling.pictures for s in f.strips) for f in deck.faces)


def test_the_card_of_a_character_has_what_the_party_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("cards", BRAKKA, "--to", "html", "--to", "pdf")
    assert said.status == 0, said.err
    build, _ = _build(BRAKKA)
    page = Path("output/brakka-sool-cards.html").read_text(encoding="utf-8")
    pdf = text_of(Path("output/brakka-sool-cards.pdf").read_bytes())
    for words in (pdf, html.unescape(re.sub(r"<[^>]*>", " ", page))):
        for value in ("dodge", "parry", "block", "soak"):
            assert build.derived[value].label in words
            assert build.derived[value].shown in words


def test_ratings_that_the_party_shows_are_large_and_dice_are_signs() -> None:
    (card,) = _cards(HEROES[0])
    texts = card.about.texts
    figures = {texts[f"figures.1.label{n}"]: texts[f"figures.1.value{n}"] for n in range(1, 5)}
    assert figures == {"Threshold": "6", "Reflex": "2", "Willpower": "0", "Fortitude": "0"}
    assert "Reflex" not in [text for name, text in texts.items() if name.startswith("ratings")]
    assert texts["attacks.1.text"].endswith("roll 1 Proficiency 2 Ability")
    (other,) = _cards(CHARACTERS / "keyword-dots" / "brask-ondo.yaml")  # long, and has none of it
    assert "Acute Senses" not in other.about.texts.values()


def test_companions_are_named_by_their_names_or_their_files(tmp_path: Path) -> None:
    text = BRAKKA.read_text(encoding="utf-8")
    (tmp_path / "rat.yaml").write_text("ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Rat\n")
    hero = tmp_path / "hero.yaml"
    hero.write_text(f"{text}holdings: ['Speeder Bike: rusty', rat.yaml, Debts]\n", encoding="utf-8")
    names = [card.about.name for card in _cards(hero, every=True, of_kind="companions")]
    assert names == ["Speeder Bike", "Rat"]
    hero.write_text(f"{text}holdings: [nobody.yaml]\n", encoding="utf-8")
    assert "nobody.yaml" in run("cards", hero, "--all", "--out", tmp_path / "out").err


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("power", 13), ("spells", 0), ("specials", 4)])
def test_a_kind_narrows_a_deck(kind: str, count: int, tmp_path: Path) -> None:
    said = run("cards", HEROES[2], "--all", "--kind", kind, "--to", "html", "--out", tmp_path)
    if not count:
        assert "there is no kind `spells`" in said.err
        return
    page = Path(said.out.strip()).read_text(encoding="utf-8")
    assert page.count('<article class="card"') == count
    assert "of 26" in page


def test_a_ruleset_has_no_deck_of_a_character() -> None:
    assert "--all: error[SG201]: `--all` prints what a character has" in (
        run("cards", "hyperspace-d6", "--all").err
    )


@pytest.mark.slow
def test_rules_name_what_powers_use_and_where_they_are_from(tmp_path: Path) -> None:
    said = run("rules", HEROES[0], "--to", "pdf", "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    pdf, page = (Path(name).read_bytes() for name in said.out.split())
    assert faults(pdf) == []
    words = html.unescape(re.sub(r"<[^>]*>", " ", page.decode()))
    for word in ("Fatigued", "2 Setback on every check", "Maneuver", "Encounter", "house rule"):
        assert word in words
    said = " ".join(words.split())
    # Many figures begin the rule, whose first text sums up what the sections say.
    assert "Attack · Basic. The target is grabbed; needs a free hand. Requirement:" in said
    assert "<b>Requirement:</b> A hand" in page.decode()
    assert "\u2060" not in page.decode() + text_of(pdf)
    assert "Soak vs fire" not in said  # 0
    assert "1 × " not in said.partition("Values")[2]  # the ladder of the sheet
    assert "{" not in re.sub(r"(?s)<style.*?</style>", "", page.decode()).partition("<main")[2]


def test_braces_of_an_author_are_no_formulas(tmp_path: Path) -> None:
    hero = tmp_path / "hero.yaml"
    text = NAN.read_text(encoding="utf-8").replace("ruleset: ..", f"ruleset: {NAN.parent.parent}")
    hero.write_text(text.replace("knows my name (1)", "knows {my} name"), encoding="utf-8")
    assert run("rules", hero, "--to", "html", "--out", tmp_path).status == 0


def test_rules_behind_a_sheet_leave_it_fillable_and_readable(tmp_path: Path) -> None:
    said = run("sheet", BRAKKA, "--rules", "--to", "pdf", "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    names = [Path(name).name for name in said.out.split()]
    assert names == ["brakka-sool.pdf", "brakka-sool.html", "brakka-sool-rules.html"]
    data = (tmp_path / "brakka-sool.pdf").read_bytes()
    assert faults(data) == []
    with pikepdf.open(tmp_path / "brakka-sool.pdf") as pdf:
        assert len(pdf.pages) == 3
        assert pdf.Root.AcroForm.Fields
    assert "nothing was changed on it" in run("read", tmp_path / "brakka-sool.pdf").out
    folded = run("booklet", tmp_path / "brakka-sool.pdf", "--out", tmp_path / "folded")
    assert folded.status == 0, folded.err


def test_an_own_choice_says_what_it_gives() -> None:
    parts = _parts(CHARACTERS / "hyperspace-d6" / "dra_umbekk.yaml")[0]
    assert parts[0].name == "Umbekk"
    assert parts[0].gives == "DEX 2D, KNO 2D, MEC 1D, PER 3D, STR 1D, TEC 1D, FOR 1D, Willpower 1D"


def test_a_hyphen_in_a_name_is_no_minus() -> None:
    shown = run("show", CHARACTERS / "keyword-dots" / "mirelle-osk.yaml").out
    assert re.search(r"Re-energize Others 1–3 +−6 +76", shown)


OTHERS = (
    STRANGE / "saltglass" / "vehicles",
    STRANGE / "saltglass" / "bosses",
    STRANGE / "lantern" / "threats",
)


@pytest.mark.parametrize("folder", OTHERS, ids=lambda path: path.name)
def test_npcs_and_vehicles_have_the_rules_of_their_kind(folder: Path, tmp_path: Path) -> None:
    done = run("rules", str(folder), "--out", str(tmp_path), "--to", "html")
    assert done.status == 0
    said = " ".join(html.unescape(page.read_text("utf-8")) for page in tmp_path.glob("*.html"))
    found = [one for one in load_characters([folder]) if one.build is not None]
    assert found
    for one in found:
        assert one.build is not None
        assert all(item.name in said for item in one.build.items)
        assert all(v.label in said for v in one.build.derived.values() if v.label and v.how)


def test_a_game_of_codes_shows_what_its_party_table_does() -> None:
    """Derived values such as `Dice off for wounds` filled a card on which each was a figure."""
    path = CHARACTERS / "wound-points" / "ines_harrow.yaml"
    (card, *_) = _cards(path)
    texts = card.about.texts
    facts = {text for name, text in texts.items() if ".name" in name and name.startswith("facts.")}
    assert facts == {"Brawling parry", "Melee parry", "Initiative", "Wound Points", "Below zero"}
    figures = {texts[f"figures.1.label{n}"]: texts[f"figures.1.value{n}"] for n in (1, 2, 3)}
    assert figures == {"Resist": "3D+2", "Dodge": "4D+2", "Move": "10"}


def test_states_on_several_lines_stand_in_columns(tmp_path: Path) -> None:
    run("new", "character", "hyperspace-d6", "Ada", "--out", tmp_path / "ada.yaml")
    said = run("cards", tmp_path / "ada.yaml", "--out", tmp_path / "ada.pdf")
    assert said.status == 0, said.err
    with pymupdf.open(tmp_path / "ada.pdf") as pdf:
        words = {word[4]: word for word in pdf[0].get_text("words")}
    for above, below in (("Stunned", "Dead"), ("Unconscious", "Force")):
        assert abs(words[above][0] - words[below][0]) < 1
        assert words[above][1] < words[below][1]
