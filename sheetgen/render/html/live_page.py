"""What makes an HTML sheet live: one script, and the facts that it reads, as texts for its page.

The files in live/ are the script. Those of the engine stand by themselves; those of the page
are the body of one function, in this order, so that they share names and nobody else does.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sheetgen.model.live import Live
from sheetgen.model.prints import Tokens

_ENGINE: Final = ("figures", "engine")
_PAGE: Final = ("fields", "totals", "undo", "saving", "files", "chrome", "page")
_ODDS: Final = "odds"

STYLES: Final = "_shared/live.css"
"""Among the texts of every design: how the bar, the findings and the questions look."""

_COMMENT: Final = re.compile(r"^ */\*(?s:.*?)\*/$|^ *//.*$", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +|\n(?=\n)", re.MULTILINE)

_STATES: Final = ("bought", "closed", "trained")
"""States of roles that follow what is typed: `ROLE-STATE` is a role of the tokens, too."""


def build_script(live: Live | None, *, odds: bool) -> str:
    """Return the whole script of a page; the same for all characters of a design and ruleset."""
    program = [f"const PROGRAM = {live.program};"] if live is not None else []
    engine = [_file(name) for name in _ENGINE] if live is not None else []
    body = "\n".join(('"use strict";', *program, load_page_code(odds=odds)))
    return _closed("\n".join((*engine, f"(() => {{\n{body}\n}})();\n")))


def format_facts(told: Mapping[str, Any], live: Live | None, tokens: Tokens) -> str:
    """Return what the script is told, as JSON that can stand in an element.

    Args:
        told: Of this print; see `plan.page_facts`.
    """
    facts = {
        **told,
        "live": json.loads(live.data) if live is not None else None,
        "states": list_role_states(tokens),
        "least": {
            name: max(50, -int(-100 * role.least // role.size))
            for name, role in tokens.roles.items()
            if role.least < role.size
        },
    }
    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def list_role_states(tokens: Tokens) -> dict[str, list[str]]:
    """Return the roles that vary with what a character has, each with its states."""
    found: dict[str, list[str]] = {}
    for name in tokens.roles:
        states = [state for state in _STATES if f"{name}-{state}" in tokens.roles]
        if states:
            found[name] = states
    return found


def _closed(script: str) -> str:
    """Return `script` without what would end its element, or begin a comment in it.

    Both can stand in texts only, and a text means the same with a sign escaped.
    """
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


@lru_cache(maxsize=2)
def load_page_code(*, odds: bool) -> str:
    """Return the code of the page, without what only its readers need."""
    names = (*_PAGE, _ODDS) if odds else _PAGE
    return "\n".join(_INDENT.sub("", _COMMENT.sub("", _file(name))).strip() for name in names)


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    data = pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js")
    assert data is not None
    return data.decode()
