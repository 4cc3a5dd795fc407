"""Checks of `sheet.yaml` and `card.yaml`: whether the files, strips and shapes they name exist."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.faults import bad_design, report_unknown, span_of
from sheetgen.load.designs.templates import STANDARD, theme_ids
from sheetgen.load.rulesets.content import templates_folder
from sheetgen.model.designs.card_files import CardEntry, CardFile
from sheetgen.model.designs.sheet_files import Measures, SheetFile
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Text

_LARGE: Final = "-large"
"""Follows the name of a paper in `rows`: the number of rows on a large-print sheet."""

_NEEDS: Final = {
    "inside": "track",
    "end": "track",
    "beyond": "track",
    "counts": "track",
    "counted": "counts",
    "group": "counts",
    "run": "each",
    "over": "each",
    "said": "each",
    "apart": "run",
    "less": "names",
    "strong": "beside",
    "grows": "strip",
}
"""Keys of a card's entry that have no effect without another key."""

_BRACES: Final = re.compile(r"\{(?!n\})[^}]*\}?")
"""Braces with anything but `n`, the only value that texts of a `card.yaml` can insert."""


def check_sheet_file(
    file: SheetFile, texts: Collection[str], papers: Collection[str]
) -> Iterator[Finding]:
    """Yield findings about a `sheet.yaml`.

    Args:
        texts: Names of the templates and style sheets that the design may use.
        papers: Names of the papers that sheets are printed on.
    """
    themes = theme_ids()
    for what, entries in (("templates", file.templates), ("css", file.css)):
        yield from report_unknown(what, entries, themes, "themes")
        if STANDARD not in entries:
            message = f"`{what}` needs a value for `{STANDARD}`"
            yield Finding(codes.MISSING_KEY, span_of(next(iter(entries), file.title)), message)
    yield from report_unknown("css", file.css, file.templates, "templates")
    yield from report_unknown("templates", file.templates, file.css, "css")
    yield from report_unknown("pages", file.pages, file.templates, "templates")
    yield from report_unknown("templates", file.templates.values(), texts, "files")
    yield from report_unknown("continuation", [file.continuation], texts, "files")
    for styles in (*file.css.values(), file.screen):
        yield from report_unknown("css", styles, texts, "files")
    yield from _check_token_folders(file.tokens)
    yield from report_unknown("height", file.height, papers, "papers")
    yield from report_unknown("rows", file.rows, [*papers, *(p + _LARGE for p in papers)], "known")
    yield from report_unknown("tighter", file.tighter, file.templates, "templates")
    drawn = sorted({str(name) for counts in file.rows.values() for name in counts})
    for step in (step for steps in file.tighter.values() for step in steps):
        yield from report_unknown("rows", step.rows, drawn, "rows")
    if file.flow is not None:
        yield from _check_flow(file, file.flow, papers)


def _check_flow(
    file: SheetFile, flow: Mapping[str, Measures], papers: Collection[str]
) -> Iterator[Finding]:
    yield from report_unknown("flow", flow, file.templates, "templates")
    for name, measures in flow.items():
        yield from report_unknown("rooms", measures.rooms or (), papers, "papers")
        missing = [f.name for f in fields(measures) if getattr(measures, f.name) is None]
        for key in missing if name == STANDARD else ():
            message = f"`flow.{STANDARD}` needs a value for `{key}`"
            yield Finding(codes.MISSING_KEY, span_of(name), message)
        for paper in papers:
            if measures.rooms is not None and paper not in measures.rooms:
                message = f"`rooms` needs a value for `{paper}`"
                yield Finding(codes.MISSING_KEY, span_of(name), message)


def check_card_file(file: CardFile, texts: Collection[str], tokens: Tokens) -> Iterator[Finding]:
    """Yield findings about a `card.yaml`.

    Args:
        texts: Names of the templates and style sheets that the design may use.
    """
    yield from report_unknown("css", file.css, texts, "files")
    yield from _check_token_folders(file.tokens)
    yield from report_unknown("sizes", file.sizes, file.modules, "sizes")
    strips, blocks = set(file.strips), set(file.texts)
    for changes in file.sizes.values():
        yield from report_unknown("strips", changes.strips, file.strips, "strips")
        yield from report_unknown("texts", changes.texts, file.texts, "texts")
        strips |= set(changes.adds)
    entries = list_card_entries(file)
    entries += [entry.over for entry in entries if entry.over is not None]
    yield from report_unknown("foot", [file.foot.strip], sorted(strips), "strips")
    steps = [*(file.steps or ()), *(s for c in file.sizes.values() for s in c.steps or ())]
    named = {step for entry in entries for step in entry.in_ or ()}
    for step in steps:
        stepped = any(name.endswith(f"-{step}") for name in strips | blocks)
        if step not in blocks and step not in named and not stepped:
            yield bad_design(step, f"no strip or text is made for the step `{step}`")
    forms = {name.removesuffix(f"-{step}") for name in strips | blocks for step in steps}
    known_strips, known_texts = sorted(strips | (forms - blocks)), sorted(blocks | forms)
    for entry in entries:
        yield from report_unknown("strip", _list_strips(entry), known_strips, "strips")
        yield from report_unknown("as", [entry.as_] if entry.as_ else (), known_texts, "texts")
        yield from report_unknown("in", entry.in_ or (), steps, "steps")
        yield from _check_entry(entry, file, tokens)
    used = {str(file.foot.strip), *(str(name) for e in entries for name in _list_strips(e))}
    used |= {f"{name}-{step}" for name in used for step in steps}
    for changes in file.sizes.values():
        yield from report_unknown("adds", changes.adds, sorted(used), "strips of `order`")


def list_card_entries(file: CardFile) -> list[CardEntry]:
    """Return the entries of `order`, and those of each size that has an `order` of its own."""
    orders = (file.order, *(c.order for c in file.sizes.values() if c.order is not None))
    return [entry for order in orders for entry in order]


def _check_entry(entry: CardEntry, file: CardFile, tokens: Tokens) -> Iterator[Finding]:
    place = next((t for t in (*_list_strips(entry), *(entry.text or ()), entry.beside) if t), None)
    place = place or file.title
    if not (entry.strip or entry.text or entry.beside):
        hint = "write `strip`, `text` or `beside`"
        yield bad_design(place, "this entry of `order` has no content", hint)
    for key, needed in _NEEDS.items():
        value = getattr(entry, key)
        if value and not getattr(entry, needed):
            message = f"`{key}` has no effect without `{needed}`"
            yield bad_design(
                value if isinstance(value, Text) else place, message, f"add `{needed}`"
            )
    if entry.counts and not (entry.counted and entry.group):
        yield bad_design(entry.counts, "`counts` needs values for `counted` and `group`")
    if entry.grid is not None and not entry.grid.words:
        yield bad_design(entry.grid.from_, "`grid` needs at least one word under `words`")
    yield from _check_braces(entry)
    for name, rule in entry.shapes.items():
        chosen = {str(rule.shape).replace("{n}", str(n)) for n in range(rule.from_, rule.to + 1)}
        for shape in sorted(chosen | ({str(rule.else_)} if rule.else_ else set())):
            yield from _check_shape(f"shapes.{name}", shape, rule.shape, tokens)
    for name in entry.pictures:
        if not any(shape.startswith(f"{name}-") for shape in tokens.shapes):
            yield bad_design(name, f"no shape of the tokens is called `{name}-…`")
    if entry.bars is not None:
        yield from _check_shape("bars.steps", f"bar-{entry.bars.steps}", entry.bars.of, tokens)
    yield from report_unknown("run", (entry.run or {}).values(), tokens.roles, "roles")


def _check_braces(entry: CardEntry) -> Iterator[Finding]:
    """Yield a finding for braces in fixed texts: only `{n}` is replaced, all else is printed."""
    fixed = [*entry.words.values(), *filter(None, (entry.inside, entry.end, entry.counted))]
    fixed += [rule.shape for rule in entry.shapes.values()]
    fixed += entry.grid.words if entry.grid is not None else ()
    for text in fixed:
        if wrong := _BRACES.search(text):
            message = f"`{wrong[0]}` is printed as it is: this text can insert `{{n}}` only"
            yield bad_design(text, message, "write `{n}`, or remove the braces")


def _check_shape(where: str, shape: str, at: str, tokens: Tokens) -> Iterator[Finding]:
    if shape not in tokens.shapes:
        message = f"`{where}` names the shape `{shape}`, which the tokens do not have"
        yield bad_design(at, message, suggestion(shape, tokens.shapes, "shapes"))


def _list_strips(entry: CardEntry) -> tuple[Text, ...]:
    first = entry.fill.first if entry.fill is not None else None
    more = (*entry.beyond, *((first,) if first is not None else ()))
    return (*(entry.strip or ()), *more, *entry.group)


def _check_token_folders(names: Iterable[Text]) -> Iterator[Finding]:
    folders = [path.parent.name for path in templates_folder().glob("*/tokens.yaml")]
    yield from report_unknown("tokens", names, folders, "folders")
