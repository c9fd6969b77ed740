"""What is said of an item: its score on each side, how it changed, and where score and reply do not fit together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from forgetmap.run import NO_CHOICE_STATES

#: What a recorded state says of a reply.
_ENDS = {
    "no_answer": "the reply names no answer",
    "refused": "the reply is a refusal",
    "truncated": "the reply was cut before an answer",
    "empty": "the reply is empty",
}
_LONGEST = 120  # characters of an answer inside a sentence


def score_words(row: Mapping[str, Any], side: str) -> str:
    """Return the score of one side: right or wrong only where one answer is one or the other.

    >>> score_words({"kind": "binary", "score_after": 0.25, "repeats_after": 4}, "after")
    'right in 1 of 4 repeats'
    >>> score_words({"kind": "graded", "score_after": 1.0, "repeats_after": 1}, "after")
    'score 1'
    """
    score, repeats = row[f"score_{side}"], row[f"repeats_{side}"] or 1
    if score is None:
        return "no score"
    if row["kind"] != "binary":
        return f"score {score:.3g}" if repeats == 1 else f"mean score {score:.3g} of {repeats} repeats"
    if repeats == 1:
        return "right" if score == 1 else "wrong"
    return f"right in {round(score * repeats)} of {repeats} repeats"


def change_words(row: Mapping[str, Any]) -> str | None:
    """Return both scores in one phrase; None where the name of the transition says it all.

    >>> change_words({"kind": "graded", "score_before": 0.8, "score_after": 0.3, "repeats_before": 1, "repeats_after": 1})
    'score 0.8 → 0.3'
    """
    before, after = (row[f"score_{side}"] for side in ("before", "after"))
    repeats = [row[f"repeats_{side}"] or 1 for side in ("before", "after")]
    if before is None or after is None:
        return None
    if row["kind"] != "binary":
        several = "" if repeats == [1, 1] else "mean "
        return f"{several}score {before:.3g} → {after:.3g}"
    if repeats == [1, 1]:
        return None
    rights = [f"{round(score * n)} of {n}" for score, n in zip((before, after), repeats, strict=True)]
    return f"right in {rights[0]} repeats → {rights[1]}"


def note_of(side: str) -> pl.Expr:
    """Return the sentence that is due where a reply without an answer has a choice or a point all the same; else null.

    Takes the columns state, `_chose` (whether the score compared has a choice of its own; null where that is not known),
    `_read` (the answer that the run holds for the reply, by whatever rule), kind, score and repeats of the side; and
    `_options`.
    """
    state, read = pl.col(f"state_{side}").cast(pl.String), pl.col(f"_read_{side}")
    end = (
        pl.when((state == "no_answer") & (pl.col("_options").list.len() > 0))
        .then(pl.lit("the reply names no option"))
        .otherwise(state.replace_strict(_ENDS, default=None, return_dtype=pl.String))
    )
    flat = read.str.replace_all(r"\s+", " ").str.strip_chars()
    quoted = pl.format(
        "'{}'", pl.when(flat.str.len_chars() > _LONGEST).then(flat.str.head(_LONGEST - 1) + "…").otherwise(flat)
    )
    right = (pl.col("kind") == "binary") & (pl.col(f"repeats_{side}") == 1) & (pl.col(f"score_{side}") == 1)
    chose, is_read = pl.col(f"_chose_{side}"), read.is_not_null()
    told = (
        pl.when(is_read & chose)
        .then(pl.format("the log scored {}; {}", quoted, end))
        .when(is_read & chose.is_null())
        .then(pl.format("the state on record is no answer, yet {} is on record as read from the reply", quoted))
        .when(is_read & right)
        .then(pl.format("the log scored this right without an answer on record; another rule reads {}", quoted))
        .when(is_read)
        .then(pl.format("the score compared found no answer; another rule reads {}", quoted))
        .when(right)
        .then(pl.format("the log scored this right; {}", end))
    )
    return pl.when(state.is_in(NO_CHOICE_STATES)).then(told)
