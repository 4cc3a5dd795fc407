"""Texts from strangers stay texts, and the engine fetches nothing that it was not handed."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import urllib.request
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
import pytest
import yaml

from sheetgen.load.rulesets.content import starter_text
from sheetgen.render.flow.layout import LayoutError, closed_fetcher, lay_out
from tests.printing import FULLEST, GAMES, Sheet, character_from, opened, printed, sheet, values
from tests.render.viewers import qpdf_says, text_of
from tests.samples import by_turns

CANARY = "canary-7d1f"
PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "template": "{{7*7}} {% for x in y %} {# z #} ${7*7} #{7*7}",
    "escape": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "style": "</style><style>*{display:none}</style>",
    "title": "</title></textarea></label><h1>x</h1>",
    "url": "url(file:///etc/passwd) @import 'http://x.example/a.css'",
    "image": "<img src=x onerror=alert(1)> <svg onload=alert(1)>",
    "attribute": '" autofocus onfocus="alert(1)" x=\'',
    "ampersand": "& &amp; &#60; &lt;b&gt; &nbsp;",
    "comment": "<!-- --> ]]> <![CDATA[ <?php ?>",
    "pdf": ") Tj ET Q endstream endobj /JS (app.alert(1)) <</S/JavaScript>>",
    "format": "%s %(x)s {0} {name} %n",
    "shell": "$(id) `id` ; rm -rf / | x",
}
TEXT_KEYS = ("name", "player", "notes")
each_payload = pytest.mark.parametrize(("kind", "game"), by_turns([*PAYLOADS], GAMES))


@cache
def _attacked(game: str, kind: str) -> Sheet:
    text = PAYLOADS[kind]
    made = yaml.safe_dump(dict.fromkeys(TEXT_KEYS[1:], text), allow_unicode=True)
    clean = starter_text(game).replace("{name}", yaml.safe_dump(text, width=9999).split("\n")[0])
    return printed(character_from(f"{clean}\n{made}", game), formats=("pdf", "html"))


@cache
def _harmless(game: str) -> Sheet:
    return printed(character_from(starter_text(game), game), formats=("pdf", "html"))


def _actions(pdf: pikepdf.Pdf) -> set[tuple[str, str]]:
    """Return all actions of a file: their sorts, and their scripts."""
    found = set()
    queue: list[Any] = [thing for thing in pdf.objects if isinstance(thing, pikepdf.Object)]
    while queue:
        thing = queue.pop()
        if isinstance(thing, pikepdf.Array):
            queue += [part for part in thing if not getattr(part, "is_indirect", True)]
        elif isinstance(thing, pikepdf.Dictionary | pikepdf.Stream):
            queue += [p for _, p in thing.items() if not getattr(p, "is_indirect", True)]
            assert not {"/Launch", "/EmbeddedFiles", "/URI"} & set(map(str, thing.keys()))
            if "/JS" in thing or thing.get("/S") == pikepdf.Name.ResetForm:
                script = thing.get("/JS", "")
                is_stream = isinstance(script, pikepdf.Stream)
                text = script.read_bytes().decode() if is_stream else str(script)
                found.add((str(thing.S), text))
    return found


def _scripts(html: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", html, re.DOTALL)


class Page(HTMLParser):
    """A page as a browser reads it: elements with their attributes, and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.inside: list[str] = []
        self.texts: dict[str, str] = {}
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {key: value or "" for key, value in attrs}
        assert len(told) == len(attrs), f"an attribute stands twice in {tag}"
        self.elements.append((tag, told))
        if tag not in ("input", "meta", "br", "link", "img", "hr"):
            self.open.append(tag)
        if tag == "textarea":
            self.texts[told["name"]] = ""
        if tag == "input" and told.get("type") == "text":
            self.texts[told["name"]] = told.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} ends and was not begun"
        assert self.open.pop() == tag, f"{tag} ends where another element is open"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["textarea"]:
            name = next(a["name"] for t, a in reversed(self.elements) if t == "textarea")
            self.texts[name] += data
        elif self.open[-1:] not in (["style"], ["script"]):
            self.inside.append(data)

    def all(self, *tags: str) -> list[dict[str, str]]:
        return [attrs for tag, attrs in self.elements if tag in tags]


def _shape(page: Page) -> Counter[str]:
    return Counter(tag for tag, _ in page.elements)


@pytest.mark.many
@each_payload
def test_a_payload_is_text_in_pdf(kind: str, game: str) -> None:
    one, text = _attacked(game, kind), PAYLOADS[kind]
    assert qpdf_says(one.pdf) == ""
    kept = values(one.pdf)
    assert [kept[key] for key in TEXT_KEYS] == [text] * len(TEXT_KEYS)
    with opened(one.pdf) as pdf:
        assert "/OpenAction" not in pdf.Root
        assert list(pdf.Root.Names.keys()) == ["/JavaScript"]
        found = _actions(pdf)
    with opened(_harmless(game).pdf) as pdf:
        usual = _actions(pdf)
    assert {sort for sort, _ in found} == {"/JavaScript", "/ResetForm"}
    told = [script for _, script in found - usual]
    assert len(told) <= 1, "scripts are ours, but for the figures of the character"
    for script in told:
        call = re.fullmatch(r'sheetgen\(this,event,"[0-9a-f]{12}",(\{.*\})\)', script)
        assert call
        assert script.isascii()
        json.loads(call[1])
    assert "".join(text.split()) in "".join(text_of(one.pdf).split())


@each_payload
def test_a_payload_is_text_in_html(kind: str, game: str) -> None:
    html = _attacked(game, kind).printed.files["html"].decode()
    page = Page(html)
    assert not page.all("iframe", "object", "embed", "link", "img", "svg", "base", "form")
    usual = _harmless(game).printed.files["html"].decode()
    assert _scripts(html) == _scripts(usual), "no text of a character is in a script"
    assert {a.get("type", "") for a in page.all("script")} == {"", "application/json"}
    for block in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.S):
        assert json.loads(block or "null") != {}
    assert len(page.all("style")) == 1
    assert page.texts["notes"].removeprefix("\n") == PAYLOADS[kind]
    assert page.texts["name"].removeprefix("\n") == PAYLOADS[kind]
    assert "49" not in PAYLOADS[kind]
    for _, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("address", ["http://x.example/", "https://x.example/", "ftp://x.example/"])
def test_the_fetcher_knows_no_network(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", asked)
    with pytest.raises(ValueError, match="not among the assets"):
        closed_fetcher({}).fetch(address)


@pytest.mark.parametrize(
    "write", ["file://{}", "{}", "FILE://{}", "file:{}", "data:,x/../../{}#", "asset:../{}"]
)
def test_the_fetcher_knows_no_files(write: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(CANARY)
    address = write.format(secret)
    try:
        answer = closed_fetcher({"a": b"x"}).fetch(address)
    except ValueError:
        return
    assert CANARY.encode() not in answer.read()


@pytest.mark.parametrize(
    "markup",
    [
        "<img src='{}' alt='a'>",
        "<link rel=stylesheet href='{}'>",
        "<style>body {{ background: url({}) }}</style>",
        "<style>@import url({});</style>",
        "<style>@font-face {{ font-family: x; src: url({}) }} p {{ font-family: x }}</style><p>a",
        "<object data='{}'></object>",
        "<embed src='{}'>",
        "<link rel=attachment href='{}'>",
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='{}' width='9' height='9'/></svg>",
    ],
)
@pytest.mark.parametrize("scheme", ["file://{}", "http://127.0.0.1:9/{}", "ftp://127.0.0.1/{}"])
def test_nothing_outside_gets_into_a_page(markup: str, scheme: str, tmp_path: Path) -> None:
    """Guards `lay_out`: a canary on the disk is never in the bytes, and it is said."""
    secret = tmp_path / "secret.svg"
    secret.write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>{CANARY}</text></svg>"
    )
    said: list[str] = []
    html = f"<html lang=en><title>t</title><body>{markup.format(scheme.format(secret))}"
    data = lay_out(html, {}, complaints=said)
    assert said
    with pytest.raises(LayoutError):
        lay_out(html, {})
    assert CANARY.encode() not in data
    with opened(data) as pdf:
        streams = [o.read_bytes() for o in pdf.objects if isinstance(o, pikepdf.Stream)]
    assert not any(CANARY.encode() in stream for stream in streams)


@pytest.mark.many
@pytest.mark.parametrize("path", FULLEST.values(), ids=lambda path: path.stem)
def test_html_asks_nobody(path: Path) -> None:
    html = sheet(path).printed.files["html"].decode()
    page = Page(html)
    for tag, attrs in page.elements:
        for name, value in attrs.items():
            if "//" in value:
                assert name in ("value", "content", "placeholder"), (tag, name, value)
    style = _style(html)
    drawings = re.sub(r"url\([\"']?data:[^)]*\)", "", style)
    assert "//" not in re.sub(r"/\*.*?\*/", "", drawings, flags=re.DOTALL)
    assert "@import" not in style
    assert all(
        target.startswith("data:") for target in re.findall(r"url\([\"']?([^\"')]{0,12})", style)
    )
    for address in re.findall(r"https?://[^\s\"'<>)]+", " ".join(page.inside)):
        assert "creativecommons.org" in address, "an address in words is a credit's"


def _style(html: str) -> str:
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert isinstance(style, str)
    return style


@pytest.mark.parametrize("path", FULLEST.values(), ids=lambda path: path.stem)
def test_html_has_a_policy_that_fits(path: Path) -> None:
    html = sheet(path).printed.files["html"].decode()
    page = Page(html)
    [policy] = [
        attrs["content"]
        for attrs in page.all("meta")
        if attrs.get("http-equiv", "").lower() == "content-security-policy"
    ]
    parts = {p.split()[0]: p.split()[1:] for p in policy.split(";") if p.strip()}
    assert parts["default-src"] == ["'none'"]
    [script] = _scripts(html)
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert parts["script-src"] == [f"'sha256-{hashed}'"]
    digest = base64.b64encode(hashlib.sha256(_style(html).encode()).digest()).decode()
    assert parts["style-src"] == [f"'sha256-{digest}'"]
    assert {source for key in ("font-src", "img-src") for source in parts[key]} == {"data:"}
    first = next(tag for tag, attrs in page.elements if tag in ("style", "title") or attrs == {})
    at = html.index("Content-Security-Policy")
    assert at < html.index("<style"), f"the policy stands after {first}"


@pytest.mark.parametrize("path", FULLEST.values(), ids=lambda path: path.stem)
def test_html_is_well_made(path: Path) -> None:
    """Guards what validators and screen readers look for first."""
    html = sheet(path).printed.files["html"].decode()
    page = Page(html)
    assert html.lstrip().lower().startswith("<!doctype html>")
    assert page.open == []
    [root] = page.all("html")
    assert root["lang"] == "en"
    assert [a.get("charset") for a in page.all("meta") if "charset" in a] == ["utf-8"]
    assert len(page.all("title")) == len(page.all("main")) == len(page.all("h1")) == 1
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    boxes = page.all("input", "textarea", "select")
    names = [attrs["name"] for attrs in boxes]
    assert len(names) == len(set(names)) > 200
    assert [attrs["name"] for attrs in boxes if not attrs.get("aria-label", "").strip()] == []
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("path", FULLEST.values(), ids=lambda path: path.stem)
def test_html_holds_what_the_pdf_holds(path: Path) -> None:
    """Guards the two against each other: same names, same texts, same ticks."""
    one = sheet(path)
    page = Page(one.printed.files["html"].decode())
    kept = values(one.pdf)
    texts = {name: " ".join(text.split()) for name, text in page.texts.items()}
    told = {n: " ".join(v.split()) for n, v in kept.items() if v not in ("/On", "/Off")}
    computed = told.keys() - texts.keys()  # in a page these are words, in a PDF fields
    words = (".how", ".text", ".over")
    assert all("-" in name or name.endswith(words) for name in computed), computed
    assert texts == {name: text for name, text in told.items() if name not in computed}
    ticks = {a["name"]: "checked" in a for a in page.all("input") if a.get("type") == "checkbox"}
    assert ticks == {n: v == "/On" for n, v in kept.items() if v in ("/On", "/Off")}
