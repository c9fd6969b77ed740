"""lighteval details of versions 0.3 to 0.10 (formats.md 3.2): one flat Parquet file per task.

There is no id and no document: items are keyed by what the query asks. 0.4 to 0.7 write every column as the text of a
Python value. The token columns make up most of a file and are left alone, but for the length of the reply.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval.items import make_item
from forgetmap.readers.lighteval.logs import Log, describe_metric, find_logs, number_repeats, run_info
from forgetmap.readers.lighteval.queries import PromptHasher, parse_queries
from forgetmap.readers.lighteval.scores import Answer, Scorebook
from forgetmap.readers.source import ReadOptions, sniff
from forgetmap.run import Run

_KEYS = frozenset({"full_prompt", "predictions", "metrics", "gold"})
_SHORT = (
    "example",
    "instruction",
    "gold",
    "choices",
    "gold_index",
    "metrics",
    "num_asked_few_shots",
    "truncated",
)
_LONG = ("full_prompt", "predictions")
#: Columns that 0.4 to 0.7 write as the text of a Python value; the others are plain text in every version.
_VALUES = frozenset(_SHORT[2:]) | {"predictions", "specifics"}


def detects(path: Path) -> bool:
    """Accept a Parquet file with the prompt, the predictions, the metrics and the gold as columns."""
    return path.is_file() and sniff(path).kind == "parquet" and sniff(path).keys >= _KEYS


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one details file, or of all details of one model below a folder."""
    logs, unread = find_logs(path, detects, options)
    builder = RunBuilder(source=str(path), texts=options.texts)
    for log in logs:
        if log.raw_task is None:
            log.raw_task = _task_by_results(log)
        if log.raw_task is None:
            builder.warn(f"{log.path.name}: the name does not say which task this is; it goes by '{log.task}'")
    seeds = number_repeats(logs, builder)
    for log, table in zip(logs, _tables(logs, options.texts), strict=True):
        _read_file(log, table, builder)
    return builder.finish(
        run_info(logs, seeds, unread),
        metrics=describe_metric(logs),
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _task_by_results(log: Log) -> str | None:
    """The task of a renamed file, by the number of its rows and the names of its metrics."""
    scores = _fetch(log.path, {"metrics": pl.col("metrics")})["metrics"].to_list()
    named = [_literal(one, f"{log.path}: metrics") if isinstance(one, str) else one for one in scores]
    return log.results.task_of(len(named), {metric for one in named for metric in one or ()})


def _tables(logs: Sequence[Log], texts: bool) -> Iterator[_Table]:
    """Yield the columns of each file. Files are decoded in the background, one ahead of the one in use."""
    with ThreadPoolExecutor(max_workers=1) as background:
        ahead: deque[_Table] = deque()
        for log in logs:
            ahead.append(_Table(log.path, texts, background))
            if len(ahead) > 1:
                yield ahead.popleft()
        yield from ahead


class _Table:
    """The needed columns of one details file, as lists of Python values.

    The short ones come first, so that questions can be parsed while prompts, replies and tokens are being decoded.
    """

    def __init__(self, path: Path, texts: bool, background: ThreadPoolExecutor) -> None:
        self.path = path
        dtypes = sniff(path).dtypes
        self.literal = dtypes["metrics"] == pl.String
        short = {name: pl.col(name) for name in _SHORT if name in dtypes}
        long = {name: pl.col(name) for name in _LONG if name in dtypes}
        if self.literal:
            long |= {name: pl.col(name) for name in ("specifics", "cont_tokens") if name in dtypes}
        else:
            short["extracted"] = _extracted(dtypes)
            long["reply_length"] = _reply_length(dtypes)
        if not self.literal and not texts:
            # Replies are needed only where the metric found no answer in them, prompts only for their hash.
            found = _extracted(dtypes).list.len().fill_null(0) > 0
            long["draws"] = pl.col("predictions").list.len()
            long["predictions"] = pl.when(~found).then(pl.col("predictions"))
            long["full_prompt"] = pl.col("full_prompt").cast(pl.Binary)
        self._parts = [(frozenset(part), background.submit(_fetch, path, part)) for part in (short, long)]

    @cached_property
    def height(self) -> int:
        return self._parts[0][1].result().height

    def __getitem__(self, name: str) -> list[Any]:
        for names, frame in self._parts:
            if name in names:
                values = frame.result()[name].to_list()
                if self.literal and name in _VALUES:
                    return [_literal(text, f"{self.path}: row {row}: {name}") for row, text in enumerate(values)]
                return values
        if self.literal and name == "extracted":
            return [(one or {}).get("extracted_predictions") for one in self["specifics"]]
        if self.literal and name == "reply_length":
            return [_logged_length(text) for text in self["cont_tokens"]]
        return [None] * self.height


def _fetch(path: Path, wanted: dict[str, pl.Expr]) -> pl.DataFrame:
    try:
        return pl.scan_parquet(path, glob=False).select(**wanted).collect()
    except pl.exceptions.PolarsError as fault:
        raise FormatError(f"{path}: cannot be read ({fault}); fetch the file again") from fault


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
            raise FormatError(
                f"{place} is not the text of a Python value ({text[:60]!r}); write the log again"
            ) from fault


def _logged_length(text: str | None) -> int | None:
    """Tokens of the first reply, from the text of nested lists; unknown where it is none, as in "[tensor([1, 2])]"."""
    found = _TOKENS.match(text or "")
    if found is None:
        return None
    return found[1].count(",") + 1 if found[1].strip() else 0


def _read_file(log: Log, table: _Table, builder: RunBuilder) -> None:
    name = log.name
    instructions = [text or None for text in table["instruction"]]
    asked = parse_queries([text or "" for text in table["example"]], instructions)
    shots = set(table["num_asked_few_shots"])
    log.shots = shots.pop() if len(shots) == 1 else None
    cut = sum(bool(tokens and any(tokens)) for tokens in table["truncated"])
    if cut:
        builder.warn(f"task '{log.task}': {cut} prompts were cut to fit the model's context")
    columns = ("metrics", "predictions", "choices", "extracted", "reply_length", "draws")
    answers = [_answer(*row) for row in zip(*(table[name] for name in columns), strict=True)]
    scorebook = Scorebook(builder, log.repeat, answers)
    hasher = PromptHasher()
    for (question, shown), answer, gold, gold_index, prompt, instruction in zip(
        asked, answers, table["gold"], table["gold_index"], table["full_prompt"], instructions, strict=True
    ):
        item = make_item(name, question, shown, answer.choices, tuple(gold_index or ()), tuple(gold or ()))
        scorebook.add(item, answer, prompt, hasher.key(prompt, instruction))
    scorebook.remark(log.task)


def _answer(
    scores: dict[str, Any] | None,
    predictions: Sequence[Any] | None,
    choices: list[str] | None,
    extracted: list[str] | None,
    tokens: int | None,
    draws: int | None,
) -> Answer:
    """Generated texts, or numbers: log-probabilities alone or in pairs with "was it greedy"."""
    first = predictions[0] if predictions else None
    if isinstance(first, (list, tuple)) and first and not isinstance(first[0], (bool, int, float)):
        predictions = [text for reply in predictions or () for text in _texts(reply)]  # (texts, logits) of 0.7
        first = predictions[0] if predictions else None
    if first is None or isinstance(first, str):
        count = draws if draws is not None else len(predictions or ())
        return Answer(scores or {}, None, tuple(choices or ()), first, first, count, extracted, tokens)
    logprobs = [one[0] if isinstance(one, (list, tuple)) else one for one in predictions or ()]
    if choices and len(logprobs) == 2 * len(choices):  # PMI: the second half is the choice without its question
        logprobs = logprobs[: len(choices)]
    return Answer(scores or {}, logprobs, tuple(choices or ()))


def _texts(reply: Sequence[Any]) -> list[str]:
    texts = reply[0]
    return [texts] if isinstance(texts, str) else [text for text in texts if isinstance(text, str)]
