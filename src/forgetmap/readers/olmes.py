"""OLMES (oe-eval) and olmo-eval: predictions in JSON lines, with the documents in a requests file beside them.

OLMES writes flat `metrics`, olmo-eval nests `instance_metrics` as {metric: {scorer: value}}. A row of a likelihood task
holds one output per option, a row of a sampled task one per repeat. `doc_id` is a position and `native_id` may be null
or repeat, so both together join a prediction to its request, and content from the request makes the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.olmes_files import Request, Task, find_tasks, plain
from forgetmap.readers.source import ReadOptions, records, sniff, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

#: Values of `metrics` that describe a prediction and score nothing.
_NO_SCORES = ("predicted_index", "correct_choice", "no_answer", "label")
#: What an accuracy divides log-likelihoods by, from its name's ending.
_LENGTHS = {"per_token": "num_tokens", "per_char": "num_chars", "per_byte": "num_bytes"}


class _Line(msgspec.Struct):
    model_output: list[dict[str, Any]]
    doc_id: int | str | None = None
    native_id: int | str | None = None
    metrics: dict[str, Any] | None = None
    instance_metrics: dict[str, Any] | None = None
    label: Any = None
    judge_result: Any = None


_decode = msgspec.json.Decoder(_Line).decode


def detects(path: Path) -> bool:
    """Accept JSON lines of predictions of either tool."""
    if not path.is_file():
        return False
    keys = sniff(path).keys
    return keys >= {"native_id", "model_output"} and bool(keys & {"metrics", "instance_metrics"})


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one predictions file, or of all below a folder."""
    files, others = split_files(path, detects)
    tasks = find_tasks(files, path)
    builder = RunBuilder(source=str(path), texts=options.texts)
    unlocated = 0
    for task in tasks:
        for number, line in records(
            task.file, _decode, skip_broken=options.skip_broken, skipped=lambda: builder.count("skipped_lines")
        ):
            request = task.requests.get((plain(line.doc_id), plain(line.native_id)))
            unlocated += request is None
            try:
                _add(builder, _item(builder, task, line, request, number), line, request)
            except (TypeError, ValueError, AttributeError) as fault:
                raise FormatError(
                    f"{task.file}: line {number} is not a prediction of OLMES or olmo-eval ({fault}); check the file"
                ) from fault
    if unlocated:
        builder.warn(f"{unlocated} predictions have no request: keyed by native id, they pair within these logs only")
    models = {task.model for task in tasks}
    if len(models) > 1:
        raise FormatError(f"{path}: predictions of {', '.join(sorted(map(str, models)))}; name the folder of one model")
    read_too = {task.requests_file for task in tasks} | {task.metrics_file for task in tasks}
    primary = {canonical_task(task.name): task.primary_metric for task in tasks}
    info = RunInfo(
        model=tasks[0].model,
        model_revision=tasks[0].revision,
        tool=tasks[0].tool,
        date=tasks[0].date,
        task_settings={canonical_task(task.name): task.settings for task in tasks},
        task_names={canonical_task(task.name): task.name for task in tasks},
        subset={"limit": max(limits)} if (limits := [task.limit for task in tasks if task.limit]) else {},
        files=[file.name for file in files],
        other_files=[file.name for file in others if file not in read_too],
    )
    return builder.finish(
        info,
        metrics=lambda task, _scorer, metric: {"default": True} if metric == primary.get(task) else {},
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _item(builder: RunBuilder, task: Task, line: _Line, request: Request | None, number: int) -> Item:
    name = canonical_task(task.name)
    native = line.native_id if line.native_id is not None else line.doc_id
    choices = _option_count(line, request)
    facts: dict[str, Any] = {"native_id": native}
    gold_index = line.label if isinstance(line.label, int) and not isinstance(line.label, bool) and choices else None
    if gold_index is not None and not 0 <= gold_index < (choices or 0):
        gold_index = None
    if request is None or not request.question:
        if native is None:
            raise FormatError(f"{task.file}: line {number} has neither native_id nor doc_id; put its requests file beside it")
        key = items.item_key([task.name, str(native)], basis="native")
        return builder.item(name, key=key, n_options=choices, n_gold=1 if choices else None, gold_index=gold_index, **facts)
    options = request.choices if choices else None
    if options and gold_index is not None and gold_index < len(options):
        gold = [options[gold_index]]
    else:
        gold, gold_index = _texts(line.label) if not choices else [], None
    key = items.item_key([request.question], options, gold)
    return builder.item(
        name, key=key, question=request.question, options=options, gold=gold, gold_index=gold_index,
        open_ended=not choices and bool(gold), **facts,
    )  # fmt: skip


def _option_count(line: _Line, request: Request | None) -> int | None:
    """Return how many options were ranked; None for a task that generates."""
    outputs = line.model_output
    if request is not None and request.choices and len(request.choices) != len(outputs):
        return None
    ranked = all(out.get("sum_logits") is not None and "sample_metrics" not in out for out in outputs)
    written = any("continuation" in out for out in outputs)  # OLMES has the generated text there
    return len(outputs) if ranked and not written and len(outputs) > 1 else None


def _add(builder: RunBuilder, item: Item, line: _Line, request: Request | None) -> None:
    prompt = request.prompt if request else None
    prompt_key = None if prompt is None else items.text_hash(prompt)
    ranked = item.n_options == len(line.model_output) and len(line.model_output) > 1
    failed = _error(line.judge_result) if isinstance(line.judge_result, dict) else None
    outputs: list[Any] = [None] if ranked else [*line.model_output] or [{}]
    sampled = len(outputs) > 1 and any(out.get("sample_metrics") for out in outputs)
    for repeat, out in enumerate(outputs if sampled or ranked else outputs[:1]):
        response = None if out is None else _first(out, "continuation", "text")
        picked = None if out is None else out.get("extracted_answer")
        builder.reply(item, prompt=prompt, response=response, choice=None if picked is None else str(picked))
        scores = (out["sample_metrics"] if "sample_metrics" in out else {}) if sampled else line.instance_metrics
        error = failed or (None if out is None else _error(out.get("scoring_errors")))
        for metric, scorer, value in _scores(builder, scores if scores is not None else line.metrics):
            index = _choice(item, line, metric, value) if ranked else None
            # a scorer that broke writes 0: that is no answer about the model
            observed = None if error else value
            state = "error" if error else (None if value is None else _state(response, picked, ranked))
            builder.sample(
                item, repeat=repeat, scorer=scorer, metric=metric, score=observed, state=state, choice_index=index,
                choice=None if picked is None else str(picked), prompt_key=prompt_key, error=error,
                option_logprobs=[one["sum_logits"] for one in line.model_output] if ranked else None,
                output_tokens=None if out is None else _first(out, "completion_tokens", "num_tokens"),
                stop_reason=None if out is None else out.get("finish_reason"),
            )  # fmt: skip
