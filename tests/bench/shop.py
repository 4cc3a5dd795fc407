"""Speed of the print shop: a thousand sheets and cards, and books, in one run on one machine.

    python tests/bench/shop.py [--count N] [--rows a,b,c,d,e,f,g]

Prints a table; asserts nothing. What runs in this process is measured in processor time,
after one run to warm up, against a sample that the peer makes of the same things in the same
run; whole processes say what is theirs. `g`, ten thousand in one file, is only done if asked.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
from pathlib import Path

from tests.bench.measuring import HEAD
from tests.bench.shop_builds import jobs, joined_scale, rebuilt, scale
from tests.bench.shop_cards import cards
from tests.bench.shop_sheets import joined_sheets, sheets

ROWS = {
    "a": sheets,
    "b": joined_sheets,
    "c": cards,
    "d": scale,
    "e": jobs,
    "f": rebuilt,
    "g": joined_scale,
}
USUAL = "a,b,c,d,e,f"


def main() -> None:
    """Measure, and print a table, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rows", default=USUAL)
    said = parser.parse_args()
    gc.set_threshold(100_000)  # as the command line does
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n{HEAD}")
    for name in said.rows.split(","):
        with tempfile.TemporaryDirectory() as folder:
            for row in ROWS[name](said.count, Path(folder)):
                print(f"{name}  {row.text()}", flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
