"""A character's file as a form: what can be filled in, what a change makes of the file.

`answer` takes a request and returns plain data, so that a web page can ask it from a worker or
from a server. All of it follows from the ruleset: its keys are the fields, its catalogues the
choices, and whether a choice can be taken is what `check` says of the file with it.

A request names an operation and a text:

    {"do": "put", "text": "ruleset: my-game", "key": "name", "value": "Ada"}
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from sheetgen.check.character.advancement import find_advancement, list_offers
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import has_pool, price_of
from sheetgen.check.character.options import NUMBER, YES_OR_NO, describe_values, parse_option
from sheetgen.check.character.values import find_trait, list_entries, list_items, parse_number
from sheetgen.diag import codes
from sheetgen.diag.findings import AbsentSpan, Finding, Hint, Severity, errors
from sheetgen.load.files import read_document, read_unsaved
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.edit import CannotEdit, Data, KeyPath
from sheetgen.load.yaml.format import format_flow
from sheetgen.model.build import Owned, Pick
from sheetgen.model.requests import CardRequest, FileFormat, PrintRequest
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Choice
from sheetgen.model.seals import sealed
from sheetgen.model.source import Node, Pairs, ScalarNode, items_of
from sheetgen.prints.characters import Character, load_character
from sheetgen.prints.kinds import PrintContext, PrintResult, print_request
from sheetgen.prints.sheet import SheetRequest
from sheetgen.readback.merging import read_back
from sheetgen.readback.ratings import append_advances, put_stated, rating_word, shown_rating
from sheetgen.readback.topics import WorkingCopy, parse_rating
from sheetgen.rules.index import closest_names, file_stem, folded, split_times
from sheetgen.units import PAPERS
from sheetgen.write import write_new

Answer: TypeAlias = dict[str, Any]  # Plain data for JSON; `bytes` in it are the contents of files.
CONTROLS: Final[Mapping[str, str]] = {
    "text": "text",
    "texts": "list",
    "number": "number",
    "flag": "flag",
    "choice": "choose",
    "choices": "choose",
    "item": "choose",
    "items": "choose",
    "raises": "choose",
    "ratings": "rate",
    "codes": "rate",
    "sessions": "sessions",
    "advances": "advances",
    "dice": "list",
    "dice_history": "list",
}
"""What fills in a key of each kind; the others are pairs: a name, such as that of a trait, and a
value."""

PORTRAIT: Final = "portrait"
OPTIONS: Final = "options"
STARS: Final = "stars"
_MOST_PICTURE: Final = 2_000_000  # bytes of a portrait that the page cropped

W = TypeVar("W", bound=str)
FORMATS: Final[tuple[FileFormat, ...]] = ("html", "pdf")
_SINGLE: Final = ("choice", "item")  # kinds whose value is one name where `most` allows one
_COUNTED: Final = ("choices", "items")  # kinds whose value may be a mapping of names to counts
_MOST_TEXT: Final = 200_000
_MOST_FINDINGS: Final = 200
_BATCH: Final = 40  # options that are tried at once, if a request names no number
_BOUGHT: Final = ("trait", "named", "gear")  # kinds of offers whose steps are written


@dataclass
class Opened:
    """A file's text, checked."""

    text: str
    one: Character
    draft: Draft

    @property
    def rules(self) -> Ruleset:
        """The rules of the file: for a file of a kind, those of the kind."""
        return self.draft.rules


class FormSession:
    """Answers requests about `file`, or a file in `folder` called as its character is."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self.folder, self.file = folder, file
        self.context = PrintContext()
        self._last: Opened | None = None
        self.findings: tuple[Finding, ...] = ()

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the answer to a request; what is wrong with the request is in `refused`."""
        try:
            act = ACTS[str(request.get("do"))]
            if len(str(request.get("text", ""))) > _MOST_TEXT:
                raise CannotEdit("the file is too long")
            return act(self, request)
        except CannotEdit as error:
            return {"refused": f"{error}; change it in the YAML"}
        except (KeyError, IndexError, TypeError, ValueError, ArithmeticError, RecursionError):
            return {"refused": "this cannot be done"}

    def check(self, text: str) -> Opened | None:
        """Return a text checked; None if it names no ruleset that can be loaded."""
        if self._last is None or self._last.text != text:
            one = self.load(text)
            self._last, self.findings = None, one.findings
            if one.source is not None and one.rules is not None and one.build is not None:
                root = edit.parse_spots(text)
                if root is not None and any(folded(key.raw) == "entries" for key in root.keys):
                    raise CannotEdit("this file has entries, which share what is above them")
                self._last = Opened(text, one, check_draft(one.source, one.rules))
        return self._last

    def path(self, text: str) -> Path:
        """Return where a file with a text is, or would be."""
        if self.file is not None:
            return self.file
        with contextlib.suppress(CannotEdit, ValueError):
            name = edit.root_of(text).at(("name",)).raw
            return self.folder / f"{file_stem(name) or 'character'}.yaml"
        return self.folder / "character.yaml"

    def load(self, text: str) -> Character:
        """Return the character that a text describes, checked."""
        path = self.path(text)
        with read_unsaved({os.path.realpath(path): text}):
            return load_character(path, self.context.rulesets, {})

    def opened(self, text: str) -> Opened:
        """Return a text checked; or raise `CannotEdit` if it names no ruleset."""
        if (found := self.check(text)) is None:
            raise CannotEdit("the file cannot be read")
        return found


def _open(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Return the form of a file, its findings, and what is left in each pool."""
    text = str(request["text"])
    opened = session.check(text)
    answer: Answer = {"text": text, "fields": [], "pools": [], "values": [], "name": ""}
    if opened is None:
        shown = _findings(session.findings, None, str(session.path(text)))
        return {**answer, "title": "", "findings": shown}
    draft, rules, build = opened.draft, opened.rules, opened.one.build
    assert build is not None
    fields = [
        *(_field(opened, str(id_), key) for id_, key in rules.character.items()),
        _picture_field(opened),
        *(_option_field(opened, id_) for id_ in map(str, rules.options)),
    ]
    return {
        **answer,
        "name": build.name,
        "title": rules.title,
        "lang": rules.lang,
        "credit": rules.credit.short,
        "stem": session.path(text).stem,
        "fields": fields,
        "findings": _findings(opened.one.findings, opened, opened.draft.source.file),
        "pools": [
            {"id": str(id_), "label": pool.label, "left": draft.left(str(id_))}
            for id_, pool in rules.pools.items()
            if has_pool(draft, str(id_))
        ]
        + [
            {name: field[name] for name in ("id", "label", "left", "shown")}
            for field in fields
            if "left" in field
        ],
        "values": [
            {"id": value.id, "label": value.label, "value": value.shown, "how": value.how}
            for value in build.derived.values()
            if value.label and value.shown
        ],
    }


def _findings(found: tuple[Finding, ...], opened: Opened | None, file: str) -> list[Answer]:
    """Return findings with the key that each is about, and the corrections that it knows."""
    listed, more = [], found[_MOST_FINDINGS:]
    for finding in found[:_MOST_FINDINGS]:
        line, hint = finding.span.line, finding.hint
        ours, draft = finding.span.file == file, opened.draft if opened is not None else None
        key = _key_of(draft, finding) if draft is not None and ours else ""
        # Whether the key is missing, and not a part of its value.
        lacks = finding.code is codes.MISSING_KEY and draft is not None and bool(key)
        lacks = lacks and draft is not None and finding.span == draft.span_of(key)
        one = {
            "severity": finding.severity.word,
            "code": finding.code.id,
            "message": finding.message,
            "hint": "" if lacks else str(hint),  # it spells the line of the file
            "key": key,
            "line": line if ours else 0,
            "lacks": lacks,
        }
        at = hint.at or finding.span if isinstance(hint, Hint) and hint.old else None
        if isinstance(hint, Hint) and at is not None and ours and at.file == finding.span.file:
            where = {"line": at.line, "column": at.column}
            one["fix"] = {"label": hint.label, **where, "old": hint.old, "new": hint.new}
        listed.append(one)
    if more:
        message = f"not shown: {len(more):,} more; correct these first"
        nowhere = {"code": "", "hint": "", "key": "", "line": 0, "lacks": False}
        listed.append({"severity": "error", "message": message, **nowhere})
    return listed


def _key_of(draft: Draft, finding: Finding) -> str:
    """Return the key of the form that a finding of its file is about; empty if it is no field."""
    if isinstance(finding.span, AbsentSpan):
        return finding.span.key
    above = [name for name, _ in _entries(draft.source.root) if name.span.line <= finding.span.line]
    if above and folded(above[-1].raw) == OPTIONS:
        assert isinstance(draft.source.root, Pairs)
        stated = _entries(draft.source.root.get(above[-1].raw))
        named = [name.raw for name, _ in stated if name.span.line <= finding.span.line][-1:]
        return next((f"{OPTIONS}.{id_}" for id_ in draft.options if closest_names(id_, named)), "")
    names = ((name.span, id_) for id_, name in draft.key_names.items())
    return next((id_ for span, id_ in names if above and span == above[-1].span), "")


def _field(opened: Opened, id_: str, key: Key) -> Answer:
    draft, rules = opened.draft, opened.rules
    control, node = CONTROLS.get(str(key.kind), "pairs"), draft.entries.get(id_)
    of = key.catalogue(id_)
    label = key.label if key.kind != "raises" else ""  # whose label is an order, such as `Pick`
    if sum(one.label == label for one in rules.character.values()) > 1:
        label = ""  # it says when a value is chosen, on a sheet, and not what is
    if not label:
        named = rules.choices.get(of) or rules.groups.get(of)
        label = (named.label if named is not None and not key.of else "") or id_.replace("_", " ")
        label = label[:1].upper() + label[1:]
    found: Answer = {
        "key": id_,
        "control": control,
        "label": label,
        "help": " ".join(filter(None, (draft.fill_options(key.text), key.why))),
        "required": key.required,
        "here": node is not None,
        "value": _raw(node),
    }
    if control in ("list", "sessions", "pairs"):
        spot = WorkingCopy(opened.text, draft).value_at(id_)
        data = spot.data() if spot is not None else None
    match control:
        case "text":
            found |= {"lines": key.lines, "words": list(key.values)}
        case "list":
            lines = data if isinstance(data, list) else [] if data in (None, "") else [data]
            found["value"] = [one if isinstance(one, str) else format_flow(one) for one in lines]
        case "number":
            found["least"] = draft.eval_int(key.least) if key.least is not None else None
            found["most"] = draft.eval_int(key.most) if key.most is not None else None
        case "flag":
            found["value"] = isinstance(node, ScalarNode) and node.value is True
        case "choose":
            catalogue = rules.choices.get(of)
            found["value"] = [_chosen(opened, item) for item in _items(key, node)]
            found["most"] = _most(draft, key)
            found["free"] = key.open or (catalogue is not None and catalogue.open)
            found["counted"] = key.kind in _COUNTED
            found |= {"section": "In play"} if key.passing else {}
        case "rate":
            del found["value"]
            found["rows"] = list(_rows(draft, key.of or (id_,)))
            found["least"] = draft.eval_int(key.least) if key.least is not None else 0
            if key.kind == "codes" and key.count is not None:
                left = draft.unplaced.get(id_)
                left = draft.eval_int(key.count) if left is None else left
                found |= {"id": id_, "left": left, "shown": rules.rating_text(of, left)}
        case "sessions":
            rows = data if isinstance(data, list) else []
            found["value"] = [row if isinstance(row, dict) else {"session": row} for row in rows]
            added = {pool.adds: pool.label for pool in rules.pools.values() if pool.adds}
            found["gained"] = next((added[id_] for id_ in key.of if id_ in added), "Gained")
        case "advances":
            listed = ((name.raw, list_items(items)) for name, items in _entries(node))
            by_session = listed if isinstance(node, Pairs) else [("", items_of(node))]
            found["value"] = [
                {"session": session, "what": _raw(item)}
                for session, items in by_session
                for item in items
            ]
        case _:
            pairs = data.items() if isinstance(data, dict) else ()
            found["value"] = [[name, _flow(value)] for name, value in pairs]
            found |= {"names": [*_names(opened, key)], "example": key.example}
    return found


def _flow(value: Data) -> str:
    words = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return value if isinstance(value, str) else ", ".join(value) if words else format_flow(value)


def _names(opened: Opened, key: Key) -> Iterator[str]:
    """Yield what pairs of a key may be about; nothing if it is free."""
    rules, draft = opened.rules, opened.draft
    if key.kind == "printed":
        yield from (str(value.label or id_) for id_, value in rules.derived.items())
    elif key.kind != "links":
        for group in key.of or (id_ for id_, group in rules.groups.items() if group.stated):
            yield from map(draft.name_of, draft.traits_of(str(group)))


def _option_field(opened: Opened, id_: str) -> Answer:
    """Return the field of an option of the ruleset; its key is `options.` and the id."""
    option, value = opened.rules.options[id_], opened.draft.options[id_]
    root = opened.draft.source.root
    stated = _entries(root.get(OPTIONS) if isinstance(root, Pairs) else None)
    kind = next((one for one in (NUMBER, YES_OR_NO) if one in option.values), "")
    return {
        "key": f"{OPTIONS}.{id_}",
        "section": "Options",
        "control": {NUMBER: "number", YES_OR_NO: "flag"}.get(kind, "text"),
        "label": option.text or id_.replace("_", " "),
        "required": False,
        "here": any(closest_names(name.raw, [id_]) for name, _ in stated),
        "value": value if kind == YES_OR_NO else str(value),
        "words": [] if kind else [*map(str, option.values)],
    }


def _put_option(work: WorkingCopy, id_: str, value: Any) -> None:
    """Write the value of an option; the default is not written."""
    option = work.draft.rules.options[id_]
    parsed = parse_option(option, str(value)) if value not in ("", None) else option.default
    if parsed is None:
        raise CannotEdit(f"{option.text or id_}: choose {describe_values(option)}")
    root = work.root()
    name = next((one.raw for one in root.keys if folded(one.raw) == OPTIONS), "")
    listed = root.at((name,)).keys if name else ()
    there = next((one.raw for one in listed if closest_names(one.raw, [id_])), "")
    if parsed != option.default and name:
        work.text = edit.add_entry(work.text, (name,), there or id_, parsed)
    elif parsed != option.default:
        work.text = edit.add_entry(work.text, (), OPTIONS, {id_: parsed}, root.keys[0].raw)
    elif there:
        work.drop((name,) if len(listed) == 1 else (name, there))


def _picture_field(opened: Opened) -> Answer:
    """Return the field of the portrait, which every file may have; see `_portray`."""
    there = _portrait_name(opened.text)
    value = edit.root_of(opened.text).at((there,)).data() if there else ""
    keys = value if isinstance(value, dict) else {"file": value}
    return {
        "key": PORTRAIT,
        "control": "picture",
        "label": "Portrait",
        "required": False,
        "here": bool(there),
        "value": str(keys.get("file", "")),
        "alt": str(keys.get("alt", "")),
    }


def _portrait_name(text: str) -> str:
    """Return how the file writes the key of its portrait; empty if it has none."""
    root = edit.parse_spots(text)
    names = (key.raw for key in root.keys) if root is not None else ()
    return next((name for name in names if folded(name) == PORTRAIT), "")


def _raw(node: Node | None) -> str:
    return node.raw if isinstance(node, ScalarNode) else ""


def _entries(node: Node | None) -> Sequence[tuple[ScalarNode, Node]]:
    return node.entries if isinstance(node, Pairs) else ()


def _items(key: Key, node: Node | None) -> tuple[Node, ...]:
    if node is None or (isinstance(node, ScalarNode) and not node.raw.strip()):
        return ()
    return tuple(list_entries(node) if key.kind in _COUNTED else list_items(node))


def _chosen(opened: Opened, item: Node) -> Answer:
    """Return one pick: its name, how often it is taken, and what it names."""
    draft = opened.draft
    name, detail = (*_entries(item), (item, None))[0]
    known = (*draft.picks, *draft.refused_picks)
    pick: Pick | None = next((p for p in known if p.span == name.span and not p.because), None)
    owned: Owned | None = next((o for o in draft.items if o.span == name.span), None)
    plain, times = split_times(_raw(name))
    told: Any = _raw(detail)
    if isinstance(detail, Pairs):
        told = {key.raw: _raw(node) for key, node in detail.entries}
    found: Answer = {"name": plain or _raw(name), "id": "", "times": times, "text": ""}
    if pick is not None and pick.entry:
        asked = _asked(opened, draft.entry_of(pick))
        found = {"name": pick.name, "id": pick.entry, "times": pick.times, "text": pick.text}
        points: dict[str, int] = {}  # that it spreads, by the names of traits
        for trait_name, value in _entries(detail) if "spread" in asked else ():
            if (trait := find_trait(draft, trait_name)) is not None:
                steps = parse_number(draft, value, trait_name.raw, draft.in_dice(trait))
                points[draft.name_of(trait)] = steps or 0
        return {**found, "detail": points if "spread" in asked else pick.named or told, **asked}
    if owned is not None:
        text = str(opened.rules.gear[owned.item].text) if owned.item else ""
        found = {"name": owned.name, "id": owned.item, "times": owned.count, "text": text}
        return {**found, "detail": "", "cost": owned.cost}
    return {**found, "detail": told}


def _asked(opened: Opened, entry: Choice | None) -> Answer:
    if entry is None:
        return {}
    groups, name_of = opened.rules.groups, opened.draft.name_of
    spread = entry.grants.spread if entry.grants else None
    if spread is not None:
        among = spread.among or (groups[str(spread.of)].traits if spread.of else ())
        points = opened.draft.eval_int(spread.points)
        of = [name_of(str(trait)) for trait in among]
        return {"spread": {"points": points, "most": spread.most, "of": of}}
    if entry.asks is not None:
        group = groups.get(entry.asks)
        named = [str(trait.name) for trait in group.traits.values()] if group else []
        return {"asks": {"what": group.one if group else "", "of": named}}
    return {"asks": {"what": "", "of": [], "may": True}} if entry.may_say else {}


def _most(draft: Draft, key: Key) -> int | None:
    """Return how many picks a key takes; None for any number."""
    if key.kind in ("raises", "choices"):
        bound = key.count if key.count is not None else key.most if key.kind == "choices" else None
        return draft.eval_int(bound) if bound is not None else None
    if key.kind in _SINGLE:
        return draft.eval_int(key.most) if key.most is not None else 1
    return None


def _rows(draft: Draft, groups: Iterable[str]) -> Iterator[Answer]:
    for group_id in map(str, groups):
        group, shown = draft.rules.groups[group_id], partial(draft.rules.rating_text, group_id)
        starred = {t: draft.stated[t].stars for t in draft.traits_of(group_id) if t in draft.stated}
        granted = draft.times_taken(str(group.stars)) if group.stars else 0
        for trait in draft.traits_of(group_id):
            own = draft.own(trait) + (draft.base(trait) if group.stated else 0)
            row = {
                "id": trait,
                "name": draft.name_of(trait),
                "group": group.label,
                "under": draft.name_of(under) if (under := _under(draft, trait)) else "",
                "own": own,
                "shown": shown(own) if own else "",
                "total": shown(draft.total(trait)),
                "price": draft.price(trait, draft.own(trait) + 1) if group.price else None,
                "limit": draft.limits.get(trait),
            }
            stars = starred.get(trait, 0)
            free = granted - sum(starred.values())
            if most := max(min(stars + free, draft.own(trait)), stars):  # each replaces a step
                row["stars"] = {"count": stars, "most": most}
            yield row


def _under(draft: Draft, trait: str) -> str:
    found = draft.index.traits.get(trait)
    return str(found[1].under or "") if found is not None else ""


# Changes of a file.


def _put(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write a text, number, flag or list, whose items keep their comments; drop an empty one."""
    key, value = str(request["key"]), request["value"]
    if key.startswith(f"{OPTIONS}."):
        _put_option(work, key.partition(".")[2], value)
        return
    rule = work.draft.rules.character[key]
    if value is False or value in ("", None, []):  # a number may be 0
        work.put_key(key, None)
    elif rule.kind == "number" and str(value).lstrip("-").isdecimal():
        work.put_key(key, int(value))
    elif isinstance(value, list):
        lines = [str(one) for one in value if str(one).strip()]
        spot, name = work.value_at(key), work.key_name(key)
        before = spot.data() if spot is not None else None
        if name is None or not isinstance(before, list):
            work.put_key(key, lines)
            return
        shown = [one if isinstance(one, str) else format_flow(one) for one in before]
        for place, old in reversed([*enumerate(shown)]):
            if old not in lines and len(shown) > len(lines):
                work.drop((name, place))
                del shown[place]
        for place, new in enumerate(lines[: len(shown)]):
            if shown[place] != new:
                work.put((name, place), new)
        work.append(key, list(lines[len(shown) :]))
    else:
        work.put_key(key, value)


def _pair(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write the value of a pair, which may be a list, such as `Wit, Grip`; drop an empty one."""
    key, name, typed = str(request["key"]), str(request["name"]), str(request["value"]).strip()
    rule, called, there = work.draft.rules.character[key], work.key_name(key), work.value_at(key)
    words = re.split(r", *", typed.strip("[] "))
    value: Data = [int(one) if one.isdecimal() else one for one in words]
    if rule.kind != "links" and not re.fullmatch(r"\[[\d, ]*\]", typed):
        value = int(typed) if typed.isdecimal() else typed
    if typed:
        work.put_entry(key, name, value)
    elif called is not None and there is not None and len(there.keys) > 1:
        work.drop((called, name))
    else:
        work.put_key(key, None)


def _choose(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Add a pick, or replace that of number `at`; take it out without a `name`.

    It may have a `detail` (a text, or points by trait) and `times`.
    """
    key, at, name = str(request["key"]), request.get("at"), str(request.get("name", ""))
    rule, spot, called = work.draft.rules.character[key], work.value_at(key), work.key_name(key)
    detail, times = request.get("detail"), int(request.get("times") or 1)
    value: Data = f"{name} x{times}" if times > 1 else name
    if detail:
        value = {name: detail}
    most = _most(work.draft, rule) if rule.kind in _SINGLE else None
    alone = spot is not None and (spot.kind, len(spot.keys)) in (("leaf", 0), ("map", 1))
    if spot is None or called is None or (spot.kind == "leaf" and not spot.raw.strip()):
        if name:
            work.put_key(key, value if rule.kind in _SINGLE and most == 1 else [value])
    elif most == 1 and (at is None or spot.kind != "list"):
        work.put_key(key, value) if name else work.put_key(key, None)
    elif at is not None and alone:
        if at != 0:
            raise CannotEdit("there is one pick only")
        work.put_key(key, value) if name else work.put_key(key, None)
    elif at is None and spot.kind == "map" and rule.kind in _COUNTED:
        work.put_entry(key, name, detail or times)
    elif at is None:
        work.append(key, [value])
    elif spot.kind == "map":
        path = (called, spot.keys[int(at)].raw)
        if not name:
            work.drop(path)
        elif work.root().at(path).kind == "leaf":
            work.text = edit.rename_key(work.text, path, name)
            work.put((called, name), detail or times)
        else:
            raise CannotEdit("it has details of its own")
    elif name:
        work.put((called, int(at)), value)
    elif len(spot.items) == 1:
        work.put_key(key, None)
    else:
        work.drop((called, int(at)))


def _place_of_pick(work: WorkingCopy, key: str, at: int) -> tuple[KeyPath, bool]:
    """Return the path of a pick of a key, and whether it is a name without a value of its own."""
    called, spot = work.key_name(key), work.value_at(key)
    if called is None or spot is None:
        raise CannotEdit("there is no such pick")
    path: KeyPath = (called, at) if spot.kind == "list" else (called,)
    node = work.root().at(path)
    if node.kind == "leaf":
        return path, True
    return (*path, node.keys[0 if spot.kind == "list" else at].raw), False


def _count(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write how often a pick is taken; what else the file says of it stays."""
    key, at, times = str(request["key"]), int(request["at"]), int(request["times"])
    if times < 1:
        raise CannotEdit("there is no such pick")
    path, alone = _place_of_pick(work, key, at)
    node = work.root().at(path)
    plain = split_times(node.raw if alone else str(path[-1]))[0]
    name = f"{plain} x{times}" if times > 1 else plain
    if alone:
        work.put(path, name)
    elif node.kind == "map":
        counted = next((one.raw for one in node.keys if folded(one.raw) == "count"), "count")
        work.text = edit.add_entry(work.text, path, counted, times)
    elif node.kind == "leaf" and not node.style and node.raw.isdecimal():
        work.put(path, times)
    else:
        work.text = edit.rename_key(work.text, path, name)


def _spread(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write how many points of a pick go to a trait, which is named as the form shows it."""
    key, at, to = str(request["key"]), int(request["at"]), int(request["to"])
    draft, asked = work.draft, str(request["trait"])
    named = find_trait(draft, ScalarNode(draft.source.start, asked, asked))
    if named is None:
        raise CannotEdit("there is no such pick")
    trait, group, points = draft.name_of(named), draft.group_of(named) or "", to
    # A file has dice as a code, other points as a number.
    coded = draft.rules.groups[group].rating == "dice" and draft.in_dice(named)
    shown = draft.rules.rating_text(group, points) if coded else points
    path, alone = _place_of_pick(work, key, at)
    node = work.root().at(path)
    if alone:
        work.put(path, {node.raw: {trait: shown}})
        return
    there = next((one.raw for one in node.keys if work.is_trait(one.raw, named)), None)
    signed = any(node.at((one.raw,)).raw.startswith("+") for one in node.keys)
    shown = f"+{shown}" if signed and isinstance(shown, str) else shown
    if to == 0 and there is not None and len(node.keys) > 1:
        work.drop((*path, there))
    else:
        work.text = edit.add_entry(work.text, path, there or trait, shown)


def _rate(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write the rating of a trait: `to` is a number of steps, or a text such as `3D+1`."""
    key, trait, to = str(request["key"]), str(request["trait"]), request["to"]
    if isinstance(to, str):
        group = work.draft.group_of(trait) or ""
        to = parse_rating(to, work.draft.rules, group) if to.strip(" –-") else 0
        if isinstance(to, str):
            raise CannotEdit(f"`{to}` is no rating of {work.draft.name_of(trait)}")
    _set_rating(work, key, trait, int(to))


def _set_rating(work: WorkingCopy, key: str, trait: str, to: int) -> None:
    draft = work.draft
    group = draft.group_of(trait) or ""
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    called = work.key_name(key) or ""
    if to <= 0:
        if entry is not None:
            spot = work.root().at((called,))
            work.put_key(key, None) if len(spot.items) == 1 else work.drop((called, entry))
        return
    value: Data = shown_rating(work, group, to)
    if draft.rules.character[key].kind == "codes" and _under(draft, trait):
        value = f"+{str(value).removeprefix('+')}"
    if entry is not None:
        put_stated(work, group, key, entry, value)
    else:
        work.put_entry(key, draft.name_of(trait), value)


def _star(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Write how many stars a rating has."""
    key, trait, to = str(request["key"]), str(request["trait"]), int(request["to"])
    draft, entry = work.draft, work.entry(key, lambda raw: work.is_trait(raw, trait))
    if entry is None:  # what a choice grants has no entry
        work.put_entry(key, draft.name_of(trait), {STARS: to})
        return
    path = work.path(key, entry)
    node = work.root().at(path)
    there = next((one.raw for one in node.keys if folded(one.raw) == STARS), STARS)
    if node.kind != "map":
        word = rating_word(draft.rules.groups[draft.group_of(trait) or ""])
        work.put(path, {word: node.data(), STARS: to})
    elif to == 0 and len(node.keys) > 1:
        work.drop((*path, there))
    else:
        work.text = edit.add_entry(work.text, path, there, to)


def _buy(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    offer, draft = [*list_offers(work.draft)][int(request["number"])], work.draft
    if offer.kind not in _BOUGHT:
        raise CannotEdit("this step is written by hand")
    group = draft.group_of(offer.id) or "" if offer.kind == "trait" else ""
    rule = draft.rules.groups.get(group)
    rated = work.find_key("ratings", group) if rule is not None and rule.stated else None
    if rated is not None:
        _set_rating(work, rated, offer.id, offer.after + draft.base(offer.id))
    elif (key := work.find_key("advances")) is not None:
        append_advances(work, key, [offer.what], "")
    else:
        raise CannotEdit("no key of the file holds advances")


def _fix(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Replace a word in a line, as a finding proposes."""
    lines = str(request["text"]).split("\n")
    place, old = int(request["line"]) - 1, str(request["old"])
    at = lines[place].find(old, int(request["column"]) - 1)
    if at < 0:
        raise CannotEdit("the line has changed")
    lines[place] = lines[place][:at] + str(request["new"]) + lines[place][at + len(old) :]
    return _open(session, {"text": "\n".join(lines)})


# What can be chosen or bought.


def _options(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """List what a key may name, with prices; `from` on, some of them are tried.

    An option that cannot be taken has the reason: the first finding that the file would have
    with it and does not have now.
    """
    opened = session.opened(str(request["text"]))
    key = str(request["key"])
    listed = [*_listed(opened, key, opened.rules.character[key])]
    start = int(request.get("from", -1))
    if start >= 0:
        listed = listed[start : start + int(request.get("many", _BATCH))]
        for option in listed:
            option["why"] = _reason(session, opened, key, request.get("at"), option)
    return {"options": listed}


def _listed(opened: Opened, id_: str, key: Key) -> Iterator[Answer]:
    rules, draft = opened.rules, opened.draft

    def option(of: str, name: str, text: str, price: int | None = None) -> Answer:
        return {"id": str(of), "name": str(name), "text": text, "price": price}

    if key.kind in ("choice", "choices"):
        of = key.catalogue(id_)
        for entry_id, entry in rules.choices[of].entries.items():
            pick = Pick(id_, of, str(entry_id), entry.name, draft.source.start)
            pool, price = price_of(draft, pick) if entry.price is not None else ("", None)
            cost = draft.eval_int(price) if price is not None else None
            found = option(entry_id, entry.name, draft.fill_options(entry.text), cost)
            yield {**found, "tags": [*map(str, entry.tags)], "pool": pool, **_asked(opened, entry)}
    elif key.kind in ("item", "items"):
        for item_id, item in rules.gear.items():
            if not key.of or {*map(str, key.of)} & {*map(str, item.tags)}:
                found = option(item_id, item.name, str(item.text or item.special), item.cost)
                yield {**found, "tags": [*map(str, item.tags)], "pool": str(key.pool or "")}
    elif key.kind == "raises":
        for group_id in key.of:
            for trait_id, trait in rules.groups[str(group_id)].traits.items():
                under = _under(draft, str(trait_id))
                tags = [draft.name_of(under)] if under else []
                yield {**option(trait_id, trait.name, str(trait.text)), "tags": tags, "pool": ""}


def _reason(session: FormSession, opened: Opened, key: str, at: Any, option: Answer) -> str:
    """Return why an option cannot be taken; empty if it can."""
    work = WorkingCopy(opened.text, opened.draft)
    named = option.get("asks", {}).get("of", [])
    request = {"key": key, "at": at, "name": option["name"], "detail": (named or [None])[0]}
    try:
        _choose(work, request)
        tried = session.load(work.text)
    except CannotEdit as error:
        return str(error)
    now = {(finding.code, finding.message) for finding in opened.one.findings}
    passing = [codes.MISSING_KEY, codes.ASKS]
    if "spread" in option or named:
        passing.append(codes.WRONG_COUNT)
    for finding in errors(tried.findings):
        if finding.code in passing or (finding.code, finding.message) in now:
            continue
        if finding.code is codes.WRONG_COUNT and _is_undone(tried, finding):
            continue
        why = finding.hint if finding.code is codes.REQUIREMENT else ""
        return f"{finding.message}: {why}" if why else finding.message
    return ""


def _is_undone(one: Character, finding: Finding) -> bool:
    """Whether a finding about a number of picks only says that more are to be made."""
    if one.source is None or one.rules is None:
        return False
    draft = check_draft(one.source, one.rules)
    id_ = _key_of(draft, finding)
    key = draft.rules.character.get(id_)
    most = _most(draft, key) if key is not None else None
    return key is not None and most is not None and len(_items(key, draft.entries.get(id_))) < most


def _offers(session: FormSession, request: Mapping[str, Any]) -> Answer:
    draft, found = session.opened(str(request["text"])).draft, []
    for number, offer in enumerate(list_offers(draft)):
        why = offer.refused or ("" if offer.price <= draft.left(offer.pool) else "too dear now")
        shown = {name: getattr(offer, name) for name in ("what", "step", "kind", "price", "pool")}
        found.append({"number": number, **shown, "why": why, "can": offer.kind in _BOUGHT})
    return {"offers": found}


def _compare(session: FormSession, request: Mapping[str, Any]) -> Answer:
    old = session.opened(str(request["before"])).draft
    found = find_advancement(old, session.opened(str(request["text"])).draft)
    steps = [{"pool": pool, "what": what, "price": price} for pool, what, price in found.steps]
    return {"steps": steps, "notes": [*found.refused, *found.doubtful, *found.notes]}


def one_of(words: Sequence[W], word: Any) -> W:
    """Return `word` if it is one of `words`, or else the first of these."""
    return next((one for one in words if one == word), words[0])


def _read(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Read a filled sheet: return its changes, and the text with them in `read`."""
    text, path = str(request["text"]), session.path(str(request["text"]))
    sheet = path.parent / f"filled-{Path(str(request['name'])).name}"
    content = base64.b64decode(str(request["file"])).decode("utf-8", "surrogateescape")
    with read_unsaved({os.path.realpath(path): text, os.path.realpath(sheet): content}):
        try:
            result = read_back([sheet], path, {}, session.context.rulesets)
        except ImportError:
            raise CannotEdit("this page reads no PDFs; give it the sheet as HTML") from None
    merged = result.files.get(str(path))
    findings = dict.fromkeys((*result.findings, *(merged.findings if merged is not None else ())))
    shown = _findings((*findings,), None, "")
    for one in shown:  # the reader knows the name of the sheet alone
        one["message"] = one["message"].replace(str(sheet), str(request["name"]))
        one["hint"] = "" if "--into" in one["hint"] else one["hint"]
    return {
        "read": merged.after if merged is not None else text,
        "changes": [
            {name: getattr(change, name) for name in ("label", "printed", "filled", "state")}
            for one in result.sheets
            for change in one.changes
        ],
        "findings": shown,
    }


def _print(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Print the file: `kind` is `sheet` or `cards`, `format` is `html` or `pdf`."""
    text, form = str(request["text"]), one_of(FORMATS, request.get("format"))
    paper, theme = one_of(PAPERS, request.get("paper")), str(request.get("theme", "standard"))
    path, opened = session.path(text), session.opened(text)
    of, still = (str(path),), bool(request.get("still"))
    asked: PrintRequest = SheetRequest(
        of, formats=(form,), paper=paper, theme=theme, draft=True, flatten=still
    )
    if request.get("kind") == "cards" or opened.one.kind is not None:
        asked = CardRequest(of, formats=(form,), paper=paper, theme=theme)
    with read_unsaved({os.path.realpath(path): text}):
        done: list[PrintResult] = [*print_request(asked, session.context)]
    worst = [f for one in done for f in one.findings if f.severity is Severity.ERROR]
    for one in done:
        for file in one.parts():
            name = f"{path.stem}.{form}"
            content = sealed(name, file.read(), one.identify(asked, file.format))
            return {"name": name, "file": base64.b64encode(content).decode()}
    if sys.platform == "emscripten" and any(one.code is codes.NO_ENGINE for one in worst):
        return {"refused": _no_layout(opened)}
    raise CannotEdit(worst[-1].message if worst else "there is nothing to print")


def _no_layout(opened: Opened) -> str:
    """Return what to do about a print that has a layout nowhere in the page."""
    options = (_option_field(opened, str(id_)) for id_ in opened.rules.options)
    changed = [one["label"] for one in options if one["here"]]
    rules = f"“{'”, “'.join(changed)}” together" if len(changed) > 1 else "these rules"
    less = "change one of them back under Options, or " if len(changed) > 1 else ""
    return (
        f"this page has no layout for {rules}: {less}save the file and send it to whoever made the "
        "page, who can add the layout with `sheetgen site --like FILE`"
    )


def _portray(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write a JPEG file beside the character's and name it there, or take the portrait out.

    The name of the file holds its digest, more of it where another file has the name; `picture` of
    the answer is that name. Without `text` the file alone is written: a page that is opened again
    gives the pictures that it kept.
    """
    content = base64.b64decode(str(request.get("file", "")), validate=True)
    if content and (not content.startswith(b"\xff\xd8\xff") or len(content) > _MOST_PICTURE):
        return {"refused": "this is no JPEG picture, or it is too large"}

    def is_free(path: Path) -> bool:
        return not os.path.lexists(path) or read_document(path).value == content

    name = str(request.get("name", ""))
    if text := str(request.get("text", "")):
        work = WorkingCopy(text, session.opened(text).draft)
        stem = file_stem(session.path(text).stem) or "character"
        digest = hashlib.sha256(content).hexdigest()
        names = [f"{stem}-{digest[:size]}.jpg" for size in (8, 16, 64)]
        name = next((one for one in names if is_free(session.folder / one)), names[0])
        alt = {"alt": alt} if (alt := str(request.get("alt", "")).strip()) else {}
        there = _portrait_name(text)
        if content and there:
            work.put((there,), {"file": name, **alt})
        elif content:
            work.put_key(PORTRAIT, {"file": name, **alt})
        elif there:
            work.drop((there,))
        text = work.text
    if content and name != f"{file_stem(name.removesuffix('.jpg'))}.jpg":
        return {"refused": f"`{name}` is no name of a picture"}
    target = session.folder / name
    if content and not is_free(target):
        return {"refused": f"another file is called `{name}`"}
    failed = write_new(target, content) if content and not os.path.exists(target) else None
    if failed is not None:
        return {"refused": failed.message}
    return {**_open(session, {"text": text}), "picture": name} if text else {}


def _changing(
    change: Callable[[WorkingCopy, Mapping[str, Any]], None],
) -> Callable[[FormSession, Mapping[str, Any]], Answer]:
    """Return the answer to a request that changes the file: the form of what it becomes.

    A change after which there would be no form is refused.
    """

    def answer(session: FormSession, request: Mapping[str, Any]) -> Answer:
        text = str(request["text"])
        work = WorkingCopy(text, session.opened(text).draft)
        change(work, request)
        # Modules may exclude each other.
        if work.text != text and session.check(work.text) is None:
            return {"refused": errors(session.findings)[0].message}
        return _open(session, {"text": work.text})

    return answer


_HEAD: Final = (("ruleset", "game"), ("kind", "kind"))  # of a new file, from a request
ACTS: Final[Mapping[str, Callable[[FormSession, Mapping[str, Any]], Answer]]] = {
    "new": lambda session, asked: _open(
        session, {"text": "".join(f"{k}: {asked[of]}\n" for k, of in _HEAD if asked.get(of))}
    ),
    "open": _open,
    "put": _changing(_put),
    "pair": _changing(_pair),
    "choose": _changing(_choose),
    "count": _changing(_count),
    "spread": _changing(_spread),
    "rate": _changing(_rate),
    "star": _changing(_star),
    "play": _changing(  # adds a session, with what it gained
        lambda work, asked: work.append(
            str(asked["key"]), [{str(k): v for k, v in asked["row"].items() if v not in ("", None)}]
        )
    ),
    "buy": _changing(_buy),
    "fix": _fix,
    "options": _options,
    "offers": _offers,
    "compare": _compare,
    "print": _print,
    "read": _read,
    "portray": _portray,
}
"""What a request may `do`."""
