"""evalplus: `<samples>_eval_results.json` up to 0.3.1, later `<samples>.eval_results.json` (formats.md 4.5).

The file knows problems by their id in the data set, HumanEval/0, and holds no question: items are keyed by that id.
`hash` is the version of the data set, tests included; two versions do not compare, so it is the scoring rule of both
metrics. Timeouts depend on the machine's load: they are wrong answers with `stop_reason` timeout, so that a flip
caused by one can be told from a real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers import source
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task

PASS, FAIL, TIMEOUT = "pass", "fail", "timeout"
STATUSES = (PASS, FAIL, TIMEOUT, None)
#: The data set a problem id belongs to: HumanEval+ and MBPP+ have tests, and MBPP+ problems, of their own.
TASKS = {"HumanEval": "humaneval_plus", "Mbpp": "mbpp_plus"}
# The name evalplus gives to the samples it generates: org--model_vllm_temp_0.8
_SAMPLES = re.compile(r"(?P<model>.+)_(?P<backend>[a-z]+)_temp_(?P<temperature>\d+(?:\.\d+)?)")


class _Attempt(msgspec.Struct):
    base_status: str | None
    plus_status: str | None = None  # null where only the base tests were run
    solution: str | None = None
    task_id: str | None = None


class _Legacy(msgspec.Struct):
    """A problem's results before evalplus 0.2: a list of [status, details] per test set."""

    base: list[tuple[str | None, Any]]
    plus: list[tuple[str | None, Any]] | None = None


class _Results(msgspec.Struct):
    hash: str | None
    eval: dict[str, list[_Attempt] | _Legacy]
    date: str | None = None


_decode = msgspec.json.Decoder(_Results).decode


def detects(path: Path) -> bool:
    """Accept a JSON object with `date`, `hash` and `eval`."""
    if not path.is_file():
        return False
    found = source.sniff(path)
    return (
        found.kind in ("object", "lines")
        and {"date", "hash", "eval"} <= found.keys
        and isinstance(found.first["eval"], dict)
    )


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run in one results file, or in a folder that holds one per data set."""
    files, others = source.split_files(path, detects)
    builder = RunBuilder(source=str(path), texts=options.texts)
    info = RunInfo(tool="evalplus", files=_names(path, files), other_files=_names(path, others))
    names: dict[str, Path] = {}
    measured: set[str] = set()
    for file in files:
        results = source.load_json(file, _decode)
        info.date = max(filter(None, (info.date, results.date)), default=None)
        _read_name(file, info)
        for task in sorted({_task(file, problem) for problem in results.eval}):
            if task in names:
                raise FormatError(f"{path}: {names[task]} and {file} both hold {task}; give one of them")
            names[task] = file
            info.task_settings[task] = {"dataset_revision": results.hash}
            info.task_names[task] = task
        for problem, attempts in results.eval.items():
            _add(builder, file, problem, attempts, measured)

    def metrics(task: str, _: str, metric: str) -> dict[str, Any]:
        default = (metric == "plus") == (task in measured)
        regime = info.task_settings[task]["dataset_revision"]
        return {"higher_is_better": True, "binary": True, "default": default, "regime": regime}

    return builder.finish(info, metrics=metrics, reread=lambda: read(path, options.with_texts()).texts())


def _names(path: Path, files: list[Path]) -> list[str]:
    return [file.relative_to(path).as_posix() if path.is_dir() else file.name for file in files]


def _read_name(file: Path, info: RunInfo) -> None:
    """Take model and temperature from the name of the samples file: the results do not repeat them."""
    found = _SAMPLES.match(re.sub(r"[._]eval_results\.json.*", "", file.name))
    if not found:
        return
    model = found["model"].replace("--", "/")
    if info.model not in (None, model):
        raise FormatError(
            f"{file}: holds results of '{model}', a file beside it of '{info.model}'; give one model's files"
        )
    info.model = model
    info.settings["temperature"] = float(found["temperature"])


def _task(file: Path, problem: str) -> str:
    prefix = problem.partition("/")[0]
    if "/" not in problem or not prefix:
        raise FormatError(
            f"{file}: problem '{problem[:80]}' has no data set before a slash, as HumanEval/0 has; check the file"
        )
    return TASKS.get(prefix) or canonical_task(prefix)


def _add(builder: RunBuilder, file: Path, problem: str, logged: list[_Attempt] | _Legacy, measured: set[str]) -> None:
    task = _task(file, problem)
    key = items.item_key([problem], basis="native")
    item = builder.item(task, key=key, native_id=problem, open_ended=True)
    attempts = logged if isinstance(logged, list) else list(_from_legacy(file, problem, logged))
    for repeat, attempt in enumerate(attempts):
        base, plus = attempt.base_status, attempt.plus_status
        place = f"{file}: {problem}, sample {repeat}"
        if attempt.task_id not in (None, problem):
            raise FormatError(f"{place}: its task_id is '{attempt.task_id}'; the file was edited, evaluate again")
        for status in (base, plus):
            if status not in STATUSES:
                raise FormatError(f"{place}: status '{status[:80]}'; expected pass, fail or timeout, evaluate again")
        builder.reply(item, response=attempt.solution)
        both = (base, plus) if plus is not None else (None,)  # base tests alone say nothing about `plus`
        if plus is not None:
            measured.add(task)
        for metric, statuses in (("base", (base,)), ("plus", both)):
            builder.sample(
                item,
                repeat=repeat,
                metric=metric,
                score=None if None in statuses else float(set(statuses) == {PASS}),
                state=_state(statuses, attempt.solution),
                # with one definite failure the timeout did not decide
                stop_reason=TIMEOUT if TIMEOUT in statuses and FAIL not in statuses else None,
            )


def _state(statuses: tuple[str | None, ...], solution: str | None) -> str | None:
    if None in statuses:
        return "unscored"
    if solution is None:
        return "answered" if set(statuses) == {PASS} else None
    return "answered" if solution.strip() else "empty"  # evalplus cuts the code out of the reply


def _from_legacy(file: Path, problem: str, logged: _Legacy) -> Iterator[_Attempt]:
    plus = logged.plus or [(None, None)] * len(logged.base)
    if len(plus) != len(logged.base):
        raise FormatError(
            f"{file}: {problem}: {len(logged.base)} base results and {len(plus)} plus results; evaluate again"
        )
    for (base_status, _), (plus_status, _) in zip(logged.base, plus, strict=True):
        yield _Attempt(base_status, plus_status)
