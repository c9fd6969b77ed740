"""Run lighteval 0.10 once: `run_v1.py MODEL SEED TASKS OUT`, in a folder that holds the data and these modules."""

from __future__ import annotations

import os
import sys

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_input import GenerationParameters
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters


def main(model: str, seed: str, tasks: str, out: str) -> None:
    pipeline = Pipeline(
        tasks=tasks,
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.CUSTOM,
            custom_tasks_directory="tasks_v1.py",
            use_chat_template=os.environ["STUB_STYLE"] == "zero-shot",
        ),
        evaluation_tracker=EvaluationTracker(output_dir=out, save_details=True),
        model_config=CustomModelConfig(
            model_name=f"stub/{model}",
            model_definition_file_path="stub_v1.py",
            generation_parameters=GenerationParameters(seed=int(seed), temperature=0.6, top_p=0.95, max_new_tokens=256),
        ),
    )
    pipeline.model.docs = {(uid.task_name, uid.doc_id_seed): doc for uid, doc in pipeline.docs.items()}
    pipeline.evaluate()
    pipeline.save_and_push_results()


if __name__ == "__main__":
    main(*sys.argv[1:])
