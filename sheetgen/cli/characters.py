"""`sheetgen check`, `show`, `advance` and `diff`: what is right, wrong and new in characters."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from sheetgen.books.checking import check_paths
from sheetgen.check.character import advancement as growth
from sheetgen.check.character.advancement import Advancement
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import has_pool
from sheetgen.cli import console, parameters
from sheetgen.cli.parameters import NONE, Format, Settings, Strict, argument, flag, option
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.visible import mask_secrets
from sheetgen.load.characters import RulesetCache
from sheetgen.model.build import Build, Rating, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset, rating_columns
from sheetgen.plan.sheets.view import roll_words, trait_notes
from sheetgen.prints.build_data import build_data
from sheetgen.prints.characters import Character, load_character, load_characters
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import number_text, signed_text

# Part, label, old text, new text: empty if one of the two builds does not have the thing.
Difference: TypeAlias = tuple[str, str, str, str]
_PARTS: Final = {  # The sorts of things in which two builds differ, and their headings.
    "keys": "Written down",
    "choices": "Choices",
    "ratings": "Ratings",
    "dice": "Dice",
    "gear": "Gear",
    "values": "What follows",
}


def check_command(
    paths: parameters.Paths,
    strict: Strict = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Check characters against their rules and list all findings with their places.

    The folder of a ruleset (with a ruleset.yaml) is checked as a ruleset, its screens, tables
    and proofs included. Encounters, books, themes and designs are checked as such.

    Example: sheetgen check hero.yaml

    Guide: docs/guides/characters.md
    """
    reporter = console.Reporter(strict, results=True)
    results: list[dict[str, Any]] = []
    for one in check_paths(paths, console.set_options(settings), strict=strict):
        reporter.remember(one.source)
        findings = reporter.apply_strict(one.findings)
        if form == "text":
            reporter.report(findings)
            label = f"{one.path} ({one.name})" if one.name else str(one.path)
            console.write_lines(f"{mask_secrets(label)}: {console.counts(findings)}")
        else:
            reporter.reported |= dict.fromkeys(findings)
            named = {"name": one.name} if one.name else {}
            found = {"ok": not errors(findings), "findings": console.findings_data(findings)}
            results.append({"file": str(one.path), **named, **found})
    if form == "json":
        console.write_json(results)
    reporter.exit()


def show_command(
    file: parameters.File, strict: Strict = False, settings: Settings = NONE, form: Format = "text"
) -> None:
    """Show a build: ratings and where they come from, derived values, ledgers.

    Example: sheetgen show hero.yaml

    Guide: docs/guides/characters.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter(strict)
    results = []
    for character in load_characters([file], options):
        reporter.remember(character.source)
        reporter.report(character.findings)
        build, rules = character.build, character.rules
        data: dict[str, Any] = {"file": str(character.path)}
        if build is not None and rules is not None:
            data = build_data(build, rules)
            if form == "text":
                console.write_lines(*build_text(build, rules))
        data["findings"] = console.findings_data(reporter.apply_strict(character.findings))
        results.append(data)
    if form == "json":
        console.write_json(results[0] if len(results) == 1 else results)
    reporter.exit()


def build_text(build: Build, rules: Ruleset) -> list[str]:
    """Return `build` as the lines of a page of text, the credit of its rules last."""
    parts = [[f"{build.name or 'no name'} · {rules.title}"]]
    because = ((pick, f" (with {pick.because})" if pick.because else "") for pick in build.picks)
    parts.append([f"  {p.catalogue}: {pick_line(p, build)}{why}" for p, why in because])
    for id_, group in rules.groups.items():
        every = (r for r in build.ratings.values() if r.group == id_)
        shown = (r for r in every if r.id not in group.traits or not group.traits[r.id].internal)
        held = [r for r in shown if r.own or r.total or group.rating == "signed"]
        notes = ((_describe_rating(r, build, rules), trait_notes(build, rules, r.id)) for r in held)
        lines = [" ".join(filter(None, one)) for one in notes]
        parts.append([group.label.lower() or str(id_), *lines] if lines else [])
    values = []
    for derived in (build.derived[str(i)] for i, rule in rules.derived.items() if rule.label):
        value = "unknown" if derived.value is None else derived.shown
        how = f"  = {derived.how}" if derived.how not in ("", derived.shown) else ""
        values.append(f"  {derived.label or derived.id:<24} {value}{how}")
    for id_, line in rules.texts.items():
        if line.label and (text := build.lines.get(str(id_))):
            values.append(f"  {line.label:<24} {text}")
    parts.append(["derived", *values] if values else [])
    rolls = []  # pools of different dice, those of traits that are trained included
    for place, dice in build.rolls.items():
        group_id, _, trait = place.partition(".")
        rating = build.ratings.get(trait) if group_id in rules.groups else None
        if dice and (rating is None or rating.own):
            roll = rules.rolls.get(place)
            name = rating.name if rating else (roll.label if roll and roll.label else place)
            rolls.append(f"  {name:<24} {roll_words(dice)}")
    parts.append(["rolls", *rolls] if rolls else [])
    for ledger in build.ledgers.values():
        parts.append([f"{ledger.label}: {number_text(ledger.left)} left"])
        for entry in ledger.lines:
            what = " · ".join(part for part in (entry.session, entry.what) if part)
            gains = entry.gained or not entry.cost
            change = f"+{entry.gained}" if gains else signed_text(-entry.cost)
            change = change if entry.gained or entry.cost else "0"
            parts[-1].append(f"  {what:<48} {change:>7} {number_text(entry.left):>7}")
    parts.append([f"{key}: {one.summary}" for key, one in build.pictures.items()])
    dice_text = ", ".join(f"d{faces}" for faces in build.dice)
    parts += [[f"dice: {dice_text}"] if dice_text else [], [rules.credit.short]]
    return [line for part in parts if part for line in (*part, "")][:-1]


def _describe_rating(rating: Rating, build: Build, rules: Ruleset) -> str:
    shown = partial(rules.rating_text, rating.group)
    stars = f", {rating.stars} starred" if rating.stars else ""
    whole = rating.own in (0, rating.total) or rating.base  # the parts name the base
    own = "" if whole else f" ({shown(rating.own)} of its own)"
    base = f"base {shown(rating.base)}, " if rating.base and rating.parts else ""
    group = rules.groups[rating.group]
    coded = rules.pips and group.rating == "dice"
    given, written = Counter[str](), rating.own - sum(part.steps for part in rating.parts)
    if rating.parts and written and group.stated and group.price is None:  # no pool pays for it
        given["written"] = written
    for part in rating.parts:
        given[part.why] += part.steps
    steps = [(why, shown(n) if coded else number_text(n)) for why, n in given.items()]
    signed = ((why, text if text[0] in "+-−" else f"+{text}") for why, text in steps)
    why = f"  {base}{', '.join(map(' '.join, signed))}" if base or steps else ""
    beside = "".join(f", {k} {v}" for k, v in rating_columns(build, rules, rating).items())
    return f"  {rating.name:<24} {shown(rating.total)}{beside}{own}{stars}{why}"


def advance_command(
    file: parameters.File,
    to: Path | None = option(
        "--to OTHER", "Price the way from FILE to this other build.", default=None
    ),
    everything: bool = flag("--all", "List also what cannot be bought now, with the reason."),
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """List what a character can buy now, with prices, or price the way --to another build.

    Example: sheetgen advance hero.yaml

    Guide: docs/guides/characters.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter()
    if to is None:
        characters = [load_character(file, RulesetCache(), options)]
        data, text = _list_purchases(characters[0], options, everything)
    else:
        pair = load_pair(file, to, options)
        characters = [pair.old, pair.new]
        data, text = _price_steps(pair)
    for character in characters:
        reporter.remember(character.source)
        reporter.report(character.findings)
    rules = characters[-1].rules
    credit = rules.credit.short if rules else ""
    if form == "json":
        findings = console.findings_data(f for one in characters for f in one.findings)
        console.write_json({"_credit": credit, **data, "findings": findings})
    elif text:
        console.write_lines(*text, *(["", credit] if credit else []))
    if data.get("refused"):
        sys.exit(console.EXIT_BAD_INPUT)
    reporter.exit()


def _points_left(draft: Draft) -> dict[str, int]:
    pools = (str(pool) for pool in draft.rules.pools)
    return {pool: draft.left(pool) for pool in pools if has_pool(draft, pool)}


def _list_purchases(
    one: Character, options: Mapping[str, str], everything: bool
) -> tuple[dict[str, Any], list[str]]:
    if one.source is None or one.rules is None or one.build is None:
        return {"left": {}, "offers": []}, []
    draft = check_draft(one.source, one.rules, options)
    offers, rows, lines = [*growth.list_offers(draft)], [], []
    for pool, left in _points_left(draft).items():
        lines.append(f"{one.rules.pools[pool].label}: {left} left")
        for offer in sorted(offers, key=lambda o: (o.price, o.what)):
            if offer.pool != pool:
                continue
            refused = offer.refused or ("" if offer.price <= left else "too dear now")
            row = {"what": offer.what, "kind": offer.kind, "from": offer.before, "to": offer.after}
            row |= {"price": offer.price, "pool": pool, "can": not refused, "why_not": refused}
            rows.append(row)
            if everything or not refused:
                why = f"  ({refused})" if refused else ""
                step = f" {offer.step}" if offer.step else ""
                lines.append(f"  {offer.price:>4}  {offer.what}{step}{why}")
    levels = [*growth.list_levels(draft, options)]
    for level in levels:
        asked = "".join(f"; asks for: {one}" for one in level.asks)
        lines.append(f"{level.what}: {', '.join(level.changes) or 'nothing else'}{asked}")
    known = {"levels": [asdict(level) for level in levels]} if levels else {}
    return {"left": _points_left(draft), "offers": rows, **known}, lines


def _price_steps(pair: BuildPair) -> tuple[dict[str, Any], list[str]]:
    bought = pair.advancement or Advancement()
    pools = pair.new.rules.pools if pair.new.rules is not None else {}
    labels = {str(id_): pool.label for id_, pool in pools.items()}
    refused = [pair.refused] if pair.refused else [*bought.refused]
    if not pair.refused:
        refused += [f"{f.span}: {f.message}" for f in errors(pair.new.findings)]
    steps = bought.steps
    data: dict[str, Any] = {
        "steps": [{"pool": pool, "what": what, "price": price} for pool, what, price in steps],
        "cost": bought.costs(),
        "refused": refused,
        "doubtful": [*bought.doubtful],
        "notes": [*bought.notes, *bought.prices],
        "left": _points_left(pair.draft) if pair.draft is not None else {},
    }
    lines = [f"  {price:>5}  {what}  ({labels.get(pool, pool)})" for pool, what, price in steps]
    for pool, cost in data["cost"].items():
        left_text = f"{number_text(data['left'].get(pool, 0))} left after it"
        lines.append(f"{labels.get(pool, pool)}: {number_text(cost)} in all, {left_text}")
    lines += [f"note: {note}" for note in data["notes"]]
    lines += [f"doubtful: {reason}" for reason in data["doubtful"]]
    lines += [f"not legal: {reason}" for reason in refused]
    return data, lines or ["the two builds are alike"]


@frozen
class BuildPair:
    """Two characters, and what was bought between them."""

    old: Character
    new: Character
    refused: str = ""  # Why they cannot be compared; then all that follows is None.
    draft: Draft | None = None
    advancement: Advancement | None = None


def load_pair(before: Path, after: Path, chosen: Mapping[str, str]) -> BuildPair:
    """Return the characters at `before` and `after`, checked, and the advancement between them."""
    rulesets = RulesetCache()
    old, new = (load_character(path, rulesets, chosen) for path in (before, after))
    if old.build is None or new.build is None or old.rules is None or new.rules is None:
        return BuildPair(old, new, "one of the two files cannot be read")
    if old.rules.id != new.rules.id:
        return BuildPair(old, new, "the two files follow different rulesets")
    assert old.source is not None
    assert new.source is not None
    draft = check_draft(new.source, new.rules, chosen)
    before_draft = check_draft(old.source, old.rules, chosen)
    return BuildPair(old, new, "", draft, growth.find_advancement(before_draft, draft))


def diff_command(
    old: Annotated[Path, argument("The character before.", "OLD")],
    new: Annotated[Path, argument("The character after.", "NEW")],
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Compare two files of a character, before and after: what changed and what it cost.

    Example: sheetgen diff before.yaml hero.yaml

    Guide: docs/guides/characters.md
    """
    reporter = console.Reporter()
    pair = load_pair(old, new, console.set_options(settings))
    if wrong_options := [f for f in pair.new.findings if f.span.is_option]:
        reporter.report(wrong_options)
        reporter.exit()
    before, after, rules = pair.old.build, pair.new.build, pair.new.rules
    differences: list[Difference] = []
    points: list[dict[str, Any]] = []  # pools in both builds
    added: list[Finding] = []
    removed: list[Finding] = []
    if not pair.refused and before is not None and after is not None and rules is not None:
        differences = [*_find_differences(before, after, rules)]
        for id_ in dict.fromkeys((*before.ledgers, *after.ledgers)):
            both = [build.ledgers.get(id_) for build in (before, after)]
            label = next(one.label for one in reversed(both) if one is not None)
            points.append({"pool": id_, "label": label})
            for key in ("gained", "spent", "left"):
                points[-1][key] = tuple(getattr(one, key) if one else 0 for one in both)
        was, now = (
            {(f.code.id, f.message): f for f in one.findings} for one in (pair.old, pair.new)
        )
        added = [f for key, f in now.items() if key not in was]
        removed = [f for key, f in was.items() if key not in now]
    bought = pair.advancement or Advancement()
    if form == "json":
        data = {
            "_credit": rules.credit.short if rules is not None else "",
            "refused": pair.refused,
            "differences": [
                dict(zip(("part", "label", "old", "new"), one, strict=True)) for one in differences
            ],
            "points": points,
            "bought": [{"pool": pool, "what": what, "price": n} for pool, what, n in bought.steps],
            "cost": bought.costs(),
            "against": list(bought.refused),
            "prices": list(bought.prices),
            "doubtful": list(bought.doubtful),
            "findings": {
                name: console.findings_data(found)
                for name, found in (("gained", added), ("gone", removed))
            },
        }
        console.write_json(data)
    elif pair.refused:
        for one in (pair.old, pair.new):
            reporter.remember(one.source)
            reporter.report(one.findings)
        console.write_lines(pair.refused)
    else:
        lines = [*_list_differences(differences, points, bought)]
        lines += [f"new {f.severity.word}: {f.span}: {f.message} [{f.code.id}]" for f in added]
        lines += [f"no longer: {f.severity.word}: {f.message} [{f.code.id}]" for f in removed]
        console.write_lines(*(lines or ["the two builds are alike"]))
    if pair.refused or errors(pair.new.findings):
        sys.exit(console.EXIT_BAD_INPUT)


def _list_differences(
    differences: list[Difference], pools: list[dict[str, Any]], bought: Advancement
) -> Iterator[str]:
    for part, title in _PARTS.items():
        lines = []
        for _, label, old, new in (one for one in differences if one[0] == part):
            lines.append(f"  {label}: {old} -> {new}")
            if label in (old, new) and not (old and new):
                lines[-1] = f"  - {old}" if old else f"  + {new}"
            elif part == "keys" and "\n" in old + new:
                lines[-1] = f"  {label}: changed"
            elif not old or not new:
                what = old or new
                named = what if what.startswith(label) else f"{label}: {what}"
                lines[-1] = f"  {'-' if old else '+'} {named}"
        yield from ([f"{title}:", *lines] if lines else ())
    if bought.steps:
        labels = {p["pool"]: p["label"] for p in pools}
        yield "Bought:"
        for pool, what, price in bought.steps:
            cost = f"{-price} back" if price < 0 else str(price)
            yield f"  {what}: {cost} {labels.get(pool, pool)}".rstrip()
    for points in pools:
        both = {key: points[key] for key in ("gained", "spent", "left")}
        if len({*both["gained"]}) > 1 or len({*both["spent"]}) > 1:
            parts = (
                f"{word} {a} -> {b}" if a != b else f"{word} {a}" for word, (a, b) in both.items()
            )
            yield f"{points['label']}: {', '.join(parts)}"
    yield from (f"note: {reason}" for reason in bought.prices)
    yield from (f"doubtful: {reason}" for reason in bought.doubtful)
    yield from (f"not by the rules of growing: {reason}" for reason in bought.refused)


def _find_differences(old: Build, new: Build, rules: Ruleset) -> Iterator[Difference]:
    both = old, new
    shown_keys: dict[str, Callable[[Build, str], str]] = {
        "text": lambda build, id_: build.texts.get(id_, ""),
        "number": lambda build, id_: str(build.numbers.get(id_, "")),
        "flag": lambda build, id_: "yes" if build.numbers.get(id_) else "no",
    }
    for id_, key in rules.character.items():
        label = key.label or str(id_).replace("_", " ").capitalize()
        if (show := shown_keys.get(str(key.kind))) is not None:
            yield from _different("keys", label, *(show(build, str(id_)) for build in both))
        elif key.kind == "texts":
            before, after = (Counter(build.lists.get(id_, ())) for build in both)
            yield from _counted("keys", before, after, label)
    before, after = (Counter(pick_line(pick, build) for pick in build.picks) for build in both)
    yield from _counted("choices", before, after)
    for id_ in dict.fromkeys((*old.ratings, *new.ratings)):
        # Ratings whose own steps differ, not those that only follow from another.
        pair = [build.ratings.get(id_) for build in both]
        own = {(r.own, r.stars) if r is not None else (0, 0) for r in pair}
        name = next(r.name for r in reversed(pair) if r is not None)
        if len(own) > 1:
            texts = ["", ""]
            for place, r in enumerate(pair):
                if r is not None and (r.own or r.total):
                    stars = f", {r.stars} star{'s' if r.stars > 1 else ''}" if r.stars else ""
                    texts[place] = f"{rules.rating_text(r.group, r.total)}{stars}"
            yield "ratings", name, texts[0], texts[1]
    for key_ in dict.fromkeys((*old.pictures, *new.pictures)):
        pictures = (build.pictures.get(key_) for build in both)
        summaries = (one.summary if one is not None else "" for one in pictures)
        yield from _different("keys", key_.capitalize(), *summaries)
    dice = (" ".join(f"d{faces}" for faces in build.dice) for build in both)
    yield from _different("dice", rules.dice.label if rules.dice else "Dice", *dice)
    yield from _counted("gear", _count_items(old), _count_items(new))
    for id_ in dict.fromkeys((*old.derived, *new.derived)):
        values = old.derived.get(id_), new.derived.get(id_)
        if label := next((d.label for d in reversed(values) if d is not None and d.label), ""):
            shown = (d.shown if d is not None else "" for d in values)
            yield from _different("values", label, *shown)


def _different(*one: str) -> Iterator[Difference]:
    part, label, old, new = one
    if old != new:
        yield part, label, old, new


def _counted(
    part: str, old: Counter[str], new: Counter[str], label: str = ""
) -> Iterator[Difference]:
    for name in dict.fromkeys((*old, *new)):
        counts = old[name], new[name]
        if all(counts) and counts[0] != counts[1]:
            yield part, name, f"×{counts[0]}", f"×{counts[1]}"
        elif any(counts) and counts[0] != counts[1]:
            before, after = (f"{name} ×{n}" if n > 1 else name if n else "" for n in counts)
            yield part, label or name, before, after


def _count_items(build: Build) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in build.items:
        times = f" {item.upgrades} times" if item.upgrades > 1 else ""
        upgraded = f" (improved{times})" if item.upgrades else ""
        found[f"{item.name}{upgraded}"] += item.count
    return found
