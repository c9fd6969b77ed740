"""A pair over fewer items: the same runs, the same scores, and only the items asked for."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from forgetmap.errors import PairingError
from forgetmap.pairing import Pair
from forgetmap.pairing.outcomes import KEY
from forgetmap.pairing.relations import count_patterns, count_seeds


def restrict(pair: Pair, wanted: pl.Series) -> Pair:
    """Return the pair over the rows of `pair.items` where `wanted` is true.

    What did not pair, and where golds and choices stood, are told of the whole pair: they are faults of a task, not of a
    part of it.
    """
    items = pair.items.filter(wanted)
    if not items.height:
        raise PairingError("no item is left; choose fewer conditions")
    patterns = count_patterns(items.lazy(), pair.choices).drop("scored", "scored_after")
    ours, theirs = pair.sides
    keys = items.lazy().select(*KEY, "occurrence", "occurrence_after")
    left = keys.select(*KEY, "occurrence")
    right = keys.select(*KEY, occurrence="occurrence_after")
    tasks = set(patterns["task"])
    made = replace(
        pair,
        patterns=patterns,
        seeds=count_seeds(patterns, ours, theirs, left, right),
        positions=pair.positions.filter(pl.col("task").is_in(tasks)),
        choices=[choice for choice in pair.choices if choice.task in tasks],
        pairing=replace(pair.pairing, paired=items.height),
        _items=items.lazy(),
    )
    vars(made)["items"] = items  # already there, and sorted
    return made
