"""Lay out HTML as PDF with WeasyPrint, which can load only the assets that it is given.

WeasyPrint needs libraries of the system; if they are missing, there is a finding.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import PROGRAM, Finding, Span
from sheetgen.diag.words import pip_hint
from sheetgen.load.bounds import BoundExceeded, limit_block, pass_memory_error
from sheetgen.render.flow.crowding import Crowded

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

# How to install Pango, by `sys.platform`.
_PACKAGES: Final = {
    "linux": "`apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` (Debian, Ubuntu), "
    "`dnf install pango` (Fedora) or `pacman -S pango` (Arch)",
    "darwin": "`brew install pango`",
    "win32": "`pacman -S mingw-w64-ucrt-x86_64-pango` in MSYS2, and name the folder of its DLLs "
    "in WEASYPRINT_DLL_DIRECTORIES",
}
# WeasyPrint's message about the first library that it did not find.
_LIBRARY: Final = re.compile(r"load library '(?:lib)?([\w.+-]+?)'")
# Longest `data:` address, in characters; drawings in style sheets have hundreds.
DATA_LIMIT: Final = 2_000_000
# Processor time of a layout, and more for each megabyte of markup: 1,000 rows take 6 s.
_SECONDS: Final = 25
_SECONDS_PER_MEGABYTE: Final = 40
# WeasyPrint makes a widget of the content box of an input that has an appearance. Whatever a
# template sets for its inputs on screen must not move or lose a place.
_PLATE_STYLE: Final = """
.place { appearance: auto !important; border: 0 !important; padding: 0 !important }
"""


class NoEngine(Exception):
    """The layout engine is needed and cannot be loaded; `hint` says what to install."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint

    def finding(self) -> Finding:
        """Return the finding, which is about this machine and not about a file."""
        hint = f"{self.hint}; `sheetgen doctor` says what works without it"
        return Finding(
            codes.NO_ENGINE, Span(PROGRAM), f"this print has to be laid out; {self}", hint
        )


def load_engine() -> Any:
    """Return the module `weasyprint`; importing it takes half a second.

    Raises:
        NoEngine: It is not installed, or lacks a library of the system.
    """
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # It prints advice.
            import weasyprint
    except ImportError as error:
        message = f"the layout engine cannot be loaded: {error}"
        raise NoEngine(message, pip_hint("weasyprint")) from None
    except OSError as error:
        named = _LIBRARY.search(str(error))
        library = f"the library `{named[1]}`, which comes with Pango" if named else str(error)
        message = f"the layout engine cannot be loaded: the system lacks {library}"
        raise NoEngine(message, f"install Pango: {install_hint(sys.platform)}") from None
    return weasyprint


def install_hint(platform: str) -> str:
    """Return what to install for the engine on `platform`, as `sys.platform` spells it."""
    return _PACKAGES.get(platform, _PACKAGES["linux"])


class LayoutError(ValueError):
    """The layout engine warned about markup or style: `complaints`, one line each."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__(complaints)  # these are what pickling keeps
        self.complaints = complaints

    def __str__(self) -> str:
        return "; ".join(self.complaints)


def lay_out(
    html: str,
    assets: Mapping[str, bytes],
    *,
    variant: str | None = "pdf/ua-1",
    forms: bool = False,
    identifier: bytes = b"sheetgen",
    complaints: list[str] | None = None,
    finish: Callable[[Any], None] | None = None,
    inspect: Callable[[Any], None] | None = None,
) -> bytes:
    """Return `html` as PDF; equal input gives equal bytes.

    Args:
        assets: Files for `asset:NAME` addresses in the markup, by name.
        variant: One of WeasyPrint's PDF variants; the default writes a structure tree.
        forms: Whether inputs become widgets.
        identifier: The file's `/ID`.
        complaints: Takes the engine's warnings, one line each. Without it, a warning is an
            error, since what the engine ignores is missing from the page.
        finish: Changes the engine's file, a `pydyf.PDF`, before it is written.
        inspect: Is called with the laid-out document before it is written.

    Raises:
        LayoutError: The engine warned, and no `complaints` were given.
        NoEngine: It cannot be loaded.
    """
    weasyprint = load_engine()
    warnings: list[str] = []
    options = {
        "stylesheets": [weasyprint.CSS(string=_PLATE_STYLE)] if forms else None,
        "pdf_forms": forms,
        "pdf_variant": variant,
        "pdf_identifier": identifier,
        "presentational_hints": False,
    }
    finisher = (lambda _, pdf: finish(pdf)) if finish is not None else None
    with _laying_out(html, assets, warnings) as document:
        pages = document.render(**options)
        if inspect is not None:
            inspect(pages)
        pdf = pages.write_pdf(finisher=finisher, **{**weasyprint.DEFAULT_OPTIONS, **options})
    if complaints is not None:
        complaints.extend(warnings)
    elif warnings:
        raise LayoutError(warnings)
    assert isinstance(pdf, bytes)
    return pdf


def count_pages(html: str, assets: Mapping[str, bytes]) -> int:
    """Return how many pages `html` takes; warnings are reported when it is laid out."""
    with _laying_out(html, assets, []) as document:
        return len(document.render().pages)


def closed_fetcher(assets: Mapping[str, bytes]) -> URLFetcher:
    """Return a URL fetcher for `assets` and short `data:` addresses, which refuses all others."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class ClosedFetcher(URLFetcher):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__(allowed_protocols=("data",), allow_redirects=False)

        def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
            scheme, _, name = url.partition(":")
            if scheme == "asset" and name in assets:
                return URLFetcherResponse(url, assets[name])
            if scheme == "data" and len(url) <= DATA_LIMIT:
                return super().fetch(url, headers)
            raise ValueError(f"`{url[:60]}` is not among the assets")

    return ClosedFetcher()


@contextlib.contextmanager
def _laying_out(html: str, assets: Mapping[str, bytes], warnings: list[str]) -> Iterator[Any]:
    """Bound a layout, and raise a `LayoutError` for whatever goes wrong in the engine.

    Markup and styles may be a stranger's, and the engine raises anything on some of them. The
    block gets the document; `warnings` takes the warnings and errors that the engine logs.
    """
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warnings.append(record.getMessage())

    weasyprint = load_engine()
    seconds = _SECONDS + len(html) // 1_000_000 * _SECONDS_PER_MEGABYTE
    logger, handler = logging.getLogger("weasyprint"), Handler(logging.WARNING)
    logger.addHandler(handler)
    try:
        with limit_block(seconds, "laying it out"):
            fetcher = closed_fetcher(assets)
            yield weasyprint.HTML(string=html, base_url=None, url_fetcher=fetcher)
    except (Crowded, OSError):
        raise
    except RecursionError:
        raise LayoutError(["elements or selectors are nested too deep"]) from None
    except BoundExceeded as error:
        raise LayoutError([str(error)]) from None
    except Exception as error:
        pass_memory_error(error)
        name = type(error).__name__
        raise LayoutError([f"the layout engine failed with {name}: {error}"]) from error
    finally:
        logger.removeHandler(handler)
