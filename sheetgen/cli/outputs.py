"""Finished files of one run, each under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sheetgen.cli import console
from sheetgen.cli.terminal import say
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.designs.presets import Preset
from sheetgen.rules.names import folded
from sheetgen.write.files import write_file
from sheetgen.write.names import name_key, portable_name


def file_stem(name: str) -> str:
    """Return a name as the stem of a file's name: lower case, hyphens, no accents."""
    return folded(name).replace(" ", "-")


class Files:
    """Writes the outputs of one run.

    No two inputs get one name, no source is overwritten, and no file that somebody changed.
    """

    def __init__(
        self,
        out: Path,
        talk: console.Reporter,
        sources: Sequence[Path] = (),
        preset: Preset | None = None,
        archive: bool = False,
        *,
        force: bool = False,
    ) -> None:
        """Write into `out`, for the printer of `preset` or for an archive."""
        self.preset, self.archive, self.force = preset, archive, force
        self.out = out
        self.talk = talk
        self.sources = sources
        self.taken: dict[str, Path | None] = {}

    def put(self, stem: str, files: Mapping[str, bytes], source: Path | None = None) -> None:
        """Write all kinds of one print, its PDF finished for the printer or the archive."""
        if self.preset is not None or self.archive:
            from sheetgen.finish.finishing import finish_files  # Most runs need none of it.

            made = finish_files(files, stem, self.preset, self.archive)
            self.talk.say(made.findings)
            files = made.value or {}
        for kind, content in files.items():
            self.save(stem, kind, content, source)

    def save(self, stem: str, kind: str, content: bytes, source: Path | None = None) -> None:
        """Write one file and print its path, or say why it is not written."""
        name = f"{portable_name(stem) or 'sheet'}.{kind}"
        place = name_key(name)
        if place in self.taken:
            first = self.taken[place] or "the empty sheet"
            message = f"`{name}` is already written for {first}"
            finding = Finding(codes.SAME_OUTPUT, Span(str(source)), message, "rename one")
            self.talk.say([finding])
            return
        self.taken[place] = source
        failed = write_file(self.out / name, content, self.sources, force=self.force)
        if failed is not None:
            self.talk.say([failed])
        else:
            say(str(self.out / name))
