"""Designs of strangers are bounded in time and memory, and whatever goes wrong is a finding."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sheetgen.bounds import BoundExceeded, limit_block, run_bounded
from sheetgen.diag.findings import DesignError
from sheetgen.render.flow import layout
from sheetgen.render.flow.layout import LayoutError, lay_out
from sheetgen.render.html import page
from sheetgen.render.html.page import render_template
from tests.shelf import TESTS

pytestmark = pytest.mark.slow

LOOPS = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"

TEMPLATES = {
    "loops": (LOOPS, "processor time"),
    "product": ("{{ 'x' * 10**10 }}", "memory"),
    "doubled": (
        "{% set n = namespace(a=1) %}{% for i in range(60) %}{% set n.a = n.a~n.a %}{% endfor %}",
        "memory",
    ),
    "width": ("{{ 'x' | center(9999999999) }}", "memory"),
    "power": ("{{ 9 ** 9 ** 9 }}", "a power of such large numbers"),
    "macro": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "nested too deep"),
    "include": ("{% include 'a' %}", "nested too deep"),
    "brackets": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deep"),
    "blocks": ("{% for a in [1] %}" * 90 + "{% endfor %}" * 90, "nested too deep"),
    "zero": ("{{ 1 / 0 }}", "division by zero"),
    "absent": ("{% include '/etc/passwd' %}", "a file that the design lacks: /etc/passwd"),
    "long": ("{{ {}['x' * 5_000_000] }}", "has no attribute"),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_that_takes_too_much_is_a_finding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, reason = TEMPLATES[name]
    monkeypatch.setattr(page, "_SECONDS", 1 if reason == "processor time" else 8)
    with pytest.raises(DesignError) as refused:
        render_template({"a": text}, "a", {})
    (finding,) = refused.value.findings
    assert finding.code.id == "SG305"
    assert finding.span.file.endswith("/a")
    assert reason in finding.message
    assert len(finding.message) < 1000


PAGES = {
    "nested": ("<div>" * 3000, "nested too deep"),
    "selector": (
        "<style>" + ":is(" * 3000 + "a" + ")" * 3000 + "{}</style><p>x",
        "nested too deep",
    ),
    "styles": (f"<style>{'a{' * 5000}{'}' * 5000}</style><p>x", "nested too deep"),
    "size": ("<style>p{font-size:1e30px}</style><p>x", "too large"),
    "long": ("<p>x</p>" * 20_000, "processor time"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_takes_too_much_is_a_finding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    html, reason = PAGES[name]
    monkeypatch.setattr(layout, "_SECONDS", 1 if reason == "processor time" else 8)
    with pytest.raises(LayoutError, match=reason):
        lay_out(f"<html lang=en><title>x</title>{html}", {}, complaints=[])


def test_a_layout_error_keeps_its_complaints_between_processes() -> None:
    def fail() -> None:
        raise LayoutError(["one", "two"])

    with pytest.raises(LayoutError) as failed:
        run_bounded(fail)
    assert failed.value.complaints == ["one", "two"]
    assert str(failed.value) == "one; two"


def test_what_a_library_makes_of_the_end_of_time_is_the_end_of_time() -> None:
    def swallow() -> None:
        try:
            while True:
                pass
        except BoundExceeded as error:
            raise ValueError("something is wrong") from error

    with pytest.raises(BoundExceeded, match="it takes more than 1 s"), limit_block(1, "it"):
        swallow()


def test_the_end_of_time_in_a_finaliser_is_no_line_on_the_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python only reports what is raised there, and the block ends a second later."""
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    ended: list[str] = []

    class Slow:
        def __del__(self) -> None:
            while not ended:
                try:
                    endless()
                except BoundExceeded:
                    ended.append("in the finaliser")
                    raise

    def endless() -> None:
        while True:
            pass

    def free_and_go_on() -> None:
        Slow()
        endless()

    with pytest.raises(BoundExceeded, match="it takes more than 1 s"), limit_block(1, "it"):
        free_and_go_on()
    assert ended == ["in the finaliser"]
    assert capfd.readouterr().err == ""
    assert sys.unraisablehook is sys.__unraisablehook__


MANY = """
from sheetgen.diag.findings import DesignError
from sheetgen.render.html.page import render_template
from tests.shelf import TESTS
grow = "{% set n = namespace(a=[]) %}{% for i in range(90000) %}{% set n.a = GROWN %}{% endfor %}"
texts = [
    grow.replace("GROWN", "[n.a, range(i) | list]"),
    grow.replace("GROWN", "[n.a, 'é' * 90000 ~ i]"),
    "{% macro m(a) %}{{ m(a ~ 'y' * 100000) }}{% endmacro %}{{ m('x') }}",
]
for count in range(3):
    for text in texts:
        try:
            render_template({"a": f"{text}{count}"}, "a", {})
        except DesignError as error:
            assert "memory" in str(error.findings[0].message), error
# of this process alone: `ru_maxrss` may be that of the one which started it
status = open("/proc/self/status", encoding="ascii", errors="replace").read()
print(status.partition("VmHWM:")[2].split()[0])
"""


def test_one_process_that_meets_many_of_them_stays_within_a_gigabyte() -> None:
    words = [sys.executable, "-c", MANY]
    env = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 900_000
