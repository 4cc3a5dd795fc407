"""The form of a file of this machine: it writes what was changed, and nothing else."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest

from sheetgen.plugins.builder.site import LocalForm
from tests.cli.commands import CHARACTERS

OURS = (CHARACTERS / "hyperspace-d6" / "sella_finch.yaml").read_text(encoding="utf-8")
COMMENTED = OURS.replace("name:", "# who this is\nname:", 1) + "\n# the end\n"


def _write(folder: Path, text: str = COMMENTED, start: bytes = b"") -> Path:
    path = folder / "hero.yaml"
    path.write_bytes(start + text.encode())
    return path


def _changed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def _change(form: LocalForm, **request: Any) -> dict[str, Any]:
    known = form.answer({"do": "load"})
    answer = form.answer({"text": known["text"], "was": known["digest"], **request})
    assert "refused" not in answer, answer
    return answer


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_changed_line_differs(tmp_path: Path, start: bytes, end: str) -> None:
    before = COMMENTED.replace("\n", end)
    path = _write(tmp_path, before, start)
    form = LocalForm(path)
    answer = _change(form, do="put", key="name", value="Zoë Quill")
    content = path.read_bytes()
    assert content.startswith(start + b"#" if start else b"")
    after = content.decode("utf-8-sig")
    assert after.count("\r\n") == (after.count("\n") if end == "\r\n" else 0)
    removed, added = _changed(before, after)
    assert removed.startswith("- name: ")
    assert added == "+ name: Zoë Quill"
    assert form.answer({"do": "load", "was": answer["digest"]}) == {"same": True}
    # The text box of a browser has line feeds only; the file keeps its line ends.
    whole = after.replace("\r\n", "\n").replace("Zoë", "Ada")
    _change(form, do="open", text=whole)
    assert path.read_bytes().decode("utf-8-sig") == after.replace("Zoë", "Ada")


def test_a_question_writes_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path)
    form = LocalForm(path)
    for act in ("open", "options", "offers", "print"):
        answer = form.answer({"do": act, "text": COMMENTED + "# more\n", "key": "species"})
        assert "refused" not in answer
    assert path.read_text(encoding="utf-8") == COMMENTED


def test_what_another_program_wrote_stays(tmp_path: Path) -> None:
    path = _write(tmp_path)
    form = LocalForm(path)
    known = form.answer({"do": "load"})
    path.write_text(COMMENTED + "# by an editor\n", encoding="utf-8")
    asked = {"do": "put", "key": "name", "value": "Ada", "text": known["text"]}
    answer = form.answer({**asked, "was": known["digest"]})
    assert answer["text"].endswith("# by an editor\n")
    assert "told" in answer
    assert path.read_text(encoding="utf-8") == answer["text"]
    form.answer({**asked, "text": answer["text"], "was": answer["digest"]})
    assert "name: Ada" in path.read_text(encoding="utf-8")
    path.unlink()
    assert "refused" in form.answer({**asked, "was": known["digest"]})
    assert not path.exists()


def test_a_changed_ruleset_is_read_again(tmp_path: Path) -> None:
    game = tmp_path / "game"
    game.mkdir()
    rules = (
        "id: game\ntitle: Game\nversion: 1\nformat: 1\n"
        "credit: {short: Ours, long: Ours, licence: none}\n"
        "character: {name: {kind: text}, MORE: {kind: text}}\n"
    )
    (game / "ruleset.yaml").write_text(rules.replace("MORE", "calling"), encoding="utf-8")
    path = _write(tmp_path, "ruleset: ./game\nname: Ada\n")
    form = LocalForm(path)

    def keys() -> list[str]:
        return [one["key"] for one in form.answer({"do": "load"})["fields"]]

    assert keys() == ["name", "calling", "portrait"]
    (game / "ruleset.yaml").write_text(rules.replace("MORE", "homeland"), encoding="utf-8")
    assert keys() == ["name", "homeland", "portrait"]


def test_a_file_is_never_emptied(tmp_path: Path) -> None:
    path = _write(tmp_path)
    form = LocalForm(path)
    known = form.answer({"do": "load"})
    assert "refused" in form.answer({"do": "open", "text": " \n", "was": known["digest"]})
    assert path.read_text(encoding="utf-8") == COMMENTED
