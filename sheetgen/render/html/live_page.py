"""The script of a live HTML sheet, and the data that it reads, as texts for its page.

The script is joined from the files in scripts/. The engine's files are independent. Those of
the page are the body of one function, in this order, and share their names.
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
"""The style sheet of the bar, the list of findings and the dialogs, a text of every design."""

_COMMENT: Final = re.compile(r"^ */\*(?s:.*?)\*/$|^ *//.*$", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +|\n(?=\n)", re.MULTILINE)

_STATES: Final = ("bought", "closed", "trained")
"""States that a role may have while a sheet is edited; `ROLE-STATE` is a role of the tokens."""


def build_script(live: Live | None, *, odds: bool) -> str:
    """Return the script of a page; it is equal for all characters of a design and ruleset."""
    program = [f"const PROGRAM = {live.program};"] if live is not None else []
    engine = [_file(name) for name in _ENGINE] if live is not None else []
    body = "\n".join(('"use strict";', *program, load_page_code(odds=odds)))
    return _escape("\n".join((*engine, f"(() => {{\n{body}\n}})();\n")))


def format_facts(facts: Mapping[str, Any], live: Live | None, tokens: Tokens) -> str:
    """Return the data of the script as JSON, escaped for a `script` element."""
    data = {
        **facts,
        "live": json.loads(live.data) if live is not None else None,
        "states": list_role_states(tokens),
        "least": {
            name: max(50, -int(-100 * role.least // role.size))
            for name, role in tokens.roles.items()
            if role.least < role.size
        },
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def list_role_states(tokens: Tokens) -> dict[str, list[str]]:
    """Return the roles that have states, each with its states."""
    found: dict[str, list[str]] = {}
    for name in tokens.roles:
        states = [state for state in _STATES if f"{name}-{state}" in tokens.roles]
        if states:
            found[name] = states
    return found


def _escape(script: str) -> str:
    """Return `script` escaped, so that it cannot end its element or begin an HTML comment.

    Both can only be in strings, which do not change when a character is escaped.
    """
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


@lru_cache(maxsize=2)
def load_page_code(*, odds: bool) -> str:
    """Return the code of the page without comments and indentation."""
    names = (*_PAGE, _ODDS) if odds else _PAGE
    return "\n".join(_INDENT.sub("", _COMMENT.sub("", _file(name))).strip() for name in names)


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    data = pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js")
    assert data is not None
    return data.decode()
