"""Books in object stores: the same bytes as in a folder, whatever interrupts."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sheetgen.books import storage
from sheetgen.books.building import BuildOptions, BuildResult, build_book, remove_strays
from sheetgen.books.planning import plan_book
from sheetgen.books.storage import open_storage
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, errors, excerpt_of
from sheetgen.diag.visible import mask_secrets
from sheetgen.plugins.farm import stores
from sheetgen.plugins.farm.stores import hide_secrets
from tests.books.test_books import QUICK, book, crowd_of, heroes, ids, tree
from tests.cli.commands import run
from tests.effort import growth

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("SHEETGEN_KILLS", "1"))
COUNT = 12
SECRET = "hush/hush+hush"


@pytest.fixture
def memory() -> Iterator[str]:
    """Return the address of a folder in memory."""
    name = f"/{uuid.uuid4().hex}/prints"
    yield f"memory:/{name}"
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Return a book with a combined file."""
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet", "hyperspace-d6/oshen_tal")
    path = book(tmp_path, "{id: all, sheets: heroes}", f"{{blanks: keyword-dots, {QUICK}}}")
    path.write_text(path.read_text("utf-8") + "combined: [{name: together, of: [all]}]\n", "utf-8")
    return path


def build(path: Path, out: str | Path, **options: Any) -> tuple[BuildResult, list[Finding]]:
    plan = plan_book(path, open_storage(str(out)))
    found = list(plan.findings)
    return build_book(plan, BuildOptions(**options), found.extend), found


def objects(address: str, **options: Any) -> dict[str, bytes]:
    """Return all objects below an address by their names."""
    files, root = fsspec.core.url_to_fs(address, use_listings_cache=False, **options)
    return {path.removeprefix(f"{root}/"): files.cat_file(path) for path in files.find(root)}


def test_a_store_gets_the_same_bytes_as_a_folder(three: Path, memory: str, tmp_path: Path) -> None:
    _, found = build(three, tmp_path / "out")
    assert not errors(found)
    first, _ = build(three, memory)
    assert sorted(first.outputs.written) == sorted(
        ["oshen-tal.pdf", "rivet.pdf", "keyword-dots-blank.html", "together.pdf"]
    )
    assert objects(memory) == tree(tmp_path / "out"), "outputs, and records too"
    second, _ = build(three, memory)
    assert not second.outputs.written
    assert sorted(second.outputs.unchanged) == sorted(first.outputs.written)


def test_file_is_a_folder(three: Path, tmp_path: Path) -> None:
    build(three, tmp_path / "out")
    build(three, f"file://{tmp_path}/other")
    assert tree(tmp_path / "other") == tree(tmp_path / "out")


def test_a_folder_that_was_copied_to_a_store_goes_on_there(
    three: Path, memory: str, tmp_path: Path
) -> None:
    build(three, tmp_path / "out")
    fsspec.filesystem("memory").put(f"{tmp_path}/out/", memory, recursive=True)
    assert not build(three, memory)[0].outputs.written


def test_a_lost_object_comes_back_and_a_changed_one_is_left_alone(three: Path, memory: str) -> None:
    build(three, memory)
    before = objects(memory)
    files = fsspec.filesystem("memory")
    files.rm(f"{memory}/rivet.pdf")
    assert build(three, memory)[0].outputs.written == ["rivet.pdf"]
    assert objects(memory) == before
    files.pipe(f"{memory}/rivet.pdf", b"typed")
    files.rm(f"{memory}/together.pdf")
    assert ids(build(three, memory)[1]) == ["SG704"], "a part of the combined file is another's"
    hero = three.parent / "heroes" / "rivet.yaml"
    hero.write_text(hero.read_text("utf-8").replace("name: ", "name: Old "), "utf-8")
    assert "SG702" in ids(build(three, memory)[1])
    assert objects(memory)["rivet.pdf"] == b"typed"
    result, found = build(three, memory, force=True)
    assert not errors(found)
    assert "rivet.pdf" in result.outputs.written


def test_objects_that_nothing_writes_any_more_are_removed(three: Path, memory: str) -> None:
    build(three, memory)
    (three.parent / "heroes" / "rivet.yaml").unlink()
    hero = three.parent / "heroes" / "oshen_tal.yaml"
    hero.rename(hero.with_name("other.yaml"))
    result, found = build(three, memory)
    removed = remove_strays(result.strays, result.outputs.records, result.outputs.owners, found)
    assert sorted(removed) == ["oshen-tal.pdf", "rivet.pdf"]
    assert {name for name in objects(memory) if not name.startswith(".")} == {
        *("other.pdf", "keyword-dots-blank.html", "together.pdf")
    }


def test_names_that_jobs_swap_end_as_in_a_folder(tmp_path: Path, memory: str) -> None:
    """An old output of one job is a new one of the next."""
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack", "keyword-dots/quill-hesk")
    for names in (("one", "two"), ("two", "one"), ("three", "two"), ("two", "three")):
        files = ("ilo-tamarack", "quill-hesk")
        path = book(
            tmp_path,
            *(
                f"{{sheets: heroes/{f}.yaml, name: {n}, {QUICK}}}"
                for f, n in zip(files, names, strict=True)
            ),
        )
        build(path, memory)
        build(path, tmp_path / "out")
        assert objects(memory) == tree(tmp_path / "out")


def test_a_store_that_fails_is_one_finding_a_job(
    three: Path, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = type(fsspec.filesystem("memory"))

    def refuse(self: object, *_: object, **__: object) -> None:
        raise RuntimeError(f"no room at http://me:{SECRET}@host/x?sig=abc")

    monkeypatch.setattr(files, "put_file", refuse)
    result, found = build(three, memory)
    assert not result.outputs.written
    assert "SG401" in ids(found)
    assert not any(SECRET in one.message or "abc" in one.message for one in found)
    monkeypatch.undo()
    assert not errors(build(three, memory)[1])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("s3://key:se/cr+et@bucket/x", "s3://***@bucket/x"),
        ("s3://key@bucket/x", "s3://***@bucket/x"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("https://host/x?sig=1", "https://host/x?***"),
        ("`sftp://a:b@c/d` and 's3://k:s@b'", "`sftp://***@c/d` and 's3://***@b'"),
        ("ftp://user:it'sS3cret@host:1/x", "ftp://***@host:1/x"),
        ('no `ftp://u:a "b" c@h/x`', "no `ftp://***@h/x`"),
        ("ftp://u:p?w#@h/x", "ftp://***@h/x"),
        ("s3:///KEY:SECRET/b", "s3:///***"),
        ("ftp://u:p://x@h/y", "ftp://***@h/y"),
        ("sftp://a b c@h/y", "sftp://***@h/y"),
        ("sftp://to/ken@h:22/y", "sftp://***@h:22/y"),
        ("https://h.org/a@2/t.csv", "https://h.org/a@2/t.csv"),
        ("https://h/t?token=a://c: refused", "https://h/t?***: refused"),
        ("https://h/t#access_token=a", "https://h/t#***"),
        ("https://h/t;session=a", "https://h/t;***"),
        ("https://h/t # a=b", "https://h/t # a=b"),
        ("'https://h/t.csv?a=b&X-Amz-Signature=dead'", "'https://h/t.csv?***'"),
        ("http://localhost:8080/x", "http://localhost:8080/x"),
        ("file:///C:/books/a", "file:///C:/books/a"),
        ("https://h/wiki/Help:Contents", "https://h/wiki/Help:Contents"),
        ("s3:///key:hush hush@b/x", "s3:///***@b/x"),
        ("s3:/key:hush@b/x", "s3:/***@b/x"),
        ("//u:hush@h/x", "//***@h/x"),
        ("sqlite:///no.db?password=hu@sh", "sqlite:///***@***"),
        ("'https://u:hu@sh@h/t.csv?sig=hu@sh' is gone", "'https://***@***' is gone"),
        ("C:\\books\\a", "C:\\books\\a"),
        ("host=h password='hush hush' dbname=x", "host=h password=*** dbname=x"),
        ("AccountName=a;AccountKey=hush;X=y", "AccountName=a;AccountKey=***;X=y"),
        ("Authorization: Bearer hush", "Authorization: Bearer ***"),
        ("password=hu'sh;hu,sh", "password=***"),
        ("password: hush hu sh  # mine", "password: ***  # mine"),
        ("host=h password=hush hush dbname=x", "host=h password=*** dbname=x"),
        ("`password: hush hush` and more", "`password: ***` and more"),
        ("{password: hush hush, name: x}", "{password: ***, name: x}"),
        ("rows: 'https://h/t.csv?token=hu'sh&b=hu\"sh'", "rows: 'https://h/t.csv?***'"),
        ("s3:///KEY:hu'sh", "s3:///***"),
        ("s3://b/x%3Ftoken=hush", "s3://b/x%3F***"),
        ("DB_PASS=hush", "DB_PASS=***"),
        ("passphrase: hush hush", "passphrase: ***"),
        ("private key: hush", "private key: ***"),
        ("refresh_token=hush", "refresh_token=***"),
        ("private_token=hush", "private_token=***"),
        ("job-token: hush", "job-token: ***"),
        ("Authorization: hush", "Authorization: ***"),
        ("Cookie: sid=hush", "Cookie: ***"),
        ("--password hush", "--password ***"),
        ("a-" * 10_000 + ":", "a-" * 10_000 + ":"),
        ("password := hush", "password := ***"),
        ("no access with ghp_0123456789abcdefghijABCDEFGHIJ", "no access with ***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92 is old", "*** is old"),
        ("-----BEGIN PRIVATE KEY----- hush", "-----BEGIN PRIVATE KEY-----***"),
        ("token: Qz7_vTr4KpWm9xLd", "token: ***"),
        ("pin: 9f86d081884c7d659a2feaa0c55ad015 it is", "pin: *** it is"),
        ("key: wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLE", "key: ***"),
        ("https://hooks.example/a/B0/hush", "https://hooks.example/***"),
        ("https://h/api/webhooks/1/hush", "https://h/api/webhooks/***"),
        ("https://h/s/Qz7vTr4KpWm9xLdA/x.csv", "https://h/s/***/x.csv"),
        ("oracle://scott/hush@db", "oracle://scott/***"),
        ("curl -u gm:hush x", "curl -u gm:***"),
        ("password 'hush' is wrong", "password *** is wrong"),
        ("password = 'it''s \\' hush' is", "password = *** is"),
        ("пароль：hush", "пароль：***"),
        ("rows: d6-pips-2nd-edition-2024.csv", "rows: d6-pips-2nd-edition-2024.csv"),
        ("dice: 3D+2/4D+1/5D+2/6D+1", "dice: 3D+2/4D+1/5D+2/6D+1"),
        ("text: Second-Edition-Update-2024", "text: Second-Edition-Update-2024"),
        ("https://h/rulesets/hyperspace-d6/x", "https://h/rulesets/hyperspace-d6/x"),
        ("token: red, key: dexterity, pin: 3D", "token: red, key: dexterity, pin: 3D"),
        ("Bearer of bad news, token: red", "Bearer of bad news, token: red"),
        ("Key: Agility, at 10:30 @ the gate", "Key: Agility, at 10:30 @ the gate"),
        ("{key: dexterity, secret_door: 3D}", "{key: dexterity, secret_door: 3D}"),
    ],
)
def test_credentials_are_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize("part", ["a:", "token:a", "bot1:", "://a:@", "/A1b2", "='", "hook://"])
def test_masking_takes_as_long_as_the_text(part: str) -> None:
    """A linear pattern takes 16 times as long, a quadratic one 256 times."""
    assert growth(lambda size: mask_secrets((part * size)[:size]), 5000) < 64


@pytest.mark.parametrize(
    ("text", "address", "hidden"),
    [
        ("no bucket `key:s/e%2B@b`", "s3://key:s/e%2B@b/x", "no bucket `***@b`"),
        ("s/e+ is wrong for key", "s3://key:s/e%2B@b/x", "*** is wrong for ***"),
        ("no token abc", "https://host/x?token=abc", "no *** ***"),
        ("no bucket b", "s3://b/a@c", "no bucket b"),
    ],
)
def test_messages_quote_no_part_of_credentials(text: str, address: str, hidden: str) -> None:
    assert hide_secrets(text, address) == hidden


@given(st.text(st.characters(exclude_characters="\r", codec="utf-8"), min_size=3))
@example("a\nb")
@example("a@b")
def test_no_letter_of_a_password_keeps_it_from_being_masked(password: str) -> None:
    secret = f"x{password}x"
    message, path = f"no `ftp://user:{secret}@host/x`", f"ftp:/user:{secret}@host/x"
    finding = Finding(codes.CANNOT_WRITE, Span(path), message, "look")
    shown = f"{finding.message} {finding.span}"
    assert not any(part in shown for part in (secret, *secret.split("\n")) if len(part) > 2)
    secret = secret.replace("\n", "")
    line = f"rows: 'ftp://user:{secret}@host/x?key={secret}'"
    excerpt = excerpt_of(replace(finding, span=Span("f", 1, 1, 4)), [line])
    assert excerpt is not None
    assert secret not in "".join(excerpt)


def test_without_the_extra_one_line_names_what_to_install(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "find_spec", lambda name: None)
    said = run("build", three, "--out", f"s3://key:{SECRET}@bucket/x")
    assert said.status == 1
    assert "cannot write it: fsspec is not installed" in said.err
    assert "pip install fsspec" in said.err
    assert SECRET not in said.err


def test_an_unknown_protocol_is_a_finding(three: Path) -> None:
    said = run("build", three, "--out", "nowhere://bucket/x")
    assert said.status == 1
    assert "SG401" in said.err


# -- books and rows in stores ----------------------------------------------------------


def upload(folder: Path, address: str) -> None:
    fsspec.filesystem(address.partition(":")[0]).put(f"{folder}/", address, recursive=True)


def printed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if not name.startswith(".")}


def test_a_book_in_a_store_prints_what_a_folder_prints(
    three: Path, memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (tmp_path / "heroes").rename(folder / "heroes")
    three.rename(folder / "book.yaml")
    build(folder / "book.yaml", tmp_path / "here")
    expected = tree(tmp_path / "here")
    upload(folder, f"{memory}/game")
    out = f"{memory}/game/prints"
    said = run("build", f"{memory}/game", "--out", out, "--jobs", 1)
    assert said.status == 0, said.err
    assert objects(out) == expected, "records too: names are relative to the book"
    monkeypatch.chdir(tmp_path)
    assert run("build", f"{memory}/game", "--out", "there", "--jobs", 1).status == 0
    assert printed(tree(tmp_path / "there")) == printed(expected)
    assert "4 up to date" in run("build", f"{memory}/game/book.yaml", "--out", out).err
    assert not list((Path(os.environ["XDG_CACHE_HOME"]) / "sheetgen").glob("books/*"))


@pytest.mark.parametrize("lead", ["{top}/secret.yaml", "../../secret.yaml"])
def test_a_book_in_a_store_reads_nothing_beside_it(memory: str, tmp_path: Path, lead: str) -> None:
    game = tmp_path / "game"
    game.mkdir()
    (tmp_path / "secret.yaml").write_text("ruleset: keyword-dots\nname: Hidden\nhush: x\n", "utf-8")
    (tmp_path / "secret.csv").write_text("who\nhush\n", "utf-8")
    file = lead.format(top=tmp_path)
    table = file.replace(".yaml", ".csv")
    book(game, f"{{sheets: '{file}'}}", f"{{rows: '{table}', template: '{file}'}}")
    upload(game, f"{memory}/game")
    said = run("build", f"{memory}/game", "--out", tmp_path / "prints", "--jobs", 1)
    assert said.status == 1
    assert "hush" not in said.err
    assert not list(tmp_path.rglob("*.pdf"))
    assert os.environ.get("SHEETGEN_READ_BELOW", "") == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["memory://nothing/at-all", "--out", "{out}"], "there is no such folder"),
        (["memory://nothing/book"], "has no output folder of its own"),
        (["memory://nothing/book", "--out", "{out}", "--cluster", "tcp://h:1"], "other machines"),
    ],
)
def test_a_book_that_cannot_be_copied_is_a_finding(
    tmp_path: Path, words: list[str], message: str
) -> None:
    said = run("build", *(word.format(out=tmp_path / "out") for word in words))
    assert said.status == 1
    assert message in said.err


def test_rows_in_a_store_are_read_where_they_are_allowed(memory: str, tmp_path: Path) -> None:
    heroes(tmp_path, "keyword-dots/ilo-tamarack")
    files = fsspec.filesystem("memory")
    files.pipe(f"{memory}/people.csv", b"who\nAda\nEdo,x\n")
    files.pipe(f"{memory}-other/people.csv", b"who\nAda\n")
    entry = "{{rows: {}, template: ilo-tamarack.yaml, name: '{{who}}', to: html}}"
    path = book(tmp_path, entry.format(f"{memory}/people.csv"))
    for words in ([], ["--read", f"{memory}-other"], ["--read", f"{memory}/peo"]):
        said = run("build", path, "--dry-run", *words)
        assert "nobody allowed it" in said.err
    said = run("build", path, "--dry-run", "--read", memory)
    assert "ada.html" in said.out
    assert f"{memory}/people.csv:3:1: error[SG703]" in said.err
    book(tmp_path, entry.format(f"{memory}/../people.csv"))
    assert "nobody allowed it" in run("build", path, "--dry-run", "--read", memory).err


def test_a_book_does_not_choose_a_store_for_its_outputs(tmp_path: Path) -> None:
    path = book(tmp_path, f"{{blanks: keyword-dots, {QUICK}}}")
    path.write_text(path.read_text("utf-8").replace("out: out", "out: s3://bucket/x"), "utf-8")
    assert "SG401" in ids(plan_book(path).findings)


# -- a server ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start an S3 server on the loopback; return its address."""
    from moto.server import ThreadedMotoServer

    started = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    yield f"http://{host}:{port}"
    started.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a folder in a new bucket; credentials are in the environment."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "reader")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    name = f"b{uuid.uuid4().hex}"
    fsspec.filesystem("s3", skip_instance_cache=True).mkdir(name)
    return f"s3://{name}/prints"


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """Return the book of a crowd."""
    crowd_of(COUNT, tmp_path)
    path = book(tmp_path, "{id: crowd, sheets: people}")
    path.write_text(path.read_text("utf-8") + "combined: [{name: all, of: [crowd]}]\n", "utf-8")
    return path


def start(path: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "sheetgen", "build", str(path), "--jobs", "2", *words],
        env={**os.environ, "PYTHONPATH": str(data_folder())},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_build_goes_on_and_ends_with_the_same_bytes(
    crowd: Path, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    start(crowd).communicate()  # the plates are in the cache
    expected = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    first = start(crowd, "--out", f"{bucket}/first")
    text = first.communicate()[0].decode()
    assert first.returncode == 0, text
    assert f"{bucket}/first/000.pdf" in text
    assert SECRET not in text
    results = objects(f"{bucket}/first")
    assert results == expected
    assert not any(SECRET.encode() in content for content in results.values())
    process = start(crowd, "--out", f"{bucket}/second")
    some = random.Random(seed).randint(1, len(expected) - 1)
    files, root = fsspec.core.url_to_fs(f"{bucket}/second", use_listings_cache=False)
    while len(files.find(root)) < some and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    half = objects(f"{bucket}/second")
    assert all(expected[name] == content for name, content in half.items()), "only whole objects"
    again = start(crowd, "--out", f"{bucket}/second")
    text = again.communicate()[0].decode()
    assert again.returncode == 0, text
    assert objects(f"{bucket}/second") == expected
    cache = Path(os.environ["XDG_CACHE_HOME"]) / "sheetgen" / "drafts"
    assert not cache.exists()
    assert not (tmp_path / "out").exists()


def test_an_address_with_a_slash_too_few_names_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="two slashes"):
        storage.open_storage("ftp:/user:hush@host/x")
    assert storage.open_storage(str(tmp_path / "new"))
