"""Chromium for PDF.js, and Chromium as it is for its own PDF viewer, which has PDFium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.conftest import FOUND
from tests.shelf import skip_without


@pytest.fixture(scope="session")
def whole_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser with all its parts; without a window Playwright leaves the PDF viewer out."""
    if FOUND is None:
        skip_without("Chromium", "forms are not filled in by PDF.js and PDFium")
    played: Playwright = request.getfixturevalue("played")
    how = ["--no-sandbox", "--headless=new"]
    browser = played.chromium.launch(executable_path=FOUND, headless=False, args=how)
    yield browser
    browser.close()
