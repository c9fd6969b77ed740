"""Run inside a virtual environment that holds evalplus: its evaluator on our own problems and solutions.

    python run_evalplus.py FOLDER

The problems carry ids of the real data sets, nothing else of them. One solution cannot be interrupted from inside, so
that the evaluator kills it: that, and not a slow loop, is what it calls a timeout.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import evalplus.evaluate as tool

#: entry point -> argument lists of the base tests and of the extra tests, and the right body
PROBLEMS: dict[str, tuple[list[Any], list[Any], str]] = {
    "double": ([[1], [2]], [[-3], [0]], "return 2 * n"),
    "is_even": ([[2], [3]], [[0], [-1]], "return n % 2 == 0"),
    "last_digit": ([[17], [40]], [[-8], [5]], "return abs(n) % 10"),
    "clamp": ([[5], [120]], [[-7], [100]], "return max(0, min(100, n))"),
}
STUCK = "return n + sum(range(10**13))"
#: per problem one body per sample: right on all tests, right on the base tests only, wrong, stuck, nothing at all
SOLUTIONS = {
    "before": {
        "double": ["return 2 * n", "return 2 * abs(n)"],
        "is_even": ["return n % 2 == 0", "return n % 2 == 0"],
        "last_digit": ["return n % 10", "return abs(n) % 10"],
        "clamp": ["return n", STUCK],
    },
    "after": {
        "double": ["return 2 * abs(n)", "return 2 * n"],
        "is_even": [STUCK, "return n % 2 == 1"],
        "last_digit": ["return abs(n) % 10", "return abs(n) % 10"],
        "clamp": ["return max(0, min(100, n))", None],
    },
}


def problems(prefix: str) -> dict[str, Any]:
    made = {}
    for number, (name, (base, plus, body)) in enumerate(PROBLEMS.items()):
        head = f"def {name}(n):\n"
        made[f"{prefix}/{number}"] = {
            "task_id": f"{prefix}/{number}",
            "prompt": head,
            "canonical_solution": f"    {body}\n",
            "entry_point": name,
            "base_input": base,
            "plus_input": plus,
            "atol": 0,
        }
    return made


def evaluate(folder: Path, side: str, dataset: str, prefix: str, base_only: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    samples = folder / f"planted--{side}_vllm_temp_0.8.jsonl"
    with open(samples, "w", encoding="utf-8") as file:
        for turn in range(2):
            for task_id, problem in problems(prefix).items():
                body = SOLUTIONS[side][problem["entry_point"]][turn]
                solution = "" if body is None else problem["prompt"] + f"    {body}\n"
                file.write(json.dumps({"task_id": task_id, "solution": solution}) + "\n")
    tool.evaluate(dataset, str(samples), base_only=base_only, parallel=1, min_time_limit=0.2)


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        tool.CACHE_DIR = scratch
        for short, prefix in (("human_eval", "HumanEval"), ("mbpp", "Mbpp")):
            setattr(tool, f"get_{short}_plus", lambda prefix=prefix, **_: problems(prefix))
            setattr(tool, f"get_{short}_plus_hash", lambda prefix=prefix, **_: f"own{prefix.lower()}" + "0" * 16)
        for side in SOLUTIONS:
            evaluate(folder / side / "humaneval", side, "humaneval", "HumanEval", base_only=False)
        evaluate(folder / "before" / "mbpp", "before", "mbpp", "Mbpp", base_only=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
