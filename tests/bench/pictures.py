"""Measure sheets with portraits: a thousand files of a megabyte, against reading and scaling them.

    python tests/bench/pictures.py [COUNT]

Both sides are measured in one run, in processor time: the sheets with portraits, and the sheets
without plus Pillow reading and scaling the same pictures. The pictures are generated.
"""

from __future__ import annotations

import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image

from sheetgen.data import data_folder
from sheetgen.prints.kinds import PrintContext
from sheetgen.prints.sheet import SheetRequest, print_sheets

CELL = (355, 407)
"""Pixels of a portrait at 300 dpi."""


def portraits(folder: Path, count: int) -> None:
    """Write `count` different photographs of about a megabyte: a scene with noise."""
    size = (1800, 2400)
    noise = [Image.effect_noise((900, 1200), 70).resize(size) for _ in range(3)]
    scene = Image.merge("RGB", [Image.radial_gradient("L").resize(size)] * 3)
    base = Image.blend(scene, Image.merge("RGB", noise), 0.3)
    for number in range(count):
        image = base.rotate(number % 4 * 90).crop((0, 0, 1700, 1700 + number % 300))
        file = io.BytesIO()
        image.save(file, "JPEG", quality=92)
        (folder / f"{number}.jpg").write_bytes(file.getvalue())


def characters(folder: Path, count: int, *, pictures: bool) -> tuple[str, ...]:
    source = data_folder() / "content" / "characters" / "hyperspace-d6" / "jorra_kest.yaml"
    text = source.read_text(encoding="utf-8")
    paths = []
    for number in range(count):
        path = folder / f"{'with' if pictures else 'bare'}-{number}.yaml"
        more = f"portrait: {{file: {number}.jpg, alt: Portrait}}\n" if pictures else ""
        path.write_text(text + more, encoding="utf-8")
        paths.append(str(path))
    return tuple(paths)


def print_all(paths: tuple[str, ...]) -> int:
    context, total = PrintContext(), 0
    for path in paths:
        request = SheetRequest((path,), formats=("pdf",))
        total += sum(len(d) for one in print_sheets(request, context) for d in one.files.values())
    return total


def scale_all(folder: Path, count: int) -> int:
    total = 0
    for number in range(count):
        with Image.open(io.BytesIO((folder / f"{number}.jpg").read_bytes())) as image:
            image.draft("RGB", (2 * CELL[0], 2 * CELL[1]))
            small = image.resize(CELL, Image.Resampling.LANCZOS, reducing_gap=2.0)
        file = io.BytesIO()
        small.save(file, "JPEG", quality=88)
        total += len(file.getvalue())
    return total


def timed(job: Callable[[], int]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(count: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        portraits(folder, count)
        size = sum(path.stat().st_size for path in folder.glob("*.jpg")) / count / 1e6
        bare = characters(folder, count, pictures=False)
        full = characters(folder, count, pictures=True)
        print_all((bare[0], full[0]))  # the plate is compiled, and Pillow is loaded
        scaling, without = timed(lambda: scale_all(folder, count)), timed(lambda: print_all(bare))
        few = memory()
        some = timed(lambda: print_all(full[: count // 4]))
        quarter = memory()
        rest = timed(lambda: print_all(full[count // 4 :]))
        each = 1000 / count
        yield f"{count} portraits of {size:.2f} MB"
        yield f"reading and scaling alone {scaling * each:.1f} ms each"
        yield f"sheets without {without * each:.1f} ms each"
        yield f"sheets with {(some + rest) * each:.1f} ms each"
        yield f"ratio {(some + rest) / (scaling + without):.2f} (at most 1.5)"
        yield f"peak memory {few:.0f}, {quarter:.0f}, {memory():.0f} MB: before, a quarter, all"


if __name__ == "__main__":
    print("\n".join(report(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)))
