"""Tasks for lighteval 0.7. Only its text columns can hold generated text and log-probabilities in one task."""

from __future__ import annotations

import lighteval.tasks.default_prompts as prompt
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig


def task(name: str, subset: str, prompt_function, metric: list, suite: str, splits: list[str], size: int = 256):
    return LightevalTaskConfig(
        name=name,
        suite=[suite],
        prompt_function=prompt_function,
        hf_repo="local_data",
        hf_subset=subset,
        hf_avail_splits=splits,
        evaluation_splits=["test"],
        few_shots_split=splits[0],
        few_shots_select="sequential",
        metric=metric,
        generation_size=size,
        stop_sequence=["Question:"],
    )


TASKS_TABLE = [
    task(
        "mmlu:anatomy",
        "anatomy",
        prompt.mmlu_harness,
        [Metrics.loglikelihood_acc],
        "leaderboard",
        ["dev", "test"],
    ),
    task("gsm8k", "gsm8k", prompt.gsm8k, [Metrics.quasi_exact_match_gsm8k], "custom", ["test"]),
    task(
        "mmlu:abstract_algebra",
        "abstract_algebra",
        prompt.mmlu_harness,
        [Metrics.loglikelihood_acc, Metrics.exact_match],
        "custom",
        ["test"],
        size=5,
    ),
]
