"""A real browser: Chromium, driven by Playwright; one for all tests of a worker."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.windows import Window
from tests.shelf import skip_without

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FOUND = next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    if FOUND is None:
        skip_without("Chromium", "live sheets are not tested")
    played: Playwright = request.getfixturevalue("played")
    browser = played.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture
def window(browser: Browser, tmp_path: Path) -> Iterator[Window]:
    """A window of a desktop. Whatever is done in it: nothing was asked of anybody, no policy
    was hurt, no error was thrown."""
    window = Window(browser, tmp_path)
    yield window
    window.close()


@pytest.fixture
def phone(browser: Browser, tmp_path: Path) -> Iterator[Window]:
    window = Window(browser, tmp_path, width=390, height=844)
    yield window
    window.close()
