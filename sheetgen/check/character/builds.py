"""Check a character: the steps in their order, and the build that they lead to.

Each step is a function of one module, named after what it computes. It reads what earlier steps
put into the draft, adds to it, and reports findings. docs/house/where.md lists where values of
prints come from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Final, TypeAlias

from sheetgen.check.character import items, ledger, options, picks, ratings, results, values
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.options import resolve_options
from sheetgen.check.character.results import live_figures
from sheetgen.diag import codes
from sheetgen.diag import findings as reports
from sheetgen.diag.findings import Checked, Finding, Hint, NamesHint, Severity, Span, errors
from sheetgen.diag.words import a, may_try
from sheetgen.load.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build, Ledger, Rating, code_text
from sheetgen.model.rulesets.ruleset import Key, Kind, Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source, raw_text
from sheetgen.rules.index import Names, file_stem, folded, index_of, names_of

MOST_ROUNDS = 12  # how often the steps run again until grants that depend on each other settle

STEPS = (
    # What the file says, and what its choices bring along and grant.
    values.read_keys,
    values.read_plain_keys,
    values.read_pictures,
    picks.read_picks,
    values.check_missing_keys,
    picks.apply_grants,
    # Ratings at creation, and what was sold or lost since.
    ratings.read_codes,
    ratings.read_raises,
    ratings.lift_codes,
    ratings.read_ratings,
    ratings.check_raised,
    ratings.read_lost_steps,
    options.check_trait_needs,
    items.read_items,
    Draft.hold_back,
    ratings.find_limits,
    Draft.answer_guesses,
    options.check_creation_rules,
    # Points: what there is to spend, and what was bought. Advances raise ratings once more.
    ledger.open_pools,
    ratings.pay_ratings,
    ledger.read_dice,
    ledger.pay_choices,
    ledger.pay_items,
    ledger.read_advances,
    Draft.take_rest,
    ratings.find_limits,
    # All ratings are known: requirements, limits, and the values that follow from ratings.
    values.check_requirements,
    picks.check_picks,
    ratings.check_ratings,
    ratings.check_arrays,
    ratings.check_limits,
    items.compute_combat_values,
    ledger.read_links,
    Draft.settle,
    ratings.read_narrow_uses,
    results.compute_derived,
    results.check_printed,
    results.check_tracks,
    options.check_rules,
    options.report_notes,
    ledger.check_pools,
)


def check_character(
    source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None
) -> Checked[Build]:
    """Return the build of `source`, also of a wrong one for drafts, with all findings."""
    draft = check_draft(source, rules, chosen)
    found = without_consequences(
        lambda one, options: check_draft(one, rules, options).findings,
        source,
        chosen or {},
        draft.findings,
    )
    reported = len(draft.findings)
    build = Build(
        ruleset=str(rules.id),
        version=rules.version,
        file=draft.source.file,
        digest=draft.source.digest,
        name=draft.texts.get("name", ""),
        options=draft.options,
        texts=draft.texts,
        numbers=draft.numbers,
        lists=draft.lists,
        picks=(*draft.picks, *draft.refused_picks),
        # Each trait in the order of the ruleset.
        ratings={t: build_rating(draft, t) for g in rules.groups for t in draft.traits_of(g)},
        items=(*draft.items, *draft.refused_items),
        dice=draft.dice,
        links=draft.links,
        pinned=draft.pinned,
        ledgers={
            str(id_): Ledger(str(id_), pool.label, ledger.running_lines(draft, str(id_)))
            for id_, pool in rules.pools.items()
            if ledger.has_pool(draft, str(id_))
        },
        derived=draft.derived,
        lines=results.fill_lines(draft),
        rows=results.build_list_rows(draft),
        printed=draft.printed_values,
        marked=results.compute_tracks(draft),
        rolls=results.compute_rolls(draft),
        row_rolls=dict(results.find_row_rolls(draft)),
        steps={
            str(id_): tuple(map(draft.eval_int, track.steps.values()))
            for id_, track in rules.tracks.items()
            if track.steps
        },
        base=draft.source.base,
        pictures=draft.pictures,
        sections=results.fill_sections(draft),
        figures=partial(live_figures, draft),
    )
    # Warn of formulas that have no value and that only prints need.
    failed = dict.fromkeys(draft.findings[reported:])
    for finding in failed if not errors(found) else ():  # from which these may follow
        # A figure that a thing lacks is empty, and so is what a column makes of it.
        if finding not in draft.findings[:reported] and "`` is not" not in finding.message:
            ours = finding.span.file == draft.source.file
            hint = finding.hint if ours else "correct the formula; nothing is printed for it"
            found.append(replace(finding, hint=hint, severity=Severity.WARNING))
    return Checked(build, reports.in_order(found))


def check_draft(source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None) -> Draft:
    """Return the draft after all steps; `advance` asks it what can be bought.

    What choices grant may depend on ratings, which depend on grants. So the steps run again with
    the values that their formulas had in the end, until these stay as they are.
    """
    options, findings = resolve_options(source, rules, chosen or {})
    draft = Draft(rules, index_of(rules), source, options, [*findings])
    for round_ in range(MOST_ROUNDS + 1):
        if round_:
            draft = Draft(rules, index_of(rules), source, options, [*findings], answers=draft.found)
        for step in STEPS:
            step(draft)
        reported = len(draft.findings)
        draft.answer_guesses(final=True)
        del draft.findings[reported:]
        if not draft.wrong_guesses():
            return draft
    for guess in draft.wrong_guesses()[:1]:
        span = getattr(guess.formula, "span", rules.place)
        message = f"`{guess.formula}` depends on what it grants, and never settles"
        draft.report(codes.CYCLE, span, message, "ask for something else in this formula")
    return draft


def build_rating(draft: Draft, trait: str) -> Rating:
    """Return the rating of `trait`, and where it comes from."""
    group, name = draft.group_of(trait) or "", draft.name_of(trait)
    total, limit, base = draft.total(trait), ratings.limit_of(draft, trait), draft.base(trait)
    written, focus = draft.stated.get(trait), trait in draft.focus
    if written is None and trait not in draft.parts and trait not in draft.lost_steps:
        # Most traits of most characters.
        return Rating(trait, group, name, 0, total, limit=limit, focus=focus, base=base)
    own = draft.own(trait)
    return Rating(
        *(trait, group, name, own, total, min(draft.granted(trait), own)),
        stars=written.stars if written else 0,
        limit=limit,
        parts=ratings.rating_parts(draft, trait),
        focus=focus,
        detail=written.detail if written else "",
        most=limit if written and trait in draft.own_traits else None,
        place=written.span if written else None,
        base=base,
    )


def find_named_traits(build: Build, rules: Ruleset) -> tuple[Rating, ...]:
    """Return the traits of `build` whose names no other character may use."""
    groups = rules.groups.items()
    opened = {id_ for id_, group in groups if group.open is not None and group.open.name_differs}
    return tuple(r for r in build.ratings.values() if r.group in opened and r.place is not None)


def find_shared_names(batch: Iterable[tuple[Build, Ruleset]]) -> tuple[Finding, ...]:
    """Find traits of one's own that another character has, too; the place is in the later file."""
    first: dict[tuple[str, str, str], tuple[Build, Rating]] = {}
    findings = []
    for build, rules in batch:
        for rating in find_named_traits(build, rules):
            group = rules.groups[rating.group]
            # Case, blanks and hyphens tell no two apart; signs do, as in `C` and `C+`.
            key = build.ruleset, rating.group, file_stem(rating.name)
            other, theirs = first.setdefault(key, (build, rating))
            if folded(other.name) == folded(build.name) or not (rating.place and theirs.place):
                continue
            whose = other.name or PurePath(other.file).name
            message = f"`{rating.name}` is {a(group.one)} of {whose} already ({theirs.place})"
            hint = "give it a name of its own among the characters of one story"
            findings.append(Finding(codes.REPEATED, rating.place, message, hint, Severity.WARNING))
    return tuple(findings)


Check: TypeAlias = Callable[[Source, Mapping[str, str]], Iterable[Finding]]

_CODES: Final = (
    *(codes.UNKNOWN_NAME, codes.UNKNOWN_KEY, codes.OPEN_NAME),
    *(codes.BAD_OPTION, codes.BAD_DICE, codes.WRONG_TYPE),
)
_OF_MISSING: Final = (codes.MISSING_KEY, codes.BROKEN_RULE)
_MOST_ROUNDS: Final = 3
_MOST_FINDINGS: Final = 200  # in a file with more, no name is tried
_MOST_NAMES: Final = 64
"""The names that are tried for the words of a file that resemble none; the best one counts."""


def without_consequences(
    check: Check, source: Source, chosen: Mapping[str, str], findings: Iterable[Finding]
) -> list[Finding]:
    """Return `findings` about `source` without those that follow from misspelt names."""
    found, told = [*findings], dict[Finding, None]()
    latest = found
    for _ in range(_MOST_ROUNDS):
        near = [(f, _correction(f)) for f in found if f not in told]
        words = [(f, new) for f, new in near if new is not None]
        told |= dict.fromkeys(f for f, _ in words)
        if not words or len(told) == len(found):
            break
        source, chosen = _corrected(source, chosen, words)
        latest = [*check(source, chosen)]
        found = [*told, *_still(found, latest, told)]
    left = _MOST_NAMES if len(found) < _MOST_FINDINGS else 0
    for unknown in [f for f in found if f.code in _CODES]:
        if not left or unknown not in found or not isinstance(unknown.hint, NamesHint):
            continue
        told[unknown] = None
        best = found
        for name in unknown.hint.names[:left]:
            if len(told) >= len(best) or not may_try():
                break
            left -= 1
            again = [*check(*_corrected(source, chosen, [(unknown, name)]))]
            if Counter(map(_shape, errors(again))) - Counter(map(_shape, latest)):
                continue
            kept = [*told, *_still(found, again, told)]
            # A key that resembles none may be any other: only what was missing follows from it.
            lost = [f for f in {*found}.difference(kept) if f.code not in _OF_MISSING]
            if unknown.code is not codes.UNKNOWN_KEY or not lost:
                best = min(best, kept, key=len)
        found = best
    return found


def _correction(finding: Finding) -> str | None:
    """Return what a hint wants instead of a text: a word, or a form such as `{NAME: text}`."""
    hint = finding.hint
    if isinstance(hint, Hint):
        return hint.new if finding.code in _CODES and hint.old and hint.at is None else None
    found = re.fullmatch(r"write `(\{[^`]+\})`", hint) if finding.code in _CODES else None
    return found[1] if found else None


def _shape(finding: Finding) -> tuple[str, str]:
    """Return what makes two findings the same, whatever their figures and their place."""
    return finding.code.id, re.sub(r"\d+", "0", finding.message)


def _still(
    before: Iterable[Finding], after: Iterable[Finding], told: Mapping[Finding, None]
) -> list[Finding]:
    """Return those of `before` that are still found, besides those that are `told`."""
    there, kept = Counter(map(_shape, after)), []
    for finding in (f for f in before if f not in told and there[_shape(f)]):
        there[_shape(finding)] -= 1
        kept.append(finding)
    return kept


def _corrected(
    source: Source, chosen: Mapping[str, str], words: Sequence[tuple[Finding, str]]
) -> tuple[Source, Mapping[str, str]]:
    listed = [(finding, finding.hint, new) for finding, new in words]
    at = [(f.span, h.old, new) for f, h, new in listed if isinstance(h, Hint | NamesHint)]
    long_forms = {f.span: new for f, h, new in listed if not isinstance(h, Hint | NamesHint)}
    renamed = {old: new for span, old, new in at if span.file != source.file}
    chosen = {renamed.get(k, k): renamed.get(v, v) for k, v in chosen.items()}

    def correct(leaf: ScalarNode) -> ScalarNode:
        place = leaf.span
        for span, old, new in at:
            if (span.file, span.line) != (place.file, place.line) or old not in leaf.raw:
                continue
            if place.column <= span.column <= place.column + max(place.width, 1):
                raw = leaf.raw.replace(old, new, 1)
                return ScalarNode(place, {"true": True, "false": False}.get(raw, raw), raw)
        return leaf

    def walk(node: Node) -> Node:
        if isinstance(node, ScalarNode):
            long_form = long_forms.get(node.span)
            parsed = parse_yaml(long_form, node.span.file).value if long_form else None
            return parsed.root if parsed is not None and parsed.root is not None else correct(node)
        if isinstance(node, Many):
            return Many(node.span, tuple(map(walk, node.items)))
        there = {folded(key.raw) for key, _ in node.entries}
        entries = []
        for key, below in node.entries:
            other = correct(key)
            free = folded(other.raw) not in there
            entries.append((other if free else key, walk(below)))
        return Pairs(node.span, tuple(entries))

    root = walk(source.root) if source.root is not None and words else source.root
    return replace(source, root=root), chosen


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
    texts = {str(id_): raw_text(there.get(str(id_))) for id_ in rules.character}
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
            message = f"`{node.raw}` cannot be used here"
            draft.report(codes.WRONG_TYPE, node.span, message, "correct that file, or name another")
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
    """Return `source` with the values that it takes over from the stock file that it names."""
    root = source.root
    key = str(kind.based_on or "")
    if not key or not isinstance(root, Pairs):
        return source, ()
    found = next((e for e in root.entries if folded(e[0].raw) == folded(key)), None)
    if found is None:
        return source, ()
    (at, node), sources = found, tuple(known)
    names, raw = stock_names(sources, spellings), raw_text(node)
    ids = names.find(raw)
    if len(ids) != 1:
        several = f"{len(ids)} of them are called `{raw}`"
        message = several if ids else f"there is no {kind.one} `{raw}`"
        return source, (Finding(codes.UNKNOWN_NAME, node.span, message, names.hint(raw)),)
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
    if isinstance(root := source.root, Pairs):
        own = tuple(entry for entry in root.entries if folded(entry[0].raw) != "options")
        source = replace(source, root=Pairs(root.span, own))
    always = {(f.code, f.span) for f in errors(check_draft(source, rules).findings)}
    excused = {f for f in wrong if (f.code, f.span) not in always}
    more, hint = "; it is printed all the same", "change the options, or write an entry of your own"
    hint += " that keeps to them"
    return [
        replace(f, message=f.message + more, hint=hint, severity=Severity.WARNING)
        if f in excused
        else f
        for f in findings
    ]


def stock_names(stock: Sequence[Source], spellings: Mapping[str, str]) -> Names:
    """Return the names of stock files; an id is a place in `stock`."""
    return names_of(((str(n), *_names_in(s)) for n, s in enumerate(stock)), spellings)


def _names_in(source: Source) -> tuple[str, tuple[str, ...]]:
    root = source.root
    name = root.get("name") if isinstance(root, Pairs) else None
    aliases = root.get("aliases") if isinstance(root, Pairs) else None
    others = aliases.items if isinstance(aliases, Many) else (aliases,)
    return raw_text(name), tuple(raw_text(other) for other in others if other is not None)
