"""The flag for goldens; tests/shelf.py has what tests import."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

import tests.memo  # noqa: F401 - it keeps rulesets
from sheetgen.diag.words import begin_run
from tests.layouts import PAGES
from tests.samples import FEW, count, spread

gc.set_threshold(100_000, 20, 20)  # laid-out pages are large, and live as long as their test
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's job in the background ignores interrupts, and so would every process of a test.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what is said as expected")
    parser.addoption(
        "--builds", type=int, default=count(12, 2), help="random builds of each ruleset"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all but a few cases of each test of what is marked `many`."""
    alike: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("many") is not None:
            alike.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in alike.values():
        few = {id(case) for case in spread(cases, FEW)}
        for case in cases:
            if id(case) not in few:
                case.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether goldens are written, not compared; then read the diff."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture(scope="session")
def builds(request: pytest.FixtureRequest) -> int:
    """How many random builds of each ruleset are exported."""
    return int(request.config.getoption("--builds"))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep plates for this run only, shared by its workers; a stale one would pass tests."""
    top = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    os.environ["XDG_CACHE_HOME"] = str(top / "cache")
    os.environ["XDG_CONFIG_HOME"] = str(top / "config")
    pages = top / "pages"
    pages.mkdir(exist_ok=True)
    os.environ[PAGES] = str(pages)


@pytest.fixture
def laid_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay out all pages of this test, also those that a test before had."""
    monkeypatch.delenv(PAGES)


@pytest.fixture(autouse=True)
def _near_names() -> None:
    """Each test is a run of its own to hints."""
    begin_run()


@pytest.fixture(scope="session")
def played() -> Iterator[Any]:
    """Playwright; a worker can run it once only, however many browsers it starts."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright
