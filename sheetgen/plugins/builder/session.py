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
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from sheetgen.check.character.advancement import find_advancement, list_offers
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import Offer, has_pool, price_of
from sheetgen.check.character.values import find_trait, list_entries, list_items, parse_number
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Hint, Severity, errors
from sheetgen.load.files import read_unsaved
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.edit import CannotEdit, Data, KeyPath
from sheetgen.load.yaml.format import format_flow
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Owned, Pick
from sheetgen.model.requests import CardRequest, FileFormat, PrintRequest
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Choice
from sheetgen.model.seals import sealed
from sheetgen.model.source import Node, Pairs, ScalarNode, items_of
from sheetgen.prints.characters import Character, load_character
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.kinds import print_request
from sheetgen.prints.sheet import SheetRequest
from sheetgen.readback.merging import read_back
from sheetgen.readback.ratings import append_advances, shown_rating
from sheetgen.readback.topics import WorkingCopy
from sheetgen.rules.index import file_stem, folded, split_times
from sheetgen.units import PAPERS

Answer: TypeAlias = dict[str, Any]
"""Plain data for JSON; `bytes` in it are the contents of files."""

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
}
"""What fills in a key of each kind; the others are edited as YAML."""

W = TypeVar("W", bound=str)
FORMATS: Final[tuple[FileFormat, ...]] = ("html", "pdf")
_SINGLE: Final = ("choice", "item")  # kinds whose value is one name where `most` allows one
_COUNTED: Final = ("choices", "items")  # kinds whose value may be a mapping of names to counts
_MOST_TEXT: Final = 200_000
_BATCH: Final = 40  # options that are tried at once


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
    """Answers requests about one file.

    Args:
        folder: Where the files are, or would be: rulesets and pictures are found from there.
        file: The path of the file; without it, a file is called as its character is.
    """

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
            root = edit.parse_spots(text)
            if root is not None and any(folded(key.raw) == "entries" for key in root.keys):
                raise CannotEdit("this file has entries, which share what is above them")
            self._last, self.findings = None, one.findings
            if one.source is not None and one.rules is not None and one.build is not None:
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
        """Return a text checked.

        Raises:
            CannotEdit: It names no ruleset.
        """
        if (found := self.check(text)) is None:
            raise CannotEdit("the file cannot be read")
        return found

    def copy(self, text: str) -> tuple[Opened, WorkingCopy]:
        """Return a text checked, and a copy of it to edit."""
        opened = self.opened(text)
        return opened, WorkingCopy(text, opened.draft)


def describe_game(name: str, rules: Ruleset) -> Answer:
    """Return what a page shows of a game: its name in files, its title and its kinds of files."""
    kinds = [{"id": str(id_), "label": kind.one} for id_, kind in rules.kinds.items()]
    return {"id": name, "title": rules.title, "kinds": kinds}


def _new(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Return the text of a new file."""
    game, kind = str(request["game"]), str(request.get("kind", ""))
    text = f"ruleset: {game}\n" + (f"kind: {kind}\n" if kind else "")
    return _open(session, {"text": text})


def _open(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Return the form of a file, its findings, and what is left in each pool."""
    text = str(request["text"])
    opened = session.check(text)
    answer: Answer = {"text": text, "fields": [], "pools": [], "values": [], "name": ""}
    if opened is None:
        return {**answer, "title": "", "findings": _findings(session.findings, None, text)}
    draft, rules = opened.draft, opened.rules
    build = opened.one.build
    assert build is not None
    return {
        **answer,
        "name": build.name,
        "title": rules.title,
        "lang": rules.lang,
        "credit": rules.credit.short,
        "stem": session.path(text).stem,
        "fields": [_field(opened, str(id_), key) for id_, key in rules.character.items()],
        "findings": _findings(opened.one.findings, opened, text),
        "pools": [
            {"id": str(id_), "label": pool.label, "left": draft.left(str(id_))}
            for id_, pool in rules.pools.items()
            if has_pool(draft, str(id_))
        ],
        "values": [
            {"id": value.id, "label": value.label, "value": value.shown, "how": value.how}
            for value in build.derived.values()
            if value.label and value.shown
        ],
    }


def _findings(found: tuple[Finding, ...], opened: Opened | None, text: str) -> list[Answer]:
    """Return findings with the key that each is about, and the corrections that it knows."""
    places = list(_places(opened)) if opened is not None else []
    listed = []
    for finding in found:
        line = finding.span.line
        ours = opened is not None and finding.span.file == opened.draft.source.file
        key = next((id_ for id_, first in places if first <= line), "") if ours else ""
        key = key or _missing_key(finding, opened)
        one = {
            "severity": finding.severity.word,
            "code": finding.code.id,
            "message": finding.message,
            "hint": str(finding.hint),
            "key": key,
            "line": line if ours else 0,
            "lacks": finding.code is codes.MISSING_KEY and bool(key),
        }
        hint = finding.hint
        if isinstance(hint, Hint) and hint.old and hint.at is None and ours:
            at = {"line": line, "column": finding.span.column}
            one["fix"] = {"label": hint.label, **at, "old": hint.old, "new": hint.new}
        listed.append(one)
    return listed


def _places(opened: Opened) -> Iterator[tuple[str, int]]:
    """Yield the keys of a file with their first lines, the last key first."""
    names = ((id_, name.span.line) for id_, name in opened.draft.key_names.items())
    yield from sorted(names, key=lambda pair: -pair[1])


def _missing_key(finding: Finding, opened: Opened | None) -> str:
    """Return the key that a finding says is missing."""
    if opened is None or finding.code is not codes.MISSING_KEY:
        return ""
    draft = opened.draft
    named = {draft.key_name(str(id_)): str(id_) for id_ in opened.rules.character}
    quoted = finding.message.split("`")[1::2]
    return next((named[name] for name in quoted if name in named), "")


def _field(opened: Opened, id_: str, key: Key) -> Answer:
    """Return a key of the file as a field of the form."""
    control = CONTROLS.get(str(key.kind), "yaml")
    found: Answer = {
        "key": id_,
        "control": control,
        "label": _label(opened, id_, key),
        "help": " ".join(filter(None, (opened.draft.fill_options(key.text), key.why))),
        "required": key.required,
        "here": id_ in opened.draft.entries,
    }
    node = opened.draft.entries.get(id_)
    return found | _FILL[control](opened, id_, key, node)


def _label(opened: Opened, id_: str, key: Key) -> str:
    if key.label and key.kind != "raises":  # whose label is an order, such as `Pick`
        return key.label
    rules, of = opened.rules, str(key.of[0]) if key.of else id_
    named = rules.choices.get(of) or rules.groups.get(of)
    shown = (named.label if named is not None and not key.of else "") or id_.replace("_", " ")
    return shown[:1].upper() + shown[1:]


def _raw(node: Node | None) -> str:
    return node.raw if isinstance(node, ScalarNode) else ""


def _text_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    return {"value": _raw(node), "lines": key.lines, "words": list(key.values)}


def _list_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    data = _data(opened, id_)
    lines = data if isinstance(data, list) else [] if data in (None, "") else [data]
    return {"value": [one if isinstance(one, str) else format_flow(one) for one in lines]}


def _data(opened: Opened, id_: str) -> Data:
    """Return the plain data under a key."""
    spot = WorkingCopy(opened.text, opened.draft).value_at(id_)
    return spot.data() if spot is not None else None


def _number_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    draft = opened.draft
    least = draft.eval_int(key.least) if key.least is not None else None
    most = draft.eval_int(key.most) if key.most is not None else None
    return {"value": _raw(node), "least": least, "most": most}


def _flag_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    return {"value": isinstance(node, ScalarNode) and node.value is True}


def _choose_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    return {
        "value": [_chosen(opened, key, item) for item in _items(key, node)],
        "most": _most(opened.draft, key),
        "free": _is_free(opened, id_, key),
        "counted": key.kind in _COUNTED,
    }


def _items(key: Key, node: Node | None) -> tuple[Node, ...]:
    """Return the picks of a key, one node each."""
    if node is None or (isinstance(node, ScalarNode) and not node.raw.strip()):
        return ()
    return tuple(list_entries(node) if key.kind in _COUNTED else list_items(node))


def _chosen(opened: Opened, key: Key, item: Node) -> Answer:
    """Return one pick: its name, how often it is taken, and what it names."""
    name: Node = item
    detail: Node | None = None
    if isinstance(item, Pairs) and item.entries:
        name, detail = item.entries[0]
    raw = _raw(name)
    known = (*opened.draft.picks, *opened.draft.refused_picks)
    pick: Pick | None = next((p for p in known if p.span == name.span and not p.because), None)
    owned: Owned | None = next((o for o in opened.draft.items if o.span == name.span), None)
    plain, times = split_times(raw)
    if pick is not None and pick.entry:
        entry = opened.draft.entry_of(pick)
        asked = _asked(opened, entry)
        told = _points(opened.draft, detail) if "spread" in asked else pick.named or _detail(detail)
        found = {"name": pick.name, "id": pick.entry, "times": pick.times, "text": pick.text}
        return {**found, "detail": told, **asked}
    if owned is not None:
        item_text = str(opened.rules.gear[owned.item].text) if owned.item else ""
        return {
            "name": owned.name,
            "id": owned.item,
            "times": owned.count,
            "text": item_text,
            "detail": "",
            "cost": owned.cost,
        }
    return {"name": plain or raw, "id": "", "times": times, "text": "", "detail": _detail(detail)}


def _detail(detail: Node | None) -> Any:
    if isinstance(detail, Pairs):
        return {key.raw: _raw(node) for key, node in detail.entries}
    return _raw(detail)


def _points(draft: Draft, detail: Node | None) -> dict[str, int]:
    """Return the points that a pick spreads, by the names of traits."""
    points = {}
    for name, value in detail.entries if isinstance(detail, Pairs) else ():
        if (trait := find_trait(draft, name)) is not None:
            steps = parse_number(draft, value, name.raw, draft.in_dice(trait))
            points[draft.name_of(trait)] = steps or 0
    return points


def _asked(opened: Opened, entry: Choice | None) -> Answer:
    """Return what a pick has to say besides its name."""
    if entry is None:
        return {}
    groups = opened.rules.groups
    spread = entry.grants.spread if entry.grants else None
    if spread is not None:
        of = groups[str(spread.of)].traits if spread.of else ()
        among = [*map(str, spread.among or of)]
        points = opened.draft.eval_int(spread.points)
        return {
            "spread": {
                "points": points,
                "most": spread.most,
                "of": [opened.draft.name_of(trait) for trait in among],
            }
        }
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


def _is_free(opened: Opened, id_: str, key: Key) -> bool:
    """Whether names of one's own may be chosen."""
    catalogue = opened.rules.choices.get(str(key.of[0]) if key.of else id_)
    return key.open or (catalogue is not None and catalogue.open)


def _rate_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    draft, rules = opened.draft, opened.rules
    rows = []
    for group_id in key.of or (id_,):
        group = rules.groups[str(group_id)]
        for trait in draft.traits_of(str(group_id)):
            own = draft.own(trait) + (draft.base(trait) if group.stated else 0)
            price = draft.price(trait, draft.own(trait) + 1) if group.price is not None else None
            limit = draft.limits.get(trait)
            rows.append(
                {
                    "id": trait,
                    "name": draft.name_of(trait),
                    "group": group.label,
                    "under": draft.name_of(str(under)) if (under := _under(draft, trait)) else "",
                    "own": own,
                    "shown": rules.rating_text(str(group_id), own) if own else "",
                    "total": rules.rating_text(str(group_id), draft.total(trait)),
                    "price": price,
                    "limit": limit,
                }
            )
    return {"rows": rows}


def _under(draft: Draft, trait: str) -> str | None:
    found = draft.index.traits.get(trait)
    under = found[1].under if found is not None else None
    return str(under) if under else None


def _sessions_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    gains = [
        {"key": str(pool.adds), "label": pool.label}
        for pool in opened.rules.pools.values()
        if pool.adds
    ]
    data = _data(opened, id_)
    rows = [
        row if isinstance(row, dict) else {"session": row}
        for row in (data if isinstance(data, list) else [])
    ]
    return {"value": [{str(k): v for k, v in row.items()} for row in rows], "gains": gains}


def _advances_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    rows = []
    if isinstance(node, Pairs):
        rows = [
            {"session": name.raw, "what": _raw(item)}
            for name, items in node.entries
            for item in list_items(items)
        ]
    else:
        rows = [{"session": "", "what": _raw(item)} for item in items_of(node)]
    return {"value": rows}


def _yaml_field(opened: Opened, id_: str, key: Key, node: Node | None) -> Answer:
    data = _data(opened, id_)
    return {"value": "" if data is None else format_flow(data), "example": key.example}


_FILL: Final[Mapping[str, Callable[[Opened, str, Key, Node | None], Answer]]] = {
    "text": _text_field,
    "list": _list_field,
    "number": _number_field,
    "flag": _flag_field,
    "choose": _choose_field,
    "rate": _rate_field,
    "sessions": _sessions_field,
    "advances": _advances_field,
    "yaml": _yaml_field,
}


# Changes of a file.


def _put(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write a text, number, flag or list; an empty one takes the key out."""
    opened, work = session.copy(str(request["text"]))
    key, value = str(request["key"]), request["value"]
    rule = opened.rules.character[key]
    if value is False or value in ("", None, []):  # a number may be 0
        work.drop_key(key)
    elif rule.kind == "number" and str(value).lstrip("-").isdecimal():
        work.put_key(key, int(value))
    elif isinstance(value, list):
        _put_list(work, key, [str(one) for one in value if str(one).strip()])
    else:
        work.put_key(key, value)
    return _open(session, {"text": work.text})


def _put_list(work: WorkingCopy, key: str, lines: list[str]) -> None:
    """Write a list of texts; items that stay as they are keep their comments."""
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
            work.text = edit.put_value(work.text, (name, place), new)
    work.append(key, list(lines[len(shown) :]))


def _write(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write a value that is given as YAML."""
    opened, work = session.copy(str(request["text"]))
    key, typed = str(request["key"]), str(request["value"])
    if key not in opened.rules.character:
        raise CannotEdit(f"a file has no `{key}`")
    if re.search(r"(^|[\[{,: ])[&*]", typed):  # an alias may stand for a billion values
        raise CannotEdit("anchors and aliases cannot be written here")
    read = parse_yaml(f"value: {typed}\n", "value")
    if read.value is None or read.findings:
        raise CannotEdit(read.findings[0].message if read.findings else "this is no YAML")
    data = edit.root_of(f"value: {typed}\n").data()
    value = data.get("value") if isinstance(data, dict) else None
    if value is None:
        work.drop_key(key)
    else:
        work.put_key(key, value)
    return _open(session, {"text": work.text})


def _choose(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Add a pick, replace it, or take it out (`name` is empty)."""
    _, work = session.copy(str(request["text"]))
    _pick(work, request)
    return _open(session, {"text": work.text})


def _pick(work: WorkingCopy, request: Mapping[str, Any]) -> None:
    """Change a pick of a key: `at` is its number, without it the pick is new.

    Args:
        request: `name`, and if it has them `detail` (a text, or points by trait) and `times`.
    """
    key, at, name = str(request["key"]), request.get("at"), str(request.get("name", ""))
    rule, spot, called = work.draft.rules.character[key], work.value_at(key), work.key_name(key)
    detail, times = request.get("detail"), int(request.get("times") or 1)
    value: Data = f"{name} x{times}" if times > 1 else name
    if detail:
        value = {name: detail}
    most = _most(work.draft, rule) if rule.kind in _SINGLE else None
    alone = spot is not None and (
        spot.kind == "leaf" or (spot.kind == "map" and len(spot.keys) == 1)
    )
    if spot is None or called is None or (spot.kind == "leaf" and not spot.raw.strip()):
        if name:
            work.put_key(key, value if rule.kind in _SINGLE and most == 1 else [value])
    elif most == 1 and (at is None or spot.kind != "list"):
        work.put_key(key, value) if name else work.drop_key(key)
    elif at is not None and alone:
        if at != 0:
            raise CannotEdit("there is one pick only")
        work.put_key(key, value) if name else work.drop_key(key)
    elif at is None and spot.kind == "map" and rule.kind in _COUNTED:
        work.put_entry(key, name, detail or times)
    elif at is None:
        work.append(key, [value])
    elif spot.kind == "map":
        _pick_in_map(work, (called, spot.keys[int(at)].raw), name, detail or times)
    elif name:
        work.text = edit.put_value(work.text, (called, int(at)), value)
    elif len(spot.items) == 1:
        work.drop_key(key)
    else:
        work.drop((called, int(at)))


def _pick_in_map(work: WorkingCopy, path: KeyPath, name: str, value: Data) -> None:
    """Replace an entry of a mapping of names to counts or details."""
    if not name:
        work.drop(path)
    elif work.root().at(path).kind == "leaf":
        work.text = edit.rename_key(work.text, path, name)
        work.text = edit.put_value(work.text, (path[0], name), value)
    else:
        raise CannotEdit("it has details of its own")


def _count(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write how often a pick is taken; what else the file says of it stays."""
    _, work = session.copy(str(request["text"]))
    key, at, times = str(request["key"]), int(request["at"]), int(request["times"])
    called, spot = work.key_name(key), work.value_at(key)
    if called is None or spot is None or times < 1:
        raise CannotEdit("there is no such pick")
    path: KeyPath = (called, at) if spot.kind == "list" else (called,)
    node = work.root().at(path)
    if node.kind == "leaf":
        plain = split_times(node.raw)[0]
        value = f"{plain} x{times}" if times > 1 else plain
        work.text = edit.put_value(work.text, path, value)
    else:
        path = (*path, node.keys[0 if spot.kind == "list" else at].raw)
        of_one = work.root().at(path)
        if of_one.kind == "map":
            counted = next((k.raw for k in of_one.keys if folded(k.raw) == "count"), "count")
            work.text = edit.add_entry(work.text, path, counted, times)
        elif of_one.kind == "leaf" and not of_one.style and of_one.raw.isdecimal():
            work.text = edit.put_value(work.text, path, times)
        else:
            plain = split_times(str(path[-1]))[0]
            name = f"{plain} x{times}" if times > 1 else plain
            work.text = edit.rename_key(work.text, path, name)
    return _open(session, {"text": work.text})


def _spread(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write how many points of a pick go to a trait, which is named as the form shows it."""
    opened, work = session.copy(str(request["text"]))
    key, at, to = str(request["key"]), int(request["at"]), int(request["to"])
    draft, called, spot = opened.draft, work.key_name(key), work.value_at(key)
    asked = str(request["trait"])
    named = find_trait(draft, ScalarNode(draft.source.start, asked, asked))
    if called is None or spot is None or named is None:
        raise CannotEdit("there is no such pick")
    trait, shown = draft.name_of(named), _points_text(draft, named, to)
    path: KeyPath = (called, at) if spot.kind == "list" else (called,)
    node = work.root().at(path)
    if node.kind == "leaf":
        work.text = edit.put_value(work.text, path, {node.raw: {trait: shown}})
        return _open(session, {"text": work.text})
    path = (*path, node.keys[0 if spot.kind == "list" else at].raw)
    node = work.root().at(path)
    there = next((one.raw for one in node.keys if work.is_trait(one.raw, named)), None)
    signed = any(node.at((one.raw,)).raw.startswith("+") for one in node.keys)
    shown = f"+{shown}" if signed and isinstance(shown, str) else shown
    if to == 0 and there is not None and len(node.keys) > 1:
        work.drop((*path, there))
    else:
        work.text = edit.add_entry(work.text, path, there or trait, shown)
    return _open(session, {"text": work.text})


def _points_text(draft: Draft, trait: str, points: int) -> int | str:
    """Return points as a file has them: dice as a code, others as a number."""
    group = draft.rules.groups[draft.group_of(trait) or ""]
    coded = group.rating == "dice" and draft.in_dice(trait)
    return draft.rules.rating_text(draft.group_of(trait) or "", points) if coded else points


def _rate(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Write the rating of a trait."""
    _, work = session.copy(str(request["text"]))
    _set_rating(work, str(request["key"]), str(request["trait"]), int(request["to"]))
    return _open(session, {"text": work.text})


def _set_rating(work: WorkingCopy, key: str, trait: str, to: int) -> None:
    draft = work.draft
    group = draft.group_of(trait) or ""
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    called = work.key_name(key) or ""
    if to <= 0:
        if entry is not None:
            spot = work.root().at((called,))
            work.drop_key(key) if len(spot.items) == 1 else work.drop((called, entry))
        return
    value: Data = shown_rating(work, group, to)
    if draft.rules.character[key].kind == "codes" and _under(draft, trait):
        value = f"+{str(value).removeprefix('+')}"
    if entry is not None and work.root().at((called, entry)).kind == "map":
        node = work.root().at((called, entry))
        rated = next((k.raw for k in node.keys if folded(k.raw) in ("dots", "dice", "rank")), None)
        part = rated or str(draft.rules.groups[group].rating)
        work.text = edit.add_entry(work.text, (called, entry), part, value)
        return
    work.put_entry(key, entry or draft.name_of(trait), value)


def _play(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Add a session, with what it gained."""
    _, work = session.copy(str(request["text"]))
    row = {str(k): v for k, v in dict(request["row"]).items() if v not in ("", None)}
    work.append(str(request["key"]), [row])
    return _open(session, {"text": work.text})


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
    rule = opened.rules.character[key]
    listed = [*_listed(opened, key, rule)]
    start = int(request.get("from", -1))
    if start >= 0:
        try_one = partial(_reason, session, opened, key, rule, request.get("at"))
        for option in listed[start : start + _BATCH]:
            option["why"] = try_one(option)
        listed = listed[start : start + _BATCH]
    return {"options": listed}


def _listed(opened: Opened, id_: str, key: Key) -> Iterator[Answer]:
    rules, draft = opened.rules, opened.draft
    if key.kind in ("choice", "choices"):
        catalogue = rules.choices[str(key.of[0]) if key.of else id_]
        for entry_id, entry in catalogue.entries.items():
            pick = Pick(
                id_,
                str(key.of[0]) if key.of else id_,
                str(entry_id),
                entry.name,
                draft.source.start,
            )
            pool, price = price_of(draft, pick) if entry.price is not None else ("", None)
            yield {
                "id": str(entry_id),
                "name": str(entry.name),
                "text": draft.fill_options(entry.text),
                "tags": [str(tag) for tag in entry.tags],
                "price": draft.eval_int(price) if price is not None else None,
                "pool": pool,
                **_asked(opened, entry),
            }
    elif key.kind in ("item", "items"):
        for item_id, item in rules.gear.items():
            if not key.of or set(map(str, key.of)) & set(map(str, item.tags)):
                yield {
                    "id": str(item_id),
                    "name": str(item.name),
                    "text": str(item.text or item.special),
                    "tags": [str(tag) for tag in item.tags],
                    "price": item.cost,
                    "pool": str(key.pool or ""),
                }
    elif key.kind == "raises":
        for group_id in key.of:
            for trait, rule in rules.groups[str(group_id)].traits.items():
                yield {
                    "id": str(trait),
                    "name": str(rule.name),
                    "text": str(rule.text),
                    "tags": [draft.name_of(under)] if (under := _under(draft, str(trait))) else [],
                    "price": None,
                    "pool": "",
                }


def _reason(
    session: FormSession, opened: Opened, key: str, rule: Key, at: Any, option: Answer
) -> str:
    """Return why an option cannot be taken; empty if it can."""
    work = WorkingCopy(opened.text, opened.draft)
    named = option.get("asks", {}).get("of", [])
    request = {"key": key, "at": at, "name": option["name"], "detail": (named or [None])[0]}
    try:
        _pick(work, request)
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
    first = [(-name.span.line, id_) for id_, name in draft.key_names.items()]
    at = next((id_ for line, id_ in sorted(first) if -line <= finding.span.line), "")
    absent = [str(id_) for id_ in one.rules.character if id_ not in draft.entries]
    start = finding.span.line == draft.source.start.line
    return any(_is_short(draft, id_) for id_ in (absent if start else [at] if at else []))


def _is_short(draft: Draft, id_: str) -> bool:
    """Whether a key still takes picks."""
    key = draft.rules.character[id_]
    most = _most(draft, key)
    return most is not None and len(_items(key, draft.entries.get(id_))) < most


def _offers(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """List every step that can be bought now, and why others cannot."""
    draft = session.opened(str(request["text"])).draft
    found = []
    for number, offer in enumerate(list_offers(draft)):
        why = offer.refused or ("" if offer.price <= draft.left(offer.pool) else "too dear now")
        found.append(
            {
                "number": number,
                "what": offer.what,
                "step": offer.step,
                "kind": offer.kind,
                "price": offer.price,
                "pool": offer.pool,
                "why": why,
                "can": offer.kind in _BUY,
            }
        )
    return {"offers": found}


def _buy(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Buy the step with a number of the offers."""
    opened, work = session.copy(str(request["text"]))
    offer = [*list_offers(opened.draft)][int(request["number"])]
    if offer.kind not in _BUY:
        raise CannotEdit("this step is written by hand")
    _BUY[offer.kind](work, offer)
    return _open(session, {"text": work.text})


def _buy_step(work: WorkingCopy, offer: Offer) -> None:
    group = work.draft.group_of(offer.id) or ""
    rule = work.draft.rules.groups.get(group)
    key = work.find_key("ratings", group) if rule is not None and rule.stated else None
    if key is not None:
        _set_rating(work, key, offer.id, offer.after + work.draft.base(offer.id))
    else:
        _advance(work, offer.what)


def _advance(work: WorkingCopy, name: str) -> None:
    key = work.find_key("advances")
    if key is None:
        raise CannotEdit("no key of the file holds advances")
    append_advances(work, key, [name], "")


_BUY: Final[Mapping[str, Callable[[WorkingCopy, Offer], None]]] = {
    "trait": _buy_step,
    "named": lambda work, offer: _advance(work, offer.what),
    "gear": lambda work, offer: _advance(work, offer.what),
}
"""How a step of each kind of offer is written."""


def _compare(session: FormSession, request: Mapping[str, Any]) -> Answer:
    """Return what leads from the text `before` to the text, and its prices."""
    old = session.opened(str(request["before"])).draft
    new = session.opened(str(request["text"])).draft
    found = find_advancement(old, new)
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
    findings = [*result.findings, *(merged.findings if merged is not None else ())]
    shown = _findings(tuple(findings), None, text)
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
    raise CannotEdit(worst[0].message if worst else "there is nothing to print")


ACTS: Final[Mapping[str, Callable[[FormSession, Mapping[str, Any]], Answer]]] = {
    "new": _new,
    "open": _open,
    "put": _put,
    "write": _write,
    "choose": _choose,
    "count": _count,
    "spread": _spread,
    "rate": _rate,
    "play": _play,
    "fix": _fix,
    "options": _options,
    "offers": _offers,
    "buy": _buy,
    "compare": _compare,
    "print": _print,
    "read": _read,
}
"""What a request may `do`."""
