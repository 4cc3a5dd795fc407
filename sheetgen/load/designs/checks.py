"""What `sheet.yaml` and `card.yaml` name: each template, style sheet, strip and shape is there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.templates import STANDARD, templates_folder, theme_ids
from sheetgen.model.designs.card_files import CardEntry, CardFile
from sheetgen.model.designs.sheet_files import Measures, SheetFile
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Text

_LARGE: Final = "-large"
"""After a paper: how many rows a sheet for large print has."""

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
}
"""Keys of an entry of a card that mean nothing without another."""


def check_sheet_file(
    file: SheetFile, texts: Collection[str], papers: Collection[str]
) -> Iterator[Finding]:
    """Yield findings about a `sheet.yaml`.

    Args:
        texts: Names of the templates and style sheets that the design may use.
        papers: That sheets are printed on.
    """
    themes = theme_ids()
    for what, entries in (("templates", file.templates), ("css", file.css)):
        yield from _known(what, entries, themes, "themes")
        if STANDARD not in entries:
            message = f"`{what}` needs a value for `{STANDARD}`"
            yield Finding(codes.MISSING_KEY, _span(next(iter(entries), file.title)), message)
    yield from _known("css", file.css, file.templates, "templates")
    yield from _known("templates", file.templates, file.css, "css")
    yield from _known("pages", file.pages, file.templates, "templates")
    yield from _known("templates", file.templates.values(), texts, "files")
    yield from _known("continuation", [file.continuation], texts, "files")
    for styles in (*file.css.values(), file.screen):
        yield from _known("css", styles, texts, "files")
    yield from _folders(file.tokens)
    yield from _known("height", file.height, papers, "papers")
    yield from _known("rows", file.rows, [*papers, *(p + _LARGE for p in papers)], "known")
    if file.flow is not None:
        yield from _flow(file, file.flow, papers)


def _flow(
    file: SheetFile, flow: Mapping[str, Measures], papers: Collection[str]
) -> Iterator[Finding]:
    yield from _known("flow", flow, file.templates, "templates")
    for name, measures in flow.items():
        yield from _known("rooms", measures.rooms or (), papers, "papers")
        lacking = [f.name for f in fields(measures) if getattr(measures, f.name) is None]
        for key in lacking if name == STANDARD else ():
            message = f"`flow.{STANDARD}` needs a value for `{key}`"
            yield Finding(codes.MISSING_KEY, _span(name), message)
        for paper in papers:
            if measures.rooms is not None and paper not in measures.rooms:
                message = f"`rooms` needs a value for `{paper}`"
                yield Finding(codes.MISSING_KEY, _span(name), message)


def check_card_file(file: CardFile, texts: Collection[str], tokens: Tokens) -> Iterator[Finding]:
    """Yield findings about a `card.yaml`.

    Args:
        texts: Names of the templates and style sheets that the design may use.
    """
    yield from _known("css", file.css, texts, "files")
    yield from _folders(file.tokens)
    yield from _known("sizes", file.sizes, file.modules, "sizes")
    strips, words = set(file.strips), set(file.texts)
    for changes in file.sizes.values():
        yield from _known("strips", changes.strips, file.strips, "strips")
        yield from _known("texts", changes.texts, file.texts, "texts")
    orders = (file.order, *(c.order for c in file.sizes.values() if c.order is not None))
    entries = [entry for order in orders for entry in order]
    entries += [entry.over for entry in entries if entry.over is not None]
    yield from _known("foot", [file.foot.strip], strips, "strips")
    steps = [*(file.steps or ()), *(s for c in file.sizes.values() for s in c.steps or ())]
    named = {step for entry in entries for step in entry.in_ or ()}
    for step in steps:
        stepped = any(name.endswith(f"-{step}") for name in strips | words)
        if step not in words and step not in named and not stepped:
            yield _finding(step, f"no strip or text is made for the step `{step}`")
    forms = {name.removesuffix(f"-{step}") for name in strips | words for step in steps}
    for entry in entries:
        yield from _known("strip", _strips_of(entry), strips | (forms - words), "strips")
        yield from _known("as", [entry.as_] if entry.as_ else (), words | forms, "texts")
        yield from _known("in", entry.in_ or (), steps, "steps")
        yield from _entry(entry, file, tokens)


def _entry(entry: CardEntry, file: CardFile, tokens: Tokens) -> Iterator[Finding]:
    place = next((t for t in (*_strips_of(entry), *(entry.text or ()), entry.beside) if t), None)
    place = place or file.title
    if not (entry.strip or entry.text or entry.beside):
        hint = "write `strip`, `text` or `beside`"
        yield _finding(place, "this entry of `order` has no content", hint)
    for key, needed in _NEEDS.items():
        if getattr(entry, key) and not getattr(entry, needed):
            said = getattr(entry, key)
            at = said if isinstance(said, Text) else place
            yield _finding(at, f"`{key}` means nothing without `{needed}`", f"add `{needed}`")
    if entry.track and not entry.end:
        yield _finding(entry.track, "a track needs a value for `end`")
    if entry.counts and not (entry.counted and entry.group):
        yield _finding(entry.counts, "`counts` needs values for `counted` and `group`")
    if entry.grid is not None and not entry.grid.words:
        yield _finding(entry.grid.from_, "`grid` needs a word at least under `words`")
    for place_, rule in entry.shapes.items():
        wanted = {str(rule.shape).replace("{n}", str(n)) for n in range(rule.from_, rule.to + 1)}
        for shape in sorted(wanted | ({str(rule.else_)} if rule.else_ else set())):
            yield from _shape(f"shapes.{place_}", shape, rule.shape, tokens)
    for place_ in entry.pictures:
        if not any(shape.startswith(f"{place_}-") for shape in tokens.shapes):
            message = f"no shape of the tokens is called `{place_}-…`"
            yield _finding(place_, message)
    if entry.bars is not None:
        yield from _shape("bars.steps", f"bar-{entry.bars.steps}", entry.bars.of, tokens)
    yield from _known("run", (entry.run or {}).values(), tokens.roles, "roles")


def _shape(where: str, shape: str, at: str, tokens: Tokens) -> Iterator[Finding]:
    if shape not in tokens.shapes:
        message = f"`{where}` names the shape `{shape}`, which the tokens do not have"
        yield _finding(at, message, suggestion(shape, tokens.shapes, "shapes"))


def _strips_of(entry: CardEntry) -> tuple[Text, ...]:
    first = entry.fill.first if entry.fill is not None else None
    more = [name for name in (entry.beyond, first) if name is not None]
    return (*(entry.strip or ()), *more, *entry.group)


def _folders(names: Iterable[Text]) -> Iterator[Finding]:
    """Yield a finding for each folder of tokens that is not there."""
    there = [path.parent.name for path in templates_folder().glob("*/tokens.yaml")]
    yield from _known("tokens", names, there, "folders")


def _known(
    where: str, names: Iterable[str], known: Collection[str], what: str
) -> Iterator[Finding]:
    for name in names:
        if name not in known:
            message = f"`{where}` names `{name}`, which is not there"
            yield _finding(name, message, suggestion(name, sorted(known), what))


def _finding(at: str, message: str, hint: str = "") -> Finding:
    return Finding(codes.BAD_DESIGN, _span(at), message, hint)


def _span(said: Any) -> Span:
    return said.span if isinstance(said, Text) else Span("templates")
