"""Handouts: Markdown in the face of a game, with stat blocks, tables, odds and cards inside.

A file begins with YAML between two lines of `---`; below it is Markdown. A line `![[table: …]]`
is replaced by a block of the ruleset. Raw HTML of a file is printed as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.cli.outputs import pages_command
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, apply_strict, errors
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import HANDOUT, report_other_type
from sheetgen.load.files import read_text
from sheetgen.load.pictures import find_picture
from sheetgen.load.rulesets.rulesets import credit_pack, load_ruleset, rulesets_of, switches_of
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import parse_yaml, split_head
from sheetgen.materials.plates import prepare_picture
from sheetgen.model.build import Build, Value
from sheetgen.model.pictures import PictureFile, PreparedPicture, credit_pictures
from sheetgen.model.requests import PageFormat, PrintRequest
from sheetgen.model.rulesets.prints import EMBLEM
from sheetgen.model.rulesets.ruleset import PARTS_OF_BLOCK, Ruleset
from sheetgen.model.source import Pairs, Range, Source, Text, rule_model
from sheetgen.plan.build_parts import list_build_parts
from sheetgen.plan.cards.cards import list_copies
from sheetgen.plan.cards.kinds import CardContext, Subject, build_general_subject, build_odds_texts
from sheetgen.plan.fit import find_missing_letters, report_letters
from sheetgen.plan.pages.encounters import GAP, WIDTH, TableSizes, columns_of
from sheetgen.plan.pages.screen_blocks import BOLD
from sheetgen.plan.pages.tables import PlayerWords, list_page_names, plan_table_pages
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints import characters
from sheetgen.prints.cards import thing_cards
from sheetgen.prints.kinds import (
    FileRead,
    PrintContext,
    PrintKind,
    PrintResult,
    find_missing_files,
    input_folders,
    name_words,
)
from sheetgen.prints.odds import OddsQuestion, answer_for_rules
from sheetgen.prints.rulesets import add_pictures, load_page_style, page_context, render_pages
from sheetgen.records import frozen
from sheetgen.render.flow import rendering
from sheetgen.render.flow.table_pages import drawn_pages, page_styles
from sheetgen.render.fonts.fonts import read_font_metrics
from sheetgen.rules.formulas.evaluate import exact_percent
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import closest_names, file_stem
from sheetgen.rules.tables.compute import kind_of_tables
from sheetgen.units import MM

FOLDER: Final = "_handouts"
TEMPLATE: Final = rendering.FlowTemplate(
    "_handouts/handout.html.j2",
    paper=("_tables/tables.css", "_handouts/handout.css", "_handouts/paper.css"),
    screen=("_tables/tables.css", "_handouts/handout.css", "_handouts/screen.css"),
)
_BLOCK: Final = re.compile(r"!\[\[([^\[\]\n]{0,200})\]\]")
_BOX: Final = re.compile(r"\[! ?([\w -]{1,40})\][+-]? *")
_BREAKS: Final = {  # What a line between paragraphs does.
    "\\page": '</div><div class="text new-page">',
    "\\column": '<div class="column-break"></div>',
}
_FILES: Final = (".yaml", ".yml")
_MOST_BLOCKS: Final = 200
_LONGEST: Final = 400_000
_DEEPEST: Final = 40
_SHORT_TEXT: Final = 1800
_PICTURE: Final = (WIDTH * MM, 220 * MM)  # most room in points: the width, most of the height
_GUTTER: Final = 7.0  # millimetres, as in `paper.css`
_CELL: Final = 6.0  # points beside the words of a cell
_ERROR: Final = Severity.ERROR
_SPLIT: Final = "split the file in two, and join them in a book"
_ALONE: Final = "write it on a line of its own, with an empty line before and after it"
_SIDES: Final = {"text-align:right": "f", "text-align:center": "mid"}
"""Classes for how cells are aligned: pages of the web have no styles beside their sheet."""
_OUT_OF_COLUMNS, _INTO_COLUMNS = '</div><div class="text whole">', '</div><div class="text">'
_SHORT: Final = 40  # The most letters of a text about a thing for the line below its name


@rule_model
class HandoutFile:
    """The keys of a handout, besides those of `MORE`, which are read as trees."""

    MORE: ClassVar[tuple[str, ...]] = ("ruleset", "options")

    title: Text | None = None  # The title; without it, the first heading.
    # How many columns the text has on paper; two without it, or one if it is short and has no
    # blocks, such as a letter.
    columns: Annotated[int, Range(1, 3)] | None = None
    credit: str = ""  # Whose text it is; it is printed beside the credit of the rules.


@frozen
class Part:
    """A part of a handout: Markdown, or a block of the ruleset."""

    kind: Literal["text", "stat", "thing", "table", "odds"]
    tokens: tuple[Token, ...] = ()  # Of a `text`
    level: int = 2  # The level of a block's heading
    inside: bool = False  # Whether a block is in a list or a quotation
    shown: Any = None  # What the template draws of a block


@frozen
class Handout:
    """A handout as read; `pictures` are prepared, by name."""

    source: Source
    rules: Ruleset
    title: str
    file: HandoutFile
    parts: tuple[Part, ...]
    pictures: Mapping[str, PreparedPicture]


@frozen
class HandoutRequest(PrintRequest):
    """Handouts to print."""

    kind: ClassVar[str] = "handouts"


def print_handouts(request: HandoutRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the pages of each handout of a request."""
    for name in request.of:
        reader = _Reader(Path(name), dict(request.options), context)
        handout = reader.read()
        rules = handout.rules if handout is not None else None
        findings = tuple(dict.fromkeys(reader.findings))
        yield PrintResult(findings=findings, source=reader.source, inputs=input_folders(rules))
        if handout is not None and not errors(apply_strict(findings, request.strict)):
            stem = file_stem(Path(name).stem)
            words = {**name_words(handout.rules, "handout"), "stem": stem, "name": handout.title}
            yield replace(_render(handout, request), source=handout.source, words=words, stem=stem)


@dataclass(slots=True)
class _Reader:
    path: Path
    chosen: Mapping[str, str]
    context: PrintContext
    findings: list[Finding] = field(default_factory=list)
    source: Source | None = None
    options: Mapping[str, Value] = field(default_factory=dict)  # The ruleset's options in force
    lines: Sequence[str] = ()
    first: int = 0  # The number of the line in which the Markdown begins, from 0
    level: int = 1  # The level of the last heading
    wide: bool = False  # Whether the quotation that is read spans all columns
    used: list[Path] = field(default_factory=list)  # Files whose packs are credited
    # What tables and cards are about; loaded for the first table
    stock: dict[str, tuple[Build, ...]] = field(default_factory=dict)
    pictures: dict[str, PreparedPicture] = field(default_factory=dict)

    def read(self) -> Handout | None:
        """Return the handout; None if its head or its ruleset has errors."""
        read = read_text(self.path)
        self.findings += read.findings
        if read.value is None:
            return None
        text, digest = read.value
        if len(text) > _LONGEST:
            message = f"this handout has {len(text):,} characters; at most {_LONGEST:,} are printed"
            self.report(codes.TOO_MUCH, Span(str(self.path)), message, _SPLIT)
            return None
        if (parted := split_head(text)) is None:
            whole = parse_yaml(text, str(self.path), digest).value
            self.source = whole or Source(str(self.path), text, None, digest)
            if whole is not None and (other := report_other_type(whole, HANDOUT)):
                self.findings.append(other)
                return None
            message = "a handout begins with its ruleset"
            hint = "write these lines first: `---`, `ruleset: …`, `---`"
            self.report(codes.MISSING_KEY, self.source.start, message, hint)
            return None
        head, below = parted
        parsed = parse_yaml(head, str(self.path), digest)
        self.findings += parsed.findings
        root = parsed.value.root if parsed.value is not None else None
        if root is not None and not isinstance(root, Pairs):
            message = "the lines between `---` have to be keys, such as `ruleset: …`"
            self.report(codes.WRONG_TYPE, root.span, message)
        if errors(self.findings):
            return None
        if not isinstance(root, Pairs):
            root = Pairs(Span(str(self.path)), ())
        self.source = Source(str(self.path), text, root, digest)
        own = tuple(pair for pair in root.entries if pair[0].raw not in HandoutFile.MORE)
        shaper = Shaper()
        file = shaper.read(Pairs(root.span, own), HandoutFile, "handout")
        self.findings += shaper.findings
        folders = rulesets_of(self.source, root, self.path)
        self.findings += folders.findings
        if folders.value is None:
            return None
        loaded = load_ruleset(folders.value, complete=True, switches=switches_of(root, self.chosen))
        wrong = check_ruleset(loaded.value) if loaded.value is not None else ()
        self.findings += [*loaded.findings, *wrong]
        rules = loaded.value
        if rules is None or file is None or errors((*loaded.findings, *wrong)):
            return None
        self.options, unsettled = resolve_options(self.source, rules, self.chosen)
        self.findings += unsettled
        self.first = text.count("\n", 0, len(text) - len(below))
        self.lines = text.split("\n")
        parts, title = self._read_parts(below, rules, file)
        short = len(parts) == 1 and len(below) < _SHORT_TEXT
        file = replace(file, columns=file.columns or (1 if short else 2))
        for path in (self.path, *self.used):
            rules = credit_pack(rules, path)
        return Handout(self.source, rules, title, file, parts, self.pictures)

    def report(
        self, code: codes.Code, span: Span, message: str, hint: str = "", weight: Severity = _ERROR
    ) -> None:
        self.findings.append(Finding(code, span, message, hint, weight))

    def _line(self, token: Token) -> int:
        return self.first + (token.map[0] if token.map else 0)

    def _span(self, line: int, text: str) -> Span:
        """Return the place of a text in a line; lines count from 0."""
        column = self.lines[line].find(text) if line < len(self.lines) else 0
        return Span(str(self.path), line + 1, max(0, column) + 1, len(text))

    def _parse(self, text: str) -> list[Token]:
        """Return the tokens of Markdown, without headings that have no words."""
        lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
        parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST + 1})
        defined: dict[str, Any] = {}
        tokens = parser.enable(["table", "strikethrough"]).parse(
            "\n".join(map(strip_controls, lines)), defined
        )
        if deep := next((one for one in tokens if one.level >= _DEEPEST), None):
            message = f"lists and quotations are nested more than {_DEEPEST} deep"
            span = self._span(self._line(deep), "")
            self.report(codes.TOO_MUCH, span, message, "write them with fewer levels")
        # Markdown prints nothing of definitions of links that no link uses.
        inner = (child for token in tokens for child in token.children or ())
        used = {str(one.attrGet("href") or one.attrGet("src")) for one in inner}
        for label, one in defined.get("references", {}).items():
            message = f"`[{label}]:` defines a link that no text names"
            hint = "name it as `[words][label]`, or take the colon out to print it"
            if label.startswith("^"):
                message = f"`[{label}]` is a footnote, which handouts do not have"
                hint = "write it into the text, in brackets"
            elif one["href"] in used:
                continue
            span = self._span(self.first + one["map"][0], "[")
            self.report(codes.UNKNOWN_NAME, span, message, hint, Severity.WARNING)
        if not tokens:
            span, message = self._span(self.first, ""), "there is no text below the head"
            self.report(codes.EMPTY, span, message, "write a text", Severity.WARNING)
        opening = (at for at, one in enumerate(tokens) if one.type == "heading_open")
        hollow = (at for at in opening if not tokens[at + 1].content)
        left_out = {at + more for at in hollow for more in range(3)}
        return [one for at, one in enumerate(tokens) if at not in left_out]

    def _read_parts(
        self, text: str, rules: Ruleset, file: HandoutFile
    ) -> tuple[tuple[Part, ...], str]:
        title, tokens = str(file.title or ""), self._parse(text)
        if not title and tokens and tokens[0].type == "heading_open":
            self._check_inline(tokens[1])
            title, tokens = _plain_text(tokens[1]), tokens[3:]
        deeper = int(any(token.type == "heading_open" and token.tag == "h1" for token in tokens))
        found: list[Part] = []
        kept: list[Token] = []
        for at, token in enumerate(tokens):
            if token.type in ("heading_open", "heading_close"):
                # Its class is that of its level as written; levels follow each other.
                written = int(token.tag[1:]) + deeper
                if token.type == "heading_open":
                    self.level = max(2, min(written, self.level + 1, 6))
                    token.attrSet("class", f"level-{min(max(2, written), 4)}")
                token.tag = f"h{self.level}"
            if token.type != "inline":
                if side := _SIDES.get(str(token.attrs.pop("style", ""))):
                    token.attrSet("class", side)
                kept.append(token)
                if self.wide and token.type == "blockquote_close" and token.level == 0:
                    self.wide = False  # columns go on below a box that is wide
                    kept.append(_html(_INTO_COLUMNS))
            elif tokens[at - 1].type != "paragraph_open":
                self._check_inline(token)
                kept.append(token)
            elif (html := _BREAKS.get(token.content.strip())) and token.level == 1:
                kept[-1] = _html(html)
                tokens[at + 1] = _html()
            elif all(_BLOCK.fullmatch(line.strip()) for line in token.content.split("\n")):
                kept.pop()
                found.append(Part("text", tuple(kept)))
                kept = []
                tokens[at + 1] = _html()
                for number, block in enumerate(_BLOCK.finditer(token.content)):
                    if len(found) < 2 * _MOST_BLOCKS or not number:
                        kind, colon, name = map(str.strip, block[1].partition(":"))
                        span = self._span(self._line(token) + number, block[0])
                        named = (kind, name) if colon else ("", kind)
                        parts = self._read_block(rules, *named, span)
                        found += (replace(part, inside=token.level > 1) for part in parts)
            else:
                self._read_paragraph(token, kept, tokens[at + 1], tokens[max(0, at - 2)])
        found.append(Part("text", tuple(kept)))
        blocks = sum(part.kind != "text" for part in found)
        if blocks > _MOST_BLOCKS:
            message = f"this handout has {blocks} blocks; at most {_MOST_BLOCKS} are printed"
            self.report(codes.TOO_MUCH, Span(str(self.path)), message, _SPLIT)
        return tuple(found), title or strip_controls(self.path.stem)

    def _check_inline(self, token: Token) -> None:
        """Report blocks and breaks that stand inside a text, and read the pictures in it."""
        line = self._line(token)
        for child in token.children or ():
            line += child.type in ("softbreak", "hardbreak")
            if child.type == "image":
                self._read_image(child, line)
            elif child.type == "text":
                found = [one[0] for one in _BLOCK.finditer(child.content)]
                found += [child.content.strip()] if child.content.strip() in _BREAKS else []
                for one in found:
                    message, hint = f"`{one}` is inside a paragraph", _ALONE
                    if token.content.strip() == one:
                        message = f"`{one}` is in a heading, a cell, a list or a quotation"
                        hint = "write it on a line of its own outside of them"
                    self.report(codes.WRONG_TYPE, self._span(line, one), message, hint)

    def _read_paragraph(
        self, token: Token, kept: list[Token], closing: Token, opener: Token
    ) -> None:
        """Keep a paragraph: a picture alone is a figure, the first one in a quotation a box."""
        self._check_inline(token)
        children = token.children = token.children or []
        first = children[0] if children else None
        box = _BOX.match(first.content) if first is not None and first.type == "text" else None
        if opener.type == "blockquote_open" and box is not None and first is not None:
            name = "-".join(box[1].casefold().split())
            opener.attrSet("class", f"box box-{name}")
            if name == "wide" and opener.level == 0:
                self.wide = True
                kept.insert(_find_headings(kept[: kept.index(opener)]), _html(_OUT_OF_COLUMNS))
            first.content = first.content[box.end() :]
            ends = [one.type in ("softbreak", "hardbreak") and not one.level for one in children]
            end = [*ends, True].index(True)
            title = Token("inline", "", 0, children=children[:end])
            if any(one.content or one.nesting for one in children[:end]):
                opening = Token("paragraph_open", "p", 1)
                opening.attrSet("class", "box-title")
                kept[-1:-1] = [opening, title, Token("paragraph_close", "p", -1)]
            del children[: end + 1]
            if not children:
                kept.pop()
                closing.type, closing.content, closing.tag = "html_block", "", ""
                return
        pictures = [child for child in children if child.type == "image"]
        alone = [one for one in children if one.type not in ("link_open", "link_close")] == pictures
        if alone and len(pictures) == 1:
            kept[-1].tag = closing.tag = "figure"
            kept[-1].hidden = closing.hidden = False
            if caption := pictures[0].meta["caption"]:
                words = Token("text", "", 0, content=caption)
                around = [Token("caption_open", "figcaption", 1), words]
                children += [*around, Token("caption_close", "figcaption", -1)]
        else:
            for caption in filter(None, (one.meta["caption"] for one in pictures)):
                message = f"“{caption}” is not printed: its picture is inside a line"
                span = self._span(self._line(token), caption)
                self.report(codes.WRONG_TYPE, span, message, _ALONE, Severity.WARNING)
        kept.append(token)

    def _read_image(self, token: Token, line: int) -> None:
        """Prepare the picture of a token, or report why it cannot be shown."""
        name = unquote(str(token.attrGet("src") or ""))
        words = token.content = _plain_text(token)
        token.meta = {"caption": str(token.attrGet("title") or "")}
        token.attrs = {}
        span = self._span(line, name)
        found = find_picture(PictureFile(Text(name, span), Text(words or name, span)), name)
        self.findings += found.findings
        if not words:
            message = f"`{name}` has no description for readers who cannot see it"
            hint = f"write what it shows between the brackets: `![…]({name})`"
            self.report(codes.NO_ALT, span, message, hint, Severity.NOTE)
        if found.value is None:
            return
        across, high = found.value.width, found.value.height
        scale = min(_PICTURE[0] / across, _PICTURE[1] / high)
        made = prepare_picture(found.value, (across * scale, high * scale))
        self.findings += made.findings
        if made.value is not None:
            token.meta["name"] = f"picture-{len(self.pictures) + 1}"
            self.pictures[token.meta["name"]] = made.value

    def _read_block(self, rules: Ruleset, kind: str, name: str, span: Span) -> Iterator[Part]:
        level = min(self.level + 1, 6)
        if name.lower().endswith(_FILES):  # the stat blocks of another file of the author
            path = self.path.parent / name
            self.used.append(path)
            for one in characters.load_character_file(path, self.context.rulesets, self.chosen):
                self.findings += one.findings
                if one.build is None:
                    self.report(codes.UNREADABLE, span, f"`{name}` cannot be printed")
                else:
                    yield from _stat_blocks(one, level)
            return
        kind = kind if name else ""
        sets = list(map(str, (*rules.kinds, *rules.card_sets)))
        words = [*sets, "table", "odds", "card"]
        meant = next(iter(sorted(closest_names(kind, words))), kind)
        if meant not in words:
            message = f"there is no kind of block `{kind}`" if kind else f"`{name}` has no kind"
            message = message if name else "this names no block"
            hint = suggestion(kind, words, "kinds of blocks") or "write `![[table: …]]`"
            self.report(codes.UNKNOWN_NAME, span, message, hint)
        elif meant == "table":
            yield from self._read_tables(rules, name, span, level)
        elif meant == "odds":
            yield from self._read_odds(rules, name, span, level)
        else:
            kinds = sets if meant == "card" else [meant]
            yield from self._read_card(rules, kinds, name, span, level)

    def _read_tables(self, rules: Ruleset, name: str, span: Span, level: int) -> Iterator[Part]:
        labels = {table.label: str(id_) for id_, table in rules.tables.items()}
        known = [*list_page_names(rules), *labels]
        if not (found := sorted(closest_names(name, known))):
            message = f"{rules.title} has no table `{name}`"
            self.report(codes.UNKNOWN_NAME, span, message, suggestion(name, known, "tables"))
            return
        if not self.stock:
            kinds = (kind_of_tables(table.of) for table in rules.tables.values())
            self.stock.update(characters.load_stock(rules, filter(None, kinds), self.chosen))
        named = [labels.get(found[0], found[0])]
        planned = plan_table_pages(rules, named, self.options, stock=self.stock)
        self.findings += planned.findings
        for page in map(PlayerWords(rules.rulings).page, planned.value or ()):
            yield Part("table", level=level, shown=page)

    def _read_odds(self, rules: Ruleset, name: str, span: Span, level: int) -> Iterator[Part]:
        grids = rules.odds.grids if rules.odds is not None else {}
        labels = {**{str(id_): id_ for id_ in grids}, **{g.label: i for i, g in grids.items()}}
        if found := sorted(closest_names(name, labels)):
            grid = grids[labels[found[0]]]
            try:
                texts = build_odds_texts(rules, grid, self.options)
            except FormulaError as error:
                self.report(codes.UNANSWERED, span, f"`{name}`: {error}")
                return
            subject = Subject(grid.label, CardContext(texts))
            yield Part("odds", level=level, shown={"grid": subject, "about": grid.about})
            return
        answered = answer_for_rules(rules, self.options, OddsQuestion(name))
        for one in answered.findings:
            hint = suggestion("", [grid.label for grid in grids.values()], "grids") or one.hint
            hint = f"try the question with `sheetgen odds`; or {hint}" if grids else one.hint
            self.findings.append(replace(one, span=span, hint=hint))
        if (said := answered.value) is not None:
            chances = [(one.label, exact_percent(one.value), one.part) for one in said.chances]
            yield Part("odds", level=level, shown={"said": said, "chances": chances})

    def _read_card(
        self, rules: Ruleset, kinds: Sequence[str], name: str, span: Span, level: int
    ) -> Iterator[Part]:
        known = set[str]()
        for kind in kinds:
            if kind in rules.kinds:
                stock = [*characters.load_stock_characters(rules, kind, self.chosen)]
                named = {one.build.name: one for one in stock if one.build is not None}
                if found := sorted(closest_names(name, named)):
                    self.findings += named[found[0]].findings
                    yield from _stat_blocks(named[found[0]], level)
                    return
                known |= named.keys()
                continue
            try:
                things = {one.about.name: one for one in thing_cards(rules, kind, self.options)}
            except FormulaError as error:
                self.report(codes.UNANSWERED, span, f"`{name}`: {error}")
                return
            if found := sorted(closest_names(name, things)):
                card = things[found[0]]
                self.findings += card.findings
                yield Part("thing", level=level, shown=_thing_block(card.about))
                return
            known |= things.keys()
        where = f"{rules.title} has no {kinds[0]}" if len(kinds) == 1 else "there is no card"
        hint = suggestion(name, sorted(known), "names")
        self.report(codes.UNKNOWN_NAME, span, f"{where} `{name}`", hint)


def _html(content: str = "") -> Token:
    return Token("html_block", "", 0, content=content)


def _find_headings(tokens: Sequence[Token]) -> int:
    """Return where the headings at the end of tokens begin: they stay with what is wide below."""
    at = len(tokens)
    while at and tokens[at - 1].type == "heading_close":
        at -= 3
    return at


def _plain_text(token: Token) -> str:
    breaks = ("softbreak", "hardbreak")
    return "".join(
        " " if one.type in breaks else _plain_text(one) if one.children else one.content
        for one in token.children or ()
    ).strip()


def _stat_blocks(one: characters.Character, level: int) -> Iterator[Part]:
    """Yield the stat block of a checked build; its copies are one block."""
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    about = next(list_copies(one.build, view))
    about = replace(about, texts=CardContext({**about.texts, "name": one.build.name}))
    rules = characters.load_complete_rules(one) or one.rules
    has = None if one.kind is not None else list_build_parts(one.build, rules, view)
    shown = build_general_subject(about, one.build, view, rules, has)
    yield Part("stat", level=level, shown=shown)


def _thing_block(about: Subject) -> dict[str, Any]:
    """Return what a thing is: texts, and figures of which `.label` and `.value` are a pair."""
    texts, figures, words, paragraphs = about.texts, dict[str, list[str]](), [], []
    for name, text in texts.items():
        stem, _, last = name.rpartition(".")
        if not text or name in ("name", "colour", EMBLEM) or last == "label":
            continue
        if last == "value":
            label = texts.get(f"{stem}.label") or texts.get(f"{stem.rpartition('.')[0]}.label", "")
            figures.setdefault(label[:1].upper() + label[1:], []).append(text)
        elif stem.startswith("sections."):
            paragraphs += [text] if last == "line" else []
        elif len(text) <= _SHORT and not text.endswith("."):
            words.append(text)
        else:
            paragraphs.append(text)
    labelled = {label: " · ".join(values) for label, values in figures.items() if label}
    return {"name": about.name, "words": words, "figures": labelled, "texts": paragraphs}


def _render(handout: Handout, request: HandoutRequest) -> PrintResult:
    rules, source = handout.rules, handout.source
    found = load_page_style(request, rules, FOLDER)
    if found.value is None:
        return PrintResult(findings=found.findings)
    style = add_pictures(found.value, handout.pictures)
    context = page_context(rules, handout.title, request)
    credits = context["credit"], handout.file.credit, credit_pictures(handout.pictures.values())
    context["credit"] = " ".join(filter(None, credits))
    columns = handout.file.columns or 1
    parts = [_draw(part, style, columns) for part in handout.parts]
    for text, below in pairwise(parts):
        if text["kind"] == "text" and any(wide for *_, wide in below.get("tables", ())[:1]):
            text["tokens"].insert(_find_headings(text["tokens"]), _html(_OUT_OF_COLUMNS))
    context |= {"columns": columns, "order": PARTS_OF_BLOCK}

    def render(kind: PageFormat) -> bytes:
        def image(self: RendererHTML, tokens: list[Token], at: int, options: Any, env: Any) -> str:
            name = tokens[at].meta.get("name", "")
            if name not in style.pictures:
                return escape(tokens[at].content)  # what cannot be shown is said
            shown = style.pictures[name]
            address = shown["address"] if kind == "html" else f"asset:{name}"
            alt = escape(shown["alt"])
            return f'<img class="picture" data-name="{name}" src="{address}" alt="{alt}">'

        parser = MarkdownIt("commonmark", {"html": False})
        parser.add_render_rule("image", image)
        for part in parts:
            part["html"] = parser.renderer.render(part["tokens"], parser.options, {})
        shown = {**context, "parts": parts}
        css = rendering.own_styles(style.tokens) + (
            page_styles(style, context) if kind == "pdf" else ""
        )
        dressed = replace(style, css=css)
        if kind == "html":
            return rendering.render_flow(kind, TEMPLATE, dressed, shown)
        html = rendering.render_flow_markup(TEMPLATE, dressed, shown)
        return rendering.lay_out_flow(
            html, dressed, handout.title, []
        )  # letters are reported below

    printed = render_pages(request, render, FOLDER)
    fonts = [read_font_metrics(data) for data in style.fonts.values()]
    known = {point for font in fonts for point in font.advances}
    letters = report_letters(find_missing_letters(source.text, known), source, source.start)
    findings = (*found.findings, *printed.findings, *letters)
    return PrintResult({} if errors(findings) else printed.files, findings)


def _draw(part: Part, style: rendering.PageStyle, columns: int) -> dict[str, Any]:
    """Return what the template needs of a part; a table that is wider than a column is `wide`."""
    drawn = {"kind": part.kind, "level": part.level, "shown": part.shown, "tokens": [*part.tokens]}
    if part.kind == "text" and columns > 1:
        drawn["tokens"] = _widen_tables(part.tokens, style, columns)
    if part.kind == "table":
        (page,) = drawn_pages([part.shown], style.tokens)
        sizes = TableSizes(*map(style.tokens.length, ("size-head", "size-body", "size-body")))
        room = (WIDTH - GAP * (columns - 1)) / columns
        drawn["tables"] = []
        for view in page.tables:
            name = view.label or page.label
            needed = columns_of([(name, view)], style.measure(), sizes)[1][0]
            drawn["tables"].append((name, view, not part.inside and needed > room))
    return drawn


def _widen_tables(tokens: Sequence[Token], style: rendering.PageStyle, columns: int) -> list[Token]:
    """Return tokens of Markdown; a table spans all columns if its words are wider than one."""
    size, measure = style.tokens.length("size-block"), style.measure()
    room = (WIDTH - _GUTTER * (columns - 1)) / columns * MM
    made: list[Token] = []
    start, widths = 0, list[float]()
    for token in tokens:
        if token.type == "table_open" and token.level == 0:
            start, widths = len(made), []
        if token.type == "tr_open":
            place = 0
        elif token.type == "inline" and made[-1].type in ("th_open", "td_open"):
            words = _plain_text(token).split()
            wide = max((measure.face_width(one, BOLD, size) for one in words), default=0.0)
            widths += [0.0] * (place + 1 - len(widths))
            widths[place] = max(widths[place], wide + _CELL)
            place += 1
        made.append(token)
        if token.type == "table_close" and token.level == 0 and sum(widths) > room:
            made.insert(_find_headings(made[:start]), _html(_OUT_OF_COLUMNS))
            made.append(_html(_INTO_COLUMNS))
    return made


def _read_files(request: HandoutRequest, context: PrintContext) -> Iterator[FileRead]:
    for name in request.of:
        reader = _Reader(Path(name), dict(request.options), context)
        handout = reader.read()
        yield tuple(dict.fromkeys(reader.findings)), handout.rules if handout is not None else None


HANDOUT_KIND: Final = PrintKind(
    HandoutRequest,
    "Handout",
    print_handouts,
    job="file",
    read_entry=lambda _, shared: HandoutRequest(**shared),
    title_key="title",
    check=find_missing_files,
    read_files=_read_files,
    suffixes=(".md", ".markdown"),
)


handout_command: Final = pages_command(
    HANDOUT_KIND,
    """Print handouts: Markdown with stat blocks, tables, odds and cards of a game inside.

    A file begins with `ruleset: …` between two lines of `---`. A line `![[card: …]]` becomes
    a stat block or a thing of that name, `![[table: …]]` a table, `![[odds: …]]` a chance.

    Example: sheetgen handout adventure.md

    Guide: docs/guides/handouts.md
    """,
    ("Markdown files.", "FILE…"),
)
