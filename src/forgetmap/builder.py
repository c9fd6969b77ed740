"""RunBuilder: where readers and suites put samples, one at a time, to get a run.

Keys, chance rates, option texts and duplicates are worked out here once, so that no reader does it its own way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from forgetmap import items
from forgetmap.assembly import assemble
from forgetmap.errors import FormatError
from forgetmap.items import ItemKey
from forgetmap.run import SAMPLE_SCHEMA, TEXT_SCHEMA, Run, RunInfo


class Item:
    """A question with its key, made by `make_item`, shared by all its samples and never changed."""

    __slots__ = (
        "category", "chance", "cluster", "gold", "gold_index", "gold_key", "key", "n_gold", "n_options", "native_id",
        "options", "question", "task",
    )  # fmt: skip

    task: str
    key: ItemKey
    native_id: str | None
    question: str | None
    options: Sequence[str] | None
    gold: Sequence[str] | None
    n_options: int | None
    n_gold: int | None
    chance: float | None
    gold_index: int | None
    gold_key: int | None
    category: list[str] | None
    cluster: str | None


def make_item(
    task: str,
    *,
    key: ItemKey,
    native_id: object = None,
    question: str | None = None,
    options: Sequence[str] | None = None,
    gold: Sequence[str] | None = None,
    gold_index: int | None = None,
    n_options: int | None = None,
    n_gold: int | None = None,
    open_ended: bool = False,
    chance: float | None = None,
    category: Sequence[str] | None = None,
    cluster: object = None,
) -> Item:
    """Return an item of `task` (canonical name).

    Options known by text give `options`; known by count alone, `n_options`. `gold` holds texts: option texts where
    options exist. The chance rate is golds / options, 0 when `open_ended`, null when neither is known
    (formats.md 2.5: there is no default of 4).
    """
    if gold and len(gold) > 1:  # the same gold named twice is one
        gold = list({items.normalise(text): text for text in gold}.values())
    made = Item()
    counted = len(options) if options else n_options
    made.task = task
    made.key = key
    made.native_id = None if native_id is None else str(native_id)
    made.question = question
    made.options = options or None
    made.gold = gold or None
    made.n_options = counted
    made.gold_index = gold_index
    if counted is None:
        made.n_gold = None
    else:
        made.n_gold = n_gold if n_gold is not None else len(gold) if gold else None
    if chance is not None:
        made.chance = chance
    elif open_ended:
        made.chance = 0.0
    else:
        made.chance = made.n_gold / counted if counted and made.n_gold else None
    if options and gold_index is not None:
        made.gold_key = items.option_key(options, gold_index)
    else:
        made.gold_key = min(items.answer_key(text) for text in gold) if gold else gold_index
    made.category = [str(hint) for hint in category] if category else None
    made.cluster = None if cluster is None else str(cluster)
    return made


class RunBuilder:
    """Collects samples in columns.

    `item` describes a question, `sample` adds one scored answer to it, `finish` gives the run. With
    `texts=False` prompts and replies are dropped at once, so that a log of any size fits in memory.
    """

    def __init__(self, *, source: str, texts: bool = False) -> None:
        self.source = source
        self.keeps_texts = texts
        self.warnings: list[str] = []
        self._rows: list[tuple[Any, ...]] = []
        self._texts: dict[str, list[Any]] = {name: [] for name in TEXT_SCHEMA}
        self._counts: Counter[str] = Counter()
        self._text_row = -1

    def __len__(self) -> int:
        return len(self._rows)

    def warn(self, message: str) -> None:
        """Keep a sentence that changes how a number should be read; each is shown once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def count(self, what: str, by: int = 1) -> None:
        """Count something worth telling: broken lines skipped, NaN values, …"""
        self._counts[what] += by

    @staticmethod
    def item(task: str, **facts: Any) -> Item:
        """Return an item of `task`; the facts are those of `make_item`."""
        return make_item(task, **facts)

    def reply(
        self,
        item: Item,
        *,
        prompt: str | None = None,
        response: str | None = None,
        choice: str | None = None,
    ) -> None:
        """Start a new reply: the samples that follow are scores of it. Texts are kept only if wanted."""
        self._text_row += 1
        if self.keeps_texts:
            texts = self._texts
            texts["text_row"].append(self._text_row)
            texts["question"].append(item.question)
            texts["options"].append(item.options)
            texts["gold"].append(item.gold)
            texts["choice"].append(choice)
            texts["prompt"].append(prompt)
            texts["response"].append(response)

    def sample(
        self,
        item: Item,
        *,
        repeat: int = 0,
        scorer: str = "none",
        metric: str = "score",
        score: float | None = None,
        state: str | None = None,
        choice: str | None = None,
        choice_index: int | None = None,
        option_logprobs: Sequence[float] | None = None,
        prompt_key: int | None = None,
        output_tokens: int | None = None,
        stop_reason: str | None = None,
        error: str | None = None,
    ) -> None:
        """Add one scored answer. A NaN score is null and counted; a choice is an option's position or a text."""
        if self._text_row < 0:
            raise RuntimeError("call reply() before sample(): every score belongs to a reply")
        if score is not None:
            if not isfinite(score):
                self._counts["nan_scores"] += 1
                score = None
                state = "unscored"
        elif state is None:
            state = "unscored"
        choice_key = None
        if choice_index is not None and item.options:
            is_gold = choice_index == item.gold_index
            choice_key = item.gold_key if is_gold else items.option_key(item.options, choice_index)
        elif choice is not None:
            choice_key = items.answer_key(choice)
        elif choice_index is not None:  # options known by number only: positions are all there is to compare
            choice_key = choice_index
        key = item.key
        self._rows.append(
            (
                item.task, key.high, key.low, key.question, key.text, key.basis, item.native_id, repeat, scorer, metric,
                score, None, state, item.n_options, item.n_gold, item.chance, item.gold_key, choice_key,
                item.gold_index, choice_index, option_logprobs, prompt_key, item.category, item.cluster,
                output_tokens, stop_reason, error, self._text_row,
            )
        )  # fmt: skip

    def finish(
        self,
        info: RunInfo,
        *,
        metrics: Callable[[str, str, str], dict[str, Any]] | None = None,
        reread: Callable[[], pl.DataFrame] | None = None,
    ) -> Run:
        """Return the run.

        `metrics(task, scorer, metric)` adds what the log says of a metric (higher_is_better, default, regime, scale).
        `reread` gives the texts later, when the builder did not keep them.
        """
        if not len(self):
            raise FormatError(f"{self.source}: no samples in it; check that the evaluation logged its samples")
        columns = zip(_ROW_ORDER, zip(*self._rows, strict=True), strict=True)
        samples = pl.DataFrame([_series(name, values) for name, values in columns])
        self._rows = []
        info.warnings = [*info.warnings, *self.warnings]
        texts: Any = pl.DataFrame(self._texts, schema=TEXT_SCHEMA) if self.keeps_texts else reread
        return assemble(samples, info, source=self.source, texts=texts, metrics=metrics, counts=self._counts)


def _series(name: str, values: tuple[Any, ...]) -> pl.Series:
    dtype = SAMPLE_SCHEMA[name]
    if not isinstance(dtype, pl.List):
        return pl.Series(name, values, dtype=dtype)
    # A list column made list by list is slow: lay all elements end to end and cut them by length.
    lengths = {len(one) if one is not None else -1 for one in values}
    if len(lengths) == 1 and (length := lengths.pop()) > 0:
        flat_values = list(chain.from_iterable(values))
        return pl.Series(name, flat_values, dtype=dtype.inner).reshape((len(values), length)).cast(dtype)
    held = [(row, one) for row, one in enumerate(values) if one is not None]
    counts = np.fromiter((len(one) for _, one in held), dtype=np.int64, count=len(held))
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.fromiter((row for row, _ in held), dtype=np.int64, count=len(held)), counts),
            name: pl.Series(list(chain.from_iterable(one for _, one in held)), dtype=dtype.inner),
        }
    )
    cut = flat.group_by("row", maintain_order=True).agg(name)
    rows = pl.DataFrame({"row": np.arange(len(values), dtype=np.int64)})
    return rows.join(cut, on="row", how="left", maintain_order="left")[name]


_ROW_ORDER = tuple(name for name in SAMPLE_SCHEMA if name != "occurrence")
