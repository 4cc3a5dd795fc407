"""Kinds of files: the rules of a kind, the kind of a file, and files with several entries."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Hint
from sheetgen.diag.words import nearest, suggestion
from sheetgen.load.files import note_read, read_text, yaml_files
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.rulesets.prints import Odds, RollRules
from sheetgen.model.rulesets.ruleset import Key, Kind, Ruleset
from sheetgen.model.rulesets.traits import Catalogue, Derived, Grants, Group
from sheetgen.model.source import Formula, Many, Node, Pairs, Source, raw_text, text_place

# Parts of a ruleset that a kind may keep, besides `advances`.
PARTS: Final = (
    *("groups", "choices", "pools", "gear", "derived", "tracks", "texts", "lists", "rules"),
)
# The key of a file with several entries; the keys beside it count for each of them.
ENTRIES: Final = "entries"
_NAME: Final = re.compile(r"[A-Za-z_]\w*")

_OWN_KEYS: Final = ("kind", ENTRIES)
FOLDER: Final = "exports"


def kind_rules(rules: Ruleset, name: str) -> Ruleset:
    """Return the rules for files of the kind `name`: the ruleset's, with the kind's parts."""
    kind = rules.kinds[name]
    parts: dict[str, Any] = {}
    for part in PARTS:  # what the kind keeps of the ruleset's, and what it adds
        every, shared = part in kind.keeps, getattr(rules, part)
        kept = {id_: v for id_, v in shared.items() if every or f"{part}.{id_}" in kind.keeps}
        parts[part] = {**kept, **getattr(kind, part)}
    for id_, rows in [*parts["lists"].items()]:
        of, _, catalogue = rows.of.partition(".")
        if id_ not in kind.lists and of == "choices" and catalogue not in parts["choices"]:
            del parts["lists"][id_]  # it would have no rows
    kept = {id_: rule for id_, rule in parts["derived"].items() if not rule.place}
    parts["derived"] = kept | find_columns(parts["groups"])
    groups, pools = parts["groups"], parts["pools"]
    parts["groups"] = {  # a step costs nothing if the kind has no pool that pays for it
        id_: group
        if group.pool is None or group.pool in pools
        else dataclasses.replace(group, price=None, pool=None)
        for id_, group in groups.items()
    }
    parts["choices"] = {i: _without_pools(c, pools) for i, c in parts["choices"].items()}
    lost = {i for i, g in rules.groups.items() if i not in groups}
    lost |= {t for i in lost for t in rules.groups[i].traits}
    lost |= {i for i in rules.derived if i not in parts["derived"]}
    asked = {i: _NAME.findall(" ".join(roll.dice.values())) for i, roll in rules.rolls.items()}
    parts["advances"] = kind.advances or (rules.advances if "advances" in kind.keeps else None)
    inherits = kind.given is None and "given" in kind.keeps
    # It has no kinds, tables and the like of its own.
    parts |= {part: {} for part in ("kinds", "tables", "card_sets", "references", "screens")}
    unkept = frozenset(_countable(rules))
    own = dataclasses.replace(rules.composition, one=kind.one, label=kind.label, unkept=unkept)
    composition = dataclasses.replace(own, block=kind.block)
    return dataclasses.replace(
        rules,
        **parts,
        given=rules.given if inherits else kind.given,
        rolls={i: r for i, r in rules.rolls.items() if lost.isdisjoint((r.each, *asked[i]))},
        dice=None,
        character=kind.character,
        proof=(),
        odds=None,
        emblems=kind.emblems,
        likeness=(),
        sheet=kind.card,
        composition=composition,
        digest=hashlib.sha256(f"{rules.digest} {name}".encode()).hexdigest(),
    )


_COLUMN_NAME: Final = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])(total|n|under)(?![\w.(])")


def find_columns(groups: Mapping[str, Group]) -> dict[str, Derived]:
    """Return the columns beside the ratings of groups as derived values, `TRAIT.COLUMN`."""
    found = {}
    for group_id, group in groups.items():
        for id_, trait in group.traits.items() if group.columns else ():
            under = str((trait.under if group.sums else None) or "0")
            names = {"total": str(id_), "n": f"own({id_})", "under": under}
            for name, column in group.columns.items():
                text = _named(column.value, names)
                found[f"{id_}.{name}"] = Derived(
                    value=Formula(text, column.value.span),
                    as_=column.as_,
                    place=f"{group_id}.{id_}.{name}",
                    use=f"{trait.name} {column.label}".strip(),
                )
    return found


_LOOSE: Final = re.compile(r"\b(or|if|else)\b")  # words of formulas that need brackets before `and`


def with_levels(
    choices: Mapping[str, Catalogue], keys: Mapping[str, Key], findings: list[Finding]
) -> Mapping[str, Catalogue]:
    """Return catalogues whose `levels` are `grants` with conditions; keys say how often."""
    found = {}
    once: set[str] = set()
    often: set[str] = set()
    for key_id, key in keys.items():
        if key.kind in ("choice", "choices"):
            picked = often if key.kind == "choices" or key.most is not None else once
            picked.update(map(str, key.of or (key_id,)))
    for catalogue_id, catalogue in choices.items():
        entries = dict(catalogue.entries)
        for id_, entry in entries.items() if any(e.levels for e in entries.values()) else ():
            level = catalogue.level or f"has({catalogue_id}.{id_})"
            blocks = []
            for at, block in entry.levels.items():
                place = text_place(at, entry.name.span)
                if not at.isdecimal():
                    message = f"`{at}` is no level of {entry.name}"
                    findings.append(Finding(codes.WRONG_TYPE, place, message, "write a number"))
                    continue
                if catalogue.level is None and int(at) > 1 and catalogue_id in once - often:
                    message = f"{entry.name} never reaches level {at}: it is picked once"
                    hint = "name the level under `level` of the catalogue, or let its key be "
                    hint += "`choices`"
                    findings.append(Finding(codes.WRONG_TYPE, place, message, hint))
                reached = Formula(f"({level}) >= {at}", place)
                if (own := block.if_) is not None:
                    # It comes first, so that the places of its mistakes are right.
                    span, joined = own.span, str(own)
                    if _LOOSE.search(own):
                        column, width = span.column - 1, span.width + 1
                        span = dataclasses.replace(span, column=column, width=width)
                        joined = f"({own})"
                    reached = Formula(f"{joined} and {reached}", span)
                blocks.append(dataclasses.replace(block, if_=reached, once=True))
            grants = entry.grants or Grants()
            grants = dataclasses.replace(grants, when=(*grants.when, *blocks))
            entries[id_] = dataclasses.replace(entry, grants=grants, levels={})
        found[catalogue_id] = dataclasses.replace(catalogue, entries=entries)
    return found


def _named(formula: str, names: Mapping[str, str]) -> str:
    """Return a formula with what its names stand for in this place."""
    return _COLUMN_NAME.sub(lambda found: names[found[1]] if found[1] else found[0], formula)


def _without_pools(catalogue: Catalogue, pools: Mapping[str, Any]) -> Catalogue:
    """Return a catalogue without prices in pools that the kind lacks, and starts of these."""
    entries = {}
    for id_, entry in catalogue.entries.items():
        if entry.pool is not None and entry.pool not in pools:
            entry = dataclasses.replace(entry, price=None, pool=None)
        if entry.grants is not None and any(pool not in pools for pool in entry.grants.start):
            start = {pool: n for pool, n in entry.grants.start.items() if pool in pools}
            grants = dataclasses.replace(entry.grants, start=start)
            entry = dataclasses.replace(entry, grants=grants)
        entries[id_] = entry
    price, pool = catalogue.price, catalogue.pool
    if pool is not None and pool not in pools:
        price = pool = None
        unpaid = {i: entry for i, entry in entries.items() if entry.pool is None}
        entries |= {i: dataclasses.replace(entry, price=None) for i, entry in unpaid.items()}
    return dataclasses.replace(catalogue, entries=entries, price=price, pool=pool)


def _countable(rules: Ruleset) -> Iterator[str]:
    """Yield the names of choices and items, of catalogues, and tags."""
    for id_, item in rules.gear.items():
        yield from (str(id_), *map(str, item.tags))
    for catalogue, listed in rules.choices.items():
        yield str(catalogue)
        for id_, entry in listed.entries.items():
            yield from (str(id_), f"{catalogue}.{id_}", *map(str, entry.tags))


def write_own_keys_small(source: Source) -> Source:
    """Return `source` with the keys of every author's file in small letters."""
    root = source.root
    if not isinstance(root, Pairs) or all(key.raw.islower() for key, _ in root.entries):
        return source
    there = {key.raw for key, _ in root.entries}
    entries = []
    for key, node in root.entries:
        small = key.raw.strip().casefold()
        if small in ("ruleset", "options", *_OWN_KEYS) and small not in there:
            key = dataclasses.replace(key, raw=small, value=small)
        entries.append((key, node))
    return dataclasses.replace(source, root=Pairs(root.span, tuple(entries)))


def correct_own_keys(source: Source, rules: Ruleset, findings: list[Finding]) -> Source:
    """Return `source` with `kind` and `entries` for misspellings, which are reported."""
    root = source.root
    if not isinstance(root, Pairs):
        return source
    missing = [own for own in _OWN_KEYS if root.get(own) is None]
    known = {*rules.character}.union(*(kind.character for kind in rules.kinds.values()))
    entries = []
    for key, node in root.entries:
        name = key.raw.strip().casefold()
        meant = ""
        if name.replace(" ", "_").replace("-", "_") not in known:
            near = "" if nearest(name, known) else nearest(name, missing)
            meant = near
            if not near and ENTRIES in missing and isinstance(node, Many) and len(node.items) > 1:
                named = all(isinstance(item, Pairs) and item.get("name") for item in node.items)
                meant = ENTRIES if named else ""
            elif not near and "kind" in missing and raw_text(node) in rules.kinds:
                meant = "kind"
        if meant in missing:
            missing.remove(meant)
            key = dataclasses.replace(key, raw=meant, value=meant)
            if name != meant:
                message = f"there is no key `{name}` in files of {rules.title}"
                hint = Hint(f"did you mean `{meant}`?", name, meant)
                findings.append(Finding(codes.UNKNOWN_KEY, key.span, message, hint))
        entries.append((key, node))
    return dataclasses.replace(source, root=Pairs(root.span, tuple(entries)))


def kind_of(source: Source, rules: Ruleset, findings: list[Finding]) -> str | None:
    """Return the kind that a file names, empty for a character; None for an unknown kind."""
    node = source.get("kind")
    raw = raw_text(node).strip()
    if node is None or raw.casefold() == "character":
        return ""
    raw = next((str(name) for name in rules.kinds if name.casefold() == raw.casefold()), raw)
    if raw in rules.kinds:
        return raw
    known = ("character", *map(str, rules.kinds))
    message = f"{rules.title} has no kind of file called `{raw}`"
    hint = suggestion(raw, known, "kinds")
    findings.append(Finding(codes.UNKNOWN_NAME, node.span, message, hint))
    return None


def split_entries(source: Source, findings: list[Finding]) -> tuple[Source, ...]:
    """Return the file, or a source for each of its `entries`, with the keys beside them."""
    root = source.root
    if not isinstance(root, Pairs):
        return (source,)
    plain = tuple(e for e in root.entries if e[0].raw not in _OWN_KEYS)
    if (listed := root.get(ENTRIES)) is None:
        return (dataclasses.replace(source, root=Pairs(root.span, plain)),)
    if not isinstance(listed, Many):
        message = f"`{ENTRIES}` has to be a list, one item for each"
        findings.append(Finding(codes.WRONG_TYPE, listed.span, message))
        return ()
    sources = []
    for number, item in enumerate(listed.items):
        own = item.entries if isinstance(item, Pairs) else ()
        if not isinstance(item, Pairs):
            message = "an entry is a mapping, such as `name: …`"
            findings.append(Finding(codes.WRONG_TYPE, item.span, message))
        own_keys = {key.raw for key, _ in own}
        root = Pairs(item.span, (*(e for e in plain if e[0].raw not in own_keys), *own))
        digest = hashlib.sha256(f"{source.digest} {number}".encode()).hexdigest()
        sources.append(dataclasses.replace(source, root=root, digest=digest))
    return tuple(sources)


def entries_of(folder: Path, kind: Kind) -> tuple[Source, ...]:
    """Return all files of a kind that come with the ruleset in `folder`, in their order."""
    below = folder / kind.folder
    if not kind.folder or not os.path.isdir(below):
        return ()
    files = filter(None, (read_source(path).value for path in yaml_files(below)))
    return tuple(source for file in files for source in split_entries(file, []))


def read_odds(path: Path) -> Odds:
    """Return `odds` of a file that comes with sheetgen; raises ValueError: the file is wrong."""
    read = read_source(path)
    node = read.value.get("odds") if read.value is not None else None
    shaper = Shaper()
    odds: Odds | None = shaper.read(node, Odds, "odds") if node is not None else None
    found = [*read.findings, *shaper.findings]
    if odds is None or found:
        raise ValueError(f"{path.name}: {'; '.join(f.message for f in found) or 'no odds'}")
    return odds


def plain_roll() -> RollRules:
    """Return the roll of plain dice, of no game."""
    path = data_folder() / "content" / "odds" / "plain.yaml"
    note_read(path)  # of each print, not of the first alone
    return _read_plain_roll(path)


@cache
def _read_plain_roll(path: Path) -> RollRules:
    return read_odds(path).rolls["plain"]


def with_odds() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with sheetgen and have odds, sorted."""
    return tuple(
        id_ for id_ in ruleset_ids() if os.path.isfile(rulesets_folder() / id_ / "odds.yaml")
    )


def read_export_map(rules: Ruleset, pattern: str) -> Checked[Node]:
    """Return the tree of a ruleset's files of a pattern, such as `foundry-*.yaml`; None for none.

    An overlay's file is laid over its base's: mappings are merged, other values replaced.
    """
    root: Node | None = None
    findings: list[Finding] = []
    for origin in rules.composition.origins:
        for path in sorted(Path(origin.folder, FOLDER).glob(pattern)):
            read = read_source(path)
            findings += read.findings
            if read.value is not None and read.value.root is not None:
                root = read.value.root if root is None else _lay_over(root, read.value.root)
    return Checked(None if findings else root, tuple(findings))


def read_licences(rules: Ruleset) -> str:
    """Return the texts of the licences of a ruleset and of those that it extends."""
    paths = (Path(origin.folder, "LICENSE.txt") for origin in rules.composition.origins)
    read = (read_text(path).value for path in paths if os.path.isfile(path))
    return "\n\n".join(found[0].strip() for found in read if found is not None)


def _lay_over(base: Node, above: Node) -> Node:
    if not isinstance(base, Pairs) or not isinstance(above, Pairs):
        return above
    entries = {key.raw: (key, node) for key, node in base.entries}
    for key, node in above.entries:
        old = entries.get(key.raw)
        entries[key.raw] = (key, node if old is None else _lay_over(old[1], node))
    return Pairs(above.span, tuple(entries.values()))
