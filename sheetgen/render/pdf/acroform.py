"""The tree of form fields (ISO 32000-1, 12.7.3): a non-terminal field for each part of a name.

The groups within a sheet are numbered with its objects. This module writes the groups above
them, one for each part of the prefixes that keep the fields of many sheets apart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import pdf_string

Path = tuple[str, ...]


@dataclass(slots=True)
class _Group:
    number: int
    parent: Path
    kids: list[int] = field(default_factory=list)


class FieldTree:
    """All fields of a document, below the groups of their prefixes.

    Attributes:
        tops: Object numbers of the fields and groups without a parent.
    """

    def __init__(self, file: PdfWriter) -> None:
        self.tops: list[int] = []
        self._file = file
        self._groups: dict[Path, _Group] = {}
        self._names: dict[Path, frozenset[str]] = {}
        self._below: dict[Path, set[str]] = {}

    def claim(self, prefix: Path, names: Collection[str]) -> None:
        """Reserve the names of fields and groups below `prefix`.

        Raises:
            ValueError: A name is in use. To a viewer, two fields of one name are one field:
                typing in one fills the other.
        """
        taken, below = self._names.get(prefix, frozenset()), self._below.get(prefix, set())
        if both := {*taken.intersection(names), *below.intersection(names)}:
            name = ".".join((*prefix, min(both)))
            raise ValueError(f"two leaves have a field `{name}`; give each leaf its own prefix")
        for end in range(len(prefix)):
            if prefix[end] in self._names.get(prefix[:end], ()):
                raise ValueError(f"`{'.'.join(prefix[: end + 1])}` is a field and also a prefix")
            self._below.setdefault(prefix[:end], set()).add(prefix[end])
        # A thousand sheets of one plate share this set.
        self._names[prefix] = taken.union(names) if taken else frozenset(names)

    def group(self, path: Path) -> int:
        """Return the object number of the group at `path`, new or known; 0 for the top."""
        if not path:
            return 0
        if path not in self._groups:
            self.group(path[:-1])
            self._groups[path] = _Group(self._file.take(), path[:-1])
            self.hang(path[:-1], [self._groups[path].number])
        return self._groups[path].number

    def hang(self, path: Path, numbers: Sequence[int]) -> None:
        """Add fields or groups to the kids of the group at `path`."""
        kids = self._groups[path].kids if path else self.tops
        kids.extend(numbers)

    def write(self) -> None:
        """Write the dictionaries of the groups; callers write the fields below them."""
        for path, group in self._groups.items():
            above = self._groups.get(group.parent)
            self._file.add(
                group.number,
                b"<</T%s/TU%s%s/Kids[%s]>>"
                % (
                    pdf_string(path[-1].encode()),
                    pdf_string(" ".join(path).replace("_", " ").encode()),
                    b"/Parent %d 0 R" % above.number if above else b"",
                    b" ".join([b"%d 0 R" % kid for kid in group.kids]),
                ),
            )
