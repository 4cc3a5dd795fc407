"""Frozen dataclasses that start quickly: `frozen`, and `frozen_by_identity` without comparisons.

`dataclass` compiles up to six methods a class. A start of the command creates over a hundred
classes, so that this took a third of its time; here only `__init__` is compiled. It sets slots
directly, which takes half the time of a frozen dataclass.

`docs/house/adding.md` says which of them to use when.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(model: type[T]) -> type[T]:
    """Make `model` a frozen dataclass with slots, compared by its values."""
    made: Any = frozen_by_identity(model)
    values = _values_of([one.name for one in fields(made) if one.compare])

    def equals(self: object, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    methods = {"__eq__": equals, "__hash__": lambda self: hash(values(self)), "__repr__": _show}
    for name in methods.keys() - vars(model).keys():
        setattr(made, name, methods[name])
    return made  # type: ignore[no-any-return]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_by_identity(model: type[T]) -> type[T]:
    """Make `model` a frozen dataclass with slots that is not compared and not printed."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(model)
    every = fields(made)
    values = _values_of([one.name for one in every])
    made.__init__ = _compile_init(made, every)
    made.__reduce__ = lambda self: (made, values(self))
    made.__setattr__ = made.__delattr__ = _refuse
    return made  # type: ignore[no-any-return]


def _values_of(names: list[str]) -> Any:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _compile_init(model: type, every: tuple[Field[Any], ...]) -> Any:
    known: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], []
    for one in every:
        name = value = one.name
        known[f"__set_{name}"] = getattr(model, name).__set__
        if one.default_factory is not MISSING:
            known[f"make_{name}"] = one.default_factory
            value = f"make_{name}() if {name} is MISSING else {name}"
            parameters.append(f"{name}=MISSING")
        elif one.default is not MISSING:
            known[f"default_{name}"] = one.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        lines.append(f"  __set_{name}(self, {value})")
    # Names of fields only, from our own classes.
    exec(f"def init({', '.join(parameters)}):\n" + "\n".join(lines or ["  pass"]), known)  # noqa: S102
    return known["init"]


def _refuse(self: object, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _show(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
