"""Themes: ours by their names, and those of authors by the paths of their files.

What loads them raises `DesignError`: there is no such theme, or something in its file is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.designs import fonts as font_files
from sheetgen.load.designs import templates as design_files
from sheetgen.load.designs.fonts import BadFont, FontFile, font_metrics, is_packaged, prepare_font
from sheetgen.load.designs.templates import STANDARD, bad_design, raise_findings, theme_ids
from sheetgen.load.files import SUFFIXES, file_version, note_read, suggest_file
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import FACE_FILE, load_ruleset
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.prints import Shape, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, Text, raw_text
from sheetgen.model.tokens import READABLE, FaceFile, ThemeFile, measure_contrast
from sheetgen.records import frozen

# Parts of a theme whose names have to exist in a design.
_THEME_PARTS: Final = ("colours", "roles", "shapes", "ticks", "css")
_SHOWN: Final = 12  # letters that a note names
FACES: Final = "_faces"  # the folder of the shipped faces
_READ: Final = ("ink", "line", "label", "accent")  # colours of words and lines, which need contrast
_COLOUR: Final = re.compile("#[0-9A-Fa-f]{6}")
_FONTS: Final = (".ttf", ".otf", ".woff", ".woff2")
F = TypeVar("F", bound=FaceFile)
Face = tuple[FaceFile, ...]
"""A face as layers; a later one overrides an earlier one. Empty for the plain look."""


@frozen
class Theme:
    """A theme of ours, or an author's that changes one of ours."""

    base: str  # The id of the theme of ours; arrangements are chosen by it.
    face: Face = ()  # The face that it begins with.
    own: Face = ()  # What it changes last.
    findings: tuple[Finding, ...] = ()  # Notes about it, such as letters that its fonts lack.

    def tokens(self, *designs: str, face: Face = (), base: str = "") -> Tokens:
        """Return the tokens of designs in this theme and a game's face; `base` is for its own."""
        layers = (*face, *self.face)
        base = base or self.base
        return design_files.load_theme_tokens(base, *designs, face=layers, own=self.own)


def is_own_theme(name: str) -> bool:
    """Whether `name` is the path of an author's theme."""
    return name.endswith(SUFFIXES)


def find_theme(name: str) -> Theme:
    """Return the theme `name`: an id of ours, or the path of an author's."""
    if is_own_theme(name):
        file = read_face_file(Path(name), ThemeFile)
        try:
            return _build_theme(prepare_face(Path(name), file))
        except DesignError as error:
            return _build_theme(replace(file, fonts={}), error.findings)
    if name not in theme_ids():
        inside = os.path.join(name, "theme.yaml")
        hint = f"name the file: `--theme {inside}`" if os.path.isfile(inside) else ""
        message = f"there is no theme `{name}`"
        hint = hint or suggestion(name, theme_ids(), "themes")
        raise DesignError((Finding(codes.UNKNOWN_DESIGN, Span("--theme"), message, hint),))
    return Theme(name)


@lru_cache(maxsize=16)
def _build_theme(file: ThemeFile, earlier: tuple[Finding, ...] = ()) -> Theme:
    """Return the theme of a file; raise `earlier` findings together with all others."""
    base = str(file.extends or STANDARD)
    findings = [*earlier, *_check_theme_names(file)]
    if base not in theme_ids():
        message = f"`extends` names `{base}`, which is no theme that comes with sheetgen"
        findings.append(bad_design(file.extends, message, suggestion(base, theme_ids(), "themes")))
        base = STANDARD
    face: Face = ()
    try:
        face = like_face(file)
    except DesignError as error:
        findings += error.findings
    theme = Theme(base, face, (file,), tuple(_lent_letters(file)))
    try:
        theme.tokens()  # checks the values
    except DesignError as error:
        findings += error.findings
    raise_findings(list(dict.fromkeys(findings)))
    return theme


def _lent_letters(file: ThemeFile) -> Iterator[Finding]:
    """Yield a note for each set of letters that fonts of a theme borrow from ours."""
    borrowers: dict[str, dict[Path, FontFile]] = {}
    for font in file.fonts.values():
        if isinstance(font, FontFile) and (lent := font.lent.strip()):
            borrowers.setdefault(lent, {}).setdefault(font.path, font)
    for lent, fonts in borrowers.items():
        first, *others = fonts.values()
        letters = " ".join(lent[:_SHOWN]) + (" …" if len(lent) > _SHOWN else "")
        message = f"`{first.path.name}` lacks {letters}"
        if others:
            names = ", ".join(f"`{font.path.name}`" for font in others)
            message += f", and so {'do' if others[1:] else 'does'} {names}"
        hint = "take a font that has them, or leave it so: the letters come from our own font"
        yield Finding(codes.BAD_DESIGN, first.span, message, hint, Severity.NOTE)


def theme_names() -> Mapping[str, list[str]]:
    """Return the names that a theme may change, by part."""
    every, shared = design_files.load_all_tokens(), design_files.load_theme_tokens(STANDARD)
    faces = [face for id_ in face_ids() for face in load_face(id_)]
    found = {}
    for part in _THEME_PARTS:
        # What faces change and all designs have comes first in hints.
        usual = (name for one in (*faces, shared) for name in getattr(one, part))
        names = dict.fromkeys(map(str, (*usual, *getattr(every, part))))
        found[part] = [name for name in names if not name.startswith(design_files.MEASURES)]
    return found


def _check_theme_names(file: ThemeFile) -> Iterator[Finding]:
    for part, known in theme_names().items():
        for name in getattr(file, part):
            if name not in known and not name.startswith(design_files.MEASURES):
                message = f"`{part}` has no `{name}` that a theme could change"
                yield bad_design(name, message, suggestion(name, known, part))


def face_ids() -> tuple[str, ...]:
    """Return the ids of the shipped faces, sorted."""
    return tuple(sorted(path.stem for path in (templates_folder() / FACES).glob("*.yaml")))


def ruleset_face(rules: Ruleset | None) -> Face:
    """Return the face of a ruleset's prints."""
    return load_face(rules.face) if rules is not None and rules.face else ()


def credited_face(credit: str, folders: Iterable[Path] = ()) -> Face:
    """Return the face of the ruleset of `folders` or of ours with a credit; empty for none."""
    for folder in (*folders, *(rulesets_folder() / id_ for id_ in ruleset_ids())):
        read = read_source(folder / "ruleset.yaml")
        owner = read.value.get("credit") if read.value is not None else None
        short = raw_text(owner.get("short")) if isinstance(owner, Pairs) else ""
        # The credit of an overlay is behind that of its base.
        if short and credit.endswith(short):
            return ruleset_face(load_ruleset(folder).value)
    return ()


def list_signs(rules: Ruleset) -> tuple[tuple[str, Text], ...]:
    """Return words and the shapes that show them, of a ruleset and of the blocks of its screens."""
    panels = (panel for screen in rules.screens.values() for panel in screen.panels.values())
    blocks = (block for panel in panels for column in panel.columns for block in column)
    every = (rules.signs, *(block.signs for block in blocks))
    found = (pair for signs in every for pair in signs.items())
    return tuple(dict.fromkeys(found))


def load_sign_shapes(theme: Theme, rules: Ruleset) -> Mapping[str, Shape]:
    """Return the shapes of the signs of a ruleset, by name."""
    named = [shape for _, shape in list_signs(rules)]
    if not named:
        return {}
    drawn = any(name.startswith(design_files.EMBLEM) for name in named)
    emblems = (design_files.EMBLEMS,) if drawn else ()
    shapes = theme.tokens(*emblems, *design_files.SIGN_FOLDERS, face=ruleset_face(rules)).shapes
    raise_findings([*design_files.report_unknown("signs", named, shapes, "shapes")])
    return {name: shapes[name] for name in named}


def check_face(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about the face and the signs of a ruleset."""
    try:
        design_files.load_theme_tokens(STANDARD, face=ruleset_face(rules))
        load_sign_shapes(Theme(STANDARD), rules)
        own = Path(rules.face or "")
        return tuple(_check_names(read_face_file(own, FaceFile)) if own.name == FACE_FILE else ())
    except DesignError as error:
        return error.findings


def load_face(name: str) -> Face:
    """Return the face `name`: an id of a shipped one, or the path of a `face.yaml`."""
    path = Path(name)
    if path.name != FACE_FILE:
        path = _shipped(name)
        if name not in face_ids():
            message = f"there is no face `{name}`"
            raise DesignError((bad_design(name, message, suggestion(name, face_ids(), "faces")),))
    file = prepare_face(path, read_face_file(path, FaceFile))
    if file.like is not None and path.parent.name == FACES:
        raise_findings([bad_design(file.like, "a face that comes with sheetgen is like none")])
    return (*like_face(file), file)


def _shipped(name: str) -> Path:
    return templates_folder() / FACES / f"{name}.yaml"


def like_face(file: FaceFile) -> Face:
    """Return the shipped face that a face or a theme changes; empty if it names none."""
    if file.like is None:
        return ()
    if file.like not in face_ids():
        message = f"`like` names `{file.like}`, which is no face that comes with sheetgen"
        raise_findings([bad_design(file.like, message, suggestion(file.like, face_ids()))])
    return load_face(file.like)


def read_face_file(path: Path, model: type[F]) -> F:
    """Return the face or theme in the file at `path` as it is written."""
    note_read(path)
    kind: Any = model
    return cast(F, _parse(path, kind, file_version(path)))


def prepare_face(path: Path, file: F) -> F:
    """Return a face or theme from `path` with its fonts, of that folder or below, prepared."""
    every = design_files.load_all_tokens().fonts
    named: dict[Text, Text] = {}
    for key, font in sorted(file.fonts.items(), key=lambda one: "-" in one[0]):
        # A key such as `text` is all faces of the family.
        faces = [face for face in every if face.partition("-")[0] == key]
        named |= {Text(face, design_files.span_of(key)): font for face in faces or [key]}
    inside = [place for name in file.fonts.values() if (place := find_beside(name, path.parent))]
    for place in inside:
        note_read(place)
    return cast(F, _prepared(path, file, tuple(named.items()), tuple(map(file_version, inside))))


@lru_cache(maxsize=64)
def _parse(path: Path, model: Any, changed: int) -> Any:
    read = read_source(path)
    if read.findings or read.value is None or not isinstance(read.value.root, Pairs):
        hint = "write a key, such as `colours`, or leave the file out"
        found = (replace(f, hint=hint) if f.code is codes.EMPTY else f for f in read.findings)
        # A warning refuses the file, too.
        raise DesignError(tuple(replace(f, severity=Severity.ERROR) for f in found))
    return design_files.parse_model(read.value.root, model, path.name)


@lru_cache(maxsize=64)
def _prepared(
    path: Path, file: FaceFile, names: tuple[tuple[Text, Text], ...], changed: tuple[int, ...]
) -> FaceFile:
    """Return a face or theme with its fonts prepared; `changed`: when these were written last."""
    fonts: dict[str, Text] = {}
    findings: list[Finding] = []
    spent: list[float] = []
    for face, name in names:
        found = _find_font(face, name, path.parent, spent)
        findings += found.findings
        fonts[face] = found.value or name
    raise_findings([*dict.fromkeys(findings), *_check_contrast(file.colours)])
    css: dict[str, Text] = {}  # metrics of fonts, which place text on baselines
    for key, font in fonts.items():
        if not is_packaged(font):
            for token, metric in zip(design_files.MEASURES, font_metrics(font), strict=True):
                named = Text(token + key.partition("-")[0], font.span)
                css[named] = Text(f"{metric:.4f}", font.span)
    return replace(file, fonts=fonts, css={**css, **file.css})


def _find_font(face: Text, name: Text, folder: Path, spent: list[float]) -> Checked[Text]:
    """Return a font's name, with the font if it is beside the face; or a finding."""
    if (place := find_beside(name, folder)) is None:
        if name in font_files.list_font_files():
            return Checked(name)
        hint = "put the font into the folder of this file, or into a folder in it"
        message = f"the font file `{name}` is outside the folder of this file, a link or no file"
        if not os.path.lexists(folder / name):
            message = f"there is no font file `{name}` beside this file or in a font package"
            hint = suggest_file(name, folder, _FONTS, "fonts") or hint
        return Checked(None, (bad_design(name, message, hint),))
    ours = design_files.load_all_tokens().fonts
    if face not in ours:
        message = f"`fonts` has no `{face}` that could be changed"
        names = sorted({family.partition("-")[0] for family in ours} | {*ours})
        return Checked(None, (bad_design(face, message, suggestion(face, names, "fonts")),))
    try:
        return Checked(prepare_font(place, name, face, ours, spent))
    except BadFont as error:
        hint = "take a TTF, OTF, WOFF or WOFF2 file whose licence lets documents embed it"
        return Checked(None, (bad_design(name, f"the font file `{name}` {error}", hint),))


def find_beside(name: str, folder: Path) -> Path | None:
    """Return a file in a face's folder or below it, through no link; None if there is none."""
    top = os.path.realpath(folder)
    place = os.path.normpath(os.path.join(top, name))
    inside = os.path.realpath(place) == place and place.startswith(top + os.sep)
    return Path(place) if inside and os.path.isfile(place) else None


def face_names() -> dict[str, set[str]]:
    """Return the names that a face may change or begin from, by `Ref.to`."""
    tokens = design_files.load_all_tokens()
    shipped = [read_face_file(_shipped(id_), FaceFile) for id_ in face_ids()]
    css = {*tokens.css, *(name for face in shipped for name in face.css)}
    return {
        "colour": set(map(str, tokens.colours)),
        "property of style sheets": set(map(str, css)),
        "shipped face": set(face_ids()),
    }


def _check_names(file: FaceFile) -> Iterator[Finding]:
    known = face_names()
    for part, what in (("colours", "colour"), ("css", "property of style sheets")):
        names = known[what]
        for name in getattr(file, part):
            if name not in names:
                message = f"no design uses `{part}.{name}`"
                found = bad_design(name, message, suggestion(name, sorted(names)))
                yield replace(found, severity=Severity.WARNING)


def _check_contrast(colours: Mapping[str, Text]) -> Iterator[Finding]:
    paper = str(colours.get("paper", "#FFFFFF"))
    for name, colour in colours.items():
        if name not in _READ or not (_COLOUR.fullmatch(colour) and _COLOUR.fullmatch(paper)):
            continue
        if (contrast := measure_contrast(colour, paper)) < READABLE:
            message = f"`colours.{name}` has a contrast of {contrast:.1f} on paper"
            yield bad_design(colour, message, f"take a darker colour: {READABLE} is readable")
