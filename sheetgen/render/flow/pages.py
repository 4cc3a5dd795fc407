"""HTML to PDF by WeasyPrint, which sees what it is handed and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sheetgen.render.flow.engine import load_engine

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

DATA_LIMIT: Final = 2_000_000
"""Longest `data:` address, in characters; a drawing in a style sheet has hundreds."""

_PLATE_STYLE: Final = """
.place { appearance: auto !important; border: 0 !important; padding: 0 !important }
"""
"""The engine makes a widget of what appears, and of its content box: whatever a
template says of the look of its inputs on screen must not move or lose a place."""


class LayoutError(ValueError):
    """The engine complained about markup or style.

    Attributes:
        complaints: What it said, one line each.
    """

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("; ".join(complaints))
        self.complaints = complaints


def lay_out(
    html: str,
    assets: Mapping[str, bytes],
    *,
    variant: str | None = "pdf/ua-1",
    forms: bool = False,
    identifier: bytes = b"sheetgen",
    complaints: list[str] | None = None,
    finish: Callable[[Any], None] | None = None,
) -> bytes:
    """Return `html` as PDF; equal input gives equal bytes.

    Args:
        assets: What `asset:NAME` addresses in the markup stand for.
        variant: A variant that WeasyPrint knows; the default makes tags.
        identifier: Goes into the file's `/ID` as it is.
        complaints: Takes the engine's warnings, one line each. Without it a warning
            is an error, since what an engine ignores is missing from the page.
        finish: Changes the engine's file, a `pydyf.PDF`, before it is written.

    Raises:
        LayoutError: The engine warned, and no `complaints` were given.
        NoEngine: It cannot be loaded.
    """
    weasyprint = load_engine()
    heard: list[str] = []
    style = [weasyprint.CSS(string=_PLATE_STYLE)] if forms else None
    with _listening(heard):
        document = weasyprint.HTML(string=html, base_url=None, url_fetcher=closed_fetcher(assets))
        pdf = document.write_pdf(
            finisher=(lambda _, made: finish(made)) if finish is not None else None,
            stylesheets=style,
            pdf_forms=forms,
            pdf_variant=variant,
            pdf_identifier=identifier,
            presentational_hints=False,
        )
    if complaints is not None:
        complaints.extend(heard)
    elif heard:
        raise LayoutError(heard)
    assert isinstance(pdf, bytes)
    return pdf


def count_pages(html: str, assets: Mapping[str, bytes]) -> int:
    """Return how many pages `html` takes; what the engine has to say is heard when it prints."""
    weasyprint = load_engine()
    with _listening([]):
        document = weasyprint.HTML(string=html, base_url=None, url_fetcher=closed_fetcher(assets))
        return len(document.render().pages)


def closed_fetcher(assets: Mapping[str, bytes]) -> URLFetcher:
    """Return a fetcher that knows `assets` and short `data:`, and refuses the rest."""
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


@contextmanager
def _listening(heard: list[str]) -> Iterator[None]:
    """Collect what the engine logs as a warning or worse."""

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    logger, ear = logging.getLogger("weasyprint"), Ear(logging.WARNING)
    logger.addHandler(ear)
    try:
        yield
    finally:
        logger.removeHandler(ear)
