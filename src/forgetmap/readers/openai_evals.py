"""openai/evals: one file of JSON lines per run; the first holds `spec`, the others are events of samples.

Events of one sample are scattered over the file, since samples run in threads; they are put together by `sample_id`
and ordered by `event_id`. The log holds no document: items are keyed by the FIRST prompt of a sample, because later
ones (chain of thought, a judge) quote what the model said. The reply is what the match was made on.
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
_SPEC_KEYS = frozenset({"eval_name", "base_eval", "run_id", "completion_fns", "model_name", "run_config"})


class _Spec(msgspec.Struct):
    eval_name: str
    base_eval: str | None = None
    split: str | None = None
    run_id: str | None = None
    created_at: str | None = None
    model_name: str | None = None  # before completion functions
    completion_fns: list[str] | None = None
    run_config: dict[str, Any] | None = None


class _Line(msgspec.Struct):
    spec: _Spec | None = None
    final_report: Any = None
    sample_id: str | None = None
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
        self.samplings = by_type.get("sampling", [])
        self.metrics = [pair for data in by_type.get("metrics", []) for pair in data.items()]
        self.error = "; ".join(str(data.get("message") or data) for data in by_type.get("error", [])) or None

    @property
    def prompt(self) -> str | None:
        return _text(self.samplings[0].get("prompt")) if self.samplings else None

    @property
    def response(self) -> str | None:
        if self.matches and self.matches[-1].get("sampled") is not None:
            return _text(self.matches[-1]["sampled"])
        if not self.samplings:
            return None
        # without a match the last sampling may be that of a model that grades
        return _text(self.samplings[-1 if self.matches else 0].get("sampled"))

    def scores(self) -> Iterator[tuple[str, int, Any, dict[str, Any]]]:
        """Yield (metric, repeat, value, match data)."""
        for turn, match in enumerate(self.matches):
            yield METRIC, turn, match.get("correct"), match
        turns: dict[str, int] = {}
        for name, value in self.metrics:
            turns[name] = turns.get(name, -1) + 1
            yield name, turns[name], value, {}


def detects(path: Path) -> bool:
    """Accept JSON lines whose first record is the specification of a run."""
    if not path.is_file():
        return False
    first = sniff(path).first
    spec = first.get("spec") if isinstance(first, dict) else None
    return isinstance(spec, dict) and "eval_name" in spec and len(_SPEC_KEYS & spec.keys()) > 2


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of one log, or of all logs of one model below a folder: one task per evaluation."""
    files, others = split_files(path, detects)
    builder = RunBuilder(source=str(path), texts=options.texts)
    specs: dict[str, _Spec] = {}
    for file in files:
        spec = _read_file(file, builder, options)
        if spec.eval_name in specs:
            raise FormatError(f"{path}: '{spec.eval_name}' was run twice (again in {file.name}); name one of the logs")
        specs[spec.eval_name] = spec
    models = {_model(spec) for spec in specs.values()}
    if len(models) > 1:
        names = ", ".join(sorted(map(str, models)))
        raise FormatError(f"{path}: logs of {len(models)} models ({names}); name the logs of one of them")
    first = next(iter(specs.values()))
    limits = {(spec.run_config or {}).get("max_samples") for spec in specs.values()} - {None}
    info = RunInfo(
        model=models.pop(),
        tool="openai/evals",
        date=first.created_at,
        settings={"seed": (first.run_config or {}).get("seed")},
        task_settings={canonical_task(name): _task_settings(spec) for name, spec in specs.items()},
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
    samples: dict[str, list[_Line]] = {}
    skipped = lambda: builder.count("skipped_lines")  # noqa: E731
    for _, line in records(file, _decode, skip_broken=options.skip_broken, skipped=skipped):
        spec = line.spec or spec
        finished = finished or line.final_report is not None
        if line.sample_id is not None:
            samples.setdefault(line.sample_id, []).append(line)
    if spec is None:
        raise FormatError(f"{file}: no line with `spec`, which names model and evaluation; fetch the whole log again")
    if not finished:
        builder.warn(f"{file.name}: no final report in it: the evaluation did not finish")
    ready = {name: _Sample(events) for name, events in samples.items()}
    known = {metric for sample in ready.values() for metric, _, _, _ in sample.scores()}
    primary = METRIC if METRIC in known or not known else min(known)
    task = canonical_task(spec.eval_name)
    for name, sample in ready.items():
        _add(builder, _item(builder, task, name, sample), sample, primary)
    return spec


def _item(builder: RunBuilder, task: str, name: str, sample: _Sample) -> Item:
    prompt = sample.prompt
    expected = sample.matches[0].get("expected") if sample.matches else None
    gold = [_text(one) or "" for one in (expected if isinstance(expected, list) else [expected]) if one is not None]
    if prompt is None:
        key = items.item_key([name], basis="native")
    else:
        key = items.item_key([prompt], gold=gold, basis="prompt")
    return builder.item(task, key=key, native_id=name, question=prompt, gold=gold)


def _add(builder: RunBuilder, item: Item, sample: _Sample, primary: str) -> None:
    response = sample.response
    prompt_key = None if sample.prompt is None else items.text_hash(sample.prompt)
    builder.reply(item, prompt=sample.prompt, response=response, choice=_picked(sample.matches))
    scored = False
    for metric, repeat, value, match in sample.scores():
        if value is not None and not isinstance(value, (bool, int, float)):
            builder.count("metrics_without_number")  # a judge's choice "A" is no score
            continue
        scored = True
        # `picked` is null for every wrong answer of a plain match: no sign of a missing one
        state = "empty" if response is not None and not response.strip() else None
        builder.sample(
            item,
            repeat=repeat,
            metric=metric,
            score=None if value is None else float(value),
            state=state if value is not None else ("error" if sample.error else None),
            choice=_picked([match]),
            prompt_key=prompt_key,
            error=sample.error,
        )
    if not scored:
        state = "error" if sample.error else "unscored"
        builder.sample(item, metric=primary, state=state, prompt_key=prompt_key, error=sample.error)


def _picked(matches: list[dict[str, Any]]) -> str | None:
    return _text(matches[-1].get("picked")) if matches else None


def _text(value: Any) -> str | None:
    """Return prompts and replies as text, whatever they are: text, list of texts, list of messages."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = []
        for one in value:
            spoken = isinstance(one, dict) and "content" in one
            parts.append(f"{one.get('role')}: {_text(one['content'])}" if spoken else str(one))
        return "\n".join(parts)
    return str(value)


def _model(spec: _Spec) -> str | None:
    return ", ".join(spec.completion_fns) if spec.completion_fns else spec.model_name


def _task_settings(spec: _Spec) -> dict[str, Any]:
    """What the registry said about this evaluation: its class and arguments change scores."""
    config = spec.run_config or {}
    described = config.get("eval_spec") if isinstance(config.get("eval_spec"), dict) else {}
    return {"split": spec.split, "scorer": described.get("cls"), "arguments": described.get("args")}
