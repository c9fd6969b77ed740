"""openai/evals: one file of JSON lines per run; the first holds `spec`, the others are events of samples.

Samples run in threads, so their events are scattered over the file: they are put together by `sample_id` and ordered
by `event_id`. The log holds no document, so items are keyed by the FIRST prompt of a sample: later ones (chain of
thought, a model that grades) quote what the model said. The reply is the text that the match was made on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, records, sniff, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

METRIC = "accuracy"  # the mean of the match events, as the final report calls it


class _Spec(msgspec.Struct):
    eval_name: str
    split: str | None = None
    created_at: str | None = None
    model_name: str | None = None  # before there were completion functions
    completion_fns: list[str] | None = None
    run_config: dict[str, Any] = {}

    @property
    def model(self) -> str | None:
        return ", ".join(self.completion_fns) if self.completion_fns else self.model_name

    @property
    def settings(self) -> dict[str, Any]:
        """What the registry said: class and arguments of an evaluation change its scores."""
        said = self.run_config.get("eval_spec")
        said = said if isinstance(said, dict) else {}
        found = {"split": self.split, "scorer": said.get("cls"), "arguments": said.get("args")}
        return {name: value for name, value in found.items() if value is not None}


class _Line(msgspec.Struct):
    spec: _Spec | None = None
    final_report: Any = None
    sample_id: str | int | None = None
    event_id: int = 0
    type: str | None = None
    data: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Line).decode


class _Sample:
    """The events of one sample that matter here, in the order they happened."""

    def __init__(self, events: list[_Line]) -> None:
        by_type: dict[str | None, list[dict[str, Any]]] = {}
        for event in sorted(events, key=lambda event: event.event_id):
            by_type.setdefault(event.type, []).append(event.data or {})
        self.matches = by_type.get("match", [])
        self.metrics = [pair for data in by_type.get("metrics", []) for pair in data.items()]
        self.error = "; ".join(str(data.get("message") or data) for data in by_type.get("error", [])) or None
        asked = by_type.get("sampling", [])
        self.prompt = _text(asked[0].get("prompt")) if asked else None
        if self.matches and self.matches[-1].get("sampled") is not None:
            self.response = _text(self.matches[-1]["sampled"])
        else:  # without a match the last sampling may be that of a model that grades
            self.response = _text(asked[-1 if self.matches else 0].get("sampled")) if asked else None

    def scores(self) -> Iterator[tuple[str, int, Any, str | None]]:
        """Yield (metric, repeat, value, picked answer)."""
        for turn, match in enumerate(self.matches):
            yield METRIC, turn, match.get("correct"), _text(match.get("picked"))
        turns: dict[str, int] = {}
        for name, value in self.metrics:
            turns[name] = turns.get(name, -1) + 1
            yield name, turns[name], value, None


def detects(path: Path) -> bool:
    """Accept JSON lines whose first record is the specification of a run."""
    first = sniff(path).first if path.is_file() else None
    spec = first.get("spec") if isinstance(first, dict) else None
    return isinstance(spec, dict) and {"eval_name", "run_config"} <= spec.keys()


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one log, or of all logs of one model below a folder: one task per evaluation."""
    files, others = split_files(path, detects)
    if not files:
        raise FormatError(f"{path}: no log of openai/evals in it; name its folder, or another format with --format")
    builder = RunBuilder(source=str(path), texts=options.texts)
    specs: dict[str, _Spec] = {}
    for file in files:
        spec = _read_file(file, builder, options)
        if spec.eval_name in specs:
            raise FormatError(f"{path}: '{spec.eval_name}' was run twice (again in {file.name}); name one of the logs")
        specs[spec.eval_name] = spec
    models = {spec.model for spec in specs.values()}
    if len(models) > 1:
        names = ", ".join(sorted(map(str, models)))
        raise FormatError(f"{path}: logs of {len(models)} models ({names}); name the logs of one of them")
    first = next(iter(specs.values()))
    limits = [limit for spec in specs.values() if isinstance(limit := spec.run_config.get("max_samples"), int)]
    seed = first.run_config.get("seed")
    info = RunInfo(
        model=first.model,
        tool="openai/evals",
        date=first.created_at,
        settings={} if seed is None else {"seed": seed},
        task_settings={canonical_task(name): spec.settings for name, spec in specs.items()},
        task_names={canonical_task(name): name for name in specs},
        subset={"limit": max(limits)} if limits else {},
        files=[file.name for file in files],
        other_files=[file.name for file in others],
    )
    return builder.finish(
        info,
        metrics=lambda _task, _scorer, name: {"higher_is_better": True, "default": True} if name == METRIC else {},
        reread=lambda: read(path, options.with_texts()).texts(),
    )


def _read_file(file: Path, builder: RunBuilder, options: ReadOptions) -> _Spec:
    spec: _Spec | None = None
    finished = False
    events: dict[str, list[_Line]] = {}
    for _, line in records(file, _decode, skip_broken=options.skip_broken, count=builder.count):
        spec = line.spec or spec
        finished = finished or line.final_report is not None
        if line.sample_id is not None:
            events.setdefault(str(line.sample_id), []).append(line)
    if spec is None:
        raise FormatError(f"{file}: no line with `spec`, which names model and evaluation; fetch the whole log again")
    if not finished:
        builder.warn(f"{file.name}: no final report in it: the evaluation did not finish")
    samples = {name: _Sample(of_sample) for name, of_sample in events.items()}
    known = {metric for sample in samples.values() for metric, _, _, _ in sample.scores()}
    primary = METRIC if METRIC in known or not known else min(known)
    for name, sample in samples.items():
        _add(builder, _item(builder, canonical_task(spec.eval_name), name, sample), sample, primary)
    return spec


def _item(builder: RunBuilder, task: str, name: str, sample: _Sample) -> Item:
    expected = sample.matches[0].get("expected") if sample.matches else None
    gold = [_text(one) or "" for one in (expected if isinstance(expected, list) else [expected]) if one is not None]
    if sample.prompt is None:
        key = items.item_key([name], basis="native")
    else:
        key = items.item_key([sample.prompt], gold=gold, basis="prompt")
    return builder.item(task, key=key, native_id=name, question=sample.prompt, gold=gold)


def _add(builder: RunBuilder, item: Item, sample: _Sample, primary: str) -> None:
    # `picked` is null for every wrong answer of a plain match: no sign of a missing one
    state = "empty" if sample.response is not None and not sample.response.strip() else None
    missing = "error" if sample.error else "unscored"
    prompt_key = None if sample.prompt is None else items.text_hash(sample.prompt)
    picked = _text(sample.matches[-1].get("picked")) if sample.matches else None
    builder.reply(item, prompt=sample.prompt, response=sample.response, choice=picked)
    scored = False
    for metric, repeat, value, choice in sample.scores():
        if value is not None and not isinstance(value, (bool, int, float)):
            builder.count("metrics_without_number")  # the choice "A" of a model that grades
            continue
        scored = True
        builder.sample(
            item,
            repeat=repeat,
            metric=metric,
            score=None if value is None else float(value),
            state=missing if value is None else state,
            choice=choice,
            prompt_key=prompt_key,
            error=sample.error,
        )
    if not scored:
        builder.sample(item, metric=primary, state=missing, prompt_key=prompt_key, error=sample.error)


def _text(value: Any) -> str | None:
    """Return prompts and replies as text, whatever they are: text, list of texts, list of messages."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        return str(value)
    spoken = [isinstance(one, dict) and "content" in one for one in value]
    return "\n".join(
        f"{one.get('role')}: {_text(one['content'])}" if is_message else str(one)
        for one, is_message in zip(value, spoken, strict=True)
    )
