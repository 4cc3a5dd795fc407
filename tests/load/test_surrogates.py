"""JSON's pairs of escapes in double quotes are one character, and places stay where they are."""

from __future__ import annotations

import pytest

from sheetgen.load.yaml.edit import parse_spots
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Pairs, ScalarNode

DRAGON = "\U0001f409"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'"\ud83d\udc09"', DRAGON),
        (r'"a \uD83D\uDC09\ud83d\udc09 \u00e9 b"', f"a {DRAGON}{DRAGON} \u00e9 b"),
        (r'"\\ud83d\\udc09"', r"\ud83d\udc09"),
        (r"'\ud83d\udc09'", r"\ud83d\udc09"),
        (r"plain \ud83d\udc09", r"plain \ud83d\udc09"),
        (r'"\U0001f409"', DRAGON),
        (r'"\ue000\ue000\ud83d\udc09"', f"\ue000\ue000{DRAGON}"),
    ],
)
def test_pairs_are_characters(text: str, meant: str) -> None:
    whole = f"name: {text}\nafter: [{text}, x]\n"
    parsed = parse_yaml(whole, "f")
    assert parsed.value is not None
    assert not parsed.findings
    root = parsed.value.root
    assert isinstance(root, Pairs)
    name = root.get("name")
    assert isinstance(name, ScalarNode)
    assert (name.raw, name.span.width) == (meant, len(text))
    spot = parse_spots(whole)
    assert spot is not None
    assert spot.data() == {"name": meant, "after": [meant, "x"]}


@pytest.mark.parametrize("text", [r'"\ud83d"', r'"\udc09\ud83d"', r'"\ud83d\ud83d\udc09"'])
def test_half_a_character_is_a_finding(text: str) -> None:
    [finding] = parse_yaml(f"name: {text}\n", "f").findings
    assert finding.message.endswith("is half of a character")
    assert finding.span.column == 8
