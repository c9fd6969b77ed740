"""lighteval details from 0.11 on (formats.md 3.3): one Parquet file per task with the structs doc, metric and
model_response.

The document is rendered here as well, but choices and gold position are always logged. `doc.id` counts from 0 in every
split, so it is kept as evidence and never joins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from forgetmap import items
from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.lighteval.items import make_item
from forgetmap.readers.lighteval.logs import Log, describe_metric, find_logs, number_repeats, run_info
from forgetmap.readers.lighteval.queries import PromptHasher, parse_queries
from forgetmap.readers.lighteval.scores import Answer, Scorebook
from forgetmap.readers.source import ReadOptions, sniff
from forgetmap.run import Run

_STRUCTS = ("doc", "metric", "model_response")
_DOC = (
    "id",
    "query",
    "original_query",
    "instruction",
    "choices",
    "gold_index",
    "task_name",
    "sampling_methods",
)
_RESPONSE = ("input", "text", "text_post_processed", "logprobs", "truncated_tokens_count")


def detects(path: Path) -> bool:
    """Accept a Parquet file whose columns doc, metric and model_response are structs."""
    if not path.is_file() or sniff(path).kind != "parquet":
        return False
    dtypes = sniff(path).dtypes
    return all(isinstance(dtypes.get(name), pl.Struct) for name in _STRUCTS)


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one details file, or of all details of one model below a folder."""
    logs, unread = find_logs(path, detects, options)
    builder = RunBuilder(source=str(path), texts=options.texts)
    frames = []
    for log in logs:
        frames.append(frame := _load(log.path))
        named = frame["task_name"].drop_nulls().unique().to_list() if "task_name" in frame.columns else []
        if len(named) > 1:
            raise FormatError(
                f"{log.path}: holds the tasks {' and '.join(sorted(named)[:3])}; lighteval writes a file per task"
            )
        log.raw_task = named[0] if named and named[0] else log.raw_task
    seeds = number_repeats(logs, builder)
    for log, frame in zip(logs, frames, strict=True):
        _read_file(log, frame, builder)
    return builder.finish(
        run_info(logs, seeds, unread),
        metrics=describe_metric(logs),
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _load(path: Path) -> pl.DataFrame:
    """Return the needed fields as flat columns. Schemas differ per task: a field may be missing or of type null."""
    dtypes = sniff(path).dtypes
    fields = {name: {field.name: field.dtype for field in dtypes[name].fields} for name in _STRUCTS}
    doc, response = pl.col("doc").struct, pl.col("model_response").struct
    wanted = [doc.field(name) for name in _DOC if name in fields["doc"]]
    wanted += [response.field(name) for name in _RESPONSE if name in fields["model_response"]]
    specific = fields["doc"].get("specific")
    if isinstance(specific, pl.Struct) and any(one.name == "extracted_predictions" for one in specific.fields):
        wanted.append(doc.field("specific").struct.field("extracted_predictions").alias("extracted"))
    tokens = fields["model_response"].get("output_tokens")
    if isinstance(tokens, pl.List) and isinstance(tokens.inner, pl.List):
        wanted.append(response.field("output_tokens").list.first().list.len().alias("reply_length"))
    if fields["doc"].get("images", pl.Null) != pl.Null:
        wanted.append(doc.field("images"))
    try:
        return pl.scan_parquet(path, glob=False).select(*wanted, "metric").collect()
    except pl.exceptions.PolarsError as fault:
        raise FormatError(f"{path}: cannot be read ({fault}); fetch the file again") from fault


def _read_file(log: Log, frame: pl.DataFrame, builder: RunBuilder) -> None:
    def column(name: str) -> list[Any]:
        return frame[name].to_list() if name in frame.columns else [None] * frame.height

    originals, queries = column("original_query"), column("query")
    asked = parse_queries(
        [original or query or "" for original, query in zip(originals, queries, strict=True)],
        [text or None for text in column("instruction")],
    )
    cut = sum(1 for tokens in column("truncated_tokens_count") if tokens)
    if cut:
        builder.warn(f"task '{log.task}': {cut} prompts were cut to fit the model's context")
    answers = []
    for scores, texts, cleaned, logprobs, choices, extracted, tokens in zip(
        column("metric"), column("text"), column("text_post_processed"), column("logprobs"), column("choices"),
        column("extracted"), column("reply_length"), strict=True,
    ):  # fmt: skip
        if logprobs and not texts:
            answers.append(Answer(scores, logprobs, tuple(choices or ())))
        else:
            reply = texts[0] if texts else None
            bare = cleaned[0] if cleaned else reply
            answers.append(Answer(scores, None, tuple(choices or ()), reply, bare, len(texts or ()), extracted, tokens))
    scorebook = Scorebook(builder, log.repeat, answers)
    hasher = PromptHasher()
    for (question, shown), answer, gold_index, native_id, prompt, images in zip(
        asked, answers, column("gold_index"), column("id"), column("input"), column("images"), strict=True
    ):
        marked = f"{question}\n{_image_marks(images)}" if images else question
        golds = tuple(gold_index) if isinstance(gold_index, list) else () if gold_index is None else (gold_index,)
        item = make_item(log.name, marked, shown, answer.choices, golds, (), native_id)
        text = _prompt_text(prompt)
        scorebook.add(item, answer, text, hasher.key(text, None))
    scorebook.remark(log.task)


def _prompt_text(prompt: Any) -> str | None:
    """The prompt; chat interfaces log a list of messages instead of a text."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    return msgspec.json.encode(prompt).decode()


def _image_marks(images: list[Any]) -> str:
    """One mark per image, by its bytes: many picture questions share their text."""
    contents = [image.get("bytes") if isinstance(image, dict) else image for image in images]
    return "\n".join(f"<image {items.text_hash(repr(content))}>" for content in contents)
