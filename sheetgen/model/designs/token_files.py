"""`tokens.yaml` and `themes/*.yaml`: entries that are laid over each other, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sheetgen.diag.spans import Span
from sheetgen.model.shape import DesignNumber, rule_model
from sheetgen.model.source import Text

UNSAID: Final = Text("", Span(""))
"""A text that a file leaves as it was; an empty one in quotes takes the earlier text away."""


@rule_model
class RoleFields:
    """What a file says of a role; see `prints.Role`."""

    face: Text | None = None
    size: DesignNumber | None = None
    least: DesignNumber | None = None
    align: Text | None = None
    baseline: DesignNumber | None = None
    leading: DesignNumber | None = None
    colour: Text | None = None


@rule_model
class ShapeFields:
    """What a file says of a shape; see `prints.Shape`."""

    path: Text = UNSAID
    inset: DesignNumber | None = None
    fill: Text = UNSAID
    stroke: Text = UNSAID
    width: DesignNumber | None = None


@rule_model
class TickFields:
    """What a file says of a tick style; see `prints.Tick`."""

    frame: Text = UNSAID
    on: Text = UNSAID


@rule_model
class TokensFile:
    """A file of tokens, or a theme; see `prints.Tokens`."""

    colours: Mapping[str, Text] = field(default_factory=dict)
    faces: Mapping[str, Text] = field(default_factory=dict)
    letters: Mapping[str, Text] = field(default_factory=dict)
    roles: Mapping[str, RoleFields] = field(default_factory=dict)
    shapes: Mapping[str, ShapeFields] = field(default_factory=dict)
    ticks: Mapping[str, TickFields] = field(default_factory=dict)
    css: Mapping[str, Text] = field(default_factory=dict)
