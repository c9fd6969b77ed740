"""forgetmap: what post-training lost and gained, item by item."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forgetmap.chain import Chain, chain_runs
    from forgetmap.evaluation import evaluate
    from forgetmap.gate import check_gate
    from forgetmap.map import ForgettingMap, compare, compare_all
    from forgetmap.pairing import Pair
    from forgetmap.readers import read_run
    from forgetmap.repeats import join_repeats
    from forgetmap.run import Run

__all__ = [
    "Chain",
    "ForgettingMap",
    "Pair",
    "Run",
    "chain_runs",
    "check_gate",
    "compare",
    "compare_all",
    "evaluate",
    "join_repeats",
    "read_run",
]

#: Where each public name lives: read on first use, so that importing the package (or its pytest plugin) costs nothing.
_HOMES = {
    "Chain": "chain",
    "ForgettingMap": "map",
    "Pair": "pairing",
    "Run": "run",
    "chain_runs": "chain",
    "check_gate": "gate",
    "compare": "map",
    "compare_all": "map",
    "evaluate": "evaluation",
    "join_repeats": "repeats",
    "read_run": "readers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'forgetmap' has no attribute {name!r}")
    return getattr(import_module(f"forgetmap.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
