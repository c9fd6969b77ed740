"""The results file beside the samples: settings, groups, directions, what was left out on purpose."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetmap.items import text_hash
from forgetmap.readers.source import load_json, sniff
from forgetmap.tasks import canonical_task

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?")
_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d{2}-\d{2}T[\d.-]+?)\.jsonl?(\.gz|\.zst)?$")

#: Model arguments that change the answers, or may.
_MODEL_SETTINGS = (
    "dtype",
    "quantization",
    "load_in_4bit",
    "load_in_8bit",
    "peft",
    "max_length",
    "add_bos_token",
    "enable_thinking",
)
_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


@dataclass(frozen=True)
class Results:
    """What a results_*.json says; empty where there is none."""

    path: Path | None = None
    content: dict[str, Any] = field(default_factory=dict)

    def get(self, *path: str) -> Any:
        """Return the value at a path of keys, or None."""
        value: Any = self.content
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def time(self) -> str | None:
        """The time in the file's name, which its samples files share."""
        found = _TIME.search(self.path.name) if self.path else None
        return found[0] if found else None

    @property
    def model(self) -> str | None:
        """The exact id of the model."""
        arguments = self.model_arguments
        named = (
            self.get("model_name")
            or arguments.get("pretrained")
            or arguments.get("model")
            or self.get("config", "model")
        )
        return str(named) if named else None

    @property
    def model_arguments(self) -> dict[str, Any]:
        """`model_args`, a dictionary since 0.4.9 and `a=1,b=2` before."""
        given = self.get("config", "model_args")
        if isinstance(given, dict):
            return given
        if isinstance(given, str):
            return dict(part.split("=", 1) for part in given.split(",") if "=" in part)
        return {}

    def settings(self) -> dict[str, Any]:
        """Settings of the whole run, those that are known."""
        arguments = self.model_arguments
        found = {name: arguments.get(name) for name in _MODEL_SETTINGS}
        found["chat_template"] = self.get("chat_template_sha")
        found["system_prompt"] = self.get("system_instruction_sha")
        found["fewshot_as_multiturn"] = self.get("fewshot_as_multiturn") or None
        found["gen_kwargs"] = self.get("config", "gen_kwargs") or None
        found["batch_size"] = self.get("config", "batch_size")
        found["backend"] = self.get("model_source") or self.get("config", "model")
        found |= {name: self.get("config", name) for name in _SEEDS}
        return {name: value for name, value in found.items() if value is not None}

    def task_settings(self, task: str) -> dict[str, Any]:
        """Settings of one task (its name in the log)."""
        config = self.get("configs", task) or {}
        generation = config.get("generation_kwargs") or {}
        template = [
            config.get(name) for name in ("doc_to_text", "description", "target_delimiter", "fewshot_delimiter")
        ]
        found = {
            "num_fewshot": self.get("n-shot", task),
            "task_version": self.get("versions", task),
            "output_type": config.get("output_type"),
            "dataset_revision": (config.get("dataset_kwargs") or {}).get("revision"),
            "prompt_template": f"{text_hash(repr(template)):016x}" if config.get("doc_to_text") else None,
            "temperature": generation.get("temperature"),
            "do_sample": generation.get("do_sample"),
            "max_tokens": generation.get("max_gen_toks"),
            "stop": generation.get("until"),
        }
        return {name: value for name, value in found.items() if value is not None}

    def subset(self, tasks: list[str]) -> dict[str, Any]:
        """What was left out on purpose: `--limit` or `--samples`."""
        found: dict[str, Any] = {}
        limit = self.get("config", "limit")
        if limit is not None:
            found["limit"] = limit
        for task in tasks:
            counts = self.get("n-samples", task)
            if isinstance(counts, dict) and counts.get("effective") != counts.get("original"):
                found.setdefault("tasks", {})[canonical_task(task)] = counts.get("effective")
        return found

    def groups(self) -> dict[str, list[str]]:
        """Groups and tags, each with its tasks: the log's own taxonomy."""
        found: dict[str, set[str]] = {}
        known = self.get("configs") or {}
        for group, members in (self.get("group_subtasks") or {}).items():
            for member in members:
                found.setdefault(group, set()).update([member] if member in known else ())
        for task, config in known.items():
            tags = config.get("tag") or []
            for tag in [tags] if isinstance(tags, str) else tags:
                found.setdefault(tag, set()).add(task)
        return {name: sorted(canonical_task(task) for task in tasks) for name, tasks in found.items() if tasks}

    def fallback(self, task: str, filter_name: str) -> str:
        """What a regex filter writes when it finds no answer: `[invalid]` unless the task sets another."""
        for one in self.get("configs", task, "filter_list") or []:
            if one.get("name") == filter_name:
                for step in one.get("filter", []):
                    if "regex" in str(step.get("function")) and step.get("fallback") is not None:
                        return str(step["fallback"])
        return "[invalid]"

    def filter_names(self, task: str) -> list[str]:
        """Names of the task's filters in order: old logs repeat a document once per filter without naming it."""
        return [one.get("name", "none") for one in self.get("configs", task, "filter_list") or []]


def is_results(path: Path) -> bool:
    """Tell whether a file is an lm-eval results file."""
    if path.suffix != ".json":
        return False
    sniffed = sniff(path)
    return sniffed.kind == "object" and {"results", "configs"} <= sniffed.keys


def load_results(path: Path) -> Results:
    """Read a results file."""
    return Results(path, load_json(path))


def name_parts(path: Path) -> tuple[str | None, str | None]:
    """Return task and time from a samples file's name: samples_<task>_<time>.jsonl."""
    found = _SAMPLES_NAME.match(path.name)
    return (found["task"], found["time"]) if found else (None, None)


def task_hash(hashes: list[str]) -> str:
    """The hash under which results_*.json knows a task's samples: it tells the task of a renamed file."""
    return hashlib.sha256("".join(hashes).encode()).hexdigest()
