"""The catalogue of findings: the title of each code, and the text of `sheetgen explain`.

SG0xx are about reading files, SG1xx rulesets, SG2xx characters, SG3xx layout, SG4xx engines and
outputs, SG5xx odds. SG6xx (finished PDFs), SG7xx (books), SG8xx (filled sheets) and SG9xx
(pictures) have modules of their own. A code that left the catalogue, such as SG306, is never used
again.
"""

from __future__ import annotations

from sheetgen.diag.book_codes import BOOK_CODES
from sheetgen.diag.code import Code as Code
from sheetgen.diag.picture_codes import PICTURE_CODES
from sheetgen.diag.print_codes import PRINT_CODES
from sheetgen.diag.read_codes import READ_CODES

UNREADABLE = Code(
    "SG001",
    "a file that cannot be read",
    "The file does not exist, is a folder, or its permissions forbid reading it. Check the path "
    "and the permissions. Where a command takes PATH…, a folder is fine: the command reads every "
    ".yaml and .yml file in it.",
)
NOT_UTF8 = Code(
    "SG002",
    "bytes that are not UTF-8",
    "Author files are text in UTF-8. Save the file as UTF-8 in your editor. The finding shows the "
    "first byte that is not UTF-8.",
)
NOT_YAML = Code(
    "SG003",
    "a mistake in the YAML",
    "The YAML parser cannot read the file beyond this place. The usual causes are a tab used for "
    "indentation, a missing space after a colon, a quote or bracket that is never closed, and a "
    "text with `: ` or ` #` in it that needs quotes.",
)
TOO_MUCH = Code(
    "SG004",
    "more than a file may hold",
    "Files may come from strangers, so sheetgen limits what it reads: 4 MB, 40 levels of nesting "
    "and 200,000 values (each copy made by an `*alias` counts). For a PDF the limits are 300 MB of "
    "file, 768 MB of memory, and 8 s of processor time plus 10 s for each megabyte after the "
    "first. Split the file.",
)
REPEATED_KEY = Code(
    "SG005",
    "a key that is written twice",
    "YAML would keep only one of the two values and drop the other silently. Put both values under "
    "one key, or remove one.",
)
NOT_OUR_YAML = Code(
    "SG006",
    "a YAML feature that is not supported",
    "sheetgen does not read tags (`!!name`), merges (`<<`), several documents in one file, or keys "
    "that are lists or mappings. Write the values out.",
)
EMPTY = Code(
    "SG007",
    "an empty file",
    "The file has no content, or only comments. Run `sheetgen new character RULESET NAME` to write "
    "a character to start from.",
)
WRONG_TYPE = Code(
    "SG010",
    "a value of the wrong type",
    "This key takes a number, a text, a list or a mapping, and the file has something else. Write "
    "a number of dice as `3` or `3D`, any other number without the D, and yes or no as `true` or "
    "`false`.",
)
UNKNOWN_KEY = Code(
    "SG011",
    "an unknown key",
    "sheetgen ignores nothing silently. An unknown key is an error, because it is most often a "
    "misspelling. Correct its spelling, or remove it.",
)
MISSING_KEY = Code(
    "SG012",
    "a missing key",
    "The rules need this value and cannot guess it. Add the key.",
)
CONTROLS = Code(
    "SG013",
    "control characters in a text",
    "Terminals and browsers obey control characters instead of showing them: escape sequences, the "
    "bell, marks that change the writing direction. Prints leave them out. Remove them from the "
    "file.",
)
CUT_TEXT = Code(
    "SG014",
    "a text that ends before a `#`",
    "In YAML, a blank and `#` begin a comment: `name: Guard #1` is read as `Guard`. Put such a "
    "text in quotes. For a comment, write a blank after `#`.",
)
UNKNOWN_RULESET = Code(
    "SG101",
    "an unknown ruleset",
    "`ruleset:` takes the name of a shipped ruleset (run `sheetgen list rulesets`) or the path of "
    "a ruleset's folder.",
)
BAD_FORMULA = Code(
    "SG102",
    "a formula that cannot be read",
    "A formula may hold whole numbers, + - * / // %, comparisons, and, or, not, `a if test else "
    "b`, and a fixed list of functions. Nothing else is allowed, so that a stranger's ruleset can "
    "only do arithmetic.",
)
UNKNOWN_IN_FORMULA = Code(
    "SG103",
    "an unknown name in a formula",
    "A formula may name the traits, derived values, options, pools and named formulas of its own "
    "ruleset. Correct the name, or define it.",
)
CYCLE = Code(
    "SG104",
    "values that depend on each other",
    "Each of these values is computed from the next, and the last from the first, or what a choice "
    "grants depends on the grant itself. Change one of them so that it does not depend on the "
    "others.",
)
DANGLING = Code(
    "SG105",
    "a reference to something that does not exist",
    "The ruleset names a trait, choice, item, catalogue, group, pool or option that it does not "
    "define. Correct the name, or define it.",
)
TWO_OWNERS = Code(
    "SG106",
    "one id for two things",
    "Traits, derived values, options and pools share one set of ids, because formulas use them "
    "all. Rename one of the two.",
)
BAD_OPTION = Code(
    "SG107",
    "an unknown option, or an unknown value of one",
    "Run `sheetgen list RULESET options` to see the options of a ruleset, their values, and the "
    "rulings that their defaults follow.",
)
UNANSWERED = Code(
    "SG108",
    "a rule that cannot be evaluated",
    "A formula divides by zero, exceeds the limits of numbers, or needs a value that does not "
    "exist. A rule that cannot be evaluated counts as broken, so that it never allows what the "
    "rules may forbid. Correct the formula.",
)
NO_PLACE = Code(
    "SG109",
    "a module that does not fit its ruleset",
    "A module needs, changes, removes or replaces something that the ruleset below it does not "
    "have. The module names places as keys joined by dots, such as `groups.skills.traits.NAME`. "
    "Correct the place, or switch the module off.",
)
TWO_MODULES = Code(
    "SG110",
    "two modules that conflict",
    "Both modules replace the same part or write to the same place, and neither takes precedence. "
    "Switch one of them off, with `options: {modules.NAME: no}` in the file or `--set "
    "modules.NAME=no`.",
)
UNDEFINED = Code(
    "SG111",
    "a term that the rules use but do not define",
    "The source of these rules leaves the term open, and prints mark it. Define it in your own "
    "ruleset, or agree on it at your table.",
)
UNKNOWN_NAME = Code(
    "SG201",
    "a name that the ruleset does not have",
    "Case, blanks, hyphens, apostrophes and accents do not matter. Run `sheetgen list RULESET` to "
    "see all names.",
)
AMBIGUOUS = Code(
    "SG202",
    "an ambiguous name",
    "Two things have this name. Write the name of the one that you mean exactly, or its longer "
    "name.",
)
OVERSPENT = Code(
    "SG203",
    "more points spent than available",
    "Run `sheetgen show FILE` to see the ledger, which lists each expense. Remove an expense, or "
    "record the points that the character has gained.",
)
ABOVE_LIMIT = Code(
    "SG204",
    "a rating above its limit",
    "The character's class or another choice sets this limit. The sheet prints the boxes above it "
    "in grey. Lower the rating.",
)
REQUIREMENT = Code(
    "SG205",
    "a choice whose requirement is not met",
    "The choice requires something that this character does not have. The finding names it: add "
    "it, or remove the choice.",
)
TOO_OFTEN = Code(
    "SG206",
    "a choice taken too often",
    "The choice can be taken only once. One that a class grants counts as taken. Remove the "
    "repetition.",
)
BROKEN_RULE = Code(
    "SG207",
    "a broken rule of the ruleset",
    "The line `rule:` names the rule, and the ruling that it follows. The ruleset's YAML has it "
    "under `rules`.",
)
WRONG_COUNT = Code(
    "SG208",
    "too many or too few picks",
    "The rules set how many things to pick, and how many one hand can hold. A number with a name "
    "counts: `Name x2` and `{Name: 2}` are two picks. The number is 1 or more.",
)
REPEATED = Code(
    "SG209",
    "the same pick twice",
    "These picks have to differ from each other. Replace one of them.",
)
ASKS = Code(
    "SG210",
    "a choice that lacks its detail, or has one that it does not take",
    "Some choices take a detail: write `{Choice: detail}`. All others are a name alone.",
)
CONTRADICTION = Code(
    "SG211",
    "two picks that exclude each other",
    "One choice grants something other than what the file names. Change one of the two.",
)
BAD_SPREAD = Code(
    "SG212",
    "points that are not distributed as the rule demands",
    "The rule sets how many points there are, what they may raise, and the minimum and maximum for "
    "each. Correct the figures.",
)
STARS = Code(
    "SG213",
    "stars that nothing grants",
    "A star marks one step of a rating, and each needs one pick of the choice that grants stars. "
    "Add the choice, or remove the star.",
)
NOT_FOR_SALE = Code(
    "SG214",
    "an item that cannot be bought",
    "The item has no price. If the game master gave it to the character, write `{Name: granted}`.",
)
BAD_DICE = Code(
    "SG215",
    "dice that cannot be bought",
    "Each die must be one of the ruleset's ladder, and a history of purchases must end with the "
    "dice that the file names.",
)
BELOW_GRANT = Code(
    "SG216",
    "a rating below what is granted",
    "A choice grants more than the file states. Write the full rating, or leave the trait out: "
    "what a choice grants need not be repeated.",
)
REFUND = Code(
    "SG217",
    "steps that cannot be sold or lost",
    "A character needs the right ability to sell steps. Steps are sold and lost from the top of "
    "the rating down. The rating states what is left, so no more steps can be sold or lost than "
    "there were.",
)
TWO_STARTS = Code(
    "SG218",
    "two choices that set the same starting value",
    "Both choices set the value that the pool starts with, and the two values differ. Remove one "
    "of the choices.",
)
OPEN_NAME = Code(
    "SG219",
    "a name that the ruleset does not list",
    "The rules leave this list open, so the name is kept. sheetgen knows no limits for it.",
)
NO_ADVANCE = Code(
    "SG220",
    "a step that cannot be bought",
    "Run `sheetgen advance FILE` to see what the character can buy now, and the prices.",
)
SWITCHED_OFF = Code(
    "SG221",
    "an optional rule that is switched off",
    "Your table does not use this rule. Switch on the option that the finding names, or remove "
    "what needs it.",
)
CAVEAT = Code(
    "SG222",
    "a reminder about a choice",
    "The text of the choice has a condition that sheetgen cannot check. This is never an error.",
)
DISAGREE = Code(
    "SG223",
    "two figures that should be equal",
    "The file states the same thing twice, with different figures. Correct one of them, or leave "
    "the total out.",
)
NO_SESSION = Code(
    "SG224",
    "a session that is not listed",
    "If a file lists its sessions with the points gained in each, every purchase names one of "
    "them. Otherwise nobody could tell whether there were enough points at that time. List the "
    "session, even if nothing was gained in it.",
)
OVERFLOW = Code(
    "SG301",
    "text that does not fit its field",
    "The text does not fit even at the smallest legible size. The field holds all of it, and a "
    "continuation page prints the whole text.",
)
MORE_ROWS = Code(
    "SG302",
    "more rows than the sheet has",
    "A continuation page prints the remaining rows, in the same order.",
)
NO_GLYPH = Code(
    "SG303",
    "characters that the sheet's fonts do not have",
    "The page shows empty boxes instead; the fields of a form, and the text that programs read, "
    "still have the characters. Our own fonts have the Latin, Greek and Cyrillic letters of "
    "Europe. A font for Chinese, Japanese or Korean can be named under `fonts` of a theme. Letters "
    "that have to be joined, as in Arabic, are printed in no font. HTML files show all letters in "
    "the fonts of the reader's machine.",
)
UNKNOWN_DESIGN = Code(
    "SG304",
    "an unknown sheet, theme or paper size",
    "Run `sheetgen list themes` to see what is available.",
)
BAD_TEMPLATE = Code(
    "SG305",
    "a template that cannot be rendered",
    "The template has a syntax error, or names a value or macro that does not exist. The finding "
    "shows the line.",
)
PANEL_FULL = Code(
    "SG307",
    "a panel with more content than its page holds",
    "Players read a panel from across the table, so its rows are never smaller than 13 points and "
    "its notes never smaller than 11. Move a block to another panel, or leave out rows.",
)
NO_ROOM = Code(
    "SG311",
    "rules that need more room than their sheet has",
    "A design is drawn for the rules that it comes with. An overlay may add more skills or longer "
    "names than its pages have room for. Then rows stand closer together, or parts get a page of "
    "their own; the note says which. If that is not enough, the generated sheet is printed, "
    "which makes room for everything. `tighter` in the design's `sheet.yaml` says what gives way.",
)
BAD_DESIGN = Code(
    "SG310",
    "a design, theme or preset that cannot be used",
    "A file under templates/ (`sheet.yaml`, `card.yaml`, `tokens.yaml`, a theme or `presets.yaml`) "
    "or a face or theme of your own names something that does not exist, or has a value that "
    "cannot be printed. docs/reference/templates.md describes each key, docs/guides/brand.md your "
    "own themes. A font has to be a TrueType or OpenType font with the letters from A to Z whose "
    "licence lets documents embed it.",
)
CANNOT_WRITE = Code(
    "SG401",
    "a file that cannot be written",
    "The folder does not exist, the disk is full, or the permissions forbid writing. No incomplete "
    "file is left behind. Choose another folder with `--out`.",
)
WOULD_OVERWRITE = Code(
    "SG402",
    "an output that would replace an input or another print",
    "sheetgen never overwrites a file that it has read in the same run, nor a print of other "
    "characters or cards, of another ruleset or on other paper. Choose another folder with "
    "`--out`; `--force` replaces another print.",
)
SAME_OUTPUT = Code(
    "SG403",
    "two inputs with the same output name",
    "Both would be written to the same file. Rename one of the inputs, or write them to different "
    "folders.",
)
NO_ENGINE = Code(
    "SG404",
    "a layout engine that cannot be loaded",
    "Sheets and cards of the shipped rulesets are laid out in advance. WeasyPrint lays out "
    "everything else: tables, screens, encounters, odds, and sheets and cards of other rulesets or "
    "other options. It needs the system library Pango: install `libpango-1.0-0 libpangoft2-1.0-0 "
    "libharfbuzz-subset0` on Debian, or run `brew install pango` on a Mac. Run `sheetgen doctor` "
    "to see what is installed.",
)
OTHER_KIND = Code(
    "SG405",
    "a file of another kind",
    "A folder may hold characters, encounters, books and rulesets side by side. Each command "
    "prints the files of its own kind and skips the rest. Run `sheetgen check` to check all of "
    "them.",
)
BAD_ODDS = Code(
    "SG501",
    "a question about odds that cannot be read",
    "Write dice, then `vs`, then a target number or other dice, such as `5D vs 14 cover 5`.",
)

CODES: dict[str, Code] = {
    value.id: value
    for value in [
        *(v for v in globals().values() if isinstance(v, Code)),
        *PRINT_CODES,
        *BOOK_CODES,
        *READ_CODES,
        *PICTURE_CODES,
    ]
}
"""All codes by id."""
