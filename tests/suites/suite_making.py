"""Small suites in a folder, and hub datasets in a local mirror."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import yaml
import zstandard

from forgetmap import suites

TASK: dict[str, Any] = {
    "name": "sums",
    "title": "Sums",
    "source": {"packed": "items/sums"},
    "scoring": {"kind": "likelihood"},
    "wordings": ["Question: {question}\nAnswer:", "{question}\nAnswer:", "Tell me. {question}\nResult:"],
    "formats": ["plain", "letters", "parenthesised", "digits"],
}


def line(place: int, **changes: Any) -> dict[str, Any]:
    given = {
        "task": "sums",
        "id": f"s{place}",
        "question": f"What is {place} + 1?",
        "options": [str(place + 1), str(place + 2), str(place + 3)][place % 3 :] + [str(place + 1), str(place + 2), str(place + 3)][: place % 3],
        "gold": [str(place + 1)],
        "facts": {},
        "cluster": None,
    }  # fmt: skip
    return {**given, **changes}


def make_suite(
    folder: Path, tasks: list[dict[str, Any]] | dict[str, Any], lines: list[dict[str, Any]] | None = None
) -> Path:
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text(yaml.safe_dump({"name": "own", "title": "Own"}), encoding="utf-8")
    for place, task in enumerate([tasks] if isinstance(tasks, dict) else tasks):
        (folder / "tasks" / f"t{place}.yaml").write_text(yaml.safe_dump(task, allow_unicode=True), encoding="utf-8")
    if lines is not None:
        text = "".join(json.dumps(one) + "\n" for one in lines)
        (folder / "items.jsonl.zst").write_bytes(zstandard.compress(text.encode()))
    return folder


def one_task(folder: Path, lines: list[dict[str, Any]] | None = None, **changes: Any) -> suites.Task:
    given = {**TASK, **changes}
    made = make_suite(
        folder, {key: to for key, to in given.items() if to is not None}, lines or [line(n) for n in range(40)]
    )
    return suites.load(made).tasks[0]


def mirror(data_dir: Path, path: str, rows: list[dict[str, Any]]) -> None:
    """Write rows as the hub keeps them: OWNER/NAME/….parquet."""
    target = data_dir / path
    target.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(target)
