"""The files around a predictions file: its requests, which hold the documents, and the metrics of its task.

OLMES writes `task-<nnn>-<task>-{predictions.jsonl,requests.jsonl,metrics.json}` into one folder, olmo-eval
`predictions/<model>/<spec>-predictions.jsonl` and `requests/<model>/<spec>-requests.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.readers.source import records, sniff

_REQUEST_KEYS = frozenset({"request_type", "doc", "request", "doc_id"})
_METRICS_KEYS = frozenset({"task_name", "task_hash", "metrics"})
_NO_LIMIT = 10**9  # OLMES writes 1e19 for all


@dataclass(frozen=True, slots=True)
class Request:
    """What the model was asked."""

    question: str | None
    choices: list[str] | None
    kind: str | None  # loglikelihood, generate_until, …
    prompt: str | None  # kept only if texts are wanted
    prompt_key: int | None


@dataclass
class Task:
    """A predictions file with what lies around it."""

    file: Path
    name: str
    model: str | None
    requests: dict[tuple[str, str], Request]
    facts: dict[str, Any] = field(default_factory=dict)  # the task's metrics file
    read_too: tuple[Path, ...] = ()

    def config(self, *names: str) -> Any:
        """Return a setting of the task."""
        return _inside(self.facts, "task_config", *names)

    @property
    def revision(self) -> str | None:
        """The model's revision."""
        found = _inside(self.facts, "model_config", "revision")
        return None if found is None else str(found)

    @property
    def limit(self) -> int | None:
        """How many instances were asked for, where that is not all."""
        found = self.config("limit")
        return int(found) if isinstance(found, (int, float)) and found < _NO_LIMIT else None

    @property
    def settings(self) -> dict[str, Any]:
        """Settings under the names that pairing compares."""
        found = {
            "num_fewshot": self.config("num_shots"),
            "fewshot_source": self.config("fewshot_source"),
            "seed": self.config("fewshot_seed"),
            "chat_template": self.config("use_chat_format"),
            "dataset_revision": self.config("revision"),
            "task_version": self.config("version"),
            "temperature": self.config("generation_kwargs", "temperature"),
            "do_sample": self.config("generation_kwargs", "do_sample"),
            "max_tokens": self.config("generation_kwargs", "max_gen_toks"),
        }
        return {name: value for name, value in found.items() if value is not None}


class _Line(msgspec.Struct):
    doc: dict[str, Any]
    request: dict[str, Any]
    request_type: str | None = None
    task_name: str | None = None
    doc_id: int | str | None = None
    native_id: int | str | None = None


_decode = msgspec.json.Decoder(_Line).decode


def _inside(value: Any, *names: str) -> Any:
    """Return what lies at a path of names, None where there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def plain(value: Any) -> str:
    """Return an id as text; null ids are equal."""
    return "" if value is None else str(value)


def find_task(file: Path, *, texts: bool) -> Task:
    """Return the task of a predictions file."""
    first = sniff(file).first
    if not isinstance(first, dict):
        raise FormatError(f"{file}: not JSON lines of predictions; name another format with --format")
    requests_file = _requests_file(file)
    named: list[str] = []
    requests = _read_requests(requests_file, named, texts=texts) if requests_file else {}
    facts, metrics_file = _metrics(file, first.get("task_hash"))
    # rc and mc variants share a task name; the alias (arc_easy:rc::olmes) tells them apart
    alias = _inside(facts, "task_config", "metadata", "alias")
    name = alias or next(iter(named), None) or facts.get("task_name") or _name_in_path(file)
    if facts:
        model = _inside(facts, "model_config", "model") or facts.get("model_hash")
    else:
        model = file.parent.name if "instance_metrics" in first else first.get("model_hash")
    read_too = tuple(one for one in (requests_file, metrics_file) if one)
    return Task(file, str(name), None if model is None else str(model), requests, facts, read_too)


def check_names(tasks: Sequence[Task], path: Path) -> None:
    """Refuse a folder with two models, or with one task twice: their samples would pass for one run."""
    models = {task.model for task in tasks}
    if len(models) > 1:
        named = ", ".join(sorted(map(str, models)))
        raise FormatError(f"{path}: predictions of {len(models)} models ({named}); name the folder of one of them")
    seen: dict[str, Path] = {}
    for task in tasks:
        if task.name in seen:
            raise FormatError(
                f"{path}: task '{task.name}' is in {seen[task.name].name} and in {task.file.name}; name one of them"
            )
        seen[task.name] = task.file


def _name_in_path(file: Path) -> str:
    stem = re.sub(r"[-_.]?predictions$", "", file.name.split(".jsonl")[0])
    return re.sub(r"^task-\d+-", "", stem) or file.stem


def _requests_file(file: Path) -> Path | None:
    renamed = file.name.replace("predictions", "requests")
    for folder in (file.parent, file.parent.parent.parent / "requests" / file.parent.name):
        if (folder / renamed).is_file() and renamed != file.name and is_requests(folder / renamed):
            return folder / renamed
    beside = [one for one in sorted(file.parent.iterdir()) if one.is_file() and is_requests(one)]
    return beside[0] if len(beside) == 1 else None


def is_requests(file: Path) -> bool:
    """Tell whether a file holds requests."""
    try:
        return sniff(file).keys >= _REQUEST_KEYS
    except FormatError:  # something broken that merely lies beside the log
        return False


def _read_requests(file: Path, named: list[str], *, texts: bool) -> dict[tuple[str, str], Request]:
    found: dict[tuple[str, str], Request] = {}
    for _, line in records(file, _decode):
        if line.task_name and not named:
            named.append(line.task_name)
        place = (plain(line.doc_id), plain(line.native_id))
        if place in found:  # one line per option: they share document and context
            continue
        doc, context = line.doc, line.request.get("context")
        choices = doc.get("choices")
        choices = choices.get("text") if isinstance(choices, dict) else choices
        prompt = context if isinstance(context, str) or context is None else _chat(context)
        found[place] = Request(
            question=_question(doc),
            choices=[str(one) for one in choices] if isinstance(choices, list) and len(choices) > 1 else None,
            kind=line.request_type,
            prompt=prompt if texts else None,
            prompt_key=None if prompt is None else items.text_hash(prompt),
        )
    return found


def _question(doc: dict[str, Any]) -> str | None:
    for name in ("query", "question", "prompt"):
        if isinstance(doc.get(name), str):
            return str(doc[name])
    return None


def _chat(context: Any) -> str:
    """Return chat messages as text: a list, or {"messages": list, "assistant_prefix": text}."""
    messages = context.get("messages") if isinstance(context, dict) else context
    if not isinstance(messages, list):
        return str(context)
    said = [f"{one.get('role')}: {one.get('content')}" if isinstance(one, dict) else str(one) for one in messages]
    return "\n".join(said)


def _metrics(file: Path, task_hash: str | None) -> tuple[dict[str, Any], Path | None]:
    """Return the metrics file of the task, found by hash so that a renamed file keeps its settings."""
    if task_hash is None:
        return {}, None
    for beside in sorted(file.parent.glob("*.json")):
        found = sniff(beside)
        if found.keys >= _METRICS_KEYS and found.first.get("task_hash") == task_hash:
            return found.first, beside
    return {}, None
