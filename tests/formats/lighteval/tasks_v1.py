"""Tasks for lighteval 0.10 over our own items, with its own prompts where it has them.

The way the letter tasks are asked differs between the two models on purpose: a base model sees demonstrations
inside the query and the bare question, a tuned one the quoted question alone. One item, one key.
"""

from __future__ import annotations

import os

import lighteval.tasks.default_prompts as prompt
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

LETTERS = "ABCDEFGHIJ"
DEMONSTRATION = (
    "Question: Which of these numbers is prime?\nA) 4\nB) 6\nC) 7\nD) 9\n"
    "Reasoning: 4, 6 and 9 have divisors; 7 has none.\nAnswer: C\n\n"
    "Question: How many legs do two spiders have?\nA) 8\nB) 16\n"
    "Reasoning: A spider has 8 legs, two have 16.\nAnswer: B\n\n"
)


def letters(line: dict, task_name: str) -> Doc:
    options = "".join(f"{letter}) {text}\n" for letter, text in zip(LETTERS, line["choices"]))
    if os.environ["STUB_STYLE"] == "few-shot":
        instruction = "Reason first, then give the letter of the right option.\n\n"
        query = f"{instruction}{DEMONSTRATION}Question: {line['question']}\n{options}Reasoning:"
    else:
        instruction = 'Choose one option. Close with a line of the form "Answer: LETTER".\n\n'
        query = f'{instruction}Question: "{line["question"]}"\n\n{options}'
    return Doc(
        task_name=task_name,
        query=query,
        choices=list(LETTERS[: len(line["choices"])]),
        gold_index=line["answer"],
        instruction=instruction,
    )


def option_texts(line: dict, task_name: str) -> Doc:
    return Doc(
        task_name=task_name,
        query=f"Question: {line['question']}\nAnswer:",
        choices=[f" {text}" for text in line["choices"]],
        gold_index=line["answer"],
    )


def task(name: str, subset: str, prompt_function, metric: list, suite: str = "custom", **more) -> LightevalTaskConfig:
    settings = {
        "hf_repo": "local_data",
        "hf_avail_splits": ["test"],
        "evaluation_splits": ["test"],
        "generation_size": 256,
        "stop_sequence": ["Question:"],
        "few_shots_select": "sequential",
    }
    return LightevalTaskConfig(
        name=name,
        suite=[suite],
        prompt_function=prompt_function,
        hf_subset=subset,
        metric=metric,
        **(settings | more),
    )


TASKS_TABLE = [
    task(
        "mmlu:anatomy",
        "anatomy",
        prompt.mmlu_harness,
        [Metrics.loglikelihood_acc],
        "leaderboard",
        hf_avail_splits=["dev", "test"],
        few_shots_split="dev",
    ),
    task("mmlu:abstract_algebra", "abstract_algebra", letters, [Metrics.gpqa_instruct_metric]),
    task("gsm8k", "gsm8k", prompt.gsm8k, [Metrics.expr_gold_metric, Metrics.quasi_exact_match_gsm8k]),
    task(
        "piqa",
        "piqa",
        prompt.piqa_harness,
        [Metrics.loglikelihood_acc, Metrics.loglikelihood_acc_norm_nospace],
    ),
    task("several_golds", "several_golds", letters, [Metrics.gpqa_instruct_metric]),
    task("no_gold", "no_gold", option_texts, [Metrics.loglikelihood_acc]),
    task("four_samples", "four_samples", letters, [Metrics.gpqa_instruct_pass_at_1_4n]),
]
