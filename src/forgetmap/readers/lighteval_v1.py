"""lighteval details of versions 0.3 to 0.10 (formats.md 3.2): one flat Parquet file per task.

There is no id and no document: items are keyed by what the query asks. 0.4 to 0.7 write every column as the text of a
Python value. The token columns make up most of a file and are left alone, but for the length of the reply.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval import Log, describe_metric, find_logs, number_repeats, run_info
from forgetmap.readers.lighteval_items import Answer, Scorebook, make_item
from forgetmap.readers.lighteval_query import parse_queries
from forgetmap.readers.source import ReadOptions, sniff
from forgetmap.run import Run
from forgetmap.tasks import known_task

_KEYS = frozenset({"full_prompt", "predictions", "metrics", "gold"})
_TEXTS = ("example", "instruction", "full_prompt")  # plain text in every version
_VALUES = ("predictions", "gold", "choices", "gold_index", "metrics", "num_asked_few_shots", "truncated")


def detects(path: Path) -> bool:
    """Accept a Parquet file with the prompt, the predictions, the metrics and the gold as columns."""
    return path.is_file() and sniff(path).kind == "parquet" and sniff(path).keys >= _KEYS


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one details file, or of all details of one model below a folder."""
    logs, unread = find_logs(path, detects, options)
    builder = RunBuilder(source=str(path), texts=options.texts)
    tables = []
    for log in logs:
        tables.append(table := _load(log.path))
        if log.raw_task is None:
            log.raw_task = log.results.task_of(table.height, table.metrics)
        if log.raw_task is None:
            builder.warn(f"{log.path.name}: the name does not say which task this is; it goes by '{log.task}'")
    seeds = number_repeats(logs, builder)
    for log, table in zip(logs, tables, strict=True):
        _read_file(log, table, builder)
    return builder.finish(
        run_info(logs, seeds, unread),
        metrics=describe_metric(logs),
        reread=lambda: read(path, options.with_texts()).texts(),
    )


class _Table:
    """The needed columns of one details file, as Python values."""

    def __init__(self, path: Path, columns: dict[str, list[Any]]) -> None:
        self.path = path
        self.columns = columns
        self.height = len(columns["full_prompt"])
        self.metrics = {name for scores in columns["metrics"] for name in scores or ()}

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns.get(name) or [None] * self.height


def _load(path: Path) -> _Table:
    dtypes = sniff(path).dtypes
    literal = dtypes["metrics"] == pl.String
    wanted = [pl.col(name) for name in (*_TEXTS, *_VALUES) if name in dtypes]
    if literal:
        wanted += [pl.col(name) for name in ("specifics", "cont_tokens") if name in dtypes]
    else:
        wanted += [_reply_length(dtypes).alias("reply_length"), _extracted(dtypes).alias("extracted")]
    try:
        frame = pl.scan_parquet(path, glob=False).select(wanted).collect()
    except pl.exceptions.PolarsError as fault:
        raise FormatError(f"{path}: cannot be read ({fault}); fetch the file again") from fault
    columns = {name: frame[name].to_list() for name in frame.columns}
    return _Table(path, _from_literals(columns, path) if literal else columns)


def _extracted(dtypes: dict[str, Any]) -> pl.Expr:
    """What the extractive metrics found in the reply; later versions keep it."""
    specifics = dtypes.get("specifics")
    fields = {field.name for field in specifics.fields} if isinstance(specifics, pl.Struct) else set()
    if "extracted_predictions" not in fields:
        return pl.lit(None, dtype=pl.List(pl.String))
    return pl.col("specifics").struct.field("extracted_predictions")


def _reply_length(dtypes: dict[str, Any]) -> pl.Expr:
    """Tokens of the first reply: local back ends log a list per draw within a list per request, endpoints do not."""
    spoken, tokens = dtypes["predictions"], dtypes.get("cont_tokens")
    first = pl.col("cont_tokens").list.first()
    if spoken != pl.List(pl.String) or not isinstance(tokens, pl.List) or not isinstance(tokens.inner, pl.List):
        return pl.lit(None, dtype=pl.UInt32)
    return first.list.first().list.len() if isinstance(tokens.inner.inner, pl.List) else first.list.len()


_NUMPY = re.compile(r"\bnp\.(?:float|int|bool)\w*\(([^()]*)\)")
_NOT_FINITE = re.compile(r"(?<![\w'\"])-?(?:nan|inf)\b")
_TOKENS = re.compile(r"\[+([\d, ]*)\]")


def _literal(text: str | None, place: str) -> Any:
    if text is None:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        try:  # no literals, but what Python prints: nan, and numbers of numpy
            return ast.literal_eval(_NOT_FINITE.sub("None", _NUMPY.sub(r"\1", text)))
        except (ValueError, SyntaxError, MemoryError, RecursionError) as fault:
            raise FormatError(f"{place} is not the text of a Python value ({text[:60]!r}); write the log again") from fault


def _from_literals(columns: dict[str, list[Any]], path: Path) -> dict[str, list[Any]]:
    """Parse the columns of 0.4 to 0.7."""
    parsed = {name: columns[name] for name in _TEXTS if name in columns}
    for name in (*_VALUES, "specifics"):
        if name in columns:
            parsed[name] = [_literal(text, f"{path}: row {row}: {name}") for row, text in enumerate(columns[name])]
    parsed["extracted"] = [(one or {}).get("extracted_predictions") for one in parsed.pop("specifics", [])]
    parsed["reply_length"] = [_logged_length(text) for text in columns.get("cont_tokens", [])]
    return parsed


def _logged_length(text: str | None) -> int | None:
    """Tokens of the first reply, from the text of nested lists; unknown where it is none, as in "[tensor([1, 2])]"."""
    found = _TOKENS.match(text or "")
    if found is None:
        return None
    return found[1].count(",") + 1 if found[1].strip() else 0


def _read_file(log: Log, table: _Table, builder: RunBuilder) -> None:
    profile = known_task(log.raw_task or log.task)
    asked = parse_queries(table["example"], [text or None for text in table["instruction"]])
    shots = set(table["num_asked_few_shots"])
    log.shots = shots.pop() if len(shots) == 1 else None
    cut = sum(bool(tokens and any(tokens)) for tokens in table["truncated"])
    if cut:
        builder.warn(f"task '{log.task}': {cut} prompts were cut to fit the model's context")
    answers = [
        _answer(*row)
        for row in zip(
            table["metrics"], table["predictions"], table["choices"], table["extracted"], table["reply_length"], strict=True
        )
    ]
    scorebook = Scorebook(builder, log.repeat, answers)
    for (question, shown), answer, gold, gold_index, prompt in zip(
        asked, answers, table["gold"], table["gold_index"], table["full_prompt"], strict=True
    ):
        item = make_item(
            builder,
            log.task,
            profile,
            question=question,
            shown=shown,
            choices=answer.choices,
            gold_index=gold_index or (),
            gold=gold or (),
        )
        scorebook.add(item, answer, prompt)
    scorebook.remark(log.task)


def _answer(
    scores: dict[str, Any], predictions: Sequence[Any], choices: list[str] | None, extracted: list[str] | None, tokens: int | None
) -> Answer:
    """Generated texts, or numbers: log-probabilities alone or in pairs with "was it greedy"."""
    first = predictions[0] if predictions else None
    if isinstance(first, (list, tuple)) and first and not isinstance(first[0], (bool, int, float)):
        predictions = [text for reply in predictions for text in _texts(reply)]  # (texts, logits) of 0.7
        first = predictions[0] if predictions else None
    if first is None or isinstance(first, str):
        return Answer(scores or {}, None, choices or (), predictions or (), extracted, tokens)
    logprobs = [one[0] if isinstance(one, (list, tuple)) else one for one in predictions]
    if choices and len(logprobs) == 2 * len(choices):  # PMI: the second half is the choice without its question
        logprobs = logprobs[: len(choices)]
    return Answer(scores or {}, logprobs, choices or (), (), None, None)


def _texts(reply: Sequence[Any]) -> list[str]:
    texts = reply[0]
    return [texts] if isinstance(texts, str) else [text for text in texts if isinstance(text, str)]
