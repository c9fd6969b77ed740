"""HELM: a folder per run with `run_spec.json` and `per_instance_stats.json` (formats.md 4.1), or a suite of such.

Files in a run folder are found by name, because that is how HELM finds them. Documents, replies and prompts come from
the compact files that helm-summarize adds; where these are missing, from `scenario_state.json`, which is huge. Scores
always come from `per_instance_stats.json`: the display files hold those of the run's groups only. A perturbed copy of
an item belongs to a task of its own, `boolq@typos`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import Item, RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers import source
from forgetmap.readers.helm.folder import Reply, load_replies, load_spec, load_stats
from forgetmap.readers.helm.records import JOINT, SEPARATE, Adapter, Instance, Place, RunSpec
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task

# Counts, costs and confidences: stats that describe a request and do not judge its reply.
_BOOKKEEPING = re.compile(
    r"(num|training|inference|finish_reason)_.*|batch_size|prompt_truncated|logprob|max_prob|predicted_index"
)
#: Which metric a scenario reports, most special first; HELM keeps that in its code, not in its logs.
MAIN_METRICS = (
    "final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "ifeval_strict_accuracy",
    "chain_of_thought_correctness",
)  # fmt: skip
_HIGHER = re.compile(r"match|accuracy|correct|equiv|f1|rouge|bleu|pass")
_COMMON_TO_PERTURBATIONS = ("name", "robustness", "fairness", "computed_on", "seed")


def detects(path: Path) -> bool:
    """Accept a run folder, or the scores within one."""
    if path.is_dir():
        return _is_run(path)
    return path.name == "per_instance_stats.json" and _is_run(path.parent)


def _is_run(folder: Path) -> bool:
    return (folder / "run_spec.json").is_file() and (folder / "per_instance_stats.json").is_file()


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run in one run folder, or all runs of one model below a suite's folder."""
    builder = RunBuilder(source=str(path), texts=options.texts)
    root = path if path.is_dir() else path.parent
    files = source.log_files(root)
    found = [file.parent for file in files if file.name == "run_spec.json"]
    for folder in found:
        if not _is_run(folder):
            builder.warn(f"{folder.name}: no per_instance_stats.json, so the run did not finish; left out")
    specs = _of_one_model(path, {folder: load_spec(folder) for folder in found if _is_run(folder)}, options.model)
    info = RunInfo(tool="helm", model=next(iter(specs.values())).adapter_spec.model or None)
    folders: dict[str, Path] = {}
    used: set[Path] = set()
    mains: dict[str, str] = {}
    for folder, spec in specs.items():
        raw = spec.name.partition("model=")[0].rstrip(":,") or spec.name
        task = canonical_task(raw)
        if task in folders:
            raise FormatError(f"{path}: {folders[task]} and {folder} are both runs of {task}; give one of them")
        folders[task] = folder
        info.task_names[task] = raw
        info.task_settings[task] = _settings(spec.adapter_spec)
        for group in spec.groups:
            info.groups.setdefault(group, []).append(task)
        used |= _add_run(builder, folder, spec.adapter_spec, task, info, mains)
    limits = [spec.adapter_spec.max_eval_instances or 0 for spec in specs.values()]
    info.subset = {"limit": max(limits)} if any(limits) else {}
    info.files = [file.relative_to(root).as_posix() for file in files if file in used]
    info.other_files = [file.relative_to(root).as_posix() for file in files if file not in used]
    methods = {task: specs[folder].adapter_spec.method for task, folder in folders.items()}

    def metrics(task: str, _: str, metric: str) -> dict[str, Any]:
        plain = task.partition("@")[0]
        ranked = methods.get(plain) in SEPARATE
        facts = {"default": mains.get(plain) == metric, "kind": "likelihood" if ranked else "generation"}
        return {**facts, "higher_is_better": True} if _HIGHER.search(metric) else facts

    return builder.finish(info, metrics=metrics, reread=lambda: read(path, options.with_texts()).texts())


def _of_one_model(path: Path, specs: dict[Path, RunSpec], wanted: str | None) -> dict[Path, RunSpec]:
    models = sorted({spec.adapter_spec.model for spec in specs.values()})
    chosen = {folder: spec for folder, spec in specs.items() if wanted in (None, spec.adapter_spec.model)}
    if not chosen:
        raise FormatError(f"{path}: no run of '{wanted}' in it; there are runs of {', '.join(models) or 'no model'}")
    if wanted is None and len(models) > 1:
        raise FormatError(
            f"{path}: runs of {len(models)} models ({', '.join(models)}); give a folder of one, or read_run's `model`"
        )
    return chosen


def _settings(adapter: Adapter) -> dict[str, Any]:
    wording = "\n".join((adapter.global_prefix, adapter.instructions, adapter.input_prefix, adapter.output_prefix))
    settings = {
        "adapter": adapter.method,
        "temperature": adapter.temperature,
        "max_tokens": adapter.max_tokens,
        "num_fewshot": adapter.max_train_instances,
        "stop": adapter.stop_sequences,
        "seed": adapter.random,
        "limit": adapter.max_eval_instances,
        "prompt_template": f"{items.text_hash(wording):016x}",
    }
    return {name: value for name, value in settings.items() if value is not None}


def _add_run(
    builder: RunBuilder, folder: Path, adapter: Adapter, task: str, info: RunInfo, mains: dict[str, str]
) -> set[Path]:
    """Add the samples of one run folder; return the files that were read."""
    file = folder / "per_instance_stats.json"
    stats: dict[Place, dict[str, float | None]] = {}
    for position, entry in enumerate(load_stats(folder)):
        merged = stats.setdefault(entry.place, {})  # one entry per metric class
        for stat in entry.stats:
            name = stat.name.name
            if merged.setdefault(name, stat.mean) != stat.mean and not _BOOKKEEPING.fullmatch(name):
                raise FormatError(
                    f"{file}: entry {position}: '{entry.instance_id}' has {name} {stat.mean} here and {merged[name]} "
                    "before; the file holds two runs, evaluate again"
                )
    metrics = list(dict.fromkeys(name for of in stats.values() for name in of if not _BOOKKEEPING.fullmatch(name)))
    if not metrics:
        builder.warn(f"{task}: its per-instance stats hold counts and costs, but no score; left out")
        return {file}
    matches = ("exact_match", "quasi_exact_match")  # generated words are compared without articles and punctuation
    ranking = (*MAIN_METRICS, *(matches if adapter.method in (*JOINT, *SEPARATE) else reversed(matches)), *metrics)
    mains[task] = next(name for name in ranking if name in metrics)
    replies, names = load_replies(folder, adapter, {place: of.get("predicted_index") for place, of in stats.items()})
    made: dict[tuple[str, bytes], Item] = {}
    for place in dict.fromkeys([*stats, *replies]):
        reply, of = replies.get(place), stats.get(place, {})
        if reply is None and replies:
            raise FormatError(
                f"{file}: instance '{place.instance_id}' has scores but no prediction; run helm-summarize again"
            )
        item = made.get(place[:2])
        if item is None:
            item = made[place[:2]] = _item(
                builder, task + _suffix(place.perturbation), place, reply.instance if reply else None, adapter, of
            )
            info.task_names.setdefault(item.task, info.task_names[task])
            info.task_settings.setdefault(item.task, info.task_settings[task])
        _add(builder, item, place, reply, adapter, {name: of.get(name) for name in metrics}, of)
    return {folder / "run_spec.json", file, *(folder / name for name in names)}


def _item(
    builder: RunBuilder,
    task: str,
    place: Place,
    instance: Instance | None,
    adapter: Adapter,
    of: dict[str, float | None],
) -> Item:
    several = adapter.method in (*JOINT, *SEPARATE)
    asked = instance.input.content if instance else ""
    if instance is None or not asked.strip():  # the id counts the scenario's instances: good within one data set only
        key = items.item_key([place.instance_id], basis="native")
        count = _count(of.get("num_references")) if several else None
        return builder.item(task, key=key, native_id=place.instance_id, n_options=count or None)
    texts = [reference.output.content for reference in instance.references]
    right = [index for index, reference in enumerate(instance.references) if "correct" in reference.tags]
    gold = [texts[index] for index in right]
    item = builder.item(
        task,
        key=items.item_key([asked], texts if several or len(right) < len(texts) else None, gold),
        native_id=place.instance_id,
        question=asked,
        options=texts if several else None,
        gold=gold,
        gold_index=right[0] if several and right else None,
        open_ended=not several and _is_open(task),
        category=[instance.sub_split] if instance.sub_split else None,
    )
    if adapter.multi_label and len(right) > 1:
        item.chance = None  # all golds must be named, so a guess of one is not right
    return item


def _is_open(task: str) -> bool:
    """Whether the task is known to have no options: a generated reply alone does not tell (yes or no, a label)."""
    profile = known_task(task.partition("@")[0])
    shape = profile.document if profile else None
    return shape is not None and not (shape.options or shape.fixed_options or shape.options_in_question)


def _suffix(perturbation: bytes) -> str:
    """Return what a perturbation adds to the task's name; two of one name differ in their parameters."""
    description = msgspec.json.decode(perturbation)
    if not description:
        return ""
    details = [
        f",{name}={value}" for name, value in sorted(description.items()) if name not in _COMMON_TO_PERTURBATIONS
    ]
    return f"@{description.get('name')}{''.join(details)}"


def _count(value: float | None) -> int | None:
    return int(value) if value is not None and 0 <= value < 1 << 32 else None


def _add(
    builder: RunBuilder,
    item: Item,
    place: Place,
    reply: Reply | None,
    adapter: Adapter,
    scores: dict[str, float | None],
    of: dict[str, float | None],
) -> None:
    reply = reply or Reply(None)
    options = item.options or []
    index = _choice(options, reply, adapter, of)
    stopped = next((name for name in ("length", "stop", "endoftext") if of.get(f"finish_reason_{name}")), None)
    state = "error" if reply.error else _state(index, reply, adapter, stopped, scores)
    prompt = _shared_prompt(options, reply) if adapter.method in SEPARATE else reply.prompt
    logprobs = [(reply.option_logprobs or {}).get(place) for place in range(len(options))]
    known = [value for value in logprobs if value is not None]
    builder.reply(
        item,
        prompt=prompt,
        response=None if adapter.method in SEPARATE else reply.text,  # an echoed prompt is no reply
        choice=options[index] if index is not None else None,
    )
    for metric, score in scores.items():
        builder.sample(
            item,
            repeat=place.trial,
            metric=metric,
            score=None if reply.error else score,
            state=state if reply.error or score is not None else "unscored",
            choice_index=index,
            option_logprobs=known if known and len(known) == len(logprobs) else None,
            prompt_key=items.text_hash(prompt) if prompt else None,
            output_tokens=_count(of.get("num_output_tokens")),
            stop_reason=stopped,
            error=reply.error,
        )


def _shared_prompt(options: Sequence[str], reply: Reply) -> str | None:
    """Return what stands before the option's own text: each option was asked with its text at the end."""
    index = reply.reference_index
    if reply.prompt is None or index is None or not 0 <= index < len(options) or not options[index]:
        return None
    shared, found, _ = reply.prompt.rpartition(options[index])
    return shared if found else None


def _choice(options: Sequence[str], reply: Reply, adapter: Adapter, of: dict[str, float | None]) -> int | None:
    if adapter.method in SEPARATE:
        index = _count(of.get("predicted_index"))
        index = reply.reference_index if index is None else index
        return index if index is not None and 0 <= index < len(options) else None
    return options.index(reply.mapped_output) if reply.mapped_output in options else None


def _state(
    index: int | None, reply: Reply, adapter: Adapter, stopped: str | None, scores: dict[str, float | None]
) -> str | None:
    if index is not None:
        return "answered"
    if reply.text is None or adapter.method in SEPARATE:
        return None
    if not reply.text.strip():
        return "empty"
    # where a letter alone was asked for, within a token or two, a reply that starts otherwise is no answer
    letter_only = adapter.method in JOINT and "chain_of_thought" not in adapter.method
    if stopped == "length" and not letter_only and not any(scores.values()):
        return "truncated"
    return "no_answer" if adapter.method in JOINT else None
