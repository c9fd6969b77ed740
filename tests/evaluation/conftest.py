"""A small suite of three kinds, and a real small model to ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forgetmap import evaluate
from forgetmap.engines import open_engine
from forgetmap.run import Run
from forgetmap.suites import Suite, load
from suites.suite_making import TASK, line, make_suite

ADD = {
    **TASK, "name": "added", "source": {"packed": "items/added"}, "scoring": {"kind": "number"}, "formats": [],
    "answer": {"max_tokens": 6, "stop": ["\n"]},
}  # fmt: skip
TALK = {
    **TASK, "name": "talk", "source": {"packed": "items/talk"}, "scoring": {"kind": "turns"}, "formats": [],
    "answer": {"max_tokens": 8}, "wordings": ["{question}", "Please. {question}", "{question} Thank you."],
    "categories": {"post_forget": "Language"},
}  # fmt: skip
ITEMS = 12
#: Small batches, so that there are many of them to be killed between.
ENGINE = {"device": "cpu", "threads": 1, "batch_tokens": 200}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [line(place) for place in range(ITEMS)]
    lines += [{**line(place), "task": "added", "options": None} for place in range(ITEMS)]
    checks = [{"id": "change_case:english_lowercase", "kwargs": {}}]
    lines += [
        {
            **line(place), "task": "talk", "options": None, "question": f"Always use lower case. What is {place}?",
            "gold": [], "facts": {"turns": ["And then?"], "checks": checks},
        }
        for place in range(4)
    ]  # fmt: skip
    tasks = [{**TASK, "categories": {"post_forget": "Math"}}, ADD, TALK]
    return make_suite(tmp_path_factory.mktemp("suite"), tasks, lines)


@pytest.fixture(scope="session")
def suite(folder: Path) -> Suite:
    return load(folder)


@pytest.fixture(scope="session")
def engine(smollm2: Path) -> Any:
    return open_engine("transformers", str(smollm2), **ENGINE)


@pytest.fixture(scope="session")
def run(engine: Any, suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return evaluate(engine, suite, tmp_path_factory.mktemp("runs") / "base", variants={"prompt": 3})
