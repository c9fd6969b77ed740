"""Dimensions: by what items can be cut. Only those of which the logs hold something are offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from forgetmap.errors import UsageError
from forgetmap.flips.sides import with_margin
from forgetmap.pairing import Pair
from forgetmap.pairing.outcomes import ITEM
from forgetmap.run import Run
from forgetmap.slices.bins import bin_numbers, bin_values

#: Language is read text by text: a run with more items than these is not read on the fly.
MOST_LANGUAGES = 200_000
_TAGS = 4  # hints of the log that are looked at, first to last

_SELECTS = "this slices by the before-model's own outcome: what it got right by a hair it loses by a hair"

_PLACED = "flips with luck in them: a model that prefers a position guesses right there, so that luck cannot be removed"


@dataclass(frozen=True)
class Dimension:
    """One way to cut a pair's items."""

    name: str
    label: str
    note: str | None = None  # what to mind when reading it
    cuts: tuple[float, ...] | None = None  # of numbers; fifths of the data where not given
    counted: bool = False  # values that count something stand in that order, others by size
    exchangeable: bool = True  # whether guessing can be removed within a slice


@dataclass(frozen=True)
class _Source:
    """Where a dimension's values come from."""

    dimension: Dimension
    offered: Callable[[Pair], bool]
    values: Callable[[Pair], pl.Series]


def dimensions(pair: Pair) -> list[Dimension]:
    """Return the dimensions of which the logs of a pair hold something."""
    return [source.dimension for source in _SOURCES if source.offered(pair)]


def slice_column(pair: Pair, name: str) -> pl.Series:
    """Return the slice of every row of `pair.items`, as an Enum in reading order; nothing is left out."""
    for source in _SOURCES:
        if source.dimension.name == name and source.offered(pair):
            values = source.values(pair).alias("value")
            if values.dtype.is_numeric():
                return bin_numbers(values, source.dimension.cuts)[0]
            return bin_values(values.cast(pl.String), counted=source.dimension.counted)[0]
    known = ", ".join(one.name for one in dimensions(pair))
    raise UsageError(f"slice is '{name}'; these logs can be sliced by {known or 'nothing'}")


def _recorded(side: str, column: str) -> Callable[[Pair], bool]:
    """Whether any sample of a side holds the column."""

    def offered(pair: Pair) -> bool:
        run: Run = getattr(pair, side)
        return bool(run.scan().select(pl.col(column).is_not_null().any()).collect(engine="streaming").item())

    return offered


def _samples(pair: Pair, side: str, *columns: str) -> pl.DataFrame:
    """Columns of a side's samples, one row per paired item in its order: the first repeat's."""
    run: Run = getattr(pair, side)
    rows = run.scan().select(*ITEM, "repeat", *columns)
    counts = run.info.counts
    if counts.get("repeats", 1) > 1 or len(run.info.metrics) > len(run.tasks):
        rows = rows.sort("repeat", maintain_order=True).unique(ITEM, keep="first", maintain_order=True)
    occurrence = pl.col("occurrence" if side == "before" else "occurrence_after").alias("occurrence")
    items = pair.items.lazy().select(*ITEM[:3], occurrence)
    return items.join(rows, on=ITEM, how="left", maintain_order="left").select(columns).collect()


def _column(side: str, column: str) -> Callable[[Pair], pl.Series]:
    def values(pair: Pair) -> pl.Series:
        found = _samples(pair, side, column).to_series()
        return found if found.dtype.is_numeric() else found.cast(pl.String)

    return values


def _position(pair: Pair) -> pl.Series:
    return _samples(pair, "before", "gold_index").select(pl.format("option {}", pl.col("gold_index") + 1)).to_series()


def _tag(place: int) -> _Source:
    def offered(pair: Pair) -> bool:
        longest = pair.before.scan().select(pl.col("category").list.len().max()).collect(engine="streaming").item()
        return (longest or 0) > place

    def values(pair: Pair) -> pl.Series:
        hints = _samples(pair, "before", "category")
        return hints.select(pl.col("category").list.get(place, null_on_oob=True)).to_series()

    which = "" if place == 0 else f", {('second', 'third', 'fourth')[place - 1]} hint"
    return _Source(Dimension(f"tag_{place + 1}", f"subject as the log names it{which}"), offered, values)


def _has_texts(side: str) -> Callable[[Pair], bool]:
    return lambda pair: getattr(pair, side).has_texts


def _length(side: str, column: str) -> Callable[[Pair], pl.Series]:
    """Characters of a text, read column by column: no text is kept."""

    def values(pair: Pair) -> pl.Series:
        run: Run = getattr(pair, side)
        row = "text_row" if side == "before" else "text_row_after"
        lengths = run.scan_texts().select(pl.col("text_row").alias(row), value=pl.col(column).str.len_chars())
        rows = pair.items.lazy().select(row)
        return rows.join(lengths, on=row, how="left", maintain_order="left").select("value").collect().to_series()

    return values


def _language(pair: Pair) -> pl.Series:
    from forgetmap.traits.language import language_of

    rows = pair.items.lazy().select("text_row")
    asked = pl.coalesce("question", "prompt").str.slice(0, 2000)
    texts = pair.before.scan_texts().select("text_row", value=asked)
    found = rows.join(texts, on="text_row", how="left", maintain_order="left").collect()["value"]
    return pl.Series("value", [None if text is None else language_of(text) for text in found], dtype=pl.String)


def _margin(pair: Pair) -> pl.Series:
    columns = ("option_logprobs", "gold_index", "n_options", "n_gold")
    return with_margin(_samples(pair, "before", *columns))["_margin"]


def _repeats_right(pair: Pair) -> pl.Series:
    return pair.items["right"].cast(pl.Float64)


def _options(pair: Pair) -> pl.Series:
    number = pl.when(pl.col("n_options").is_not_null()).then(pl.format("{} options", "n_options"))
    open_ended = pl.when(pl.col("chance") == 0).then(pl.lit("open-ended"))
    return pair.items.select(pl.coalesce(number, open_ended)).to_series()


_SOURCES: Sequence[_Source] = (
    *(_tag(place) for place in range(_TAGS)),
    _Source(
        Dimension("margin_before", "lead of the right option before", _SELECTS, (-0.5, 0.0, 0.25, 0.5, 0.75)),
        _recorded("before", "option_logprobs"),
        _margin,
    ),
    _Source(
        Dimension("right_before", "share of right repeats before", _SELECTS, (0.01, 0.5, 1.0)),
        lambda pair: pair.before.info.counts.get("repeats", 1) > 1,
        _repeats_right,
    ),
    _Source(
        Dimension("language", "language of the question"),
        lambda pair: pair.before.has_texts and pair.pairing.paired <= MOST_LANGUAGES,
        _language,
    ),
    _Source(
        Dimension("question_length", "length of the question, characters"),
        _has_texts("before"),
        _length("before", "question"),
    ),
    _Source(
        Dimension("response_length_before", "length of the reply before, characters"),
        _has_texts("before"),
        _length("before", "response"),
    ),
    _Source(
        Dimension("response_length_after", "length of the reply after, characters"),
        _has_texts("after"),
        _length("after", "response"),
    ),
    _Source(
        Dimension("tokens_after", "tokens of the reply after"),
        _recorded("after", "output_tokens"),
        _column("after", "output_tokens"),
    ),
    _Source(Dimension("options", "number of options", counted=True), lambda pair: True, _options),
    _Source(
        Dimension("gold_position", "position of the right option", _PLACED, counted=True, exchangeable=False),
        _recorded("before", "gold_index"),
        _position,
    ),
    _Source(
        Dimension(
            "state_after", "kind of reply after", "a reply that is no answer is wrong: this tells how, not where"
        ),
        _recorded("after", "answer_state"),
        _column("after", "answer_state"),
    ),
    _Source(
        Dimension("stop_after", "why the reply after ended"),
        _recorded("after", "stop_reason"),
        _column("after", "stop_reason"),
    ),
    _Source(Dimension("cluster", "passage or template"), _recorded("before", "cluster"), _column("before", "cluster")),
)
