"""`sheetgen new`: files to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import click
import typer
from typer.core import TyperGroup

from sheetgen.cli import console
from sheetgen.cli.commands import PLAIN, command_of, refuse_unknown
from sheetgen.cli.parameters import NONE, RulesetName, argument, option
from sheetgen.cli.rules.new_ruleset import called_from, folders_of, starter_of, write_new_file
from sheetgen.cli.rules.new_ruleset import command as write_ruleset
from sheetgen.cli.rules.ruleset_scaffold import with_rulesets
from sheetgen.cli.tools.schema_files import schema_comment
from sheetgen.diag.spans import split_lines
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.authors.sorts import CHARACTER
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.yaml.format import quote_line
from sheetgen.model.rulesets.kinds import Kind
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import index_of
from sheetgen.rules.names import Names, file_stem
from sheetgen.write.names import portable_name

_LONGEST_STEM = 60
"""Letters of a name that go into a file's name; systems take 255 bytes of it."""

MOST_MADE = 10_000
"""In one file: about 1 MB of text, which takes under a minute to make or to check."""

_HOW_MANY: Final = f"How many to write into one file; at most {MOST_MADE}."
_SEED: Final = "The seed for what you leave open; the same seed gives the same file."
_OUT: Final = option("--out", "The file to write.")


class _Makers(TyperGroup):
    """A group that has a command for each kind of file that one of our rulesets makes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands; those of kinds are read from the rulesets."""
        cache, top = RulesetCache(), rulesets_folder()
        loaded = [cache.load(top / id_).value for id_ in ruleset_ids()]
        kinds = [(str(i), kind) for rules in loaded if rules for i, kind in rules.kinds.items()]
        return [*self.commands, *dict.fromkeys(id_ for id_, kind in kinds if kind.maker)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command `name`."""
        if name in self.commands:
            return self.commands[name]
        return _maker(name) if name in self.list_commands(ctx) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a ruleset in its place is the likely slip."""
        if args and args[0] in ruleset_ids():
            ctx.fail(f"`{args[0]}` is a ruleset; write: sheetgen new character {args[0]} NAME")
        refuse_unknown(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Makers, no_args_is_help=True, **PLAIN)
app.command("ruleset")(write_ruleset)


@app.callback()
def command() -> None:
    """Write a new file to start from."""


@app.command("character")
def character(
    ruleset: RulesetName,
    name: Annotated[str, argument("The name of the character.")],
    out: Annotated[Path | None, _OUT] = None,
) -> None:
    """Write a commented character file for RULESET that checks clean."""
    folders = folders_of(ruleset)
    if not any(c.isprintable() and not c.isspace() for c in name):
        raise typer.BadParameter("a character needs a name", param_hint="NAME")
    target = _target(out, name, "character")
    text = starter_of(folders[-1])
    if not text:
        message = f"{ruleset} has no starters/character.yaml to write from"
        raise typer.BadParameter(message, param_hint="RULESET")
    text = with_rulesets(text, *(called_from(target.parent, ruleset, folder) for folder in folders))
    rules = RulesetCache().load(folders).value
    comment = schema_comment(target, rules, CHARACTER) if rules is not None else ""
    write_new_file(comment + text.replace("{name}", quote_line(name)), target)


def _maker(kind: str) -> click.Command:
    """Return the command that writes files of a kind."""

    def make(
        ruleset: RulesetName,
        level: Annotated[
            str, option("--level", "The level. Default: the first level of the ruleset.")
        ] = "",
        skills: Annotated[
            list[str], option("--skill", "A trained skill; may be given several times.")
        ] = NONE,
        gear: Annotated[
            list[str], option("--gear", "A carried item; may be given several times.")
        ] = NONE,
        name: Annotated[str, option("--name", "The name; of several, each gets a number.")] = "",
        count: Annotated[int, option("--count", _HOW_MANY, shown=True, min=1, max=MOST_MADE)] = 1,
        seed: Annotated[int, option("--seed", _SEED, shown=True, min=0, max=2**63)] = 1,
        out: Annotated[Path | None, _OUT] = None,
    ) -> None:
        """Write a commented file for RULESET that checks clean.

        What you leave open is drawn at random: as many skills as the level has, gear for
        these skills, and names.
        """
        from sheetgen.cli.play.npc_generator import NpcRequest, generate_npcs, levels_of

        described, rules = _kind(ruleset, kind)
        maker = described.maker
        assert maker is not None
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
        assert npcs.value is not None
        if npcs.findings:
            reporter = console.Reporter()
            reporter.lines[str(target)] = split_lines(npcs.value)
            reporter.report(npcs.findings)
            reporter.exit()
        write_new_file(schema_comment(target, rules, kind) + npcs.value, target)

    return command_of(make, kind)


def _kind(ruleset: str, name: str) -> tuple[Kind, Ruleset]:
    """Return a kind of file that is made, and its rules; all else is wrong usage."""
    rulesets, hint, reporter = RulesetCache(), "RULESET", console.Reporter()
    loaded = rulesets.load(folders_of(ruleset))
    reporter.report(loaded.findings)
    rules = loaded.value
    if rules is None:
        reporter.exit()
        raise typer.BadParameter(f"{ruleset} cannot be read", param_hint=hint)
    kind = rules.kinds.get(name)
    if kind is None or kind.maker is None:
        raise typer.BadParameter(f"{rules.title} has no {name} to write", param_hint=hint)
    return kind, rulesets.kind(rules, name)


def _find_name(word: str, names: Names, option: str, what: str) -> str:
    found = names.find(word)
    if len(found) != 1:
        hint = names.hint(word)
        raise typer.BadParameter(f"there is no {what} `{word}`; {hint}", param_hint=option)
    return found[0]


def _target(out: Path | None, name: str, otherwise: str) -> Path:
    """Return where a new file goes: a file called after `name`, unless `out` says it."""
    stem = file_stem(name)[:_LONGEST_STEM].rstrip("-") or otherwise
    return out or Path(f"{portable_name(stem)}.yaml")
