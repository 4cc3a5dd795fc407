"""Memos for tests: a worker loads, checks and proofreads each ruleset of the tree once.

These functions depend on files that no test changes; copies in other folders are read anew each
time. Modules import the functions by name, so conftest.py imports this one first.

tests/layouts.py keeps pages that were laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sheetgen.load.rulesets import rulesets
from sheetgen.load.yaml import tree

TREE = Path(__file__).parent.parent
LOADED: dict[int, Any] = {}
"""Rulesets of the tree by identity, which is theirs as long as they are here."""


def _folders(folders: Any, chosen: Mapping[str, Any] | None = None) -> object:
    paths = (folders,) if isinstance(folders, Path) else tuple(folders)
    if all(path.is_absolute() and path.is_relative_to(TREE) for path in paths):
        return paths, frozenset((chosen or {}).items())
    return None


def _files(folders: Any, *, complete: bool = False, switches: Any = None) -> object:
    key = _folders(folders, switches)
    return key and (key, complete)


def _rules(rules: Any) -> object:
    return id(rules) if id(rules) in LOADED else None


def _compute_once(module: ModuleType, name: str, key_of: Callable[..., object]) -> None:
    """Let the function `name` of `module` compute once what has a key."""
    compute, results = getattr(module, name), {}

    def find(*args: Any, **more: Any) -> Any:
        key = key_of(*args, **more)
        if key is None:
            return compute(*args, **more)
        if key not in results:
            results[key] = compute(*args, **more)
            if name == "load_ruleset":
                LOADED[id(results[key].value)] = results[key].value
        return results[key]

    setattr(module, name, find)


tree.parse_yaml = lru_cache(maxsize=512)(tree.parse_yaml)
_compute_once(rulesets, "load_ruleset", _files)

from sheetgen.check.ruleset import rulesets as checks  # noqa: E402

_compute_once(checks, "check_ruleset", _rules)

from sheetgen.prints import rulesets as checked  # noqa: E402

_compute_once(checked, "check_folders", _folders)
_compute_once(checked, "compute_proof", _folders)
