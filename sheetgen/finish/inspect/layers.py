"""Which layers of a PDF (optional content) are not printed."""

from __future__ import annotations

from typing import Any, Final

_DEEPEST: Final = 8
"""Nesting of visibility expressions."""


class Layers:
    """The layers of a file, as its default configuration shows them in print."""

    def __init__(self, pdf: Any) -> None:
        config = pdf.Root.get("/OCProperties", {}).get("/D", {})
        groups = list(pdf.Root.get("/OCProperties", {}).get("/OCGs", []))
        self._off = {one.objgen for one in config.get("/OFF", [])}
        if str(config.get("/BaseState", "/ON")) == "/OFF":
            on = {one.objgen for one in config.get("/ON", [])}
            self._off |= {one.objgen for one in groups} - on
        for usage in config.get("/AS", []):
            if str(usage.get("/Event")) == "/Print":
                for one in usage.get("/OCGs", []):
                    self._apply(one)
        self.count = len(groups)

    def _apply(self, group: Any) -> None:
        """Apply what a layer says about print."""
        state = str(group.get("/Usage", {}).get("/Print", {}).get("/PrintState", ""))
        if state == "/OFF":
            self._off.add(group.objgen)
        elif state == "/ON":
            self._off.discard(group.objgen)

    def hides(self, content: Any) -> bool:
        """Whether content that belongs to a layer, or to several, is not printed."""
        import pikepdf

        if not isinstance(content, pikepdf.Dictionary):
            return False
        if str(content.get("/Type")) != "/OCMD":
            return content.objgen in self._off
        if "/VE" in content:
            return not self._holds(content.VE, 0)
        found = content.get("/OCGs", [])
        groups = [found] if isinstance(found, pikepdf.Dictionary) else list(found)
        shown = [one.objgen not in self._off for one in groups if one is not None]
        if not shown:
            return False
        policy = str(content.get("/P", "/AnyOn"))
        visible = {"/AllOn": all(shown), "/AnyOff": not all(shown), "/AllOff": not any(shown)}
        return not visible.get(policy, any(shown))

    def _holds(self, expression: Any, depth: int) -> bool:
        import pikepdf

        if not isinstance(expression, pikepdf.Array):
            return expression.objgen not in self._off
        kind, *rest = list(expression)
        parts = [self._holds(one, depth + 1) for one in rest] if depth < _DEEPEST else []
        if str(kind) == "/Not":
            return not all(parts)
        return all(parts) if str(kind) == "/And" else any(parts) or not parts
