"""Say what collides on every print: `python -m tests.ink [PART OF A NAME …]`, all looks."""

from __future__ import annotations

import sys
import tempfile
import time
from os import environ

from tests.ink.known import unknown
from tests.ink.prints import prints, product, sample


def main(words: list[str]) -> int:
    """Print what is found; names may be chosen by their parts, and `--usual` or `--sample`."""
    environ.setdefault("XDG_CACHE_HOME", tempfile.mkdtemp())
    chosen = {"--usual": prints, "--sample": sample}
    source = next((chosen[word] for word in words if word in chosen), product)
    parts = [word for word in words if word not in chosen]
    count = 0
    for one in source():
        if all(part in one.label for part in parts):
            start = time.process_time()
            found, seen = unknown(one.name, one.collisions())
            count += len(found)
            if seen:
                print(f"{one.label}: known are {', '.join(sorted({k.kind for k in seen}))}")
            print(f"{one.label}: {len(found)} ({time.process_time() - start:.1f} s)", flush=True)
            for collision in found:
                print(f"    {collision}", flush=True)
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
