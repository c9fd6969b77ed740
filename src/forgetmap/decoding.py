"""Decoding: whether a task's answers were drawn at random, as far as the log says.

A score that would come out otherwise with another seed needs repeats before a flip can be told from chance
(statistics.md 4). What nobody recorded stays unknown: tools have defaults, and back ends have others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal

from forgetmap.run import Metric, Run

Decoding = Literal["deterministic", "sampled"]

#: Settings that hold generation parameters, as a dictionary or written `a=1,b=2`.
_NESTED = (
    "gen_kwargs", "generation_kwargs", "generation_parameters", "generation_config", "generation", "sampling_params",
)  # fmt: skip
_HARNESS = "lm-evaluation-harness"
#: Back ends of lm-evaluation-harness that drop `do_sample` and go by temperature alone, 0 unless given.
_BY_TEMPERATURE = re.compile(r"completions|anthropic|openai|sglang")


def decoding(run: Run, task: str, metric: Metric) -> Decoding | None:
    """Return whether the answers behind a task's score were sampled; None where the log does not say.

    Log-likelihoods are not drawn, whatever the run's temperature. Where repeats ran under different settings, one
    sampled repeat makes the score a sampled one.
    """
    settings = [run.info.task_settings.get(task, {}), run.info.settings]  # the task's own come first
    kind = settings[0].get("output_type")  # lm-eval: only generate_until writes an answer, the others rate given ones
    if metric.kind == "likelihood" or (isinstance(kind, str) and kind != "generate_until"):
        return "deterministic"
    names = ("temperature", "do_sample", "top_k", "backend")
    places = [place for level in settings for place in _places(level)]
    recorded = [next((place[name] for place in places if place.get(name) is not None), None) for name in names]
    found = {_decide(run, kind, *values) for values in _together(recorded)}
    if "sampled" in found:
        return "sampled"
    return None if None in found else "deterministic"


def _decide(run: Run, kind: Any, temperature: Any, do_sample: Any, top_k: Any, backend: Any) -> Decoding | None:
    heat, samples = _number(temperature), _flag(do_sample)
    if heat == 0 or _number(top_k) == 1:
        return "deterministic"
    if run.info.tool == _HARNESS and kind is not None:  # its results file was there to be read
        return _by_harness(str(backend), _version(run.info.tool_version), heat, samples)
    if samples is not None:
        return "sampled" if samples else "deterministic"
    return None if heat is None else "sampled"


def _by_harness(
    backend: str, version: tuple[int, ...], temperature: float | None, do_sample: bool | None
) -> Decoding | None:
    """Temperature is positive or absent here. Rules read off the releases 0.4.2 to 0.4.13."""
    vllm = backend.startswith("vllm")
    if _BY_TEMPERATURE.search(backend) or (vllm and (0, 4, 3) <= version < (0, 4, 10)):
        if temperature is None and vllm and version < (0, 4, 9):  # left to vLLM, whose own default is 1
            return "deterministic" if do_sample is False else "sampled"
        # Tasks say do_sample=False, the user adds temperature=0.7: these back ends sample all the same.
        return "deterministic" if temperature is None else "sampled"
    if do_sample is not None:
        return "sampled" if do_sample else "deterministic"
    if temperature is None:
        return "deterministic"
    # transformers without do_sample goes by the model's own generation config, which no log shows
    return None if backend.startswith("hf") and version < (0, 4, 10) else "sampled"


def _places(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Where a setting may stand: alone, or among generation parameters."""
    return [settings, *(_parameters(settings[nested]) for nested in _NESTED if nested in settings)]


def _parameters(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        pairs = (part.split("=", 1) for part in value.split(",") if "=" in part)
        return {name.strip(): setting.strip() for name, setting in pairs}
    return value if isinstance(value, Mapping) else {}


def _together(values: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Lists hold one value per repeat; those of one length belong together, others may combine in any way."""
    columns = [value if isinstance(value, list) and value else [value] for value in values]
    lengths = {len(column) for column in columns if len(column) > 1}
    if len(lengths) > 1:
        return product(*columns)
    most = max(lengths, default=1)
    return zip(*(column * most if len(column) == 1 else column for column in columns), strict=True)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:  # "None", as lighteval's lists have it, or a word
        return None
    return number if number >= 0 else None


def _flag(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _version(text: str | None) -> tuple[int, ...]:
    """Releases before 0.4.3 do not name themselves: an empty version is an old one."""
    return tuple(int(part) for part in re.findall(r"\d+", re.match(r"[\d.]*", text or "")[0]))  # type: ignore[index]
