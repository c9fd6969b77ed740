"""Maps as they are shown before their causes are known: causes read replies, and nobody waits for them to see a number."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from forgetmap.causes import Causes
from forgetmap.map import ForgettingMap
from forgetmap.report.sheet import Sheet

_NO_CAUSES = Causes(
    pl.DataFrame(
        schema={
            "task": pl.String, "item_high": pl.UInt64, "item_low": pl.UInt64, "slot": pl.UInt32, "direction": pl.String,
            "cause": pl.String, "weight": pl.Float64, "flags": pl.List(pl.String),
        }
    ),
    pl.DataFrame(schema={"task": pl.String, "direction": pl.String, "cause": pl.String, "answers": pl.Float64}),
    {}, 0, [],
)  # fmt: skip


def without_causes(found: ForgettingMap) -> Sheet:
    """Return a map as it is shown, before its causes are known."""
    bare = replace(found)
    vars(bare)["found_causes"] = _NO_CAUSES  # a cached property: filled, it is not computed
    return Sheet.of(bare)
