"""Run: all samples of one model on one suite, with the settings it ran under.

The sample table is declared here, column by column; docs/formats.md shows the same list. It is split in two: the
narrow table answers every estimate, the texts are read only when someone looks at an item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from forgetmap.answers import ANSWER_STATES
from forgetmap.errors import MissingDataError, RunError

if TYPE_CHECKING:
    import pandas as pd

KEY_BASES = ("content", "question", "prompt", "native", "position")

#: States of a reply that was scored although it holds no valid choice (N of statistics.md 1).
NO_CHOICE_STATES = ("no_answer", "refused", "truncated", "empty")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the sample table."""

    name: str
    dtype: Any
    meaning: str


#: One row per (task, item, repeat, scorer, metric). Absent is null, never 0, never "".
SAMPLE_COLUMNS = (
    Column("task", pl.Categorical(), "canonical task name, suite prefix and shot suffix removed: mmlu:anatomy"),
    Column("item_high", pl.UInt64, "upper half of the item key: 128-bit hash of question, options and gold"),
    Column("item_low", pl.UInt64, "lower half of the item key"),
    Column("question_key", pl.UInt64, "hash of the item without its gold: finds relabelled items"),
    Column("text_key", pl.UInt64, "hash of the exact content: breaks ties between items that differ in case"),
    Column("key_basis", pl.Enum(KEY_BASES), "what the key was made of"),
    Column("native_id", pl.String, "the evaluation tool's own id, always as text"),
    Column("occurrence", pl.UInt32, "0 for the first sample with this key, 1 for its first duplicate, …"),
    Column("repeat", pl.UInt32, "0-based: epoch, seed index, sample index"),
    Column("scorer", pl.Categorical(), "filter, extractor or scorer name; `none` if there is one only"),
    Column("metric", pl.Categorical(), "metric name as logged"),
    Column("score", pl.Float64, "value as logged; null = not observed"),
    Column("correct", pl.Boolean, "right or wrong; only where the metric is 0/1"),
    Column("answer_state", pl.Enum(ANSWER_STATES), "what kind of reply it was; null where the log does not say"),
    Column("n_options", pl.UInt16, "number of options shown; null if open-ended or unknown"),
    Column("n_gold", pl.UInt16, "number of right options; null if open-ended or unknown"),
    Column("chance", pl.Float64, "probability that a uniform guess is right; 0 if open-ended, null if unknown"),
    Column("gold_key", pl.UInt64, "hash of the gold text (option text where options exist)"),
    Column("choice_key", pl.UInt64, "hash of the extracted answer (option text where options exist)"),
    Column("gold_index", pl.Int16, "position of the gold among the options as shown, 0-based"),
    Column("choice_index", pl.Int16, "position of the extracted answer among the options as shown"),
    Column("option_logprobs", pl.List(pl.Float64), "un-normalised log-likelihood per option, document order"),
    Column("prompt_key", pl.UInt64, "hash of the full prompt: equal on both sides means the same bytes"),
    Column("category", pl.List(pl.String), "hints from the log: subject, category, tags"),
    Column("cluster", pl.String, "shared passage, template or paraphrase group"),
    Column("output_tokens", pl.UInt32, "generated tokens, reasoning included where reported"),
    Column("stop_reason", pl.Categorical(), "as logged"),
    Column("error", pl.String, "as logged"),
    Column("text_row", pl.UInt32, "row of the texts table that holds this sample's texts"),
)

#: One row per reply; several scorers of one reply share it.
TEXT_COLUMNS = (
    Column("text_row", pl.UInt32, "number of the row"),
    Column("question", pl.String, "the item's question as people read it"),
    Column("options", pl.List(pl.String), "option texts in document order"),
    Column("gold", pl.List(pl.String), "gold answers, as option text where options exist"),
    Column("choice", pl.String, "extracted answer, as option text where options exist"),
    Column("prompt", pl.String, "the full text the model saw"),
    Column("response", pl.String, "the full text of the reply"),
)

SAMPLE_SCHEMA = pl.Schema({column.name: column.dtype for column in SAMPLE_COLUMNS})
TEXT_SCHEMA = pl.Schema({column.name: column.dtype for column in TEXT_COLUMNS})


class Metric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of one scorer and metric of one task."""

    task: str
    scorer: str
    metric: str
    higher_is_better: bool | None = None  # None where the log does not say
    binary: bool = False  # every score is 0 or 1
    low: float | None = None  # smallest and largest score seen
    high: float | None = None
    scale: tuple[float, float] | None = None  # declared range of a graded metric, where known
    kind: str | None = None  # likelihood (options ranked by log-probability) or generation (reply read)
    regime: str | None = None  # scores of one name made by different rules do not compare (MMLU-Pro)
    default: bool = False  # the one chosen when nobody asks for another


class RunInfo(msgspec.Struct, kw_only=True):
    """The content of run.json: everything about a run that is not a sample."""

    schema: str = "forgetmap.run/1"
    model: str | None = None  # exact id as logged
    model_revision: str | None = None
    suite: str | None = None
    tool: str | None = None  # evaluation tool that wrote the log
    tool_version: str | None = None
    date: str | None = None
    settings: dict[str, Any] = {}  # run-wide settings that pairing compares
    task_settings: dict[str, dict[str, Any]] = {}  # the same, per task
    task_names: dict[str, str] = {}  # canonical task -> name in the log
    metrics: list[Metric] = []
    groups: dict[str, list[str]] = {}  # task groups and tags found in the log: a taxonomy
    categories: dict[str, dict[str, str]] = {}  # taxonomy → task → category, as the suite says
    subset: dict[str, Any] = {}  # a subset chosen on purpose: limit, tasks, samples
    files: list[str] = []
    other_files: list[str] = []  # lay beside the log and were not read
    repeat_kind: str | None = None  # how repeats differ, where someone said it: seed, numeric, prompt, order or format
    counts: dict[str, int] = {}
    warnings: list[str] = []
    evaluation: str | None = None  # hash of what was asked of whom, where we evaluated the model ourselves
    content_hash: str | None = None
    complete: bool = True


TextSource = pl.DataFrame | Callable[[], pl.DataFrame | pl.LazyFrame]


@dataclass(frozen=True)
class Run:
    """All samples of one model on one suite.

    `scan()` gives the narrow table lazily, `texts()` the wide one on demand. Make one with `read_run`,
    `Run.from_frame` or `Run.load`.
    """

    info: RunInfo
    _samples: pl.LazyFrame = field(repr=False)
    _texts: TextSource | None = field(default=None, repr=False)
    source: str = ""  # where it came from, for messages

    @property
    def name(self) -> str:
        """The model's name, or where the run came from."""
        return shown_name(self.info.model, self.source)

    @property
    def tasks(self) -> list[str]:
        """Canonical task names, sorted."""
        return sorted({metric.task for metric in self.info.metrics})

    def scan(self) -> pl.LazyFrame:
        """Return the narrow sample table as a lazy frame: only the columns asked for are read."""
        return self._samples

    @property
    def samples(self) -> pl.DataFrame:
        """The whole narrow sample table."""
        return self._samples.collect()

    @property
    def has_texts(self) -> bool:
        """Whether prompts and replies can be had."""
        return self._texts is not None

    def texts(self) -> pl.DataFrame:
        """Return the whole texts table; for a run read from a log this reads the log once more, with its texts."""
        return self.scan_texts().collect()

    def scan_texts(self) -> pl.LazyFrame:
        """Return the texts table as a lazy frame: of a saved run only the columns and rows asked for are read."""
        if self._texts is None:
            raise MissingDataError(
                f"{self.source or self.name}: this run holds no texts; import the log again without --no-texts"
            )
        return (self._texts() if callable(self._texts) else self._texts).lazy()

    def summary(self) -> dict[str, Any]:
        """Return the run as the JSON contract shows it."""
        info = self.info
        return {
            "model": info.model,
            "model_revision": info.model_revision,
            "suite": info.suite,
            "tool": info.tool,
            "tool_version": info.tool_version,
            "date": info.date,
            "source": self.source or None,
            "tasks": len(self.tasks),
            "items": info.counts.get("items"),
            "samples": info.counts.get("samples"),
            "repeats": info.counts.get("repeats"),
            "repeat_kind": info.repeat_kind,
            "null_scores": info.counts.get("null_scores"),
            "duplicates": info.counts.get("duplicates"),
            "subset": info.subset or None,
            "content_hash": info.content_hash,
        }

    def save(self, folder: str | Path, *, overwrite: bool = False, texts: bool = True) -> Path:
        """Write the run as a folder; `run.json` comes last and makes it complete."""
        from forgetmap.storage import save_run

        return save_run(self, Path(folder), overwrite=overwrite, texts=texts)

    @staticmethod
    def load(folder: str | Path) -> Run:
        """Open a run folder; samples and texts are read when they are asked for."""
        from forgetmap.storage import load_run

        return load_run(Path(folder))

    @staticmethod
    def from_frame(
        frame: pl.DataFrame | pd.DataFrame,
        *,
        model: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Run:
        """Return a run made of a table with one row per sample (polars or pandas).

        `columns` maps our field names to the table's, where the names do not say it: {"gold": "answer"}.
        """
        from forgetmap.readers.table import frame_to_run

        return frame_to_run(frame, model=model, columns=columns)


def shown_name(model: str | None, source: str | None) -> str:
    """Return what a run is called: its model, of a path the end, or where the run came from.

    >>> shown_name("org/model-7b", None), shown_name("/data/models/tuned/checkpoint-90", None)
    ('org/model-7b', 'tuned/checkpoint-90')
    """
    if model is None:
        return Path(source).name if source else "unnamed"
    return "/".join(Path(model).parts[-2:]) if Path(model).is_absolute() else model


def validate_samples(samples: pl.DataFrame, source: str) -> None:
    """Raise RunError unless the frame is a sample table: its columns, types and values."""
    for name, dtype in SAMPLE_SCHEMA.items():
        if name not in samples.columns:
            raise RunError(f"{source}: column '{name}' is missing; write the run with forgetmap, or import the log")
        if samples.schema[name] != dtype:
            found = samples.schema[name]
            raise RunError(f"{source}: column '{name}' is {found}, expected {dtype}; import the log again")
    broken_rules = samples.select(bad.fill_null(False).any().alias(what) for what, (bad, _) in _RULES.items()).row(
        0, named=True
    )
    for what, broken in broken_rules.items():
        if broken:
            bad, remedy = _RULES[what]
            rows = samples.select(bad.fill_null(False).arg_true()).to_series()
            more = f" and {len(rows) - 1} more rows" if len(rows) > 1 else ""
            raise RunError(f"{source}: row {rows[0]}{more}: {what}; {remedy}")


#: What no sample may show -> (how it is seen, what to do about it).
_RULES = {
    **{
        f"{name} is null": (pl.col(name).is_null(), "every sample needs one")
        for name in ("task", "item_high", "item_low", "key_basis", "repeat", "scorer", "metric")
    },
    "score is NaN": (pl.col("score").is_nan(), "write null for a score that was not observed"),
    "chance is outside [0, 1]": (
        (pl.col("chance") < 0) | (pl.col("chance") > 1),
        "chance is golds / options, 0 for open-ended items, null where unknown",
    ),
    "n_gold exceeds n_options": (pl.col("n_gold") > pl.col("n_options"), "count right options among those shown"),
    "a sample in state error or unscored has a score": (
        pl.col("answer_state").is_in(["error", "unscored"]) & pl.col("score").is_not_null(),
        "a reply that was not judged has a null score",
    ),
}
