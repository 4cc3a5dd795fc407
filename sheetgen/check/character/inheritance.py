"""Values that a file takes over: from the stock file that it is based on, and from people aboard.

Files of a kind of the ruleset can be based on one that comes with the ruleset, and name a
crew whose ratings count. `complete_source` runs before the steps of `builds.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.load.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.model.build import code_text
from sheetgen.model.rulesets.ruleset import Key, Kind, Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.rules.index import Names, folded, index_of, names_of

Contributions: TypeAlias = dict[str, tuple[int, Span]]
"""Values that people aboard give, by trait or key, with the place that names the person."""


def complete_source(
    loaded: LoadedEntry, chosen: Mapping[str, str], cache: RulesetCache
) -> tuple[Source, tuple[Finding, ...]]:
    """Return the source of a kind's file with the values that it takes over, and findings."""
    source, rules, kind = loaded.source, loaded.rules, loaded.kind
    assert source is not None
    assert rules is not None
    if kind is None:
        return source, ()
    source, base_findings = apply_base(source, kind, loaded.stock, rules.spellings)
    findings = [*base_findings]
    givers = {str(id_): key for id_, key in rules.character.items() if key.gives}
    if not givers or not isinstance(source.root, Pairs):
        return source, tuple(findings)
    index = index_of(rules)
    there = {id_: node for key, node in source.root.entries for id_ in index.keys.find(key.raw)}
    texts = {str(id_): _text(there.get(str(id_))) for id_ in rules.character}
    contributions: Contributions = {}
    names: dict[str, str] = {}
    for id_, key in givers.items():
        node = there.get(id_)
        found = _person(node, key, loaded, chosen, cache) if isinstance(node, ScalarNode) else None
        if found is None:
            continue
        findings += (f for f in found.findings if f.severity is not Severity.NOTE)
        if errors(found.findings):
            continue
        names[id_] = found.texts.get("name", "")
        for what, formula in key.gives.items():
            value = found.eval_int(formula, **texts)
            if value and str(what) not in there:
                contributions.setdefault(str(what), (value, there[id_].span))
    root = _add_contributions(source.root, contributions, names, rules)
    return replace(source, root=root), tuple(findings)


def _text(node: Node | None) -> str:
    return node.raw if isinstance(node, ScalarNode) else ""


def _person(
    node: ScalarNode, key: Key, loaded: LoadedEntry, chosen: Mapping[str, str], cache: RulesetCache
) -> Draft | None:
    """Return the checked person that `node` names: of the stock or in a file; None for others."""
    ruleset = loaded.ruleset
    assert ruleset is not None
    if node.raw.lower().endswith((".yaml", ".yml")):
        # Return the character, or the one of a kind of `key`, in a file; or its findings.
        one, *others = load_file(loaded.path.parent / node.raw, cache, chosen)
        draft = Draft(ruleset, index_of(ruleset), Source("", "", None, ""), {}, [*one.findings])
        if one.source is not None and one.rules is not None and not errors(one.findings):
            kinds = one.ruleset.kinds if one.ruleset is not None else {}
            kind = next((id_ for id_, known in kinds.items() if known is one.kind), "")
            if others or one.rules.id != ruleset.id or (kind and kind not in key.of):
                expected = " or ".join(("character", *(ruleset.kinds[str(k)].one for k in key.of)))
                message = f"`{node.raw}` is not one {expected} of {ruleset.title}"
                draft.report(codes.WRONG_TYPE, node.span, message, "name another file, or a person")
                return draft
            source, findings = one.source, one.findings
            if one.kind is not None:
                source, findings = apply_base(one.source, one.kind, one.stock, one.rules.spellings)
            draft = check_draft(source, one.rules, chosen)
            draft.findings += findings
        if errors(draft.findings):
            message, hint = (
                f"`{node.raw}` cannot be used here",
                "correct that file, or name another",
            )
            draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return draft
    for kind in map(str, key.of):
        stock = cache.entries(ruleset, kind)
        ids = stock_names(stock, ruleset.spellings).find(node.raw)
        if len(ids) == 1:
            source, own = stock[int(ids[0])], cache.kind(ruleset, kind)
            draft = check_draft(source, own, chosen)
            draft.findings = [*excuse_stock(draft.findings, source, own, stock)]
            return draft
    return None


def _add_contributions(
    root: Pairs, contributions: Contributions, names: Mapping[str, str], rules: Ruleset
) -> Pairs:
    """Return `root` with the names of people, and what they give under the keys that hold it."""
    index = index_of(rules)
    known = [entry for entry in root.entries if index.keys.find(entry[0].raw)]
    entries = {index.keys.find(entry[0].raw)[0]: entry for entry in known}
    if len(entries) < len(known):  # A repeated key has its finding.
        return root
    for id_, (key, node) in entries.items():
        if isinstance(node, ScalarNode) and (name := names.get(id_)):
            entries[id_] = key, replace(node, raw=name, value=name)
    for id_, rule in rules.character.items():
        if id_ in contributions:
            value, span = contributions[id_]
            raw = str(bool(value)).lower() if rule.kind == "flag" else str(value)
            entries[id_] = ScalarNode(span, id_, id_), ScalarNode(span, value, raw)
        key, own = entries.get(id_, (ScalarNode(root.span, id_, id_), Pairs(root.span, ())))
        if rule.kind == "codes" and isinstance(own, Pairs):
            traits = index.among(tuple(map(str, rule.of)))
            stated = {trait for name, _ in own.entries for trait in traits.find(name.raw)}
            more = tuple(
                (ScalarNode(span, trait, trait), ScalarNode(span, code, code))
                for trait, (value, span) in contributions.items()
                if trait not in stated and traits.find(trait)
                for code in (code_text(value, pips=rules.pips),)
            )
            if more:
                entries[id_] = key, Pairs(own.span, (*own.entries, *more))
    unknown = (e for e in root.entries if not index.keys.find(e[0].raw))
    return Pairs(root.span, (*unknown, *entries.values()))


def apply_base(
    source: Source, kind: Kind, known: Iterable[Source], spellings: Mapping[str, str]
) -> tuple[Source, tuple[Finding, ...]]:
    """Return `source` with the values that it takes over from the stock file that it names.

    Args:
        source: An author's file.
        kind: The kind of the file.
        known: The files of that kind that come with the ruleset.
        spellings: Words that may be spelt in another way.
    """
    root = source.root
    key = str(kind.based_on or "")
    if not key or not isinstance(root, Pairs):
        return source, ()
    found = next((e for e in root.entries if folded(e[0].raw) == folded(key)), None)
    if found is None:
        return source, ()
    at, node = found
    sources = tuple(known)
    names = stock_names(sources, spellings)
    raw = node.raw if isinstance(node, ScalarNode) else ""
    ids = names.find(raw)
    if len(ids) != 1:
        several = f"{len(ids)} of them are called `{raw}`"
        message = several if ids else f"there is no {kind.one} `{raw}`"
        finding = Finding(codes.UNKNOWN_NAME, node.span, message, names.hint(raw))
        return source, (finding,)
    base = sources[int(ids[0])].root
    assert isinstance(base, Pairs)
    name, _ = _names_in(sources[int(ids[0])])
    own = [entry for entry in root.entries if entry[0] is not at]
    own_keys = {folded(entry[0].raw) for entry in own} | {folded(name) for name in kind.own}
    inherited = [entry for entry in base.entries if folded(entry[0].raw) not in own_keys]
    return replace(source, root=Pairs(root.span, (*own, *inherited)), base=name), ()


def excuse_stock(
    findings: Sequence[Finding], source: Source, rules: Ruleset, stock: Iterable[Source]
) -> Sequence[Finding]:
    """Return findings about `source`; errors of stock that only the options cause are warnings.

    The ruleset wrote its stock for its default options. Under others it is printed all the same,
    so that no table, card or fight lacks an entry.
    """
    files = {one.file for one in stock}
    wrong = [f for f in errors(findings) if f.span.file in files]
    if not wrong:
        return findings
    root = source.root
    if isinstance(root, Pairs):
        own = tuple(entry for entry in root.entries if folded(entry[0].raw) != "options")
        source = replace(source, root=Pairs(root.span, own))
    always = {(f.code, f.span) for f in errors(check_draft(source, rules).findings)}
    excused = {f for f in wrong if (f.code, f.span) not in always}
    return [_excused(f) if f in excused else f for f in findings]


def _excused(finding: Finding) -> Finding:
    message = f"{finding.message}; it is printed all the same"
    hint = "change the options, or write an entry of your own that keeps to them"
    return replace(finding, message=message, hint=hint, severity=Severity.WARNING)


def stock_names(stock: Sequence[Source], spellings: Mapping[str, str]) -> Names:
    """Return the names of stock files; an id is a place in `stock`."""
    return names_of(((str(n), *_names_in(s)) for n, s in enumerate(stock)), spellings)


def _names_in(source: Source) -> tuple[str, tuple[str, ...]]:
    root = source.root
    name = root.get("name") if isinstance(root, Pairs) else None
    aliases = root.get("aliases") if isinstance(root, Pairs) else None
    others = aliases.items if isinstance(aliases, Many) else (aliases,)
    return _text(name), tuple(_text(other) for other in others if other is not None)
