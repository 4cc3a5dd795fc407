"""What whoever carries out orders has at hand, and what becomes of an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.diag.findings import Finding, errors
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.designs.presets import load_presets
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import Folders, find_ruleset
from sheetgen.model.books import Order
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.tables import Proofread, proof_in
from sheetgen.render.plates.plate_store import Rack


@dataclass(slots=True)
class PrintContext:
    """What whoever carries out orders has at hand; a new one sees what has changed.

    Attributes:
        drafts: The folder for what is written as it is made.
    """

    drafts: Path
    shelf: RulesetCache = field(default_factory=RulesetCache)
    rack: Rack = field(default_factory=Rack)
    proofs: dict[tuple[Folders, tuple[tuple[str, str], ...]], Proofread] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class Print:
    """Finished files of one thing, by kind.

    Attributes:
        words: What may stand in their name.
        drafts: Those that were too long to be held, written as drafts already.
    """

    words: Mapping[str, str]
    files: Mapping[str, bytes]
    drafts: Mapping[str, Path] = field(default_factory=dict)


@dataclass(slots=True)
class OrderResult:
    """What became of an order.

    Attributes:
        rulesets: Folders of the rulesets that counted.
        designs: Folders of templates that were used.
    """

    prints: list[Print] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rulesets: set[str] = field(default_factory=set)
    designs: set[str] = field(default_factory=set)

    def used(self, rules: Ruleset | None) -> None:
        """Note that these rules counted."""
        if rules is not None:
            self.rulesets.update(origin.folder for origin in rules.composition.origins)


def request_of(order: Order) -> PrintRequest:
    """Return how an order's sheets and pages are printed."""
    kinds = tuple(kind for kind in order.to if kind in ("pdf", "html"))
    printer = load_presets().get(order.preset)
    calc = order.calc and not order.archive and (printer is None or printer.scripts)
    look = order.theme, order.paper, order.flatten, order.draft
    return PrintRequest(kinds, *look, order.copies, calc)


def words_of(rules: Ruleset, what: str) -> dict[str, str]:
    """Return what may stand in the name of a print of a ruleset."""
    id_ = str(rules.id)
    return {"stem": f"{id_}-{what}", "name": rules.title, "ruleset": id_, "kind": what, "n": "1"}


def ruleset_of(name: str, order: Order, desk: PrintContext, made: OrderResult) -> Ruleset | None:
    """Return a ruleset, or None with findings that say why."""
    found = find_ruleset(name, order.place, Path(order.beside))
    made.findings += found.findings
    if found.value is None:
        return None
    loaded = desk.shelf.load(found.value, switches_of(None, dict(order.options)))
    made.findings += loaded.findings
    made.used(loaded.value)
    return loaded.value if not errors(loaded.findings) else None


def proof_for(name: str, order: Order, desk: PrintContext, made: OrderResult) -> Proofread | None:
    """Return a whole ruleset with its proof, or None with findings that say why."""
    found = find_ruleset(name, order.place, Path(order.beside))
    made.findings += found.findings
    if found.value is None:
        return None
    key = found.value, order.options
    if key not in desk.proofs:
        desk.proofs[key] = proof_in(found.value, dict(order.options))
    read = desk.proofs[key]
    made.findings += read.findings
    made.used(read.rules)
    return read if read.rules is not None else None
