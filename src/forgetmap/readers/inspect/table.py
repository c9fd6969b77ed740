"""The sample table of a run, put together column by column.

An Inspect log of some thousand samples parses in less time than as many calls of a row-by-row builder take, so this
reader fills columns: items, replies and scores apart, joined when all are there. The rules for keys and chance rates are
those of `items` and of formats.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from forgetmap import items
from forgetmap.readers.inspect.keys import choice_keys
from forgetmap.run import SAMPLE_SCHEMA, TEXT_SCHEMA

_ITEM = (
    "item_high", "item_low", "question_key", "text_key", "key_basis", "gold_key", "gold_index", "n_options", "n_gold",
    "chance", "task", "native_id",
)  # fmt: skip
_REPLY = ("text_row", "repeat", "output_tokens", "stop_reason", "error", "prompt_key")
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
    category: tuple[str, ...] | None = None
    system: str = ""


class Reply(NamedTuple):
    """What is known of a reply besides its scores."""

    text_row: int
    repeat: int
    output_tokens: int | None = None
    stop_reason: str | None = None
    error: str | None = None
    prompt_key: int | None = None


#: An ordinary choice question with its reply: question, options, right option, category, native id, text row, repeat,
#: output tokens, score, chosen option.
PlainChoice = tuple[str, list[str], int, tuple[str, ...] | None, object, int, int, int | None, float, int]


class SampleTable:
    """Items, replies and scores of a run, as columns."""

    def __init__(self, *, texts: bool) -> None:
        self.keeps_texts = texts
        self.documents: list[Document] = []
        self.gold_keys: list[int | None] = []
        self._items: list[tuple[Any, ...]] = []
        self._replies: list[Reply] = []
        self._item_of: list[int] = []  # the item of each reply
        self._scores: list[tuple[Any, ...]] = []
        self._reply_of: list[int] = []  # the reply of each score
        self._texts: list[tuple[Any, ...]] = []
        self._blocks: list[pl.DataFrame] = []  # samples that came by the hundred
        self._text_rows = 0

    def __len__(self) -> int:
        return len(self._scores) + sum(block.height for block in self._blocks)

    def reserve(self, replies: int) -> int:
        """Return the first of so many rows of the texts table."""
        first = self._text_rows
        self._text_rows += replies
        return first

    def item(self, task: str, native_id: object, document: Document) -> int:
        """Add an item; return its number."""
        question, options, golds, gold_index, chance, _, system = document
        high, low, asked, text, basis = items.item_key([question], options, golds)
        gold_key = _gold_key(options, golds, gold_index)
        n_options = len(options) if options else None
        n_gold = len(golds) if options and golds else None
        if system:
            # A system message is a setting more often than content: it only breaks ties between items alike otherwise.
            text ^= items.text_hash(system)
        self.documents.append(document)
        self.gold_keys.append(gold_key)
        self._items.append(
            (high, low, asked, text, basis, gold_key, gold_index, n_options, n_gold, chance, task, str(native_id))
        )
        return len(self._items) - 1

    def reply(self, item: int, facts: Reply, choice: str | None, prompt: str | None, response: str | None) -> None:
        """Start a reply; the scores that follow are its scores."""
        self._item_of.append(item)
        self._replies.append(facts)
        if self.keeps_texts:
            document = self.documents[item]
            asked = (shown(document.question), document.options, document.golds)
            self._texts.append((facts.text_row, *asked, choice, prompt, response))

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
            document = self.documents[item]
            if choice_index == document.gold_index:
                choice_key = self.gold_keys[item]
            elif document.options:
                choice_key = items.option_key(document.options, choice_index)
        elif choice is not None:
            choice_key = items.answer_key(choice)
        self._reply_of.append(len(self._replies) - 1)
        self._scores.append((scorer, metric, score, state, choice_index, choice_key))

    def add_choices(self, plain: Sequence[PlainChoice], task: str, scorer: str, metric: str) -> None:
        """Add ordinary choice questions, each with its reply and its one score: what the methods above do, at once."""
        questions, options, golds, categories, native_ids, text_rows, repeats, tokens, scores, choices = zip(
            *plain, strict=True
        )
        right = [shown[place] for shown, place in zip(options, golds, strict=True)]
        keys = choice_keys(list(zip(questions, map(tuple, map(sorted, options)), right, strict=True)))
        high, low, asked, text, gold_keys, apart = zip(*keys, strict=True)
        counted = [len(shown) for shown in options]
        chosen = [
            gold_key
            if choice == gold
            else items.answer_key(shown[choice])
            if different
            else items.option_key(shown, choice)
            for gold_key, choice, gold, shown, different in zip(gold_keys, choices, golds, options, apart, strict=True)
        ]
        columns: dict[str, Sequence[Any]] = {
            "item_high": high, "item_low": low, "question_key": asked, "text_key": text, "gold_key": gold_keys,
            "gold_index": golds, "n_options": counted, "chance": [1 / n for n in counted],
            "native_id": [str(native_id) for native_id in native_ids], "text_row": text_rows, "repeat": repeats,
            "output_tokens": tokens, "score": scores, "choice_index": choices, "choice_key": chosen,
        }  # fmt: skip
        same = {"task": task, "key_basis": "content", "n_gold": 1, "scorer": scorer, "metric": metric}
        same["answer_state"] = "answered"
        self._blocks.append(
            pl.DataFrame(
                [pl.Series(name, values, dtype=SAMPLE_SCHEMA[name]) for name, values in columns.items()]
                + [_lists("category", categories)]
            ).with_columns(pl.lit(value, dtype=SAMPLE_SCHEMA[name]).alias(name) for name, value in same.items())
        )

    def samples(self) -> pl.DataFrame:
        """Return one row per score, without what `assemble` works out."""
        blocks = [*self._blocks, *([self._joined()] if self._scores else [])]
        table = blocks[0] if len(blocks) == 1 else pl.concat(blocks, how="diagonal")
        missing = [name for name in SAMPLE_SCHEMA if name not in table.columns and name != "occurrence"]
        return table.with_columns(pl.lit(None, dtype=SAMPLE_SCHEMA[name]).alias(name) for name in missing)

    def _joined(self) -> pl.DataFrame:
        asked = _frame(_ITEM, self._items).with_columns(_lists("category", [one.category for one in self.documents]))
        replies = _frame(_REPLY, self._replies).with_columns(_item=pl.Series(self._item_of, dtype=pl.UInt32))
        rows = replies[self._reply_of]
        return pl.concat([asked[rows["_item"]], rows.drop("_item"), _frame(_SCORE, self._scores)], how="horizontal")

    def texts(self) -> pl.DataFrame:
        """Return one row per reply."""
        return pl.DataFrame(self._texts, schema=TEXT_SCHEMA, orient="row")


def shown(text: str) -> str:
    """Return a text as people read it, without the data of images."""
    return _HIDDEN.sub("", text) if DATA in text else text


def _lists(name: str, values: Sequence[tuple[str, ...] | None]) -> pl.Series:
    """A column of lists. A log has few different ones, and each takes polars as long as fifty numbers."""
    different: dict[tuple[str, ...] | None, int] = {}
    places = [different.setdefault(value, len(different)) for value in values]
    made = pl.Series(name, [None if one is None else list(one) for one in different], dtype=SAMPLE_SCHEMA[name])
    return made[places]


def _frame(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        [pl.Series(name, values, dtype=SAMPLE_SCHEMA[name]) for name, values in zip(names, columns, strict=True)]
    )


def _gold_key(options: Sequence[str] | None, golds: Sequence[str] | None, gold_index: int | None) -> int | None:
    if options and gold_index is not None:
        return items.option_key(options, gold_index)
    return min([items.answer_key(text) for text in golds]) if golds else None
