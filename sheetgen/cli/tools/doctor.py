"""`sheetgen doctor`: what is installed, what is missing, and what works without it."""

from __future__ import annotations

import sys

from sheetgen.cli import console
from sheetgen.cli.parameters import Format
from sheetgen.cli.terminal import write_lines
from sheetgen.cli.tools.installation import GOOD, MISSING, NOTE, Probe, all_is_well, report

_SIGNS = {GOOD: "ok", NOTE: "note", MISSING: "MISSING"}


def command(form: Format = "text") -> None:
    """Report what is installed, what is missing, and what works without it.

    Status 0: sheets and cards of the included rulesets can be printed. Status 1: something is
    missing for that.
    """
    probes = report(sys.stdout.encoding)
    well = all_is_well(probes)
    if form == "json":
        console.write_json({"ok": well, "probes": [_data(probe) for probe in probes]})
    else:
        for probe in probes:
            _write(probe)
        write_lines("all is well for printing" if well else "printing needs what is missing above")
    if not well:
        sys.exit(console.EXIT_BAD_INPUT)


def _write(probe: Probe) -> None:
    first, *more = probe.lines or ("",)
    write_lines(f"{_SIGNS[probe.state]:<8} {probe.name}: {first}")
    for line in more:
        write_lines(f"{'':<9}{line}")


def _data(probe: Probe) -> dict[str, object]:
    return {"name": probe.name, "state": probe.state, "said": list(probe.lines), **probe.data}
