"""Run lighteval 0.13 once: `run_v2.py MODEL SEED TASKS OUT`, in a folder that holds the data and these modules."""

from __future__ import annotations

import sys

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_input import GenerationParameters
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry

# The registry imports every built-in task, and this one downloads a file when imported.
load_from_files = Registry._load_from_files
Registry._load_from_files = staticmethod(
    lambda files, prefix: load_from_files([file for file in files if file.stem != "tiny_benchmarks"], prefix)
)


def main(model: str, seed: str, tasks: str, out: str) -> None:
    pipeline = Pipeline(
        tasks=tasks,
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory="tasks_v2.py"
        ),
        evaluation_tracker=EvaluationTracker(output_dir=out, save_details=True),
        model_config=CustomModelConfig(
            model_name=f"stub/{model}",
            model_definition_file_path="stub_v2.py",
            cache_dir="cache",
            generation_parameters=GenerationParameters(seed=int(seed), temperature=0.6, top_p=0.95, max_new_tokens=256),
        ),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()


if __name__ == "__main__":
    main(*sys.argv[1:])
