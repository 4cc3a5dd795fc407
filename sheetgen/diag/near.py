"""Near matches, for hints about misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the one of `names` that `word` most likely meant, or an empty string."""
    by_lower = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word.lower()[:80], by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""


def suggestion(word: str, names: Iterable[str], what: str = "") -> str:
    """Return a hint: the near match, or else what there is to choose from."""
    known = list(dict.fromkeys(names))
    near = nearest(word, known)
    if near:
        return f"did you mean `{near}`?"
    if not known:
        return ""
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"{what or 'known'}: {shown}"
