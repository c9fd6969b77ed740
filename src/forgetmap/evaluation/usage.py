"""Usage: what answers took of a server that counts, kept with every batch and added up in the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from forgetmap.run import Run

#: Counts of a run are whole numbers, so the cost is kept in millionths.
_COST = "cost_millionths"


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Requests, tokens and, where prices were given, money."""

    requests: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None  # in the money of the prices; None where none were given

    def __str__(self) -> str:
        tokens = f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out in {self.requests:,} requests"
        again = f", {self.retries:,} of them repeated" if self.retries else ""
        return f"{tokens}{again}" + ("" if self.cost is None else f"; cost {self.cost:,.6g}")


_COUNTED = tuple(name for name in Usage.__struct_fields__ if name != "cost")


def since(before: Mapping[str, Any], now: Mapping[str, Any]) -> Usage:
    """Return what an engine took between two looks at its counters."""
    cost = None if now["cost"] is None else now["cost"] - (before["cost"] or 0.0)
    return Usage(cost=cost, **{name: now[name] - before[name] for name in _COUNTED})


def added(parts: Iterable[Usage | None]) -> Usage | None:
    """Return several as one; None where nothing was counted. The cost is known only if that of every part is."""
    told = [part for part in parts if part is not None]
    if not told:
        return None
    costs = [part.cost for part in told if part.cost is not None]
    cost = sum(costs) if len(costs) == len(told) else None
    return Usage(cost=cost, **{name: sum(getattr(part, name) for part in told) for name in _COUNTED})


def note_usage(run: Run, usage: Usage | None) -> None:
    """Write into a run what its answers took."""
    if usage is None:
        return
    run.info.counts |= {name: getattr(usage, name) for name in _COUNTED}
    if usage.cost is not None:
        run.info.counts[_COST] = round(usage.cost * 1e6)


def usage_of(run: Run) -> Usage | None:
    """Return what the answers of a run took; None where nobody counted.

    >>> from forgetmap.run import RunInfo
    >>> import polars as pl
    >>> run = Run(RunInfo(), pl.LazyFrame())
    >>> note_usage(run, Usage(requests=3, tokens_in=1200, tokens_out=90, cost=0.0042))
    >>> print(usage_of(run))
    1,200 tokens in and 90 out in 3 requests; cost 0.0042
    """
    counts = run.info.counts
    if "tokens_in" not in counts:
        return None
    cost = counts[_COST] / 1e6 if _COST in counts else None
    return Usage(cost=cost, **{name: counts.get(name, 0) for name in _COUNTED})
