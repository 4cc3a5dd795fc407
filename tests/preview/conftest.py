"""The browser of the tests of live sheets, for the page of a preview."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import browser  # noqa: F401 - a fixture
from tests.preview.pages import PRINTED, PreviewPage
from tests.preview.serving import serving

Watch = Callable[..., PreviewPage]


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:  # noqa: F811
    """Start a preview of a path and open its page; nothing may go wrong on it."""
    with ExitStack() as stack:

        def open_page(path: Path, state: re.Pattern[str] = PRINTED) -> PreviewPage:
            preview = stack.enter_context(serving(path))
            page = PreviewPage(browser, preview, state)
            stack.callback(page.close)
            return page

        yield open_page
