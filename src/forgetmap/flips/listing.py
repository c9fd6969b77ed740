"""The list of flips: what to look at first on top.

A flip is worth a look if the model was sure before and is wrong whenever it is asked after. A flip that a re-run of the
same model would show as well, or whose gold is doubtful, is marked and comes last; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import polars as pl

from forgetmap.causes import CAUSES, Causes
from forgetmap.errors import UsageError
from forgetmap.flips.marks import with_marks
from forgetmap.flips.sides import KEY, read_side
from forgetmap.flips.words import note_of
from forgetmap.items import item_id
from forgetmap.pairing import Pair
from forgetmap.run import NO_CHOICE_STATES, TEXT_SCHEMA, Run

TRANSITIONS = ("lost", "gained", "kept", "never")


def list_flips(
    pair: Pair,
    transition: str = "lost",
    *,
    tasks: str | None = None,
    others: Sequence[Pair] = (),
    causes: Causes | None = None,
    limit: int | None = None,
) -> pl.DataFrame:
    """Return the items of a transition, what to look at first on top.

    An item is lost if its score fell: 1→0 for one answer per side, a lower mean over repeats or a lower grade else.
    Kept and never hold the items whose score did not move, above or at 0.

    Parameters
    ----------
    tasks : a glob of task names.
    others : pairs of the same before-run with other afters; they tell which flips are shared, and rank by it.
    causes : where they are at hand, the column `cause` names the one of most weight.
    limit : how many to return, of every task its first ones in proportion; texts are read for these only.

    Notes
    -----
    Order: items without a mark first; then those that more afters share, that are wrong in more repeats, that the model
    was surer of, that changed more; then by name. For gained items before and after change places.

    - `confidence`: how sure the side was that was right (before; after for gained): lead of the gold over the best
      other option, in probability by the raw option log-probabilities, mean over its repeats; without those, the share
      of its repeats that is right; null with neither.
    - `repeats_wrong`: share of repeats that are wrong on the other side; null where it answered once.
    - `shared_by`: number of afters, this one included, that flipped the item the same way.
    - `marks`: `likely noise` where a side's repeats disagree with themselves and chance may have dealt them so, or where
      gold and best other option are all but level on both sides; `likely label error` where both sides prefer one and
      the same other option, or where two afters or more all lost the item to one and the same option and the
      before-model is not known to have been sure.

    - `kind`: binary where an answer is right or wrong, else graded (or unusable: off its scale).
    - `choice_…`: what the score compared chose. Where it found no answer this is null, whatever another rule reads in
      the reply; `note_…` then says so, and where a reply without an answer was scored as one that has it.

    With repeats the reply shown is one that makes the flip visible: right on one side, wrong on the other.
    """
    if transition not in TRANSITIONS:
        raise UsageError(f"transition is '{transition}'; it must be one of {', '.join(TRANSITIONS)}")
    items = _of_transition(pair, transition, tasks)
    return _finished(_first(_sorted(_described(pair, items, transition, others)), limit), pair, causes)


def show_items(pair: Pair, items: pl.DataFrame, causes: Causes | None = None) -> pl.DataFrame:
    """Return chosen rows of `pair.items` as `list_flips` shows them, in their own order, with their `transition`."""
    change = pl.col("lost") - pl.col("gained")
    moved = (
        pl.when(change > 0).then(pl.lit("lost")).when(change < 0).then(pl.lit("gained"))
        .when(pl.col("score") > 0).then(pl.lit("kept")).otherwise(pl.lit("never"))
    )  # fmt: skip
    items = items.with_row_index("_place").with_columns(transition=moved)
    parts = []
    for (transition,), rows in items.group_by("transition", maintain_order=True):
        made = _described(pair, rows.drop("transition"), str(transition), ())
        parts.append(made.with_columns(transition=pl.lit(transition), _place=rows["_place"]))
    if not parts:  # an empty page has the columns of a full one
        parts = [_described(pair, items.drop("transition"), "lost", ()).with_columns(transition=pl.lit("lost"))]
    table = pl.concat(parts, how="diagonal_relaxed").sort("_place")
    return _finished(table, pair, causes, "transition")


def _described(pair: Pair, items: pl.DataFrame, transition: str, others: Sequence[Pair]) -> pl.DataFrame:
    """What both sides' answers say of each item, and its marks; in the order of the items, without texts."""
    flips = transition in ("lost", "gained")
    items = items.with_row_index("_item")
    table = items.select(
        "_item",
        *KEY,
        "slot",
        "score_after",
        score_before="score",
        **{f"repeats_{side}": pl.col(name).cast(pl.UInt32) for side, name in _columns("repeats")},
        **{f"_right_{side}": pl.col(name).cast(pl.Float64) for side, name in _columns("right")},
    )
    shown = {"lost": ("best", "worst"), "gained": ("worst", "best")}.get(transition, (None, None))
    for side, show in zip(("before", "after"), shown, strict=True):
        answers = read_side(pair, side, items, show)
        named = {name: f"{name}_{side}" for name in answers.columns if name != "_item"}
        table = table.join(answers.rename(named), on="_item", how="left", maintain_order="left")
    table = _with_shared(table, items, transition, others if flips else ())
    sure, other = ("after", "before") if transition == "gained" else ("before", "after")
    share = pl.when(pl.col(f"repeats_{sure}") >= 2).then(f"_right_{sure}")
    wrong = pl.when(pl.col(f"repeats_{other}") >= 2).then(1 - pl.col(f"_right_{other}"))
    table = table.with_columns(
        confidence=pl.coalesce(f"_margin_{sure}", share),
        repeats_wrong=wrong if flips else pl.lit(None, dtype=pl.Float64),
        marks=pl.lit([], dtype=pl.List(pl.String)),
    )
    return with_marks(table, transition, len(others) + 1) if flips else table


def _columns(name: str) -> list[tuple[str, str]]:
    return [("before", name), ("after", f"{name}_after")]


def _of_transition(pair: Pair, transition: str, tasks: str | None) -> pl.DataFrame:
    change = pl.col("lost") - pl.col("gained")
    conditions = {
        "lost": change > 0,
        "gained": change < 0,
        "kept": (change == 0) & (pl.col("score") > 0),
        "never": (change == 0) & (pl.col("score") == 0),
    }
    items = pair.items.filter(conditions[transition])
    if tasks is None:
        return items
    names = items["task"].cast(pl.String).unique().to_list()
    return items.filter(pl.col("task").cast(pl.String).is_in([name for name in names if fnmatchcase(name, tasks)]))


def _with_shared(table: pl.DataFrame, items: pl.DataFrame, transition: str, others: Sequence[Pair]) -> pl.DataFrame:
    """Add how many afters flipped each item the same way, and how they agree on a wrong answer."""
    votes = [table.select("_item", _gold_key="_gold_key_after", _preferred="_preferred_after")]
    for other in others:
        # The before-run is the same one, so that its occurrence tells copies of an item apart.
        known = items.select("_item", *KEY, "occurrence")
        theirs = known.join(_of_transition(other, transition, None), on=[*KEY, "occurrence"])
        votes.append(read_side(other, "after", theirs).select("_item", "_gold_key", "_preferred"))
    told = pl.col("_preferred").is_not_null()
    together = (
        pl.concat(votes)
        .group_by("_item")
        .agg(
            shared_by=pl.len(),
            _told=told.sum(),
            _answers=pl.struct("_gold_key", "_preferred").filter(told).n_unique(),
        )
    )
    return table.join(together, on="_item", how="left", maintain_order="left")


def _sorted(table: pl.DataFrame) -> pl.DataFrame:
    """What to look at first on top."""
    fall = pl.col("score_before") - pl.col("score_after")
    return table.with_columns(_size=fall.abs(), _marked=pl.col("marks").list.len() > 0).sort(
        "_marked", "shared_by", "repeats_wrong", "confidence", "_size", pl.col("task").cast(pl.String), *KEY[1:],
        descending=[False, True, True, True, True, False, False, False], nulls_last=True, maintain_order=True,
    )  # fmt: skip


def _first(table: pl.DataFrame, limit: int | None) -> pl.DataFrame:
    """The first rows of every task, so many as its share of all; at least one of each while there is room."""
    if limit is None or table.height <= limit:
        return table
    depth = pl.int_range(pl.len()).over("task") / pl.len().over("task")
    return table.with_row_index("_at").with_columns(_depth=depth).sort("_depth", "_at").head(limit).sort("_at")


def _finished(table: pl.DataFrame, pair: Pair, causes: Causes | None, *more: str) -> pl.DataFrame:
    """Add cause and texts, and name the columns."""
    kinds = {choice.task: choice.kind for choice in pair.choices}
    table = table.with_columns(pl.col("task").cast(pl.String), item=_item_id())
    table = table.with_columns(kind=pl.col("task").replace_strict(kinds, return_dtype=pl.String))
    table = _with_cause(table, causes)
    for side in ("before", "after"):
        table = _with_texts(table, getattr(pair, side), side)
    answer = ["choice", "state", "note", "prompt", "response"]
    return table.rename({"native_id_before": "native_id"}).select(
        "task", "item", "native_id", "question", "options", "gold", "kind", "score_before", "score_after",
        "repeats_before", "repeats_after", "confidence", "repeats_wrong", "shared_by", "marks", "cause",
        *(f"{name}_{side}" for side in ("before", "after") for name in answer), *more,
    )  # fmt: skip


def _with_cause(table: pl.DataFrame, causes: Causes | None) -> pl.DataFrame:
    """The cause of most weight; null where none is known, and for items that did not move."""
    if causes is None:
        return table.with_columns(cause=pl.lit(None, dtype=pl.String))
    change = pl.col("score_before") - pl.col("score_after")
    moved = pl.when(change > 0).then(pl.lit("lost")).when(change < 0).then(pl.lit("gained"))
    key = [*KEY, "slot", "direction"]
    rank = pl.col("cause").replace_strict({name: at for at, name in enumerate(CAUSES)}, return_dtype=pl.UInt8)
    ranked = causes.items.sort("weight", rank, descending=[True, False])
    main = ranked.unique(key, keep="first", maintain_order=True)
    return (
        table.with_columns(direction=moved)
        .join(main.select(*key, "cause"), on=key, how="left", maintain_order="left")
        .drop("direction")
    )


def _item_id() -> pl.Expr:
    return pl.struct("item_high", "item_low").map_elements(
        lambda key: item_id(key["item_high"], key["item_low"]), return_dtype=pl.String
    )


def _with_texts(table: pl.DataFrame, run: Run, side: str) -> pl.DataFrame:
    row = f"text_row_{side}"
    stored = run.scan_texts() if run.has_texts else pl.LazyFrame(schema=TEXT_SCHEMA)
    texts = stored.filter(pl.col("text_row").is_in(table[row].unique().implode())).collect().rename({"text_row": row})
    renamed = {"choice": f"_read_{side}", **{name: f"{name}_{side}" for name in ("prompt", "response")}}
    content = ["question", "options", "gold"] if side == "before" else []
    texts = (
        texts.with_columns(_options=pl.col("options"))
        .rename(renamed)
        .select(row, "_options", *content, *renamed.values())
    )
    table = table.join(texts, on=row, how="left", maintain_order="left")
    # Who keeps fewer columns of a described table does not know the score's own choice: then the state decides.
    known = {"_chose": pl.Boolean, "_picked": pl.Int16}
    absent = {f"{name}_{side}": pl.lit(None, dtype=dtype) for name, dtype in known.items()}
    table = table.with_columns(**{name: made for name, made in absent.items() if name not in table.columns})
    # One reply may have several scores, each with a choice of its own: the text holds the choice of one of them.
    own = pl.col("_options").list.get(pl.col(f"_picked_{side}").cast(pl.Int64), null_on_oob=True)
    silent = pl.col(f"state_{side}").cast(pl.String).is_in(NO_CHOICE_STATES).fill_null(False)
    table = table.with_columns(pl.coalesce(own, f"_read_{side}").alias(f"_read_{side}"))
    return table.with_columns(
        pl.when(~silent).then(f"_read_{side}").alias(f"choice_{side}"), note_of(side).alias(f"note_{side}")
    ).drop("_options")
