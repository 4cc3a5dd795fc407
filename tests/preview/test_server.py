"""The preview's server answers its own page only, and that with nothing but its own content."""

from __future__ import annotations

import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.cli.commands import CHARACTERS, ROOT, run, run_apart
from tests.preview.serving import Preview, serving

pytestmark = pytest.mark.slow

SECRET = "name: Nobody may read this"
OURS = (CHARACTERS / "d6-pips" / "kor_ashveld.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one character, a link out of it, and a file beside it."""
    top = tmp_path_factory.mktemp("served")
    (top / "secret.yaml").write_text(f"ruleset: d6-pips\n{SECRET}\n", encoding="utf-8")
    folder = top / "mine"
    folder.mkdir()
    (folder / "kor.yaml").write_text(OURS, encoding="utf-8")
    (folder / "out.yaml").symlink_to(top / "secret.yaml")
    (folder / "up").symlink_to(top)
    return folder


@pytest.fixture(scope="module")
def preview(folder: Path) -> Iterator[Preview]:
    with serving(folder) as preview:
        assert preview.first()["pages"]
        yield preview


def test_the_page_is_served(preview: Preview) -> None:
    page = preview.get("")
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert b'<script src="preview.js" defer>' in page.body
    for name in ("preview.css", "preview.js", "logo.svg", "text-400.ttf", "figure-600.ttf"):
        assert preview.get(name).status == 200, name


@pytest.mark.parametrize(
    "host",
    ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", "[::1]:{port}",
     "127.0.0.1.example.org:{port}", "0.0.0.0:{port}", "127.0.0.1:{port},localhost:{port}"],
)  # fmt: skip
def test_another_host_is_refused(preview: Preview, host: str) -> None:
    """A name that leads here by a stranger's name server is still not this server's name."""
    for name in ("", "preview.js", "events", "content/0"):
        target = f"/{preview.token}/{name}"
        assert preview.send(target, host=host.format(port=preview.port)).status == 403


def test_a_request_with_no_host_or_two_is_refused(preview: Preview) -> None:
    line = f"GET /{preview.token}/ HTTP/1."
    assert preview.send_lines(f"{line}0").status == 403
    assert preview.send_lines(f"{line}1", "Connection: close").status == 400
    hosts = (f"Host: {preview.host}", "Host: example.org")
    assert preview.send_lines(f"{line}1", *hosts, "Connection: close").status in (400, 403)


def test_this_machine_has_two_names(preview: Preview) -> None:
    host = f"localhost:{preview.port}"
    assert preview.send(f"/{preview.token}/", host=host).status == 200


@pytest.mark.parametrize(
    "header",
    ["Origin: http://example.org", "Origin: null", "Origin: http://127.0.0.1", "Origin: ",
     "Origin: https://127.0.0.1:{port}", "Origin: http://127.0.0.1:1",
     "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"],
)  # fmt: skip
def test_another_site_is_refused(preview: Preview, header: str) -> None:
    for name in ("", "events", "content/0"):
        assert preview.get(name, header.format(port=preview.port)).status == 403, name


def test_the_page_itself_is_not_refused(preview: Preview) -> None:
    for header in (f"Origin: http://{preview.host}", "Sec-Fetch-Site: same-origin"):
        assert preview.get("", header).status == 200


def test_a_request_without_the_token_is_refused(preview: Preview) -> None:
    token = preview.token
    assert len(token) == 32
    others = ("", token[:-1], f"{token}0", token.swapcase(), "%00", f".{token}")
    for other in others:
        for name in ("", "preview.js", "events", "content/0"):
            assert preview.send(f"/{other}/{name}").status == 403, other
    for target in ("/", "*", f"/?{token}", f"//{token}/", "/preview.js", f"/x/../{token}/"):
        assert preview.send(target).status in (400, 403), target


def test_nothing_but_get_is_answered(preview: Preview) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        assert preview.send(f"/{preview.token}/", method=method).status == 405
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: eA==")
    assert preview.get("", *upgrade, "Sec-WebSocket-Version: 13").status in (200, 400, 426)


CLIMBS = (
    "../secret.yaml", "%2e%2e/secret.yaml", "..%2fsecret.yaml", "%2e%2e%2fsecret.yaml",
    "..%5csecret.yaml", "..\\secret.yaml", "....//secret.yaml", "%252e%252e%252fsecret.yaml",
    "content/../../secret.yaml", "content/%2e%2e%2f%2e%2e%2fsecret.yaml", "./kor.yaml",
    "kor.yaml", "up/secret.yaml", "out.yaml", "/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd",
    "kor.yaml%00", "%00", "content/%00", "preview.html", "server.py", "previewer.py",
    "../server.py", "page/preview.js", "frame.js", "SourceSansPro-Regular.ttf", "%c0%ae%c0%ae/x",
)  # fmt: skip


@pytest.mark.parametrize("name", CLIMBS)
def test_paths_are_none_of_a_file(preview: Preview, name: str, folder: Path) -> None:
    """No part of an address is ever a path: names are looked up in closed lists."""
    answer = preview.get(name)
    assert answer.status in (400, 404)
    assert SECRET.encode() not in answer.body
    if name != "kor.yaml":  # an entry, by its id
        assert preview.get(f"events?entry={name}").status in (400, 404)


def test_the_full_path_is_no_entry(preview: Preview, folder: Path) -> None:
    for path in (folder / "kor.yaml", folder.parent / "secret.yaml", folder):
        assert preview.send(f"/{preview.token}/events?entry={path}").status == 404


def test_links_out_of_the_folder_are_not_followed(preview: Preview) -> None:
    assert preview.first()["entries"] == [["kor.yaml", "character"]]


def test_a_file_that_becomes_a_link_is_not_followed_out(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(f"ruleset: d6-pips\n{SECRET}\n", encoding="utf-8")
    path = tmp_path / "mine" / "kor.yaml"
    path.parent.mkdir()
    path.write_text(OURS, encoding="utf-8")
    with serving(path) as preview:
        events = preview.events()
        assert next(events)["pages"]
        for target, message in (
            (tmp_path / "secret.yaml", "there is nothing here"),
            (path, "too many levels of symbolic links"),
        ):
            path.unlink()
            path.symlink_to(target)
            facts = next(one for one in events if message in str(one["findings"]))
            assert facts["failed"]
            assert len(facts["pages"]) == 1  # the last good one
        path.unlink()
        path.write_text(OURS, encoding="utf-8")
        assert next(one for one in events if not one["failed"])["findings"] == []


def test_a_print_that_is_not_shown_is_not_there(preview: Preview) -> None:
    shown = preview.first()["pages"][0]["id"]
    assert preview.get(f"content/{shown}").status == 200
    for other in (shown[:-1], shown.upper() + "0", "0" * 32, "", f"{shown}/"):
        for route in ("content", "update"):
            assert preview.get(f"{route}/{other}").status == 404, other


def test_every_answer_has_its_policy(preview: Preview) -> None:
    shown = preview.first()["pages"][0]["id"]
    picture = preview.first(format="pdf")["pages"][0]["id"]
    names = ("", "preview.js", "text-400.ttf", "none", f"content/{shown}", f"content/{picture}")
    names = (*names, f"update/{shown}")
    refused = preview.send("/", host="example.org")
    for answer in (*map(preview.get, names), refused):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
        policy = headers["content-security-policy"].split("; ")
        assert "default-src 'none'" in policy
        assert not any("unsafe" in rule or "*" in rule or "http" in rule for rule in policy)
    page = preview.get("").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page
    assert "require-trusted-types-for 'script'" in page
    assert preview.get(f"content/{picture}").headers["content-type"] == "image/png"


def test_a_print_is_in_a_box(preview: Preview) -> None:
    """Its scripts can reach neither the page nor the server."""
    shown = preview.first()["pages"][0]["id"]
    policy = preview.get(f"content/{shown}").headers["content-security-policy"].split("; ")
    assert "sandbox allow-scripts allow-downloads" in policy
    assert "frame-ancestors 'self'" in policy
    assert not any(rule.startswith("connect-src") and "'none'" not in rule for rule in policy)
    assert sum(rule.startswith("script-src") for rule in policy) == 1


@pytest.mark.parametrize(
    "query",
    ["part=-1", "part=99999", "part=x", "part=%00", "part=%F0%9D%9F%99", "dpi=0", "dpi=x",
     "dpi=1e9", "dpi=%C2%B2", f"dpi={'9' * 5000}", "choice=none", "choice=%00",
     f"choice={'x' * 999}"],
)  # fmt: skip
def test_what_is_asked_for_is_checked(preview: Preview, query: str) -> None:
    name, _, value = query.partition("=")
    facts = preview.first(**{name: unquote(value)})
    assert facts["pages"]
    assert facts["choice"] == "sheets"


def test_a_format_that_is_none_is_refused(preview: Preview) -> None:
    for name in ("svg", "%00", "HTML", "../html"):
        assert preview.send(f"/{preview.token}/events?format={name}").status == 404


def test_only_this_machine_can_connect(preview: Preview) -> None:
    rows = Path("/proc/net/tcp").read_text().splitlines() if sys.platform == "linux" else []
    listening = [row.split()[1] for row in rows if row.split()[3] == "0A"]
    ours = [one for one in listening if one.endswith(f":{preview.port:04X}")]
    assert ours == ([f"0100007F:{preview.port:04X}"] if rows else [])


def test_a_port_that_is_taken_is_a_finding(preview: Preview, folder: Path) -> None:
    said = run("preview", folder, "--port", str(preview.port), "--no-open")
    assert said.status == 2
    assert "[SG625]" in said.err
    assert f"port {preview.port} cannot be used: address already in use" in said.err


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    said = run("preview", tmp_path / "none.yaml", "--no-open")
    assert said.status == 1
    assert "there is no such file" in said.err


# -- the extra ---------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_a_missing_extra_is_one_line(
    missing: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    said = run("preview", folder)
    assert (said.status, said.out) == (1, "")
    assert said.err == (
        "Error: the page needs starlette and uvicorn; install them: "
        "`pip install starlette uvicorn`\n"
    )


def test_the_base_installation_has_none_of_it(folder: Path) -> None:
    """Neither another command nor the help of this one imports the extra, or requires it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = ["starlette", "uvicorn"]
    assert not [one for one in project["dependencies"] if one.startswith(tuple(extra))]
    assert [one.split(">")[0] for one in project["optional-dependencies"]["preview"]] == extra
    for words in (["check", str(folder / "kor.yaml")], ["preview", "--help"], ["--help"]):
        code = (
            "import sys; from sheetgen.cli import app\n"
            f"try: app({words!r})\n"
            "except SystemExit: pass\n"
            f"names = {[*extra, 'sheetgen.plugins.editor.preview']}\n"
            "print([name for name in names if name in sys.modules])"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert ran.stdout.splitlines()[-1] == "[]"


def test_help_needs_no_extra(tmp_path: Path) -> None:
    assert "--no-open" in run_apart("preview", "--help", cwd=tmp_path).out


def test_idle_connections_do_not_keep_the_page_from_its_owner(preview: Preview) -> None:
    """Another program on this machine may open connections, without the token."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = 2_000 if hard == resource.RLIM_INFINITY else min(2_000, hard - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
    connections = []
    try:
        for number in range(count):
            one = socket.create_connection(("127.0.0.1", preview.port), 20)
            connections.append(one)
            if number % 3 == 0:
                one.sendall(b"GET / HTTP/1.1\r\nHost: x")  # the rest never follows
        assert preview.get("").status == 200
        assert preview.first()["pages"]
        open_files = Path(f"/proc/{preview.process.pid}/fd")
        if open_files.exists():
            assert len(list(open_files.iterdir())) < 500
    finally:
        for one in connections:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert preview.get("").status == 200
