"""Run lighteval 0.7 once: `run_v07.py MODEL SEED TASKS OUT`. It has no custom models, so the stub is handed over."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import TypeVar

import torch.utils.data.distributed
from transformers import AutoModelForSequenceClassification, AutoTokenizer

# What 0.7 fetches on import for metrics that are not used here: spacy (its pinned release does not build any more)
# and a scoring model from the hub.
sys.modules["spacy"] = ModuleType("spacy")
sys.modules["spacy"].Language = type("Language", (), {})
AutoTokenizer.from_pretrained = lambda name: None
AutoModelForSequenceClassification.from_pretrained = lambda name: SimpleNamespace(eval=lambda: None)
torch.utils.data.distributed.T_co = TypeVar("T_co", covariant=True)  # gone from torch since

from lighteval.logging.evaluation_tracker import EvaluationTracker  # noqa: E402
from lighteval.models.transformers.transformers_model import TransformersModel  # noqa: E402
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters  # noqa: E402
from stub_v1 import StubModel  # noqa: E402


class GivenModel(StubModel, TransformersModel):
    """The pipeline takes a ready model only if it is one of these."""


def main(model: str, seed: str, tasks: str, out: str) -> None:
    config = SimpleNamespace(model_name=f"stub/{model}", generation_parameters=SimpleNamespace(seed=int(seed)))
    pipeline = Pipeline(
        tasks=tasks,
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE,
            custom_tasks_directory="tasks_v07.py",
            use_chat_template=os.environ["STUB_STYLE"] == "zero-shot",
        ),
        evaluation_tracker=EvaluationTracker(output_dir=out, save_details=True),
        model=GivenModel(config),
    )
    pipeline.model.docs = {(uid.task_name, uid.doc_id_seed): doc for uid, doc in pipeline.docs.items()}
    pipeline.evaluate()
    pipeline.save_and_push_results()


if __name__ == "__main__":
    main(*sys.argv[1:])
