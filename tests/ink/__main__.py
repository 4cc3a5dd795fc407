"""Report what collides on every print: `python -m tests.ink [PART OF A NAME …] [--jobs 2]`.

Words choose prints whose names have them; `--usual` is every print in the usual look, `--sample`
each in one look by turns. Without both, the whole product.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from os import environ

import tests.memo  # noqa: F401  It replaces functions before others import them.
from tests.ink.known import unknown
from tests.ink.prints import Print, prints, product, sample


def main(words: list[str]) -> int:
    """Print the findings of each print as soon as it is done, and return whether there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.ink", description=__doc__)
    parser.add_argument("parts", nargs="*", help="a part of a name, a ruleset, a theme or a paper")
    parser.add_argument("--usual", dest="source", action="store_const", const=prints)
    parser.add_argument("--sample", dest="source", action="store_const", const=sample)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    options = parser.parse_args(words)
    environ.setdefault("XDG_CACHE_HOME", tempfile.mkdtemp())
    chosen = (options.source or product)()
    chosen = [one for one in chosen if all(part in one.label for part in options.parts)]
    start, count = time.monotonic(), 0
    # A process takes all looks and sizes of a print: they share the ruleset and plates.
    groups = [list(group) for _, group in groupby(chosen, lambda one: one.name.split()[:2])]
    with ProcessPoolExecutor(options.jobs) as pool:
        for lines, found in pool.map(_check, groups):
            count += found
            print("\n".join(lines), flush=True)
    print(f"{len(chosen)} prints, {count} collisions, {time.monotonic() - start:.0f} s")
    return min(count, 1)


def _check(group: Sequence[Print]) -> tuple[list[str], int]:
    """Return what is found on prints, as lines, and how many collisions are."""
    lines, count = [], 0
    for one in group:
        start = time.process_time()
        found, seen = unknown(one.name, one.collisions())
        count += len(found)
        if seen:
            lines.append(f"{one.label}: known are {', '.join(sorted({k.kind for k in seen}))}")
        lines.append(f"{one.label}: {len(found)} ({time.process_time() - start:.1f} s)")
        lines += [f"    {collision}" for collision in found]
    return lines, count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
