"""What a file takes over: from the one that it is based on, and from who is aboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from sheetgen.check.character.bases import on_base, stock_names
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.load.authors.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, Source
from sheetgen.rules.index import index_of

Given: TypeAlias = dict[str, tuple[int, Span]]
"""What people aboard give, by trait or key, each with the place that names them."""


def completed(
    loaded: LoadedEntry, chosen: Mapping[str, str], shelf: RulesetCache
) -> tuple[Source, tuple[Finding, ...]]:
    """Return the source of a kind's file with all that it takes over, and what is wrong there."""
    source, rules, kind = loaded.source, loaded.rules, loaded.kind
    assert source is not None
    assert rules is not None
    if kind is None:
        return source, ()
    source, said = on_base(source, kind, loaded.stock, rules.spellings)
    findings = [*said]
    givers = {str(id_): key for id_, key in rules.character.items() if key.gives}
    if not givers or not isinstance(source.root, Pairs):
        return source, tuple(findings)
    index = index_of(rules)
    there = {id_: node for key, node in source.root.entries for id_ in index.keys.find(key.raw)}
    texts = {str(id_): _text(there.get(str(id_))) for id_ in rules.character}
    given: Given = {}
    called: dict[str, str] = {}
    for id_, key in givers.items():
        node = there.get(id_)
        found = _person(node, key, loaded, chosen, shelf) if isinstance(node, ScalarNode) else None
        if found is None:
            continue
        wrong = errors(found.findings)
        findings += wrong
        if wrong:
            continue
        called[id_] = found.texts.get("name", "")
        for what, formula in key.gives.items():
            value = found.whole(formula, **texts)
            if value and str(what) not in there:
                given.setdefault(str(what), (value, there[id_].span))
    root = _with(source.root, given, called, rules)
    return replace(source, root=root), tuple(findings)


def _text(node: Node | None) -> str:
    return node.raw if isinstance(node, ScalarNode) else ""


def _person(
    node: ScalarNode, key: Key, loaded: LoadedEntry, chosen: Mapping[str, str], shelf: RulesetCache
) -> Draft | None:
    """Return whom `node` names, checked: of the stock, or a file; None for a mere name."""
    whole = loaded.ruleset
    assert whole is not None
    if node.raw.lower().endswith((".yaml", ".yml")):
        return _of_file(node, key, loaded.path.parent / node.raw, whole, chosen, shelf)
    for kind in map(str, key.of):
        stock = shelf.entries(whole, kind)
        ids = stock_names(stock, whole.spellings).find(node.raw)
        if len(ids) == 1:
            return check_draft(stock[int(ids[0])], shelf.kind(whole, kind), chosen)
    return None


def _of_file(
    node: ScalarNode,
    key: Key,
    path: Path,
    whole: Ruleset,
    chosen: Mapping[str, str],
    shelf: RulesetCache,
) -> Draft:
    """Return the character, or the one of a kind of `key`, in a file; or what is wrong with it."""
    one, *others = load_file(path, shelf, chosen)
    draft = Draft(whole, index_of(whole), Source("", "", None, ""), {}, [*one.findings])
    if one.source is not None and one.rules is not None and not errors(one.findings):
        kinds = one.ruleset.kinds if one.ruleset is not None else {}
        kind = next((id_ for id_, known in kinds.items() if known is one.kind), "")
        if others or one.rules.id != whole.id or (kind and kind not in key.of):
            wanted = " or ".join(("character", *(whole.kinds[str(k)].one for k in key.of)))
            message = f"`{node.raw}` is not one {wanted} of {whole.title}"
            draft.say(codes.WRONG_TYPE, node.span, message, "name another file, or a person")
            return draft
        source, said = one.source, one.findings
        if one.kind is not None:
            source, said = on_base(one.source, one.kind, one.stock, one.rules.spellings)
        draft = check_draft(source, one.rules, chosen)
        draft.findings += said
    if errors(draft.findings):
        message, hint = f"`{node.raw}` cannot be used here", "correct that file, or name another"
        draft.say(codes.WRONG_TYPE, node.span, message, hint)
    return draft


def _with(root: Pairs, given: Given, called: Mapping[str, str], rules: Ruleset) -> Pairs:
    """Return `root` with what people give, under the keys that hold it, and with their names."""
    index = index_of(rules)
    known = [entry for entry in root.entries if index.keys.find(entry[0].raw)]
    entries = {index.keys.find(entry[0].raw)[0]: entry for entry in known}
    if len(entries) < len(known):  # a key stands twice, which is a finding of its own
        return root
    for id_, (key, node) in entries.items():
        if isinstance(node, ScalarNode) and (name := called.get(id_)):
            entries[id_] = key, replace(node, raw=name, value=name)
    for id_, rule in rules.character.items():
        if id_ in given:
            value, span = given[id_]
            raw = str(bool(value)).lower() if rule.kind == "flag" else str(value)
            entries[id_] = ScalarNode(span, id_, id_), ScalarNode(span, value, raw)
        key, own = entries.get(id_, (ScalarNode(root.span, id_, id_), Pairs(root.span, ())))
        if rule.kind == "codes" and isinstance(own, Pairs):
            names = index.among(tuple(map(str, rule.of)))
            stated = {trait for name, _ in own.entries for trait in names.find(name.raw)}
            more = tuple(
                (ScalarNode(span, trait, trait), ScalarNode(span, code, code))
                for trait, (value, span) in given.items()
                if trait not in stated and names.find(trait)
                for code in (code_text(value, pips=rules.pips),)
            )
            if more:
                entries[id_] = key, Pairs(own.span, (*own.entries, *more))
    unknown = (e for e in root.entries if not index.keys.find(e[0].raw))
    return Pairs(root.span, (*unknown, *entries.values()))
