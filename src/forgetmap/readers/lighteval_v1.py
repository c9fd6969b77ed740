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

from forgetmap import items
from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval import Log, describe_metric, find_logs, number_repeats, run_info
from forgetmap.readers.lighteval_items import Asked, make_item, ranked_choice, score_value, spoken_choice
from forgetmap.readers.lighteval_query import parse_queries
from forgetmap.readers.source import ReadOptions, sniff
from forgetmap.run import Run
from forgetmap.tasks import known_task

_KEYS = frozenset({"full_prompt", "predictions", "metrics", "gold"})
_PLAIN = ("example", "instruction", "full_prompt")  # texts in every version
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
        table = _load(log.path)
        tables.append(table)
        if log.raw_task is None:
            log.raw_task = log.results.task_of(table.height, set(_metric_names(table)))
        if log.raw_task is None:
            builder.warn(f"{log.path.name}: the name does not say which task this is; it goes by '{log.task}'")
    seeds = number_repeats(logs, builder)
    for log, table in zip(logs, tables, strict=True):
        _read_file(log, table, builder)
    info = run_info(logs, seeds, unread)
    return builder.finish(
        info, metrics=describe_metric(logs), reread=lambda: read(path, options.with_texts()).texts()
    )


def _load(path: Path) -> pl.DataFrame:
    """Return the columns that are needed, values as Python would have them."""
    dtypes = sniff(path).dtypes
    wanted = [pl.col(name) for name in (*_PLAIN, *_VALUES) if name in dtypes]
    literal = dtypes["metrics"] == pl.String
    if literal:
        wanted += [pl.col(name) for name in ("specifics", "cont_tokens") if name in dtypes]
    else:
        wanted += [_reply_length(dtypes.get("cont_tokens")).alias("reply_length")]
        wanted += [_extracted(dtypes.get("specifics")).alias("extracted")]
    try:
        table = pl.scan_parquet(path, glob=False).select(wanted).collect()
    except pl.exceptions.PolarsError as fault:
        raise FormatError(f"{path}: cannot be read ({fault}); fetch the file again") from fault
    return _from_literals(table, path) if literal else table


def _extracted(dtype: Any) -> pl.Expr:
    """What the extractive metrics found in the reply, from 0.8 on."""
    fields = {field.name for field in dtype.fields} if isinstance(dtype, pl.Struct) else set()
    if "extracted_predictions" not in fields:
        return pl.lit(None, dtype=pl.List(pl.String))
    return pl.col("specifics").struct.field("extracted_predictions")


def _reply_length(dtype: Any) -> pl.Expr:
    """Tokens of the first reply. Local back ends log a list per sample within a list per request; endpoints do not."""
    nothing = pl.lit(None, dtype=pl.UInt32)
    if not isinstance(dtype, pl.List) or not isinstance(dtype.inner, pl.List):
        return nothing
    first = pl.col("cont_tokens").list.first()
    return first.list.first().list.len() if isinstance(dtype.inner.inner, pl.List) else first.list.len()


_NUMPY = re.compile(r"\bnp\.(?:float|int|bool)\w*\(([^()]*)\)")
_NOT_FINITE = re.compile(r"(?<![\w'\"])-?(?:nan|inf)\b")


def _literal(text: str | None, place: str) -> Any:
    if text is None:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        try:  # not literals, but what Python prints: nan, and numpy's numbers
            return ast.literal_eval(_NOT_FINITE.sub("None", _NUMPY.sub(r"\1", text)))
        except (ValueError, SyntaxError, MemoryError, RecursionError) as fault:
            raise FormatError(f"{place} is not the text of a Python value ({text[:60]!r}); write the log again") from fault


def _from_literals(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    columns: dict[str, Any] = {}
    for name in (*_VALUES, "specifics"):
        if name in table.columns:
            values = [_literal(text, f"{path}: row {row}: {name}") for row, text in enumerate(table[name])]
            columns[name] = pl.Series(name, values, dtype=pl.Object)
    return table.drop("cont_tokens", strict=False).with_columns(**columns)
