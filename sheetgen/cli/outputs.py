"""Finished files of one run, each under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sheetgen.cli import console
from sheetgen.cli.terminal import say
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.presets import Preset
from sheetgen.pipeline import Printed
from sheetgen.rules.names import folded
from sheetgen.write.files import write


class Files:
    """Writes outputs of one run; no two inputs get one name, no source is overwritten."""

    def __init__(
        self,
        out: Path,
        talk: console.Talk,
        sources: Sequence[Path],
        preset: Preset | None = None,
        archive: bool = False,
    ) -> None:
        """Write into `out`, for the printer of `preset` or for an archive."""
        self.preset, self.archive = preset, archive
        self.out = out
        self.talk = talk
        self.sources = sources
        self.taken: dict[str, Path | None] = {}

    def put(self, stem: str, printed: Printed, source: Path | None) -> None:
        """Write all kinds of one print."""
        files = printed.files
        if self.preset is not None or self.archive:
            from sheetgen.printshop import finished  # Most runs need none of it.

            made = finished(files, stem, self.preset, self.archive)
            self.talk.say(made.findings)
            files = made.value or {}
        for name, content in self._named(stem, files):
            if name in self.taken:
                first = self.taken[name] or "the empty sheet"
                message = f"`{name}` is written for {first} already"
                finding = Finding(codes.SAME_OUTPUT, Span(str(source)), message, "rename one")
                self.talk.say([finding])
                continue
            self.taken[name] = source
            failed = write(self.out / name, content, self.sources)
            if failed is not None:
                self.talk.say([failed])
            else:
                say(str(self.out / name))

    def _named(self, stem: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        plain = folded(stem).replace(" ", "-") or "sheet"
        for kind, content in files.items():
            yield f"{plain}.{kind}", content
