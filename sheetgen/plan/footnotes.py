"""What a print says below itself: where the source prints another figure."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.build import Build


def footnotes(build: Build, printed: Mapping[str, str]) -> dict[str, str]:
    """Return a footnote for each value of a build that its source prints otherwise."""
    found = {}
    for id_, derived in build.derived.items():
        said = printed.get(f"{build.name}, {id_}") or build.printed.get(id_)
        if said is not None and str(said) != str(derived.value):
            how = derived.how or derived.label
            found[id_] = f"The source prints {said}; {how} is {derived.value}."
    return found
