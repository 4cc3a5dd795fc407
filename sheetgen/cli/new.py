"""`sheetgen new`: files to start from."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, TypeVar

import click
import typer
from typer.core import TyperGroup

from sheetgen.check.character.builds import check_character, check_draft
from sheetgen.check.ruleset.rulesets import FIRST
from sheetgen.cli import console
from sheetgen.cli.parameters import (
    NONE,
    PLAIN,
    RulesetName,
    argument,
    command_of,
    flag,
    option,
    word,
)
from sheetgen.cli.slips import refuse_unknown
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span, in_order, split_lines
from sheetgen.load.characters import CHARACTER, RulesetCache
from sheetgen.load.files import is_empty_folder
from sheetgen.load.rulesets import content as shipped
from sheetgen.load.rulesets.kinds import ENTRIES, split_entries
from sheetgen.load.rulesets.rulesets import (
    Folders,
    find_packed,
    find_ruleset,
    layers_of,
    load_ruleset,
    modules_in,
)
from sheetgen.load.yaml.format import format_flow, quote_line
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Kind, Maker, Origin, Ruleset
from sheetgen.model.rulesets.traits import Catalogue
from sheetgen.model.source import Pairs
from sheetgen.records import frozen
from sheetgen.rules.index import Names, exact_form, file_stem, folded, index_of, split_times
from sheetgen.write import portable_name, write_new

T = TypeVar("T")
_SHEET_LINE: Final = re.compile("^# sheet: .*$", re.MULTILINE)  # of the head of a skeleton
_FIRST_CHARACTER: Final = "characters/ada-quill.yaml"
_MOST_FOLDERS: Final = 5  # A file's own folder and those above it in which its schema is looked for


def write_ruleset(
    name: Annotated[str, argument("The title of the ruleset.")],
    extends: str = word("--extends BASE", "Write an overlay of this ruleset."),
    like: str | None = option(
        "--like SHAPE",
        "Begin with a small game of this shape.",
        choices=shipped.SHAPES,
        default=None,
    ),
    design: bool = flag("--design", "Add a design of the sheet to start from."),
    out: Annotated[Path | None, option("--out", "The folder to write.")] = None,
) -> None:
    """Write a small ruleset that checks clean and prints.

    It is there for you to change. The folder is named after NAME. With `--like` it is a small
    game of another shape: `d20` (a twenty-sided die, classes, levels), `percentile` (skills in
    per cent), `pool` (dots, dice that count successes), `steps` (ratings are dice, d4 to d12),
    `bands` (playbooks, 2d6: 10+, 7–9, 6−) or `codes` (ratings such as 3D+2, point buy). With
    `--extends` it is an overlay: one module that changes one thing of BASE (a name, or the path
    of a folder) and adds a table.

    Example: sheetgen new ruleset "My Game" --like d20

    Guide: docs/guides/rulesets.md
    """
    if not any(c.isalnum() for c in name):
        raise typer.BadParameter("a ruleset needs a name", param_hint="NAME")
    if design and extends:
        message = "an overlay prints on the sheet of its base"
        raise typer.BadParameter(message, param_hint="--design")
    if like and extends:
        message = "an overlay has the shape of its base; leave out --like or --extends"
        raise typer.BadParameter(message, param_hint="--like")
    if like and design:
        message = "the design to start from is for a ruleset without --like; leave out --like "
        message += "or --design, and see docs/guides/templates.md"
        raise typer.BadParameter(message, param_hint="--like")
    folder = out or Path(portable_name(id_of(name)))
    reporter = console.Reporter()
    if os.path.lexists(folder) and not is_empty_folder(folder):
        message, hint = "this file or folder exists already", "name another folder with --out"
        reporter.stop(Finding(codes.WOULD_OVERWRITE, Span(str(folder)), message, hint))
    files = scaffold_files(name, like, design=design)
    if extends:
        base = folders_of(extends, "--extends")
        rules = reporter.value_of(load_ruleset(base, complete=True))
        reporter.exit()
        called = called_from(folder, extends, base[-1])
        files = files_over(name, rules, called, starter_of(base[-1]))
    for path, text in sorted(files.items()):
        content = text.encode("utf-8", "replace")  # bytes of the command line may be anything
        if not reporter.written(folder / path, write_new(folder / path, content)):
            reporter.stop()
    shown = folder if out else Path(folder.name)
    console.write_lines(f"next: sheetgen check {shown}", err=True)
    if _FIRST_CHARACTER in files:
        console.write_lines(f"      sheetgen sheet {shown / _FIRST_CHARACTER}", err=True)


def folders_of(name: str, hint: str = "RULESET") -> Folders:
    """Return the folders of the ruleset `name`, or of that path; all else is wrong usage."""
    path = name
    if name not in shipped.ruleset_ids() and os.path.isfile(Path(name) / "ruleset.yaml"):
        path = os.path.join(os.curdir, name)
    found = find_ruleset(path, Span(hint), Path())
    if found.value is None:
        [wrong, *_] = found.findings
        message = f"{wrong.message}; {wrong.hint}" if wrong.hint else wrong.message
        raise typer.BadParameter(message, param_hint=hint)
    return found.value


def called_from(place: Path, name: str, folder: Path) -> str:
    """Return what a file in `place` calls the ruleset in `folder`: its name, or a path."""
    if folder.name in shipped.ruleset_ids() and folder.name in name.split("+"):
        return folder.name
    packed = (id_ for id_, one in find_packed(place) if os.path.samefile(one, folder))
    if (id_ := next(packed, "")) and id_ in name.split("+"):
        return id_
    path = os.path.relpath(folder, place).replace(os.sep, "/")
    return path if path.startswith("..") else f"./{path}"


def starter_of(folder: Path, kind: str = CHARACTER) -> str:
    """Return the starter of the ruleset in `folder`, or that of what it extends."""
    texts = (shipped.starter_text(below.absolute(), kind) for below in reversed(layers_of(folder)))
    return next(filter(None, texts), "")


def write_new_file(content: str, target: Path) -> None:
    """Write a new file, never over another; end the command if that fails."""
    reporter = console.Reporter()
    reporter.written(target, write_new(target, content.encode()))
    reporter.exit()


_LONGEST_STEM = 60  # Letters of a name that go into a file's name; systems take 255 bytes of it
MOST_MADE = 10_000  # in one file: 1 MB of text, which takes under a minute to make or check
_HOW_MANY: Final = f"How many to write into one file; at most {MOST_MADE}."
_SEED: Final = "The seed for what you leave open; the same seed gives the same file."
_OUT: Any = option("--out", "The file to write, or a folder for it.")


def _list_kinds() -> dict[str, bool]:
    """Return the kinds of files that our rulesets make or only start, and whether one makes it."""
    cache, top, found = RulesetCache(), shipped.rulesets_folder(), dict[str, bool]()
    for ruleset in shipped.ruleset_ids():
        rules = cache.load(top / ruleset).value
        for id_, kind in rules.kinds.items() if rules is not None else ():
            if kind.maker or shipped.starter_text(ruleset, str(id_)):
                found[str(id_)] = found.get(str(id_), False) or bool(kind.maker)
    return found


class _Makers(TyperGroup):
    """A group that has a command for each kind of file that one of our rulesets makes or starts."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*dict.fromkeys((*self.commands, *_list_kinds()))]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in self.commands:
            return self.commands[name]
        made = _list_kinds().get(name)
        starter = command_of(_starter(name), name) if made is False else None
        return _maker(name) if made else starter

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in shipped.ruleset_ids():  # the likely slip
            ctx.fail(f"`{args[0]}` is a ruleset; write: sheetgen new character {args[0]} NAME")
        refuse_unknown(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


command = typer.Typer(cls=_Makers, no_args_is_help=True, **PLAIN)
command.command("ruleset")(write_ruleset)


@command.callback()
def new() -> None:
    """Write a new file to start from."""


def _starter(
    kind: str, about: str = "Its name.", example: str = "The Gull", guide: str = "encounters"
) -> Callable[..., None]:
    def start(
        ruleset: RulesetName,
        name: Annotated[str, argument(about)],
        out: Annotated[Path | None, _OUT] = None,
    ) -> None:
        folders = folders_of(ruleset)
        if not any(c.isprintable() and not c.isspace() for c in name):
            raise typer.BadParameter(f"a {kind} needs a name", param_hint="NAME")
        target, text = _target(out, name, kind), starter_of(folders[-1], kind)
        if not text:
            message = f"{ruleset} has no starters/{kind}.yaml to write from"
            raise typer.BadParameter(message, param_hint="RULESET")
        called = (called_from(target.parent, ruleset, folder) for folder in folders)
        text = with_rulesets(text, *called).replace("{name}", quote_line(name))
        rules = RulesetCache().load(folders).value
        comment = schema_comment(target, rules, kind) if rules is not None else ""
        write_new_file(comment + text, target)

    start.__doc__ = f"""Write a commented {kind} file for RULESET that checks clean.

    Example: sheetgen new {kind} RULESET "{example}"

    Guide: docs/guides/{guide}.md
    """
    # What is evaluated by its name has to be known outside of this function.
    start.__annotations__["name"] = Annotated[str, argument(about)]
    return start


command.command(CHARACTER)(
    _starter(CHARACTER, "The name of the character.", "Kessa Vorn", "characters")
)


def _maker(kind: str) -> click.Command:
    def make(
        ruleset: RulesetName,
        level: str = word("--level", "The level. Default: the first level of the ruleset."),
        skills: list[str] = option(
            "--skill", "A trained skill; may be given several times.", default=NONE
        ),
        gear: list[str] = option(
            "--gear", "A carried item; may be given several times.", default=NONE
        ),
        name: str = word("--name", "The name; of several, each gets a number."),
        count: Annotated[int, option("--count", _HOW_MANY, shown=True, min=1, max=MOST_MADE)] = 1,
        seed: Annotated[int, option("--seed", _SEED, shown=True, min=0, max=2**63)] = 1,
        out: Annotated[Path | None, _OUT] = None,
    ) -> None:
        rulesets = RulesetCache()
        whole = console.Reporter().value_of(rulesets.load(folders_of(ruleset)))
        described = whole.kinds.get(kind)
        maker = described.maker if described is not None else None
        if described is None or maker is None:
            raise typer.BadParameter(f"{whole.title} has no {kind} to write", param_hint="RULESET")
        rules = rulesets.kind(whole, kind)
        index = index_of(rules)
        levels = index.by_catalogue[rules.character[maker.level].of[0]]
        chosen = next(iter(levels_of(maker, rules).entries))
        if level:
            chosen = _find_name(level, levels, "--level", "level")
        known = index.among(map(str, rules.character[maker.skills].of))
        ids = tuple(_find_name(skill, known, "--skill", "skill") for skill in skills)
        request = NpcRequest(str(chosen), ids, tuple(gear), name)
        target = _target(out, name or (described.label if count > 1 else described.one), kind)
        npcs = generate_npcs(request, count, seed, kind, described, rules, str(target))
        reporter = console.Reporter()  # errors of the ruleset are told, and stop nothing
        reporter.lines[str(target)] = split_lines(npcs.value or "")
        text = reporter.value_of(npcs)
        reporter.exit()
        write_new_file(schema_comment(target, rules, kind) + text, target)

    make.__doc__ = f"""Write a commented file for RULESET that checks clean.

    What you leave open is drawn at random: as many skills as the level has, gear for
    these skills, and names.

    Example: sheetgen new {kind} RULESET --count 4

    Guide: docs/guides/encounters.md
    """
    return command_of(make, kind)


def _find_name(name: str, names: Names, option: str, what: str) -> str:
    found = names.find(name)
    if len(found) != 1:
        hint = names.hint(name)
        raise typer.BadParameter(f"there is no {what} `{name}`; {hint}", param_hint=option)
    return found[0]


def _target(out: Path | None, name: str, otherwise: str) -> Path:
    """Return where a new file goes: a file called after `name`, unless `out` says it."""
    stem = file_stem(name)[:_LONGEST_STEM].rstrip("-") or otherwise
    file = Path(f"{portable_name(stem)}.yaml")
    # `Path.is_dir` fails on names that are too long.
    return out / file if out is not None and os.path.isdir(out) else out or file


@frozen
class NpcRequest:
    """What to generate; what is empty is drawn at random."""

    level: str  # The id of a choice.
    skills: tuple[str, ...] = ()  # Ids of traits.
    gear: tuple[str, ...] = ()
    name: str = ""


def generate_npcs(
    request: NpcRequest, count: int, seed: int, kind_id: str, kind: Kind, rules: Ruleset, file: str
) -> Checked[str]:
    """Return a file with `count` of a kind, the same for a seed, and the findings of its check."""
    maker = kind.maker
    assert maker is not None
    draw = Random(seed)  # noqa: S311 - it hides nothing: who has the seed wants the same again
    names: list[str] = [request.name] if request.name and count == 1 else []
    if request.name and count > 1:
        names = [f"{request.name} {n}" for n in range(1, count + 1)]
    left: list[str] = []
    for n in range(count if not names else 0):
        left = left or list(maker.names) or [""]
        left.remove(name := _any(left, draw))
        times = n // max(1, len(maker.names)) + 1
        names.append(f"{name} {times}".strip() if times > 1 or not name else name)
    key, need = rules.character[maker.skills], 0  # how many skills the level picks
    if key.count is not None:
        level = format_flow(levels_of(maker, rules).entries[request.level].name)
        source = parse_yaml(f"{maker.level}: {level}\n", "new", "").value
        assert source is not None
        need = check_draft(source, rules).eval_int(key.count)
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    requests = []
    for name in names:
        for _ in range(9):  # avoid repetitions; there may be no other combination
            skills = list(request.skills)
            if len(skills) < need and maker.first and not set(skills) & set(maker.first):
                skills.append(str(_any(maker.first, draw)))
            while len(skills) < need:
                free = [str(skill) for skill in maker.among if skill not in skills]
                if not free:
                    break
                skills.append(_any(free, draw))
            gear = list(request.gear)
            if not gear:
                suits = [maker.suits[skill] for skill in skills if maker.suits.get(skill)]
                gear = [_any(some, draw) for some in suits]
                gear += [_any(maker.also, draw)] if maker.also else []
            kept = {exact_form(split_times(item)[0]): item for item in reversed(gear) if item}
            items = tuple(reversed(kept.values()))
            one = replace(request, name=name, skills=tuple(skills), gear=items)
            if (one.skills, one.gear) not in seen:
                break
        seen.add((one.skills, one.gear))
        requests.append(one)
    text = "".join(_file(requests, kind_id, kind, maker, rules, seed))
    read = parse_yaml(text, file, "")
    found: list[Finding] = list(read.findings)
    for source in split_entries(read.value, found) if read.value else ():
        found += check_character(source, rules).findings
    return Checked(text, in_order(found))


def levels_of(maker: Maker, rules: Ruleset) -> Catalogue:
    """Return what there is to choose a level from."""
    return rules.choices[rules.character[maker.level].of[0]]


def _any(things: Sequence[T], draw: Random) -> T:
    """Return one of `things`. Only `random()` is promised to stay as it is between Pythons."""
    return things[int(draw.random() * len(things))]


def _file(
    requests: Sequence[NpcRequest], id_: str, kind: Kind, maker: Maker, rules: Ruleset, seed: int
) -> Iterator[str]:
    level = levels_of(maker, rules).entries[requests[0].level]
    yield f"# {kind.label if len(requests) > 1 else kind.one} for {rules.title}; "
    yield "`sheetgen check` says what is wrong, `sheetgen cards` prints.\n"
    yield f"ruleset: {rules.id}\nkind: {id_}\n"
    level_line = _line(f"{maker.level}: {format_flow(level.name)}", level.text)
    skills = rules.character[maker.skills]
    if len(requests) == 1:
        keys = _keys(requests[0], maker, rules)
        yield _line(f"name: {keys.pop('name')}", "")
        yield level_line
        for key, value in keys.items():
            yield _line(f"{key}: {value}", skills.why if key == maker.skills else "")
        yield "\n# What it may have too:\n"
    else:
        yield f"# seed {seed}: the same again with `--seed {seed}`. "
        yield "What stands here counts for each.\n"
        yield level_line
        yield _line(f"{ENTRIES}:", skills.why)
        for request in requests:
            for n, (key, value) in enumerate(_keys(request, maker, rules).items()):
                yield f"  {'- ' if n == 0 else '  '}{key}: {value}\n"
        yield "# What each may have too:\n"
    written = {"name", maker.level, maker.skills, maker.gear, kind.based_on, *kind.own}
    for key, own in kind.character.items():
        if key in written:
            continue
        example = own.example or ("[…, …]" if own.kind in ("texts", "items") else "…")
        if own.kind == "number" and not own.example:
            least = str(own.least or "")
            example = str(max(1, int(least) if least.isdecimal() else 0))
        yield _line(f"# {str(key).replace('_', ' ')}: {example}", own.why or own.label)


def _keys(request: NpcRequest, maker: Maker, rules: Ruleset) -> dict[str, str]:
    titles = index_of(rules).titles
    skills = ", ".join(format_flow(titles[skill]) for skill in request.skills)
    keys = {"name": format_flow(request.name), str(maker.skills): f"[{skills}]"}
    if request.gear:
        keys[str(maker.gear)] = f"[{', '.join(map(format_flow, request.gear))}]"
    return keys


def _line(text: str, comment: str) -> str:
    return f"{text:<43}# {comment}\n" if comment else f"{text}\n"


def id_of(name: str) -> str:
    """Return the id of a ruleset called `name`: `Some New Game` is `some-new-game`."""
    words = "-".join(part for part in folded(name).split() if part.isascii())
    return words[:_LONGEST_STEM].strip("-") or "my-ruleset"


def scaffold_files(name: str, like: str | None = None, *, design: bool = False) -> dict[str, str]:
    """Return the files of a small ruleset of the shape `like`, perhaps a `design`, by path."""
    files = dict(_filled(like or "ruleset", {"id": id_of(name), "title": name}))
    if design:
        files |= shipped.skeleton_texts("design")
        files["ruleset.yaml"] = _SHEET_LINE.sub("sheet: ./sheet", files["ruleset.yaml"])
    return files


def files_over(name: str, base: Ruleset, called: str, starter: str) -> dict[str, str]:
    """Return the files of an overlay on `base`, which is `called` so: a module and a `starter`."""
    path, value = _to_change(base)
    ids = chain(["first_change"], (f"change_{n}" for n in count(2)))
    module = next(id_ for id_ in ids if id_ not in base.composition.modules)
    values = {"title": name, "id": id_of(name), "base": format_flow(called), "module": module}
    files = dict(_filled("overlay", values | {"path": path, "value": value, "needs": path}))
    if starter:
        files[shipped.STARTER] = starter
        files[_FIRST_CHARACTER] = with_rulesets(starter.replace("{name}", FIRST), "..")
    return files


def with_rulesets(text: str, *called: str) -> str:
    """Return the text of a character's file with the ruleset, or those, that are `called` so."""
    names = ", ".join(map(format_flow, called))
    value = names if len(called) == 1 else f"[{names}]"
    return re.sub(r"^ruleset:.*\n?", lambda _: f"ruleset: {value}\n", text, count=1, flags=re.M)


def _filled(skeleton: str, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    title = values["title"]
    every = {
        **values,
        "id": format_flow(values["id"]),
        "quoted": quote_line(title),
        "credit": quote_line(f"{title}, unpublished."),
        "title": " ".join(title.split()),
    }
    marks = {key: f"@{key}@" for key in every}
    if skeleton in shipped.SHAPES:
        # A whole ruleset, which tests load as it is: its own names are the marks.
        marks = {"title": f"{skeleton} game", "id": f"{skeleton}-game"}
    for path, text in shipped.skeleton_texts(skeleton):
        quoted = {"title": quote_line(every["title"])[1:-1]} if path.endswith(".yaml") else {}
        for key, value in {**every, **quoted}.items():
            text = text.replace(marks.get(key, f"@{key}@"), value)
        yield path, text


def _to_change(base: Ruleset) -> tuple[str, str]:
    """Return what of `base` no other module writes and a first one may, and its new value."""
    paths: list[str] = []
    for origin in base.composition.origins:
        for patch in modules_in(Path(origin.folder), Origin("", "", origin.folder), []):
            paths += [key.raw for key, _ in patch.change]
            paths += _below("", patch.add) if patch.add is not None else []
    touched = f" {'  '.join(paths)} "

    def is_free(path: str) -> bool:
        return f" {path}." not in touched and f" {path} " not in touched

    for id_, derived in base.derived.items():
        if derived.value is not None and derived.label and is_free(f"derived.{id_}"):
            value = str(derived.value)
            value = value if value.isidentifier() else f"({value})"
            return f"derived.{id_}.value", quote_line(f"{value} + 1")
    for group_id, group in base.groups.items():
        for trait_id in group.traits:
            path = f"groups.{group_id}.traits.{trait_id}"
            if is_free(path):
                return f"{path}.text", "Said anew by this module"
    return "title", quote_line(base.title)


def _below(path: str, tree: Pairs) -> Iterator[str]:
    for key, node in tree.entries:
        here = f"{path}.{key.raw}" if path else key.raw
        yield here
        if isinstance(node, Pairs) and here.count(".") < 3:
            yield from _below(here, node)


def schema_file(rules: Ruleset, kind: str) -> str:
    """Return the path of the schema of a kind of file, below the folder of `--install`."""
    return f"schemas/{portable_name(f'{rules.id}-{kind}')}.json"


def schema_comment(target: Path, rules: Ruleset, kind: str) -> str:
    """Return the line that names the schema of a new file to editors; "" if none is installed."""
    try:
        folder = Path(os.path.abspath(target)).parent
    except FileNotFoundError:  # the current folder was deleted; writing the file reports it
        return ""
    name = schema_file(rules, kind)
    for above in islice((folder, *folder.parents), _MOST_FOLDERS):
        if os.path.isfile(above / name):
            path = os.path.relpath(above / name, folder).replace(os.sep, "/")
            return f"# yaml-language-server: $schema={path}\n"
    return ""
