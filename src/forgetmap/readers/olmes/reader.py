"""From predictions to a run.

OLMES writes flat `metrics`, olmo-eval nests `instance_metrics` as {metric: {scorer: value}}. A row of a likelihood
task holds one output per option, a row of a sampled task one per repeat. `doc_id` is a position and `native_id` may be
null or repeat, so both together join a prediction to its request, and the request's document makes the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import answers, items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.olmes.files import Request, Task, check_names, find_task, plain
from forgetmap.readers.source import ReadOptions, records, sniff, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task

#: Values of `metrics` that describe a prediction and score nothing.
_NO_SCORES = ("predicted_index", "correct_choice", "no_answer")
#: What an accuracy divides log-likelihoods by, from the ending of its name.
_LENGTHS = {"raw": None, "per_token": "num_tokens", "per_char": "num_chars", "per_byte": "num_bytes"}


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
    if not files:
        raise FormatError(f"{path}: no predictions of OLMES or olmo-eval in it; name the folder that holds them")
    tasks = [find_task(file, texts=options.texts) for file in files]
    check_names(tasks, path)
    builder = RunBuilder(source=str(path), texts=options.texts)
    for task in tasks:
        _read_task(task, builder, options)
    read_too = {file for task in tasks for file in task.read_too}
    primary = {canonical_task(task.name): task.config("primary_metric") for task in tasks}
    limits = [task.limit for task in tasks if task.limit]
    info = RunInfo(
        model=tasks[0].model,
        model_revision=tasks[0].revision,
        tool="olmo-eval" if "instance_metrics" in sniff(files[0]).keys else "OLMES",
        date=tasks[0].facts.get("current_date"),
        task_settings={canonical_task(task.name): task.settings for task in tasks},
        task_names={canonical_task(task.name): task.name for task in tasks},
        subset={"limit": max(limits)} if limits else {},
        files=[file.name for file in files],
        other_files=[file.name for file in others if file not in read_too],
    )
    return builder.finish(
        info,
        metrics=lambda task, _scorer, metric: {"default": True} if metric == primary.get(task) else {},
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _read_task(task: Task, builder: RunBuilder, options: ReadOptions) -> None:
    without = 0
    for number, line in records(task.file, _decode, skip_broken=options.skip_broken, count=builder.count):
        request = task.requests.get((plain(line.doc_id), plain(line.native_id)))
        without += request is None
        try:
            item = _item(builder, task, line, request)
            _add(builder, item, line, request)
        except (TypeError, ValueError, AttributeError, KeyError) as fault:
            raise FormatError(
                f"{task.file}: line {number} is not a prediction ({type(fault).__name__}: {fault}); check the file, or "
                "name another format with --format"
            ) from fault
    if without:
        builder.warn(
            f"task '{task.name}': {without} predictions have no request beside them: keyed by the tool's own ids, they "
            "pair with no other tool's log"
        )


def _item(builder: RunBuilder, task: Task, line: _Line, request: Request | None) -> Item:
    name = canonical_task(task.name)
    ranked = _is_ranked(line, request)
    native = line.native_id if line.native_id is not None else line.doc_id
    options = request.choices if request else None
    if ranked and options and len(options) != len(line.model_output):
        options = None
    shown = len(options) if options else (len(line.model_output) if ranked else None)
    index = line.label if isinstance(line.label, int) and not isinstance(line.label, bool) and shown else None
    if index is not None and not 0 <= index < (shown or 0):
        index = None
    if request is None or not request.question:
        if native is None:
            raise ValueError("no native_id, no doc_id and no request: nothing identifies the item")
        key = items.item_key([task.name, str(native)], basis="native")
        n_gold = 1 if index is not None else None
        return builder.item(name, key=key, native_id=native, n_options=shown, n_gold=n_gold, gold_index=index)
    if options:
        gold = [options[index]] if index is not None else []
    else:
        gold = _written_golds(task.name, request.question, line.label)
    return builder.item(
        name,
        key=items.item_key([request.question], options, gold),
        native_id=native,
        question=request.question,
        options=options,
        gold=gold,
        gold_index=index if options else None,
        open_ended=not shown and bool(gold),
    )


def _written_golds(task: str, question: str, label: Any) -> list[str]:
    """Return the golds as texts, reduced as other tools' logs of the task are: GSM8K's 1,450 to 1450."""
    golds = [str(one) for one in (label if isinstance(label, list) else [label]) if one is not None]
    profile = known_task(task)
    document = profile.document if profile else None
    if document is None or document.coded != "hash4" or document.gold is None:
        return golds
    found = [document.content({document.question[0]: question, document.gold: gold}) for gold in golds]
    return [text for content in found if content and content.gold for text in content.gold] or golds


def _is_ranked(line: _Line, request: Request | None) -> bool:
    """Tell whether the outputs are options that were ranked, not replies that were written."""
    outputs = line.model_output
    if len(outputs) < 2 or any(out.get("sum_logits") is None for out in outputs):
        return False
    if request is not None and request.kind is not None:
        return request.kind == "loglikelihood"
    # OLMES puts what was generated into `continuation`; olmo-eval scores every sampled text
    return not any("continuation" in out or "sample_metrics" in out for out in outputs)


def _add(builder: RunBuilder, item: Item, line: _Line, request: Request | None) -> None:
    prompt_key = request.prompt_key if request else None
    prompt = request.prompt if request else None
    scores = line.instance_metrics if line.instance_metrics is not None else line.metrics or {}
    if _is_ranked(line, request):
        logprobs = [float(out["sum_logits"]) for out in line.model_output]
        builder.reply(item, prompt=prompt)
        for metric, scorer, value in _scores(scores, builder):
            builder.sample(
                item,
                scorer=scorer,
                metric=metric,
                score=value,
                state=None if value is None else "answered",
                choice_index=_ranked_choice(item, line, metric, value),
                option_logprobs=logprobs,
                prompt_key=prompt_key,
            )
        return
    outputs = line.model_output or [{}]
    several = len(outputs) > 1 and all(out.get("sample_metrics") for out in outputs)
    for repeat, out in enumerate(outputs if several else outputs[:1]):
        response = out.get("continuation", out.get("text"))
        picked = out.get("extracted_answer")
        index = answers.letter_index(str(picked), len(item.options)) if picked is not None and item.options else None
        choice = item.options[index] if item.options and index is not None else None if picked is None else str(picked)
        error = _error(out.get("scoring_errors")) or _error(line.judge_result)
        builder.reply(item, prompt=prompt, response=response, choice=choice)
        for metric, scorer, value in _scores(out["sample_metrics"] if several else scores, builder):
            builder.sample(
                item,
                repeat=repeat,
                scorer=scorer,
                metric=metric,
                # a scorer that broke leaves 0 behind: that says nothing about the model
                score=None if error else value,
                state="error" if error else None if value is None else _state(out, response, scores),
                choice=choice if index is None else None,
                choice_index=index,
                prompt_key=prompt_key,
                output_tokens=out.get("completion_tokens", out.get("num_tokens")),
                stop_reason=out.get("finish_reason"),
                error=error,
            )


def _scores(found: dict[str, Any], builder: RunBuilder) -> Iterator[tuple[str, str, float | None]]:
    """Yield (metric, scorer, value), whether nested by scorer or flat."""
    for metric, value in found.items():
        if metric.startswith(_NO_SCORES):
            continue
        for scorer, score in value.items() if isinstance(value, dict) else [("none", value)]:
            if score is None or isinstance(score, (bool, int, float)):
                yield metric, scorer, None if score is None else float(score)
            else:
                builder.count("metrics_without_number")


def _ranked_choice(item: Item, line: _Line, metric: str, score: float | None) -> int | None:
    """Return the option an accuracy counted as the answer, or None where its name does not tell."""
    if not metric.startswith("acc"):
        return None
    rule = metric.removeprefix("acc_")
    index = (line.metrics or {}).get(f"predicted_index_{rule}")
    if index is None:
        ways = {rule} & _LENGTHS.keys() or _LENGTHS.keys()  # olmo-eval's "accuracy" may be of any normalisation
        picks = {_best(line.model_output, _LENGTHS[way]) for way in ways} - {None}
        index = picks.pop() if len(picks) == 1 else None
    if index is None or not 0 <= index < len(line.model_output):
        return None
    if item.gold_index is not None and score in (0.0, 1.0) and (index == item.gold_index) != (score == 1.0):
        return None  # no choice is better than one that contradicts the score
    return int(index)


def _best(outputs: list[dict[str, Any]], length: str | None) -> int | None:
    if length is not None and not all(out.get(length) for out in outputs):
        return None
    values = [out["sum_logits"] / (out[length] if length else 1) for out in outputs]
    return max(range(len(values)), key=values.__getitem__)


def _state(out: dict[str, Any], response: Any, scores: dict[str, Any]) -> str | None:
    if isinstance(response, str) and not response.strip():
        return "empty"
    if scores.get("no_answer") == 1:
        return "no_answer"
    if "extracted_answer" not in out:
        return None
    if out["extracted_answer"] is not None:
        return "answered"
    return "truncated" if out.get("finish_reason") == "length" else "no_answer"


def _error(found: Any) -> str | None:
    """Return what a scorer or judge said went wrong."""
    if not isinstance(found, dict):
        return None
    if "error" in found:
        return str(found["error"]) if found["error"] else None
    said = {name: fault["message"] for name, fault in found.items() if isinstance(fault, dict) and "message" in fault}
    return "; ".join(f"{name}: {message}" for name, message in said.items()) or None
