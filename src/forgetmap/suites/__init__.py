"""Suites: named sets of tasks to evaluate, their items, and the prompts that ask them.

Names are read on first use, so that knowing the suites costs neither pydantic nor polars.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forgetmap.suites.item import Item
    from forgetmap.suites.prompts import Rendered, render
    from forgetmap.suites.suite import Suite, load, names
    from forgetmap.suites.task import Task
    from forgetmap.suites.variants import Variant

__all__ = ["Item", "Rendered", "Suite", "Task", "Variant", "load", "names", "render"]

_HOMES = {
    "Item": "item",
    "Rendered": "prompts",
    "Suite": "suite",
    "Task": "task",
    "Variant": "variants",
    "load": "suite",
    "names": "suite",
    "render": "prompts",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'forgetmap.suites' has no attribute {name!r}")
    return getattr(import_module(f"forgetmap.suites.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
