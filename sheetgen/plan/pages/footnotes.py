"""What a print says below itself: where the source prints another figure."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.build import Build
from sheetgen.model.differences import Difference


def find_footnotes(build: Build, printed: Mapping[str, Difference]) -> dict[str, str]:
    """Return a footnote for each value of a build that its source prints otherwise.

    A row of a list has one where the proof has a note about it; its mark is at the last column.

    What the source prints of one that comes with the rules counts for all that start from
    it, as long as the value is what follows from the base: once an author changed what it
    rests on, the source says nothing of it.

    Args:
        build: Of anything.
        printed: By `Name, value`, where Name comes with the rules.
    """
    found = {}
    for id_, derived in build.derived.items():
        there = printed.get(f"{build.base}, {id_}") if build.base else None
        own = build.printed.get(id_)
        said = "" if own is None else str(own)
        if not said and there is not None and there.computed == str(derived.value):
            said = there.printed
        if said and said != str(derived.value):
            how = derived.how or derived.label
            found[id_] = f"The source prints {said}; {how} is {derived.value}."
    for list_, rows in build.rows.items() if build.base else ():
        for number, row in enumerate(rows, start=1):
            there = printed.get(f"{build.base}, {row.get('name')}")
            if there is not None and there.note and there.printed == " ".join(row.values()):
                found[f"{list_}.{number}.{[*row][-1]}"] = f"{there.note}."
    return found
