"""Named values of a build, which every sheet can show; docs/reference/templates.md lists them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, NamedTuple

from sheetgen.check.character.items import has_tags
from sheetgen.check.character.ledger import DIE, join_die_steps
from sheetgen.check.character.values import joined_name, session_number
from sheetgen.model.build import (
    REFUSED,
    Build,
    LedgerLine,
    Pick,
    Rating,
    Value,
    code_text,
    counted_name,
    pick_line,
    step_die_text,
)
from sheetgen.model.rulesets.ruleset import ITEM_KINDS, Key, Ruleset
from sheetgen.model.rulesets.traits import Catalogue
from sheetgen.rules.formulas.evaluate import filled, number_text, signed_text
from sheetgen.rules.formulas.notation import blank_how
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.things import RulesetScope, creation_steps

GIVES: Final = "_gives"  # the end of the names of such texts
_FEW: Final = 10  # entries of a choice at most, for an empty sheet to say what they give
# Suffixes of roles: the state of a trait's name or of a number in a build.
BOUGHT, TRAINED, CLOSED, NONE, PLAIN = "bought", "trained", "closed", "none", ""


def build_view(build: Build, rules: Ruleset) -> View:
    """Return all values that `build` can show."""
    view = View()
    for id_, key in rules.character.items():
        text, lines = build.texts.get(id_), build.lists.get(id_, ())
        if not (text or lines or key.kind == "number"):
            continue
        label = key.label or id_.replace("_", " ").capitalize()
        view.put(str(id_), text or "", label)
        if key.kind == "number":  # a missing number is its least value
            view.put(str(id_), str(build.numbers.get(id_, key.least or "")), label, written=False)
        for number, line in enumerate(lines, start=1):
            view.put(f"{id_}.{number}", line, label)
    for number, faces in enumerate(build.dice, start=1):
        view.put(f"dice.{number}", f"d{faces}", "Die")
    _picks(view, build, rules)
    for id_, key, offered in _list_choices(rules):
        if not key.passing and all(pick.key != id_ for pick in build.picks):
            _offer(view, id_, key, offered)
    _ratings(view, build, rules)
    for derived in build.derived.values():
        if derived.value is not None:
            state = NONE if derived.value == 0 else PLAIN
            name, label = f"{derived.id}.value", derived.label
            view.put(name, derived.shown, label, written=False, state=state)
            if place := rules.derived[derived.id].place:
                view.put(place, derived.shown, label, written=False)
        view.put(f"{derived.id}.how", derived.how, written=False)
    for id_, line in build.lines.items():
        view.put(f"{id_}.text", line, written=False)
    for id_, (boxes, marked) in build.marked.items():
        # Marked boxes, dots instead of boxes beyond its length, and what is off it.
        shown = rules.tracks[id_].shown
        view.ticks |= {f"{id_}.box.{box}": "" for box in range(1, min(marked, shown) + 1)}
        view.frames |= {f"{id_}.box.{box}": "dot" for box in range(boxes + 1, shown + 1)}
        view.put(f"{id_}.over", off_track(boxes, marked, shown), rules.tracks[id_].label)
    for id_, places in build.steps.items():
        named = zip(places, rules.tracks[id_].steps, strict=True)
        legend = " · ".join(f"{box} {name.replace('_', ' ')}" for box, name in named)
        view.put(f"{id_}.steps", legend, written=False)
        for name, box in zip(rules.tracks[id_].steps, places, strict=True):
            if 1 <= box <= rules.tracks[id_].shown:
                view.frames[f"{id_}.box.{box}"] = "step"
                view.put(f"{id_}.step.{box}", name.replace("_", " "), written=False)
    for ledger in build.ledgers.values():
        label = f"{ledger.label} ledger"
        view.put(f"{ledger.pool}.left", _signed(ledger.left), ledger.label, written=False)
        for number, row in enumerate(ledger_rows(ledger.lines), start=1):
            cells = {"session": row.session, "gained": str(row.gained or ""), "what": row.what}
            cells |= {"cost": str(row.cost or ""), "left": _signed(row.left)}
            for column, text in cells.items():
                view.put(f"{ledger.pool}.ledger.{number}.{column}", text, label)
    _rows(view, build, rules)
    for place, id_ in (*zip(build.rolls, build.rolls, strict=True), *build.row_rolls.items()):
        pool = build.rolls.get(id_, ())  # a frame for each die, and the pool in words
        every = (die for die, count in pool for _ in range(count))
        view.frames |= {f"{place}.roll.{number}": die for number, die in enumerate(every, start=1)}
        view.put(f"{place}.roll.text", roll_words(pool), written=False)
    return view


def _list_choices(rules: Ruleset) -> Iterator[tuple[str, Key, Catalogue]]:
    """Yield the keys that hold one choice, each with its id and its catalogue."""
    for id_, key in rules.character.items():
        offered = rules.choices.get(key.catalogue(id_)) if key.kind == "choice" else None
        if offered is not None:
            yield str(id_), key, offered


def _offer(view: View, id_: str, key: Key, offered: Catalogue) -> None:
    """Put the entries of a choice that is not made, to tick."""
    view.put(f"offer.of_{id_}", key.label, written=False)
    for pick, entry in offered.entries.items():
        view.frames[f"offer.{id_}_text.{pick}_box"] = "box"
        view.put(f"offer.{id_}_text.{pick}", entry.name, written=False)


def build_blank_view(rules: Ruleset, options: Mapping[str, Value] | None = None) -> View:
    """Return the values of a blank sheet: names, formulas without figures, empty boxes."""
    view, titles, scope = View(blank=True), index_of(rules).titles, RulesetScope(rules, options)
    for group_id, group in rules.groups.items():
        for id_ in group.traits:
            view.put(f"{group_id}.{id_}.name", titles[id_], written=False)
            if not group.boxes:
                # Room to write a skill's own dice by hand; the second for large print.
                view.put(f"{group_id}.{id_}.own_blank", "+ ____ D", written=False)
                view.put(f"{group_id}.{id_}.own_short", "+__", written=False)
                view.frames[f"{group_id}.{id_}.focus"] = "diamond"
    for id_, derived in rules.derived.items():
        view.put(f"{id_}.how", blank_how(rules, derived), written=False)
    for id_, key, offered in _list_choices(rules):
        _offer(view, id_, key, offered)
        for pick, entry in offered.entries.items():
            if not key.passing and len(offered.entries) <= _FEW:
                gives, about = str(filled(entry.text, scope)), key.label or offered.label
                view.put(f"offer.{id_}_text.{pick}{GIVES}", gives, about, written=False)
    for id_, step in creation_steps(rules).items():
        # Steps whose box a sheet does not have follow on a page of their own.
        view.put(f"creation.{id_}.text", str(filled(step.text, scope)), "Making a character")
        title = f"{step.number}. {step.name}"
        view.put(f"creation.{id_}.text.title", title, written=False)
        view.put(f"creation.{id_}.number", str(step.number), written=False)
        view.frames[f"creation.{id_}.number_disc"] = "disc"
    # The rows of what every character is given, such as moves that all have.
    taken = [str(name).rpartition(".")[2] for name in (rules.given.take if rules.given else ())]
    for id_, rows in rules.lists.items() if rules.sheet is None else ():
        catalogue = rules.choices.get(rows.of.removeprefix("choices."))
        every = catalogue.entries if catalogue is not None else {}
        found = [every[t] for t in taken if t in every and has_tags(rows, {t, *every[t].tags})]
        for number, entry in enumerate(found, start=1):
            shown = {"{name}": entry.name, "{name}{times}": entry.name, "{text}": entry.text}
            for column, text in rows.columns.items():
                view.put(f"{id_}.{number}.{column}", shown.get(text, ""), written=False)
    for id_, track in rules.tracks.items():
        legend = " · ".join(name.replace("_", " ") for name in track.steps)
        view.put(f"{id_}.steps", legend, written=False)
    for id_, line in rules.texts.items():
        view.put(f"{id_}.text", str(filled(line.blank, scope)), written=False, state="rule")
    return view


def describe_character(build: Build, rules: Ruleset, name: str) -> str:
    """Return a name with its first choices: `NAME · CHOICE, CHOICE`."""
    keys = [str(i) for i, k in rules.character.items() if k.kind == "choice" and not k.passing]
    picks = [p.name for key in keys[:2] for p in build.picks if p.key == key]
    return f"{name} · {', '.join(picks)}" if picks else name


def _picks(view: View, build: Build, rules: Ruleset) -> None:
    listed = {str(rows.of) for rows in rules.lists.values()}
    for id_, key in rules.character.items():
        if key.kind == "choice":
            if found := _picks_of(build, id_, key):
                label = key.label or rules.choices[found[0].catalogue].label
                shown = (pick_line(pick, build) for pick in found)
                view.put(str(id_), ", ".join(dict.fromkeys(shown)), label)
                view.ticks |= {f"{id_}.{pick.entry}": "" for pick in found if pick.entry}
                texts = dict.fromkeys(pick.text for pick in found if pick.text)
                view.put(f"{id_}_text", " ".join(texts), written=False)
        elif key.kind == "choices" and id_ not in rules.lists:  # a list of this name has its rows
            for number, pick in enumerate(_picks_of(build, id_, key), start=1):
                label = key.label or rules.choices[pick.catalogue].label
                row = f"{id_}.{number}"
                lost = f"choices.{pick.catalogue}" not in listed
                view.put(f"{row}.name", pick_line(pick, build), label, written=lost)
                view.put(f"{row}.text", pick.text, label, written=lost)
        elif key.kind in ITEM_KINDS:
            items = [counted_name(i) for i in build.items if i.key == id_]
            lost, label = not listed & {"gear", str(id_)}, key.label or id_.capitalize()
            view.put(str(id_), ", ".join(items), label, written=lost)
            remarks = [f"{i.name}: {i.remark}" for i in build.items if i.key == id_ and i.remark]
            view.put(f"{id_}_remarks", "; ".join(remarks), f"{label}, notes", written=lost)


def _picks_of(build: Build, id_: str, key: Key) -> list[Pick]:
    return [p for p in build.picks if p.key == id_ or (not p.key and p.catalogue in key.of)]


def trait_notes(build: Build, rules: Ruleset, trait: str) -> str:
    """Return the notes of choices about a trait: bonuses that are shown but not added."""
    picks = (p for p in build.picks if p.named == trait and p.entry)
    notes = (rules.choices[p.catalogue].entries[p.entry].beside for p in picks)
    return " ".join(filter(None, notes))


def _ratings(view: View, build: Build, rules: Ruleset) -> None:
    noted, index = {pick.named for pick in build.picks}, index_of(rules)
    for rating in build.ratings.values():
        if any(part.why.endswith(REFUSED) for part in rating.parts):
            rating = replace(rating, name=f"{rating.name} {REFUSED}")
        name, boxes = f"{rating.group}.{rating.id}", rules.groups[rating.group].boxes
        if boxes:
            limit = rating.limit if rating.limit is not None else boxes
            state = BOUGHT if rating.own else CLOSED if limit == 0 else PLAIN
            view.put(f"{name}.name", rating.name, written=False, state=state)
            view.put(f"{name}.total", str(rating.total) if rating.total > 0 else "", written=False)
            _tick(view, name, rating, boxes, limit)
            if rating.own > boxes:
                view.put(f"{name}.over", f"+{rating.own - boxes}", written=False)
            view.put(f"{name}.detail", rating.detail, rating.name)
            continue
        more = trait_notes(build, rules, rating.id) if rating.id in noted else ""
        own, total, form = rating.own, rating.total, rules.groups[rating.group].rating
        typed = index.typed_part(rating.id)
        whole = rating.id in index.stated and typed == "total"
        state = TRAINED if own and own != total and not whole else PLAIN
        view.put(f"{name}.name", f"{rating.name} {more}".rstrip(), written=False, state=state)
        if total > 0 or form == "signed" or (whole and form == "rank" and rating.place):
            code = code_text(total, pips=rules.pips)
            shown = code if form == "dice" and rules.pips else str(total)
            shown = signed_text(total) if form == "signed" else shown
            shown = step_die_text(total) if form == "die" else shown
            view.put(f"{name}.total", shown, written=False, state=state)
            view.put(f"{name}.code", code, written=False)
        if own and own != total and typed == "own":
            more = code_text(own, pips=rules.pips) if form == "dice" else number_text(own)
            view.put(f"{name}.own", more if more.startswith("+") else f"+{more}", written=False)
        if rating.focus:
            view.ticks[f"{name}.focus"] = ""
    for group_id, group in rules.groups.items():
        if group.open is None:
            continue
        named = [r for r in build.ratings.values() if r.group == group_id]
        for number, rating in enumerate(named, start=1):
            row, label = f"{group_id}.{number}", f"{group.label} ({rating.own} of {rating.most})"
            view.put(f"{row}.name", rating.name, label, state=BOUGHT)
            _tick(view, row, rating, group.open.most, rating.most)


def _tick(view: View, name: str, rating: Rating, boxes: int, limit: int | None) -> None:
    """Mark the boxes of a rating; those beyond its limit are closed."""
    for box in range(1, boxes + 1):
        if box <= rating.own:
            view.ticks[f"{name}.{box}"] = "star" if box <= rating.stars else ""
        elif limit is not None and box > limit:
            view.frames[f"{name}.{box}"] = "closed"


def roll_words(dice: Sequence[tuple[str, int]]) -> str:
    """Return a dice pool in words: `2 proficiency, 1 ability`."""
    return ", ".join(f"{count} {die.replace('_', ' ')}" for die, count in dice)


def off_track(boxes: int, marked: int, places: int) -> str:
    """Return in words the boxes and marks that a track with `places` boxes cannot show."""
    if not places:
        return f"{marked} of {boxes} marked" if marked else ""
    more, beyond = max(0, boxes - places), max(0, marked - places)
    if more and beyond:
        return f"+{more} off track, {beyond} marked"
    return f"+{more} off track" if more else f"{beyond} more marked" if beyond else ""


def _rows(view: View, build: Build, rules: Ruleset) -> None:
    for id_, rows in build.rows.items():
        label = id_.replace("_", " ").capitalize()
        for number, row in enumerate(rows, start=1):
            for column, text in row.items():
                view.put(f"{id_}.{number}.{column}", text, label)
    if not build.links and not build.pinned:
        return
    counts: Counter[str] = Counter()
    stems = {}  # of each trait's row: its id, or its number if the author named it
    for rating in build.ratings.values():
        listed = rating.id in rules.groups[rating.group].traits
        counts[rating.group] += not listed
        stems[rating.id] = f"{rating.group}.{rating.id if listed else counts[rating.group]}"
    for letter, traits in build.links.items():
        for trait in traits:
            view.put(f"{stems[trait]}.link", letter, "Link")
    for trait, die in build.pinned.items():
        view.put(f"{stems[trait]}.die", die, "Pinned die")


def numbered_family(name: str) -> str:
    """Return `name` with `#` instead of row numbers."""
    return ".".join("#" if part.isdigit() else part for part in name.split("."))


def _signed(number: int) -> str:
    return str(number).replace("-", "−")


def ledger_rows(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return `lines` as rows: without lines that change nothing, sessions with their purchase.

    In a long ledger, sessions in which points were only saved are one row with the next, and
    the steps of a die are one row.
    """
    rows: list[LedgerLine] = []
    for line in lines:
        if not (line.gained or line.cost or line.session):
            continue
        last = rows[-1] if rows else None
        if last is not None and _only_gain(last) and last.session == line.session != "":
            rows[-1] = replace(line, gained=last.gained + line.gained)
        else:
            rows.append(line)
    if len(rows) <= 12:
        return rows
    runs: list[list[LedgerLine]] = [[row] for row in rows[:1]]
    for before, row in pairwise(rows):
        first, second = session_number(before.session), session_number(row.session)
        follows = first is not None and second == first + 1  # sessions with names never do
        has_note = bool(row.what) and not row.cost
        if _only_gain(before) and row.gained and not has_note and follows:
            runs[-1].append(row)
        else:
            runs.append([row])
    joined: list[LedgerLine] = []
    for run in runs:
        gained = sum(row.gained for row in run)
        row = replace(run[-1], gained=gained, session=joined_name(run[0].session, run[-1].session))
        last, words = joined[-1] if joined else None, None
        if last is not None and last.kind == row.kind == DIE:
            free = row.gained or last.gained or row.session
            words = None if free else join_die_steps(last.what, row.what)
        if last is not None and words is not None:
            joined[-1] = replace(row, what=words, cost=last.cost + row.cost)
        else:
            joined.append(row)
    return joined


def _only_gain(line: LedgerLine) -> bool:
    return bool(line.session and line.gained) and not (line.what or line.cost)


class ShownText(NamedTuple):
    """One text of a view."""

    text: str
    label: str = ""  # its label if it is printed on a continuation page
    written: bool = True  # whether it must be printed, since the author wrote or bought it
    state: str = ""  # a suffix for its role, or ""


_new = tuple.__new__


@dataclass
class View:
    """All named values of a build."""

    texts: dict[str, ShownText] = field(default_factory=dict)
    ticks: dict[str, str] = field(default_factory=dict)  # shapes by name; "" is the default one
    frames: dict[str, str] = field(default_factory=dict)  # shapes by name; "" is no frame
    blank: bool = False  # whether the sheet is empty, so that pools of dice are outlines to shade

    def put(
        self, name: str, text: str, label: str = "", *, written: bool = True, state: str = ""
    ) -> None:
        """Add a text unless it is empty."""
        if text:
            # Half as long as a call of the class; views have hundreds of texts.
            self.texts[name] = _new(ShownText, (text, label or name, written, state))
