"""Writes the lm-evaluation-harness logs under data/lm_eval with the real tool, offline.

    python tests/formats/make_lm_eval.py            # everything; the first call builds .venvs/lm_eval

The tasks read items.json through YAML files written on the spot; a model registered below gives the
answers of planted.py. Every sample file is exactly what the tool wrote. In the results files only
`pretty_env_info` is replaced, because it describes the machine.

    before, after      all tasks, the same documents
    after_shuffled     three tasks, documents in another order: `doc_id` names other items than in `before`
    v0_5_0_dev1        made by 0.5.0.dev1: `scores_per_repeat`, and `filtered_resps` one level deeper
    v0_4_5, v0_4_2     older shapes, rewritten from `before` by `write_v0_4_5` and `write_v0_4_2`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from planted import ITEMS, choice, fate, gsm8k_reply

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
VENV = ROOT / ".venvs" / "lm_eval"
NEXT_VERSION = ROOT / ".venvs" / "lm_eval-0.5.0.dev1"  # only the package; it borrows VENV's dependencies
DATA = HERE / "data" / "lm_eval"

MMLU_SUBJECTS = ["anatomy", "abstract_algebra"]
EVERY_TASK = ["mmlu", "gsm8k", "piqa", "own_task", "kitchen", "gsm8k_repeats", "own_mutual", "winogrande"]
EVERY_TASK += ["own_instructions"]
# `after` lacks two tasks of `before`; three tasks are enough to show drifting ids.
AFTER_TASKS = [name for name in EVERY_TASK if name not in ("own_mutual", "winogrande")]
SHUFFLED_TASKS = ["mmlu_anatomy", "gsm8k", "own_task"]

GSM8K_EXAMPLE = {
    "question": "A box holds 3 rows of 5 pencils. How many pencils are in 2 boxes?",
    "answer": "A box holds 3*5=<<3*5=15>>15 pencils.\nTwo boxes hold 15*2=<<15*2=30>>30.\n#### 30",
}

STRICT = {"function": "regex", "regex_pattern": "#### (\\-?[0-9\\.\\,]+)"}
FLEXIBLE = {
    "function": "regex",
    "group_select": -1,
    "regex_pattern": "(-?[$0-9.,]{2,})|(-?[0-9]+)",
}
FIRST = {"function": "take_first"}
MAJORITY = {"function": "majority_vote"}


def metric(name: str, **options: Any) -> dict[str, Any]:
    return {"metric": name, "aggregation": "mean", "higher_is_better": True, **options}


def task(name: str, **settings: Any) -> dict[str, Any]:
    files = {"test": f"documents/{name}.json", **settings.pop("files", {})}
    return {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": files},
        "test_split": "test",
        "metadata": {"version": 1.0},
        **settings,
    }


def gsm8k(name: str, **settings: Any) -> dict[str, Any]:
    ignore = [",", "\\$", "(?s).*#### ", "\\.$"]
    return task(
        name,
        output_type="generate_until",
        doc_to_text="Question: {{question}}\nAnswer:",
        doc_to_target="{{answer}}",
        metric_list=[metric("exact_match", ignore_case=True, ignore_punctuation=False, regexes_to_ignore=ignore)],
        **settings,
    )


def definitions(each_repeat: bool) -> list[dict[str, Any]]:
    """The task and group files; YAML accepts the JSON they are written as.

    `each_repeat` adds the filter that keeps every repeat apart: 0.5 scores them one by one, 0.4 cannot.
    """
    letters = "\n".join(f"{letter}. {{{{choices[{i}]}}}}" for i, letter in enumerate("ABCD"))
    own_text = "{{recipe}}: {{steps|join(' ')}} {{clue.text}}"
    greedy = {"until": ["Question:"], "do_sample": False, "temperature": 0.0}
    mmlu = [
        task(
            f"mmlu_{subject}",
            tag="mmlu_stem_tasks",
            description=f"The following are questions about {subject.replace('_', ' ')}.\n\n",
            output_type="multiple_choice",
            doc_to_text="{{question.strip()}}\n" + letters + "\nAnswer:",
            doc_to_choice=["A", "B", "C", "D"],
            doc_to_target="answer",
            metric_list=[metric("acc")],
        )
        for subject in MMLU_SUBJECTS
    ]
    own = {
        "output_type": "multiple_choice",
        "doc_to_text": own_text,
        "doc_to_choice": "candidates",
        "doc_to_target": "label",
    }
    return [
        *mmlu,
        {
            "group": "mmlu",
            "task": [f"mmlu_{subject}" for subject in MMLU_SUBJECTS],
            "aggregate_metric_list": [{"metric": "acc", "weight_by_size": True}],
            "metadata": {"version": 2},
        },
        gsm8k(
            "gsm8k",
            files={"train": "documents/gsm8k_train.json"},
            training_split="train",
            fewshot_split="train",
            num_fewshot=1,
            generation_kwargs=greedy,
            filter_list=[
                {"name": "strict-match", "filter": [STRICT, FIRST]},
                {"name": "flexible-extract", "filter": [FLEXIBLE, FIRST]},
            ],
        ),
        gsm8k(
            "gsm8k_repeats",
            repeats=3,
            num_fewshot=0,
            generation_kwargs={"until": ["Question:"], "do_sample": True, "temperature": 0.7},
            filter_list=[
                {"name": "score-first", "filter": [FLEXIBLE, FIRST]},
                {"name": "maj@3", "filter": [FLEXIBLE, MAJORITY, FIRST]},
                *([{"name": "each", "filter": [FLEXIBLE]}] if each_repeat else []),
            ],
        ),
        task(
            "piqa",
            output_type="multiple_choice",
            doc_to_text="Question: {{goal}}\nAnswer:",
            doc_to_target="label",
            doc_to_choice="{{[sol1, sol2]}}",
            metric_list=[metric("acc"), metric("acc_norm")],
        ),
        task("own_task", **own, metric_list=[metric("acc"), metric("acc_norm"), metric("acc_bytes")]),
        # Twice as many requests as options: the second half has no context.
        task("own_mutual", **own, metric_list=[metric("acc"), metric("acc_mutual_info")]),
        task(
            "own_generate",
            tag=["kitchen", "short_answers"],
            output_type="generate_until",
            doc_to_text=own_text,
            doc_to_target="{{candidates[label]}}",
            generation_kwargs=greedy,
            metric_list=[metric("exact_match", ignore_case=True)],
        ),
        # The options sit in the context, the continuation is the same for both. brier_score logs the
        # pair (gold, probabilities), not a number.
        task(
            "winogrande",
            output_type="multiple_choice",
            doc_to_text="{{{'1': 0, '2': 1}[answer]}}",
            doc_to_choice="{{[sentence.split('_')[0] + option1, sentence.split('_')[0] + option2]}}",
            doc_to_target="{{sentence.split('_')[1].strip()}}",
            metric_list=[metric("acc"), {"metric": "brier_score"}],
        ),
        # Metrics that are a bool, a list of bools and NaN, as IFEval-like tasks log them.
        task(
            "own_instructions",
            output_type="generate_until",
            doc_to_text="prompt",
            doc_to_target="{{0}}",
            process_results="!function instructions.check",
            generation_kwargs=greedy,
            metric_list=[
                metric("prompt_level_strict_acc"),
                {"metric": "inst_level_strict_acc", "aggregation": "!function instructions.pooled"},
                metric("words_per_comma"),
            ],
        ),
    ]


INSTRUCTION_CODE = """
CHECKS = {"punctuation:no_comma": lambda text: "," not in text,
          "change_case:english_lowercase": lambda text: text == text.lower()}


def check(doc, results):
    followed = [CHECKS[name](results[0]) for name in doc["instruction_id_list"]]
    commas = results[0].count(",")
    return {"prompt_level_strict_acc": all(followed), "inst_level_strict_acc": followed,
            "words_per_comma": len(results[0].split()) / commas if commas else float("nan")}


def pooled(lists):
    flat = [value for part in lists for value in part]
    return sum(flat) / len(flat)
"""


def documents() -> dict[str, list[dict[str, Any]]]:
    by_task = {
        f"mmlu_{subject}": [item for item in ITEMS["mmlu"] if item["subject"] == subject] for subject in MMLU_SUBJECTS
    }
    by_task |= dict.fromkeys(("gsm8k", "gsm8k_repeats"), ITEMS["gsm8k"])
    by_task |= dict.fromkeys(("own_task", "own_mutual", "own_generate"), ITEMS["own_task"])
    by_task |= {"piqa": ITEMS["piqa"], "winogrande": ITEMS["winogrande"]}
    by_task |= {"own_instructions": ITEMS["instructions"]}
    # Short replies are enough to show repeats; four items keep the file small.
    by_task["gsm8k_repeats"] = by_task["gsm8k_repeats"][:4]
    return by_task


def write_workplace(folder: Path, shuffled: bool, each_repeat: bool) -> None:
    """Task files and documents, addressed by relative paths so that no log names this machine."""
    (folder / "tasks").mkdir()
    (folder / "documents").mkdir()
    for definition in definitions(each_repeat):
        name = definition.get("task") if "group" not in definition else f"group_{definition['group']}"
        text = json.dumps(definition, ensure_ascii=False, indent=1)
        for function in ("instructions.check", "instructions.pooled"):
            text = text.replace(f'"!function {function}"', f"!function {function}")
        (folder / "tasks" / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "tasks" / "instructions.py").write_text(INSTRUCTION_CODE, encoding="utf-8")
    for name, docs in documents().items():
        ordered = random.Random(7).sample(docs, len(docs)) if shuffled else docs
        text = json.dumps(ordered, ensure_ascii=False)
        (folder / "documents" / f"{name}.json").write_text(text, encoding="utf-8")
    (folder / "documents" / "gsm8k_train.json").write_text(json.dumps([GSM8K_EXAMPLE]), encoding="utf-8")


def register_model() -> None:
    """Adds the model `planted` (model_args: side=before|after) to the harness of the running interpreter."""
    from lm_eval.api.model import LM
    from lm_eval.api.registry import register_model as register

    places = {json.dumps(item, sort_keys=True): i for rows in ITEMS.values() for i, item in enumerate(rows)}

    @register("planted")
    class Planted(LM):
        def __init__(self, side: str = "before", **_: Any) -> None:
            super().__init__()
            self.side = side
            self.turns: dict[tuple[str, int], int] = {}

        def loglikelihood(self, requests: list[Any], **_: Any) -> list[tuple[float, bool]]:
            return [self.option_score(request) for request in requests]

        def option_score(self, request: Any) -> tuple[float, bool]:
            doc, (context, continuation) = request.doc, request.args
            index = places[json.dumps(doc, sort_keys=True)]
            if "sentence" in doc:
                gold, count, option = int(doc["answer"]) - 1, 2, int(context.endswith(doc["option2"]))
            elif "goal" in doc:
                gold, count, option = doc["label"], 2, int(continuation.strip() == doc["sol2"])
            elif "candidates" in doc:
                gold, count = doc["label"], len(doc["candidates"])
                option = doc["candidates"].index(continuation.strip())
            else:
                gold, count, option = doc["answer"], 4, "ABCD".index(continuation.strip())
            chosen = choice(self.side, index, gold, count)
            spread = random.Random(f"{self.side} {index} {option} {context == ''}").random()
            # Silence cannot be said with option scores: such items lean to the last wrong option.
            picked = option == (chosen if chosen is not None else max(i for i in range(count) if i != gold))
            if not context:
                return -1.0 - spread, False
            per_character = (0.15 if picked else 0.35) + 0.1 * spread
            if self.side == "after" and "candidates" in doc and index == 0:
                # A shorter wrong option wins on the sum, the right one per character: acc 0, acc_norm 1.
                per_character = 0.24 if picked else 0.27
            return -(0.4 + per_character * len(continuation)), picked

        def generate_until(self, requests: list[Any], **_: Any) -> list[str]:
            return [self.reply(request) for request in requests]

        def reply(self, request: Any) -> str:
            doc = request.doc
            index = places[json.dumps(doc, sort_keys=True)]
            turn = self.turns.get((request.task_name, index), 0)
            self.turns[request.task_name, index] = turn + 1
            if "prompt" in doc:
                return {"R": "soft rain falls", "N": ""}.get(fate(self.side, index), "Red, green, blue")
            if "candidates" in doc:
                chosen = choice(self.side, index, doc["label"], len(doc["candidates"]))
                return "" if chosen is None else doc["candidates"][chosen]
            return gsm8k_reply(self.side, index, turn)

        def loglikelihood_rolling(self, requests: list[Any], **_: Any) -> list[float]:
            raise NotImplementedError("no task here asks for rolling log-likelihoods")


def run_harness(side: str, tasks: list[str], out: Path, shuffled: bool = False, package: Path | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        write_workplace(work, shuffled, each_repeat=package is not None)
        environment = os.environ | {
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "HF_HOME": str(work / "cache"),
            "PYTHONPATH": os.pathsep.join([str(p) for p in (package, HERE) if p is not None]),
        }
        command = [str(VENV / "bin" / "python"), str(HERE / "make_lm_eval.py"), "--inside", side, ",".join(tasks)]
        subprocess.run(command, cwd=work, env=environment, check=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(work / "logs", out)
    for results in out.rglob("results_*.json"):
        text = results.read_text(encoding="utf-8")
        described = json.dumps(json.loads(text)["pretty_env_info"], ensure_ascii=False)
        results.write_text(text.replace(described, '"removed: it describes the machine"'), encoding="utf-8")


def run_inside(side: str, tasks: str) -> None:
    """The harness's own command line, in its own environment, with one more model."""
    from lm_eval.__main__ import cli_evaluate

    register_model()
    sys.argv = ["lm_eval", "--model", "planted", "--model_args", f"pretrained=planted/{side}-1b,side={side}"]
    sys.argv += ["--tasks", tasks, "--include_path", "tasks", "--output_path", "logs", "--log_samples"]
    cli_evaluate()


def older_samples(task_name: str, dropped: list[str]) -> list[dict[str, Any]]:
    """The first three documents of a task of `before` (every filter of them), without the keys dropped."""
    [path] = (DATA / "before").rglob(f"samples_{task_name}_2*.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in row.items() if k not in dropped} for row in rows if row["doc_id"] < 3]


def older_results(tasks: list[str], kept: list[str], version: str | None) -> str:
    [path] = (DATA / "before").rglob("results_*.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    by_task = {"results", "configs", "versions", "n-shot", "higher_is_better", "n-samples", "task_hashes"}
    older = {key: content[key] for key in content if key in kept}
    for key in by_task & set(older):
        older[key] = {name: older[key][name] for name in tasks}
    if version is not None:
        older["lm_eval_version"] = version
    return json.dumps(older, indent=2, ensure_ascii=False)


OLDER_TASKS = ["gsm8k", "own_task"]


def write_v0_4_5() -> None:
    """0.4.3 to 0.4.5: JSON lines as today, but no `filter` and no `metrics` (checked against 0.4.4's source)."""
    out = DATA / "v0_4_5" / "planted__before-1b"
    shutil.rmtree(out.parent, ignore_errors=True)
    out.mkdir(parents=True)
    date = "2024-11-02T10-20-30.123456"
    for name in OLDER_TASKS:
        rows = older_samples(name, ["filter", "metrics"])
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (out / f"samples_{name}_{date}.jsonl").write_text(lines, encoding="utf-8")
    kept = ["results", "configs", "versions", "n-shot", "higher_is_better", "n-samples", "config", "git_hash"]
    kept += ["date", "task_hashes", "model_source", "model_name", "model_name_sanitized"]
    (out / f"results_{date}.json").write_text(older_results(OLDER_TASKS, kept, "0.4.5"), encoding="utf-8")


def write_v0_4_2() -> None:
    """0.4.0 to 0.4.2 (checked against 0.4.2's source).

    One indented JSON LIST per task in a file called .jsonl, named after the model arguments; `arguments` a
    list of lists; numbers and bools where later versions write text; `target` as the document has it;
    no hashes; one results.json.
    """
    out = DATA / "v0_4_2"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    dropped = ["filter", "metrics", "doc_hash", "prompt_hash", "target_hash"]
    for name in OLDER_TASKS:
        rows = older_samples(name, dropped)
        for row in rows:
            row["arguments"] = [list(request.values()) for request in row["arguments"].values()]
            if "label" in row["doc"]:
                row["target"] = row["doc"]["label"]
                row["resps"] = [[as_logged(pair) for pair in request] for request in row["resps"]]
                row["filtered_resps"] = [as_logged(pair) for pair in row["filtered_resps"]]
        path = out / f"pretrained__planted__before-1b,side__before_{name}.jsonl"
        path.write_text(json.dumps(rows, indent=2, ensure_ascii=False), encoding="utf-8")
    kept = ["results", "configs", "versions", "n-shot", "config", "git_hash"]
    (out / "results.json").write_text(older_results(OLDER_TASKS, kept, None), encoding="utf-8")


def as_logged(pair: list[str]) -> list[Any]:
    """["-3.1", "False"] as the number and bool it was made of."""
    return [float(pair[0]), pair[1] == "True"]


def build_environment() -> None:
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(VENV / "bin" / "pip"), "install", "lm_eval==0.4.13"], check=True)
    if not NEXT_VERSION.exists():
        pip = [str(VENV / "bin" / "pip"), "install", "--no-deps", "--target", str(NEXT_VERSION)]
        subprocess.run([*pip, "lm_eval==0.5.0.dev1"], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inside", nargs=2, metavar=("SIDE", "TASKS"), help=argparse.SUPPRESS)
    inside = parser.parse_args().inside
    if inside:
        run_inside(*inside)
        return
    build_environment()
    run_harness("before", EVERY_TASK, DATA / "before")
    run_harness("after", AFTER_TASKS, DATA / "after")
    run_harness("after", SHUFFLED_TASKS, DATA / "after_shuffled", shuffled=True)
    run_harness("before", ["gsm8k_repeats", "piqa"], DATA / "v0_5_0_dev1", package=NEXT_VERSION)
    write_v0_4_5()
    write_v0_4_2()


if __name__ == "__main__":
    main()
