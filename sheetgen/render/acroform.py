"""The names of form fields as PDF wants them: a tree, with a node for each part."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sheetgen.render.pdf_file import PdfFile
from sheetgen.render.pdf_syntax import literal

Path = tuple[str, ...]


@dataclass(slots=True)
class _Group:
    number: int
    parent: Path
    kids: list[int] = field(default_factory=list)


class FieldTree:
    """All fields of a document, below the groups that their names say.

    Attributes:
        tops: Object numbers of what stands at the top.
    """

    def __init__(self, file: PdfFile) -> None:
        self.tops: list[int] = []
        self._file = file
        self._groups: dict[Path, _Group] = {}
        self._names: set[str] = set()
        self._group_names: set[str] = set()

    def claim(self, prefix: Path, names: Collection[str]) -> None:
        """Note that fields have these names, below `prefix`.

        Raises:
            ValueError: One of them is taken; two fields of one name would be one field
                to a viewer, and typing in one would fill the other.
        """
        before = "".join(part + "." for part in prefix)
        full = {before + name for name in names}
        if taken := full & self._names | full & self._group_names:
            raise ValueError(
                f"two leaves have a field `{min(taken)}`; give each leaf its own prefix"
            )
        self._names |= full

    def group(self, path: Path) -> int:
        """Return the number of the group at `path`, made if it is new; 0 for the top.

        Raises:
            ValueError: A field has this name.
        """
        if not path:
            return 0
        if path not in self._groups:
            name = ".".join(path)
            if name in self._names:
                raise ValueError(f"`{name}` is a field and also a group of fields")
            self._group_names.add(name)
            above = path[:-1]
            self.group(above)
            self._groups[path] = _Group(self._file.take(), above)
            self.hang(above, [self._groups[path].number])
        return self._groups[path].number

    def hang(self, path: Path, numbers: Sequence[int]) -> None:
        """Put fields or groups below the group at `path`."""
        kids = self._groups[path].kids if path else self.tops
        kids.extend(numbers)

    def write(self) -> None:
        """Write the groups; the fields themselves are written by who made them."""
        for path, group in self._groups.items():
            above = self._groups.get(group.parent)
            self._file.add(
                group.number,
                b"<</T%s/TU%s%s/Kids[%s]>>"
                % (
                    literal(path[-1].encode()),
                    literal(" ".join(path).replace("_", " ").encode()),
                    b"/Parent %d 0 R" % above.number if above else b"",
                    b" ".join([b"%d 0 R" % kid for kid in group.kids]),
                ),
            )
