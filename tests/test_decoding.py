"""Whether answers were sampled: what logs record, and what the tools make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from forgetmap import Run, read_run
from forgetmap.decoding import decoding
from forgetmap.run import Metric, RunInfo

HARNESS = "lm-evaluation-harness"


def decode(
    task: dict[str, Any] | None = None,
    run: dict[str, Any] | None = None,
    *,
    kind: str = "generation",
    tool: str = "inspect_ai",
    version: str | None = None,
) -> str | None:
    metric = Metric(task="t", scorer="none", metric="acc", kind=kind)
    info = RunInfo(tool=tool, tool_version=version, settings=run or {}, task_settings={"t": task or {}})
    return decoding(Run(info, pl.LazyFrame()), "t", metric)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 0}, "deterministic"),
        ({"temperature": 0.0, "do_sample": True}, "deterministic"),
        ({"temperature": 0.7}, "sampled"),
        ({"temperature": "0.6"}, "sampled"),
        ({"temperature": "0"}, "deterministic"),
        ({"temperature": 0.7, "do_sample": False}, "deterministic"),
        ({"temperature": 0.7, "do_sample": "False"}, "deterministic"),
        ({"temperature": 0.7, "do_sample": "True"}, "sampled"),
        ({"do_sample": False}, "deterministic"),
        ({"do_sample": True}, "sampled"),
        ({"temperature": 0.7, "top_k": 1}, "deterministic"),
        ({"temperature": 0.7, "top_k": 50}, "sampled"),
        ({"top_p": 0.95, "max_tokens": 5}, None),
        ({"temperature": "default"}, None),
        ({"temperature": None}, None),
        ({}, None),
    ],
)
def test_plain_settings(settings: dict[str, Any], expected: str | None) -> None:
    assert decode(settings) == expected
    assert decode(run=settings) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"gen_kwargs": {"temperature": 0.7}}, "sampled"),
        ({"gen_kwargs": "temperature=0.7,do_sample=True,top_p=0.9"}, "sampled"),
        ({"gen_kwargs": "do_sample=False"}, "deterministic"),
        ({"generation_parameters": {"temperature": 0}}, "deterministic"),
        ({"judge": {"temperature": 0}}, None),  # the judge's, not the model's
        ({"temperature": ["0.6", "0.8"]}, "sampled"),
        ({"temperature": [0, 0.0]}, "deterministic"),
        ({"temperature": [0, 0.6]}, "sampled"),
        ({"temperature": ["0.0", "None"]}, None),
        ({"temperature": [0.6, 0.6], "do_sample": [False, False]}, "deterministic"),
        ({"temperature": [0.0, 0.6], "do_sample": [True, False]}, "deterministic"),  # values of one run belong together
        ({"temperature": [0.0, 0.6], "do_sample": [True, False, True]}, "sampled"),
    ],
)
def test_nested_settings_and_lists(settings: dict[str, Any], expected: str | None) -> None:
    assert decode(settings) == expected


def test_the_task_overrules_the_run() -> None:
    assert decode({"temperature": 0}, {"temperature": 0.8}) == "deterministic"
    assert decode({"gen_kwargs": {"temperature": 0.8}}, {"temperature": 0}) == "sampled"


def test_log_likelihoods_are_not_drawn() -> None:
    assert decode({"temperature": 0.8, "do_sample": True}, kind="likelihood") == "deterministic"
    assert decode({"output_type": "loglikelihood_rolling"}, {"gen_kwargs": "temperature=1"}) == "deterministic"


@pytest.mark.parametrize(
    ("backend", "version", "temperature", "do_sample", "expected"),
    [
        ("hf", "0.4.13", None, None, "deterministic"),
        ("hf", "0.4.13", None, False, "deterministic"),
        ("hf", "0.4.13", 0.7, False, "deterministic"),
        ("hf", "0.4.13", 0.7, None, "sampled"),
        ("hf", "0.4.9.2", 0.7, None, None),  # the model's own generation config decides
        ("hf", None, 0.7, None, None),
        ("hf", "0.4.5", 0.7, True, "sampled"),
        ("vllm", None, 0.7, False, "deterministic"),
        ("vllm", "0.4.5", 0.7, False, "sampled"),
        ("vllm", "0.4.5", None, False, "deterministic"),
        ("vllm", "0.4.5", None, None, "sampled"),
        ("vllm", "0.4.9.1", None, None, "deterministic"),
        ("vllm", "0.4.9.1", 0.7, False, "sampled"),
        ("vllm", "0.4.10", 0.7, False, "deterministic"),
        ("vllm", "0.5.0.dev1", 0.7, None, "sampled"),
        ("local-chat-completions", "0.4.13", 0.7, False, "sampled"),
        ("local-chat-completions", "0.4.13", None, True, "deterministic"),
        ("anthropic-chat", "0.4.5", 0.7, False, "sampled"),
        ("my-own", "0.4.13", None, None, "deterministic"),
    ],
)
def test_what_lm_eval_makes_of_it(
    backend: str, version: str | None, temperature: float | None, do_sample: bool | None, expected: str | None
) -> None:
    task = {"output_type": "generate_until", "temperature": temperature, "do_sample": do_sample}
    assert decode(task, {"backend": backend}, tool=HARNESS, version=version) == expected


def test_lm_eval_without_its_results_file_is_unknown() -> None:
    assert decode(tool=HARNESS) is None


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("lm_eval/before", {"gsm8k": "deterministic", "gsm8k_repeats": "sampled", "mmlu:anatomy": "deterministic"}),
        ("lm_eval/v0_4_2", {"gsm8k": "deterministic", "own_task": "deterministic"}),
        ("lighteval_v1/after", {"gsm8k": "sampled", "piqa": "deterministic"}),
        ("lighteval_v07/before", {"gsm8k": None}),
        ("inspect/before", {"gsm8k": "sampled", "mmlu:anatomy": None}),
        ("helm/anatomy_before", {"mmlu:anatomy": "deterministic"}),
        ("evalplus/before", {"humaneval_plus": "sampled"}),
        ("olmes/before", {"mmlu_mix:rc::olmes": "deterministic"}),
        ("opencompass/before", {"gsm8k": None, "algebra_ppl": "deterministic"}),
    ],
)
def test_real_logs(logs: Path, log: str, expected: dict[str, str | None]) -> None:
    run = read_run(logs / log)
    defaults = {metric.task: metric for metric in run.info.metrics if metric.default}
    assert {task: decoding(run, task, defaults[task]) for task in expected} == expected
