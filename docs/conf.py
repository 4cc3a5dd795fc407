"""Configuration of the documentation's site: `make docs` builds it with Sphinx.

The pages are plain Markdown, to be read on a forge too. So no page holds Sphinx's own directives:
an index page lists its pages as links, and `_add_toctree` turns these into the table of contents.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

TOP = Path(__file__).resolve().parent
LINK = re.compile(r"\]\(([\w./-]+)\.md\)")

INDEXES = ("index", "keys")
"""Names of pages that list others."""

project = "sheetgen"
author = "The sheetgen founders"
html_title = "sheetgen"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "requirements.lock"]
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # Pygments has no lexer for CSV
smartquotes = False  # it makes one dash of the two that begin an option
myst_heading_anchors = 4  # as forges name headings
myst_links_external_new_tab = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["sheetgen.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#8a2b1d",
        "color-brand-content": "#8a2b1d",
        "color-brand-visited": "#6b3a2f",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#f0a58c",
        "color-brand-content": "#f0a58c",
        "color-brand-visited": "#d8a79a",
    },
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def setup(app: Sphinx) -> None:
    """Add a table of contents to each index page."""
    app.connect("source-read", _add_toctree)


def _add_toctree(app: Sphinx, name: str, source: list[str]) -> None:
    """Append to an index page a hidden table of contents: its links, in order."""
    folder, _, page = name.rpartition("/")
    if page not in INDEXES:
        return
    below = re.compile(r"[\w-]+(/index)?" if not folder else r"[\w-]+")
    links = dict.fromkeys(link for link in LINK.findall(source[0]) if below.fullmatch(link))
    listed = [link for link in links if link not in INDEXES or link == "keys"]
    source[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(listed) + "\n```\n"
