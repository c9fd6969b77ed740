"""Tasks for lighteval 0.13 over our own items: its built-in tasks turned to local data, and three of our own.

0.13 refuses a custom task that bears a built-in name, so the built-in ones are changed in place.
"""

from __future__ import annotations

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc
from lighteval.tasks.tasks.gsm8k import gsm8k
from lighteval.tasks.tasks.mmlu import mmlu_abstract_algebra, mmlu_anatomy
from lighteval.tasks.tasks.piqa import piqa

LETTERS = "ABCDEFGHIJ"


def letters(line: dict, task_name: str) -> Doc:
    instruction = 'Choose one option. Close with a line of the form "Answer: LETTER".\n\n'
    options = "".join(f"\n{letter}) {text}" for letter, text in zip(LETTERS, line["choices"]))
    return Doc(
        task_name=task_name,
        query=f"{instruction}{line['question']}\n{options}",
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
        specific={"source": "own"},
    )


for config, subset in [
    (mmlu_anatomy, "anatomy"),
    (mmlu_abstract_algebra, "abstract_algebra"),
    (gsm8k, "gsm8k"),
    (piqa, "piqa"),
]:
    config.hf_repo, config.hf_subset, config.evaluation_splits = "local_data", subset, ("test",)
    config.hf_avail_splits = ("dev", "test") if subset == "anatomy" else ("test",)
    config.few_shots_select = "sequential"
# Generative and likelihood metrics in one task: lighteval then writes two rows per document.
mmlu_anatomy.metrics = (Metrics.exact_match.value, Metrics.loglikelihood_acc.value)
piqa.metrics = (Metrics.loglikelihood_acc.value,)


def task(name: str, prompt_function, metrics: list) -> LightevalTaskConfig:
    return LightevalTaskConfig(
        name=name,
        prompt_function=prompt_function,
        hf_repo="local_data",
        hf_subset=name,
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=metrics,
        generation_size=256,
        stop_sequence=[],
    )


TASKS_TABLE = [
    task("several_golds", letters, [Metrics.gpqa_instruct_metric]),
    task("no_gold", option_texts, [Metrics.loglikelihood_acc]),
    task("four_samples", letters, [Metrics.gpqa_instruct_pass_at_k(sample_params={"k": 1, "n": 4})]),
]
