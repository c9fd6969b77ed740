"""The results file of one evaluation: settings, task configurations and averages. It is the only place of the seed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.readers.source import load_json, sniff

_SHOTS = re.compile(r"\|(\d+)(?:\|\d+)?$")

#: Their generation parameter -> our setting; the others keep their name.
_GENERATION = {"max_new_tokens": "max_tokens", "stop_tokens": "stop"}
#: Fields of a v2 model configuration that change results.
_MODEL_FIELDS = {
    "dtype": "dtype",
    "batch_size": "batch_size",
    "override_chat_template": "chat_template",
    "quantization": "quantization",
    "max_length": "max_length",
}


@dataclass(frozen=True)
class Results:
    """The results file of one evaluation; empty where it is missing."""

    path: Path | None = None
    content: dict[str, Any] = field(default_factory=dict)

    @property
    def general(self) -> dict[str, Any]:
        """What holds for the whole evaluation."""
        return self.content.get("config_general") or {}

    @property
    def model_config(self) -> dict[str, Any]:
        """The model's configuration, from 0.11 on."""
        return self.general.get("model_config") or {}

    @property
    def generation(self) -> dict[str, Any]:
        """Generation parameters: from 0.8 on in the general part, from 0.11 on in the model's."""
        return self.general.get("generation_parameters") or self.model_config.get("generation_parameters") or {}

    def config(self, raw: str) -> dict[str, Any]:
        """The configuration of a task; 0.10 lists it without the number of shots, 0.13 with it."""
        known = self.content.get("config_tasks") or {}
        return known.get(raw) or known.get(_SHOTS.sub("", raw)) or {}

    def settings(self) -> dict[str, Any]:
        """Return what is known of run-wide settings, under our names; the seed is told by repeats."""
        found = {_GENERATION.get(name, name): value for name, value in self.generation.items() if name != "seed"}
        found["dtype"] = self.general.get("model_dtype")
        found |= {
            ours: self.model_config.get(theirs) for theirs, ours in _MODEL_FIELDS.items() if theirs in self.model_config
        }
        prompt = self.model_config.get("system_prompt")
        found["system_prompt"] = f"{items.text_hash(prompt):016x}" if isinstance(prompt, str) and prompt else None
        found["limit"] = self.general.get("max_samples")
        return {name: value for name, value in found.items() if value is not None}

    def task_settings(self, raw: str, shots: int | None) -> dict[str, Any]:
        """Return what is known of a task's settings, under our names."""
        config = self.config(raw)
        versions = self.content.get("versions") or {}
        named = _SHOTS.search(raw)
        found = {
            "num_fewshot": shots if shots is not None else int(named[1]) if named else None,
            "task_version": versions.get(raw, config.get("version")),
            "dataset_revision": config.get("hf_revision"),
            "prompt_template": config.get("prompt_function"),
            "max_tokens": config.get("generation_size"),
            "stop": list(config.get("stop_sequence") or ()) or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def higher_is_better(self, raw: str, metric: str) -> bool | None:
        """Return the direction of a metric, None where the file does not say."""
        config = self.config(raw)
        for entry in config.get("metrics") or config.get("metric") or []:
            names, better = entry.get("metric_name"), entry.get("higher_is_better")
            if metric == names or (isinstance(names, list) and metric in names):
                better = better.get(metric) if isinstance(better, dict) else better
                return better if isinstance(better, bool) else None
        return None

    def task_of(self, rows: int, metrics: set[str]) -> str | None:
        """The task of a file whose name does not say it: the one with these metrics and this many documents."""
        fitting = []
        for raw, scores in (self.content.get("results") or {}).items():
            named = {name for name in scores if not (name.endswith("_stderr") and name[:-7] in scores)}
            if raw != "all" and named == metrics and self.config(raw).get("effective_num_docs") in (rows, None):
                fitting.append(raw)
        return fitting[0] if len(fitting) == 1 else None


def is_results(path: Path) -> bool:
    """Tell whether a file is a results file of lighteval."""
    return path.suffix == ".json" and path.is_file() and {"config_general", "results"} <= sniff(path).keys


def load_results(path: Path) -> Results:
    """Return the content of a results file."""
    content: Any = load_json(path)
    if not isinstance(content, dict):
        raise FormatError(f"{path}: a list or a value instead of an object; this is no lighteval results file")
    return Results(path, content)
