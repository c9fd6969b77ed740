"""From samples to a run: which answers are right, which items occur twice, what run.json says of it all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl

from forgetmap.run import SAMPLE_SCHEMA, Metric, Run, RunInfo, TextSource, validate_samples

#: Words in a metric's name that make it graded by definition, even where a small log happens to hold only 0 and 1.
GRADED = frozenset(
    {"f1", "bleu", "rouge", "chrf", "ter", "perplexity", "ppl", "likelihood", "brier", "mcc", "ece", "bertscore"}
)
#: Words of which less is better, where the log does not say. Whole words: "answer" is no word error rate.
LOWER_IS_BETTER = frozenset(
    {"perplexity", "ppl", "bpb", "brier", "ece", "ter", "loss", "wer", "cer", "mse", "mae", "rmse"}
)


def metric_words(name: str) -> set[str]:
    """Return the words of a metric's name; figures behind a word, as in rougeL or rouge2, are dropped.

    >>> sorted(metric_words("rouge2_fmeasure")), sorted(metric_words("bits_per_byte"))
    (['fmeasure', 'rouge'], ['bits', 'bpb', 'byte', 'per'])
    """
    words = {word for word in re.split(r"[^a-z0-9]+", name.lower()) if word}
    words |= {"bpb"} if {"bits", "per", "byte"} <= words else set()
    return {"rouge" if word.startswith("rouge") else word for word in words}


def assemble(
    samples: pl.DataFrame,
    info: RunInfo,
    *,
    source: str,
    texts: TextSource | None = None,
    metrics: Callable[[str, str, str], dict[str, Any]] | None = None,
    counts: Mapping[str, int] | None = None,
) -> Run:
    """Return the run of a sample table without `correct` and `occurrence`, which are worked out here."""
    info.metrics, assumed = describe_metrics(samples, metrics)
    samples = with_correct(samples, info.metrics)
    samples = with_occurrence(samples).select(*SAMPLE_SCHEMA)
    validate_samples(samples, source)
    info.counts = {**count_samples(samples), **(counts or {})}
    info.warnings = [*info.warnings, *assumed, *_count_warnings(info.counts)]
    info.content_hash = content_hash(samples)
    return Run(info=info, _samples=samples.lazy(), _texts=texts, source=source)


def describe_metrics(
    samples: pl.DataFrame, known: Callable[[str, str, str], dict[str, Any]] | None
) -> tuple[list[Metric], list[str]]:
    """Return one Metric per (task, scorer, metric) of the table, in order of appearance, and what had to be assumed."""
    score = pl.col("score")
    seen = samples.group_by("task", "scorer", "metric", maintain_order=True).agg(
        low=score.min(),
        high=score.max(),
        binary=((score == 0) | (score == 1)).all() & score.count().gt(0),
        ranked=pl.col("option_logprobs").count() > 0,
    )
    described = []
    assumed: dict[str, list[str]] = {}
    for task, scorer, metric, low, high, binary, ranked in seen.iter_rows():
        words = metric_words(metric)
        facts: dict[str, Any] = {"higher_is_better": None, "kind": "likelihood" if ranked else "generation"}
        facts.update(known(task, scorer, metric) if known else {})
        if facts["higher_is_better"] is None and words & LOWER_IS_BETTER:
            facts["higher_is_better"] = False
            assumed.setdefault(metric, []).append(task)
        facts.setdefault("binary", binary and not words & GRADED)
        described.append(Metric(task=task, scorer=scorer, metric=metric, low=low, high=high, **facts))
    said = [f"less of '{metric}' is taken to be better: the log does not say" for metric in assumed]
    return _with_defaults(described), said


def _with_defaults(metrics: list[Metric]) -> list[Metric]:
    """Mark one metric per task as default: the reader's word, else the first 0/1 one, else the first with any value."""
    by_task: dict[str, list[Metric]] = {}
    for metric in metrics:
        by_task.setdefault(metric.task, []).append(metric)
    chosen = set()
    for of_task in by_task.values():
        ranked = sorted(of_task, key=lambda m: (not m.default, m.low is None, not m.binary))
        chosen.add((ranked[0].task, ranked[0].scorer, ranked[0].metric))
    return [msgspec.structs.replace(m, default=(m.task, m.scorer, m.metric) in chosen) for m in metrics]


def with_correct(samples: pl.DataFrame, metrics: list[Metric]) -> pl.DataFrame:
    """Fill `correct` where a metric is 0/1; a threshold for graded ones is applied when runs are paired."""
    score = pl.col("score")
    facts = pl.DataFrame(
        [(m.task, m.scorer, m.metric, m.binary, m.higher_is_better is not False) for m in metrics],
        schema={
            "task": pl.Categorical(),
            "scorer": pl.Categorical(),
            "metric": pl.Categorical(),
            "_binary": pl.Boolean,
            "_up": pl.Boolean,
        },
        orient="row",
    )
    right = pl.when("_binary").then(score == pl.when("_up").then(1.0).otherwise(0.0))
    joined = samples.join(facts, on=["task", "scorer", "metric"], how="left", maintain_order="left")
    return joined.with_columns(correct=right).drop("_binary", "_up")


def with_occurrence(samples: pl.DataFrame) -> pl.DataFrame:
    """Number the samples that share a key, so that shuffled rows give the same numbers.

    Copies of an item are told apart by exact text and native id, and numbered once for all repeats and scorers: a copy
    whose repeat is missing must not be replaced by another copy.
    """
    key = ["task", "item_high", "item_low"]
    answer = [*key, "repeat", "scorer", "metric"]
    if samples.select(pl.struct(answer).n_unique()).item() == samples.height:
        return samples.with_columns(occurrence=pl.lit(0, dtype=pl.UInt32))
    ordered = samples.with_row_index("_row").with_columns(_length=pl.col("native_id").str.len_chars())
    order = ["text_key", "_length", "native_id", "_row"]
    within = pl.int_range(pl.len(), dtype=pl.UInt32).over(answer, order_by=order)
    copies = ordered.select(*key, "text_key", "_length", "native_id").unique()
    number = pl.int_range(pl.len(), dtype=pl.UInt32).over(key, order_by=order[:-1])
    copies = copies.with_columns(_copy=number, _copies=pl.len().over(key))
    joined = ordered.join(
        copies, on=[*key, "text_key", "_length", "native_id"], how="left", nulls_equal=True, maintain_order="left"
    )
    joined = joined.with_columns(_within=within).with_columns(_most=pl.col("_within").max().over(key) + 1)
    # Ids that differ from repeat to repeat tell copies apart no better than rows do.
    told = (
        pl.when(pl.col("_most") == 1)
        .then(0)
        .when(pl.col("_copies") == pl.col("_most"))
        .then("_copy")
        .otherwise("_within")
    )
    return joined.with_columns(occurrence=told.cast(pl.UInt32)).select(*samples.columns, "occurrence")


def count_samples(samples: pl.DataFrame) -> dict[str, int]:
    """Return the counts that run.json carries."""
    same = ["task", "item_high", "item_low", "occurrence"]
    unique = samples.select("task", "item_high", "item_low", "occurrence", "native_id", "key_basis")
    if unique.select(pl.struct(same).n_unique()).item() < unique.height:  # several scores or repeats per item
        unique = unique.unique(same)
    named = unique.filter(pl.col("native_id").is_not_null())
    ids, pairs = named.select(
        pl.struct("task", "native_id").n_unique(),
        pairs=pl.struct("task", "native_id", "item_high", "item_low").n_unique(),
    ).row(0)
    clashing = 0
    if pairs > ids:
        keys = named.group_by("task", "native_id").agg(keys=pl.struct("item_high", "item_low").n_unique())
        clashing = keys.filter(pl.col("keys") > 1).height
    return {
        "samples": samples.height,
        "items": unique.height,
        "tasks": samples["task"].n_unique(),
        "repeats": int(samples["repeat"].max()) + 1,  # type: ignore[arg-type]
        "null_scores": samples["score"].null_count(),
        "duplicates": unique.filter(pl.col("occurrence") > 0).height,
        "clashing_ids": clashing,
        "keyed_by_id": unique.filter(pl.col("key_basis").is_in(["native", "position"])).height,
        "without_gold": unique.filter(pl.col("key_basis") == "question").height,
    }


#: What is worth a warning: count -> (sentence for one, sentence for several).
_SAID = {
    "nan_scores": (
        "1 score was NaN or infinite: it counts as not observed",
        "{} scores were NaN or infinite: they count as not observed",
    ),
    "odd_scores": (
        "1 score was no number: it counts as not observed",
        "{} scores were no numbers: they count as not observed",
    ),
    "contradicting_rows": (
        "1 row is marked right although its prediction is not the gold, or wrong although it is: the mark is taken",
        "{} rows are marked right although the prediction is not the gold, or wrong although it is: the marks are taken",
    ),
    "nan_lines": (
        "1 line holds bare NaN or Infinity: read as null",
        "{} lines hold bare NaN or Infinity: read as null",
    ),
    "halved_characters": (
        "1 line holds half of a surrogate pair: read as U+FFFD",
        "{} lines hold half of a surrogate pair: read as U+FFFD",
    ),
    "skipped_lines": ("1 broken line was skipped, as asked", "{} broken lines were skipped, as asked"),
    "duplicates": (
        "1 item occurs more than once with the same content; all are kept",
        "{} items occur more than once with the same content; all are kept",
    ),
    "clashing_ids": (
        "1 native id stands for more than one item; items are told apart by content",
        "{} native ids stand for more than one item; items are told apart by content",
    ),
    "without_gold": (
        "1 item has no usable gold text: it is keyed by question alone",
        "{} items have no usable gold text: they are keyed by question alone",
    ),
}


def _count_warnings(counts: Mapping[str, int]) -> list[str]:
    found = [(counts.get(what, 0), *sentences) for what, sentences in _SAID.items()]
    return [one if n == 1 else several.format(f"{n:,}") for n, one, several in found if n]


def content_hash(samples: pl.DataFrame) -> str:
    """Return a checksum of keys, repeats, scores and choices that does not depend on the order of rows."""
    mixed = np.zeros(samples.height, dtype=np.uint64)
    for name in ("item_high", "item_low", "repeat", "score", "choice_key"):
        column = samples[name]
        if name == "score":
            values = column.fill_null(-1e300).to_numpy().astype(np.float64).view(np.uint64)
        else:
            values = column.fill_null(0x9E3779B9).cast(pl.UInt64).to_numpy()
        mixed = (mixed ^ values) * np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(33)
    return f"{int(mixed.sum(dtype=np.uint64)):016x}"
