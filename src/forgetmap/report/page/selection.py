"""Which items a page shows when there are too many: the first to look at of every task, and some that did not move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from forgetmap.flips import TRANSITIONS, list_flips, show_items
from forgetmap.map import ForgettingMap
from forgetmap.pairing import Pair
from forgetmap.report.page.items import ItemSet

MOST_ITEMS = 2000
#: Of the items shown: what was lost is looked at most, what stayed is there to compare.
_SHARES = {"lost": 0.5, "gained": 0.3, "kept": 0.1, "never": 0.1}


def select_items(maps: Sequence[ForgettingMap], most: int = MOST_ITEMS) -> ItemSet:
    """Return the items of a page, at most so many over all maps."""
    counts: Counter[str] = Counter()
    rows = []
    for place, found in enumerate(maps):
        own = _count(found)
        counts.update(own)
        quota = _quotas(own, -(-most // len(maps)))
        others = [other.pair for at, other in enumerate(maps) if at != place]
        for transition in TRANSITIONS:
            shown = _rows(found, transition, quota[transition], own[transition], others)
            rows += [{**row, "transition": transition, "after": place} for row in shown.iter_rows(named=True)]
    silent = dict.fromkeys(run.name for one in maps for run in (one.pair.before, one.pair.after) if not run.has_texts)
    held = f"no texts on record of {', '.join(silent)}" if silent else None
    return ItemSet(rows, dict(counts), held)


def _count(found: ForgettingMap) -> dict[str, int]:
    items = found.pair.items
    change = pl.col("lost") - pl.col("gained")
    still = change == 0
    counted = items.select(
        lost=(change > 0).sum(),
        gained=(change < 0).sum(),
        kept=(still & (pl.col("score") > 0)).sum(),
        never=(still & (pl.col("score") == 0)).sum(),
    )
    return counted.row(0, named=True)


def _quotas(counts: dict[str, int], most: int) -> dict[str, int]:
    """Shares of the room; what one transition does not need goes to the others, lost first."""
    quota = {name: min(counts[name], int(most * share)) for name, share in _SHARES.items()}
    for name in _SHARES:
        quota[name] += min(most - sum(quota.values()), counts[name] - quota[name])
    return quota


def _rows(found: ForgettingMap, transition: str, quota: int, count: int, others: Sequence[Pair]) -> pl.DataFrame:
    if not quota:
        return pl.DataFrame()
    if transition in ("lost", "gained"):
        return list_flips(found.pair, transition, others=others, causes=found.found_causes, limit=quota)
    # No order says which of them to look at first: every n-th is as good as any.
    items = found.pair.items
    still = (pl.col("lost") == pl.col("gained")) & (
        (pl.col("score") > 0) if transition == "kept" else pl.col("score") == 0
    )
    places = pl.Series([at * count // quota for at in range(quota)], dtype=pl.UInt32)
    return show_items(found.pair, items.filter(still)[places]).drop("transition")
