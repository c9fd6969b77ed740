"""Run inside a virtual environment that holds crfm-helm: HELM's own runner and display writer on our own items.

    python run_helm.py FOLDER

The model is a client that answers as planted. make_tier2_a.py puts this folder and the one above on the path.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import planted
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.augmentations.data_augmenter import DataAugmenterSpec
from helm.benchmark.augmentations.perturbation import PerturbationSpec
from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.model_metadata_registry import ModelMetadata, register_model_metadata
from helm.benchmark.presentation.run_display import write_run_display_json
from helm.benchmark.presentation.schema import get_default_schema_path, read_schema
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    TRAIN_SPLIT,
    VALID_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)  # fmt: skip
from helm.benchmark.tokenizer_config_registry import register_tokenizer_configs_from_path
from helm.clients.client import Client
from helm.common.authentication import Authentication
from helm.common.request import GeneratedOutput, Request, RequestResult, Token

BASIC = "helm.benchmark.metrics.basic_metrics."
MMLU = planted.ITEMS["mmlu"]
GSM8K = planted.ITEMS["gsm8k"]


class PlantedScenario(Scenario):
    """Our own items, under the names of the scenarios they imitate."""

    description = "own items"
    tags: ClassVar[list[str]] = []

    def __init__(self, name: str, part: str, count: int) -> None:
        super().__init__()
        self.name, self.part, self.count = name, part, count
        self.definition_path = Path(__file__).name  # not where this machine keeps it

    def get_instances(self, output_path: str) -> list[Instance]:
        if self.part == "gsm8k":
            made = [_instance(item["question"], [planted.gsm8k_gold(item)], 0) for item in GSM8K[: self.count]]
            train = _instance("What is 1 plus 1?", ["2"], 0, TRAIN_SPLIT)
        else:
            chosen = [item for item in MMLU if item["subject"] == self.part][: self.count]
            made = [
                _instance(item["question"], item["choices"], item["answer"], VALID_SPLIT if n == 1 else TEST_SPLIT)
                for n, item in enumerate(chosen)
            ]
            train = _instance("Which of these is a letter?", ["7", "b", "+", "0"], 1, TRAIN_SPLIT)
        return [train, *made]


def _instance(question: str, options: list[str], gold: int, split: str = TEST_SPLIT) -> Instance:
    references = [
        Reference(Output(text=option), tags=[CORRECT_TAG] if place == gold else [])
        for place, option in enumerate(options)
    ]
    return Instance(Input(text=question), references=references, split=split)


class PlantedClient(Client):
    """Answers as planted; for echoed prompts it gives a log-probability per word."""

    def make_request(self, request: Request) -> RequestResult:
        side = request.model.split("/")[1]
        asked = request.prompt.rpartition("Question: ")[2]
        if request.echo_prompt:
            return self.echo(side, request.prompt, asked)
        index, item = next(
            (n, item) for n, item in enumerate(MMLU + GSM8K) if asked.casefold().startswith(item["question"].casefold())
        )
        if "choices" in item:
            choice = planted.choice(side, index, item["answer"], len(item["choices"]))
            # the item without an answer says nothing at all on one side, and something useless on the other
            text = " " + "ABCD"[choice] if choice is not None else ("" if side == "after" else " Both")
            return _result(text, [Token(text, -0.5)], {"reason": "length" if choice is None else "stop"})
        text = planted.gsm8k_reply(side, index - len(MMLU))
        return _result(text, [Token(word, -0.5) for word in text.split()], {"reason": "endoftext"})

    def echo(self, side: str, prompt: str, asked: str) -> RequestResult:
        """The last word is the option. Without a question, and with the third one, all options are alike: a tie."""
        words = re.findall(r"\s*\S+", prompt)
        known = [(n, item) for n, item in enumerate(MMLU) if asked.startswith(item["question"])]
        last = -2.0
        for n, item in known:
            option = item["choices"].index(words[-1].strip())
            tie = item is [one for one in MMLU if one["subject"] == item["subject"]][2]
            last = -3.0 if tie else -0.25 if option == planted.choice(side, n, item["answer"], 4) else -4.0 - option
        tokens = [Token(word, -1.0) for word in words[:-1]] + [Token(words[-1], last)]
        return _result(prompt, tokens, None)

    def tokenize(self, request: Any) -> Any:
        raise NotImplementedError

    def decode(self, request: Any) -> Any:
        raise NotImplementedError


def _result(text: str, tokens: list[Token], finish: dict[str, str] | None) -> RequestResult:
    output = GeneratedOutput(text=text, logprob=sum(t.logprob for t in tokens), tokens=tokens, finish_reason=finish)
    return RequestResult(
        success=True, cached=False, completions=[output], embedding=[], request_time=0.1, request_datetime=1
    )


def _spec(
    name: str, part: str, count: int, side: str, adapter: dict[str, Any], metrics: list[str], **more: Any
) -> RunSpec:
    specs = [
        MetricSpec(BASIC + "BasicGenerationMetric", {"names": metrics}),
        MetricSpec(BASIC + "BasicReferenceMetric", {}),
    ]
    return RunSpec(
        name=f"{name}{',' if ':' in name else ':'}model=planted_{side}",
        scenario_spec=ScenarioSpec(
            "run_helm.PlantedScenario", {"name": name.partition(":")[0], "part": part, "count": count}
        ),
        adapter_spec=AdapterSpec(
            model=f"planted/{side}",
            model_deployment=f"planted/{side}",
            temperature=0.0,
            num_outputs=1,
            input_prefix="Question: ",
            output_prefix="Answer: ",
            **adapter,
        ),
        metric_specs=specs,
        groups=[name.partition(":")[0]],
        **more,
    )


def main(folder: Path) -> None:
    register_tokenizer_configs_from_path(
        str(Path(sys.modules["helm"].__path__[0]) / "config" / "tokenizer_configs.yaml")
    )
    for side in planted.SIDES:
        client = ClientSpec("run_helm.PlantedClient", {})
        register_model_metadata(
            ModelMetadata(f"planted/{side}", "planted", side, "stub", "open", "2026-01-01", ["TEXT_MODEL_TAG"])
        )
        register_model_deployment(
            ModelDeployment(f"planted/{side}", client, f"planted/{side}", "simple/tokenizer1", max_sequence_length=2048)
        )
    lowercase = DataAugmenterSpec(
        perturbation_specs=[
            PerturbationSpec("helm.benchmark.augmentations.lowercase_perturbation.LowerCasePerturbation", {})
        ],
        should_augment_eval_instances=True,
        should_include_original_eval=True,
    )
    joint = {"method": "multiple_choice_joint", "max_train_instances": 1, "max_tokens": 1}
    calibrated = {"method": "multiple_choice_separate_calibrated", "max_train_instances": 0, "max_tokens": 0}
    twice = {
        "method": "generation",
        "max_train_instances": 1,
        "max_tokens": 64,
        "num_train_trials": 2,
        "max_eval_instances": 3,
    }
    anatomy = "mmlu:subject=anatomy,method=multiple_choice_joint"
    algebra = "mmlu:subject=abstract_algebra,method=multiple_choice_separate_calibrated"
    # (run, whether helm-summarize was run on it)
    runs = [(_spec(anatomy, "anatomy", 8, side, joint, ["exact_match"]), True) for side in planted.SIDES]
    runs += [
        (_spec(algebra, "abstract_algebra", 3, "before", calibrated, ["exact_match"]), True),
        (
            _spec(
                "gsm",
                "gsm8k",
                3,
                "before",
                twice,
                ["exact_match", "final_number_exact_match"],
                data_augmenter_spec=lowercase,
            ),
            False,
        ),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        spec = ExecutionSpec(url=None, auth=Authentication(""), local_path=scratch, parallelism=1)
        runner = Runner(spec, str(folder), "own", False, False, False, False, True)
        for run, summarised in runs:
            runner.run_one(run)
            if summarised:
                place = folder / "runs" / "own" / run.name
                write_run_display_json(str(place), run, read_schema(get_default_schema_path()), False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
