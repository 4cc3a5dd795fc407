"""The codes of all findings: their names, and what `sheetgen explain` says of them.

A code is never used again for something else. SG0xx reading, SG1xx rulesets, SG2xx
builds, SG3xx sheets, SG4xx engines and files, SG5xx questions; of finished
files, SG6xx, see print_codes.py, of books, SG7xx, book_codes.py, of filled sheets, SG8xx,
read_codes.py.
"""

from __future__ import annotations

from sheetgen.diag.book_codes import BOOK_CODES
from sheetgen.diag.code import Code as Code
from sheetgen.diag.print_codes import PRINT_CODES
from sheetgen.diag.read_codes import READ_CODES

UNREADABLE = Code(
    "SG001",
    "a file that cannot be read",
    "The file is missing, is a folder where a file was wanted, or may not be opened. "
    "Check the path and the permissions. A folder is fine where PATH… is asked for: "
    "every .yaml and .yml file in it is taken.",
)
NOT_UTF8 = Code(
    "SG002",
    "bytes that are not UTF-8",
    "Author files are UTF-8 text. Save the file as UTF-8 in your editor; the place "
    "shown is the first byte that does not fit.",
)
NOT_YAML = Code(
    "SG003",
    "a mistake in the YAML",
    "The file is not YAML from this place on. The usual causes are a tab used for "
    "indentation, a missing blank after a colon, a quote or bracket that is never "
    "closed, and a text with `: ` or ` #` in it that needs quotes.",
)
TOO_MUCH = Code(
    "SG004",
    "more than a file may hold",
    "Files come from strangers too, so there are limits: 4 MB, 40 levels of nesting, "
    "200,000 values (copies made by `*aliases` count each time). A PDF has at most 300 MB, and "
    "reading it takes at most 768 MB of memory and 8 s of processor time, and 10 s more for each "
    "megabyte after the first.",
)
REPEATED_KEY = Code(
    "SG005",
    "a key that is written twice",
    "Of two equal keys one would be lost without a word. Put both values under one "
    "key, or remove one.",
)
NOT_OUR_YAML = Code(
    "SG006",
    "a YAML feature that is not read here",
    "Tags (`!!name`), merges (`<<`), several documents in one file and keys that are "
    "lists or mappings are not read. Write the values out.",
)
EMPTY = Code(
    "SG007",
    "a file with nothing in it",
    "The file is empty, or has only comments. `sheetgen new character RULESET "
    "NAME` writes one to start from.",
)
WRONG_TYPE = Code(
    "SG010",
    "a value of the wrong kind",
    "A number, a text, a list or a mapping is expected there, and the file has something "
    "else. A number of dice is written as `3` or `3D`, all others without the D; yes "
    "and no are `true` and `false`.",
)
UNKNOWN_KEY = Code(
    "SG011",
    "a key that means nothing here",
    "Nothing is ignored in silence: a key that is not known is an error, since it is "
    "most often a misspelling.",
)
MISSING_KEY = Code(
    "SG012",
    "a key that is needed",
    "The rules need this value and do not guess it.",
)
CONTROLS = Code(
    "SG013",
    "control characters in a text",
    "Terminals and browsers obey such characters instead of showing them: escapes, the bell, "
    "marks that turn the direction of writing. They are left out of everything that is printed. "
    "Remove them from the file.",
)
UNKNOWN_RULESET = Code(
    "SG101",
    "a ruleset that is not known",
    "`ruleset:` names a folder under content/rulesets/ (`sheetgen list rulesets`) or "
    "is the path of a ruleset's folder.",
)
BAD_FORMULA = Code(
    "SG102",
    "a formula that cannot be read",
    "Formulas know whole numbers, + - * / // %, comparisons, and, or, not, "
    "`a if test else b` and a fixed list of functions; nothing else, so that a "
    "ruleset from a stranger can do nothing but arithmetic.",
)
UNKNOWN_IN_FORMULA = Code(
    "SG103",
    "a name in a formula that nothing carries",
    "A formula may name traits, derived values, options, pools and named formulas of "
    "its own ruleset.",
)
CYCLE = Code(
    "SG104",
    "values that need each other",
    "Each of these derived values is computed from the next, and the last from the "
    "first; there is nothing to begin with.",
)
DANGLING = Code(
    "SG105",
    "a reference to nothing",
    "The ruleset names a trait, choice, item, catalogue, group, pool or option that "
    "it does not have.",
)
TWO_OWNERS = Code(
    "SG106",
    "one id for two things",
    "Traits, derived values, options and pools share one space of names, since "
    "formulas use them all.",
)
BAD_OPTION = Code(
    "SG107",
    "an option or a value of one that is not known",
    "`sheetgen list options RULESET` shows the options of a ruleset, what each may be "
    "and the ruling that its default rests on.",
)
UNANSWERED = Code(
    "SG108",
    "a rule that could not be worked out",
    "A formula divides by nothing, grows beyond bounds, or needs what is not there. "
    "Such a rule counts as not satisfied: to let it pass would allow what the rules "
    "may forbid.",
)
NO_PLACE = Code(
    "SG109",
    "a module that finds its place not there",
    "A module of a ruleset needs, changes, removes or replaces something that the ruleset "
    "below it does not have. Its places are keys joined by dots, as in "
    "`groups.skills.traits.NAME`.",
)
TWO_MODULES = Code(
    "SG110",
    "two modules that cannot be on together",
    "They replace the same part, or write the same place. The last never wins: switch one "
    "of them off, with `options: {modules.NAME: no}` in the file or `--set modules.NAME=no`.",
)
UNDEFINED = Code(
    "SG111",
    "a word that the rules use and do not define",
    "The source of these rules leaves it open. Prints say so beside it; define it in "
    "your own ruleset, or agree at the table.",
)
UNKNOWN_NAME = Code(
    "SG201",
    "a name that the ruleset does not have",
    "Names are matched whatever their case, hyphens, apostrophes and accents. "
    "`sheetgen list RULESET` shows all names.",
)
AMBIGUOUS = Code(
    "SG202",
    "a name that two things have",
    "Say which one is meant, by its longer name.",
)
OVERSPENT = Code(
    "SG203",
    "more spent than there is",
    "The ledger (`sheetgen show FILE`) lists what was spent, line by line. Take out "
    "something, or record what was gained.",
)
ABOVE_LIMIT = Code(
    "SG204",
    "a rating above its limit",
    "The class, or another choice, closes these steps; on the sheet their boxes are grey.",
)
REQUIREMENT = Code(
    "SG205",
    "a choice whose requirement is not met",
    "The choice asks for something that this build does not have.",
)
TOO_OFTEN = Code(
    "SG206",
    "a choice taken too often",
    "It may be taken only once; one that comes with a class counts as taken.",
)
BROKEN_RULE = Code(
    "SG207",
    "a rule of the ruleset that is broken",
    "The line `rule:` names it; the ruleset's data has it under `rules`, with "
    "the ruling that it rests on.",
)
WRONG_COUNT = Code(
    "SG208",
    "too many or too few picks",
    "The rules say how many are to be picked, and how much one hand holds. A number "
    "behind a name counts: `Name x2` and `{Name: 2}` are two. It is 1 or more.",
)
REPEATED = Code(
    "SG209",
    "a pick made twice",
    "These picks have to be different ones.",
)
ASKS = Code(
    "SG210",
    "a choice without its detail, or with one that it does not take",
    "Some choices name something: write `{Choice: what it names}`; others are a name alone.",
)
CONTRADICTION = Code(
    "SG211",
    "two picks that exclude each other",
    "One choice brings along another one than the file names.",
)
BAD_SPREAD = Code(
    "SG212",
    "points that are not spread by the rule",
    "The rule says how many points there are, among what they go, and the least and "
    "the most for each.",
)
STARS = Code(
    "SG213",
    "stars that nothing grants",
    "Each star replaces a dot and needs one take of the ability that grants it.",
)
NOT_FOR_SALE = Code(
    "SG214",
    "an item that cannot be bought",
    "It has no price. If the game master gave it, write `{Name: granted}`.",
)
BAD_DICE = Code(
    "SG215",
    "dice that cannot be had",
    "A die is one of the ruleset's ladder, and a history of purchases has to lead to "
    "the dice that the file names.",
)
BELOW_GRANT = Code(
    "SG216",
    "a rating below what is granted",
    "A choice grants more than the file states. State the whole rating, or leave the "
    "trait out: what is granted need not be repeated.",
)
REFUND = Code(
    "SG217",
    "steps that cannot be sold or lost",
    "Only with the ability to do so can steps be sold, from the top down. Steps that "
    "were lost in play go from the top down too. The rating says what is left; no more "
    "can be gone than was there.",
)
TWO_STARTS = Code(
    "SG218",
    "two choices that set the same start",
    "Each says what the pool starts with, and they differ.",
)
OPEN_NAME = Code(
    "SG219",
    "a name that the ruleset does not list",
    "The rules leave this list open, so the name is kept; no limits are known for it.",
)
NO_ADVANCE = Code(
    "SG220",
    "a step that cannot be bought",
    "`sheetgen advance FILE` lists what can be bought now, and for how much.",
)
SWITCHED_OFF = Code(
    "SG221",
    "an optional rule that is switched off",
    "The table does not use this rule; an option turns it on.",
)
CAVEAT = Code(
    "SG222",
    "something to know about a choice",
    "The text says so, but nothing can check it. It is never an error.",
)
DISAGREE = Code(
    "SG223",
    "two figures that should be the same",
    "The file says one thing twice, and differently. Mend one of the two, or leave the total out.",
)
NO_SESSION = Code(
    "SG224",
    "a session that is not listed",
    "Where the sessions are listed with what each gained, steps are bought in one of "
    "them; else nobody knows whether there were points enough by then. One in which "
    "nothing was gained may be listed too.",
)
OVERFLOW = Code(
    "SG301",
    "text that does not fit its place",
    "It was shrunk to the smallest size that can be read, and still did not fit. The "
    "field holds all of it, and the whole text is printed on a continuation page.",
)
MORE_ROWS = Code(
    "SG302",
    "more rows than the sheet has",
    "The rest is printed on a continuation page, in the same order.",
)
NO_GLYPH = Code(
    "SG303",
    "letters that the sheet's fonts do not have",
    "The field holds them, but they are drawn as empty boxes. A theme may bring a "
    "font that has them.",
)
UNKNOWN_DESIGN = Code(
    "SG304",
    "a sheet, theme or paper that is not there",
    "`sheetgen list themes` shows what there is.",
)
BAD_TEMPLATE = Code(
    "SG305",
    "a template that cannot be rendered",
    "A template names a value or macro that does not exist, or its syntax is wrong.",
)
PANEL_FULL = Code(
    "SG307",
    "a panel with more on it than its page holds",
    "A panel is read from across the table, so its rows are never smaller than 13 points "
    "and its notes never smaller than 11. Move a block to another panel, or leave out rows.",
)
BAD_DESIGN = Code(
    "SG310",
    "a design, theme or preset that cannot be used",
    "A file under templates/ (`sheet.yaml`, `card.yaml`, `tokens.yaml`, a theme or `presets.yaml`) "
    "names something that is not there, or holds a value that nothing can be printed with. "
    "templates/README.md says what each key may hold.",
)
CANNOT_WRITE = Code(
    "SG401",
    "a file that cannot be written",
    "The folder may not exist, be full or not allow it. Nothing is left half written.",
)
WOULD_OVERWRITE = Code(
    "SG402",
    "an output that would replace an input",
    "Files that were read in this run are never written over.",
)
SAME_OUTPUT = Code(
    "SG403",
    "two inputs with one output name",
    "Both would be written to the same file. Rename one, or use another folder.",
)
NO_ENGINE = Code(
    "SG404",
    "a layout engine that cannot be loaded",
    "Sheets and cards of what comes along are laid out already. Tables, screens, fights, odds, "
    "and sheets and cards of other rules or other options are laid out by WeasyPrint, which "
    "needs the system's library Pango (`libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` on "
    "Debian, `brew install pango` on a Mac). `sheetgen doctor` says what is there.",
)
OTHER_KIND = Code(
    "SG405",
    "a file of another sort in a folder",
    "A folder may hold characters, fights, books and rulesets side by side. Each command takes "
    "those that it prints and passes over the rest; `sheetgen check` checks all of them.",
)
BAD_ODDS = Code(
    "SG501",
    "a question about odds that cannot be read",
    "It is dice, then `vs`, then a target number or other dice, such as `5D vs 14 cover 5`.",
)

CODES: dict[str, Code] = {
    value.id: value
    for value in [
        *(v for v in globals().values() if isinstance(v, Code)),
        *PRINT_CODES,
        *BOOK_CODES,
        *READ_CODES,
    ]
}
"""All codes by id."""
