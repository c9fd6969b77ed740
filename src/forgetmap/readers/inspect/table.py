"""The sample table of a run, put together column by column.

An Inspect log of some thousand samples parses in the time that as many calls of a row-by-row builder take, so this
reader fills columns: one row per item, per reply and per score, joined when all are there. The rules for keys and
chance rates are those of `items` and of formats.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from forgetmap import items
from forgetmap.run import SAMPLE_SCHEMA, TEXT_SCHEMA

_ITEM = ("task", "native_id", "item_high", "item_low", "question_key", "text_key", "key_basis", "gold_key", "gold_index")
_ITEM += ("n_options", "n_gold", "chance", "category")
_REPLY = ("repeat", "output_tokens", "stop_reason", "error", "prompt_key")
_SCORE = ("scorer", "metric", "score", "answer_state", "choice_index", "choice_key")


DATA = "\x00"  # in a question, stands before the data of an image
_HIDDEN = re.compile(f"{DATA}[^\n]*")


class Document(NamedTuple):
    """What a sample asks."""

    question: str  # as it identifies the item: images by their data
    options: Sequence[str] | None = None  # in the order of the log
    golds: Sequence[str] | None = None  # option texts where options exist
    gold_index: int | None = None
    chance: float | None = None
    category: list[str] | None = None
    system: str = ""


class SampleTable:
    """Items, replies and scores of a run, as columns."""

    def __init__(self, *, texts: bool) -> None:
        self.keeps_texts = texts
        self.documents: list[Document] = []
        self._items: list[tuple[Any, ...]] = []
        self._plain: list[bool] = []  # no two options of the item differ by case alone
        self._replies: list[tuple[Any, ...]] = []
        self._item_of: list[int] = []  # the item of each reply
        self._scores: list[tuple[Any, ...]] = []
        self._reply_of: list[int] = []  # the reply of each score
        self._texts: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._scores)

    def item(self, task: str, native_id: object, document: Document) -> int:
        """Add an item; return its number."""
        question, options, golds, gold_index, chance, category, system = document
        key, gold_key, plain = _identity(
            question, tuple(sorted(options)) if options else None, tuple(golds) if golds else None
        )
        text = key.text
        if system:
            # A system message is a setting more often than content: it only breaks ties between items alike in the rest.
            text ^= items.text_hash(system)
        if not plain and options and gold_index is not None:
            gold_key = items.option_key(options, gold_index)
        self.documents.append(document)
        self._plain.append(plain)
        self._items.append(
            (task, str(native_id), key.high, key.low, key.question, text, key.basis, gold_key, gold_index)
            + (len(options) if options else None, len(golds) if options and golds else None, chance, category)
        )
        return len(self._items) - 1

    def reply(self, item: int, facts: tuple[Any, ...], texts: tuple[str | None, str | None, str | None]) -> None:
        """Start a reply. `facts` are those of _REPLY, `texts` the choice, the prompt and the response."""
        self._item_of.append(item)
        self._replies.append(facts)
        if self.keeps_texts:
            document = self.documents[item]
            asked = (shown(document.question), document.options, document.golds)
            self._texts.append((len(self._texts), *asked, *texts))

    def score(
        self,
        scorer: str,
        metric: str,
        score: float | None,
        state: str | None,
        choice_index: int | None = None,
        choice: str | None = None,
    ) -> None:
        """Add a score of the last reply; a choice is an option's position or a text."""
        choice_key = None
        if choice_index is not None:
            item = self._item_of[-1]
            if choice_index == self._items[item][8]:
                choice_key = self._items[item][7]
            else:
                options = self.documents[item].options or ()
                choice_key = (
                    items.answer_key(options[choice_index]) if self._plain[item] else items.option_key(options, choice_index)
                )
        elif choice is not None:
            choice_key = items.answer_key(choice)
        self._reply_of.append(len(self._replies) - 1)
        self._scores.append((scorer, metric, score, state, choice_index, choice_key))

    def samples(self) -> pl.DataFrame:
        """Return one row per score, without what `assemble` works out."""
        asked = _frame(_ITEM, self._items)
        replies = _frame(_REPLY, self._replies).with_columns(
            text_row=pl.int_range(len(self._replies), dtype=pl.UInt32), _item=pl.Series(self._item_of, dtype=pl.UInt32)
        )
        scores = _frame(_SCORE, self._scores)
        rows = replies if self._reply_of == list(range(len(self._replies))) else replies[self._reply_of]
        item = rows["_item"]
        wide = asked if item.equals(pl.Series("_item", range(asked.height), dtype=pl.UInt32)) else asked[item]
        empty = [pl.lit(None, dtype=SAMPLE_SCHEMA[name]).alias(name) for name in ("correct", "option_logprobs", "cluster")]
        return pl.concat([wide, rows.drop("_item"), scores], how="horizontal").with_columns(empty)

    def texts(self) -> pl.DataFrame:
        """Return one row per reply."""
        return pl.DataFrame(self._texts, schema=TEXT_SCHEMA, orient="row")


def shown(text: str) -> str:
    """Return a text as people read it, without the data of images."""
    return _HIDDEN.sub("", text) if DATA in text else text


def _frame(names: Sequence[str], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        [pl.Series(name, values, dtype=SAMPLE_SCHEMA[name]) for name, values in zip(names, columns, strict=True)]
    )


@lru_cache(maxsize=1 << 15)
def _identity(
    question: str, options: tuple[str, ...] | None, golds: tuple[str, ...] | None
) -> tuple[items.ItemKey, int | None, bool]:
    """Return key, gold key, and whether options stay apart when case is folded.

    Remembered, because the log of the other side asks the same questions, and hashing them is a third of the work.
    """
    key = items.item_key([question], options, golds)
    gold_key = min([items.answer_key(text) for text in golds]) if golds else None
    plain = options is None or len({items.normalise(option) for option in options}) == len(options)
    return key, gold_key, plain
