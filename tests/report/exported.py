"""Sheets to export: planted pairs of every kind, and names that try to be more than names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from conftest import answer, make_run
from forgetmap import compare
from forgetmap.map import compare_all
from forgetmap.report.sheet import Sheet
from forgetmap.run import Run
from forgetmap.testing import join_planted, plant

CATEGORISED = ("piqa", "mmlu:anatomy", "mmlu:college_mathematics", "mmlu:abstract_algebra", "mmlu:world_religions")
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "a|b `code` *x* _y_ <script>alert(1)</script>",
    "[link](https://example.org) ![i](x) www.example.org",
    "@someone fixes #12 and GH-7",
    "\\input{/etc/passwd} $x^2$ % & # ~ {}",
    "line\nbreak\ttab \x1b[31mred\x00",
    "naïve Čapek Łódź — “quoted” … ≥ 5 → é",
    "模型 🙂 Ω и €",
    "-- --- '' `` ,, ?` !` << >> \" [x] *",
    "| --- | --- |",
    "x" * 300,
)


def renamed(run: Run, model: str) -> Run:
    return replace(run, info=_with(run.info, model))


def _with(info: Any, model: str) -> Any:
    import msgspec

    return msgspec.structs.replace(info, model=model)


@cache
def sheet(**options: Any) -> Sheet:
    """The map of a planted pair."""
    chosen: dict[str, Any] = {"tasks": CATEGORISED, "known": 0.6, "lost": 0.08, "gained": 0.05, "seed": 3} | options
    pair = plant(600, **chosen)
    return Sheet.of(compare(pair.before, pair.after))


@cache
def several(number: int, tasks: Sequence[str] = CATEGORISED, **options: Any) -> tuple[Sheet, ...]:
    """Maps of one before-run and several after-runs."""
    pairs = [plant(600, tasks=tasks, known=0.6, lost=0.02 * place, seed=3) for place in range(number)]
    afters = [renamed(pair.after, f"model-{place}") for place, pair in enumerate(pairs)]
    return tuple(Sheet.of(found) for found in compare_all(pairs[0].before, afters, **options))


@cache
def namesakes() -> list[Sheet]:
    """Maps of one before-run and three after-runs, two of which bear one name."""
    named = (("tuned", "runs/first"), ("tuned", "runs/second"), ("other", "runs/third"))
    return [
        replace(one, before={**one.before, "model": "base"}, after={**one.after, "model": model, "source": source})
        for one, (model, source) in zip(several(3), named, strict=True)
    ]


@cache
def hostile() -> Sheet:
    """The map of a pair whose tasks and models bear hostile names."""
    pair = plant(720, tasks=HOSTILE, seed=4)
    return Sheet.of(compare(renamed(pair.before, HOSTILE[5]), renamed(pair.after, HOSTILE[2] + HOSTILE[8])))


@cache
def open_ended() -> Sheet:
    """A pair of which one task has options and one has none."""
    pair = join_planted(
        [plant(200, tasks=["piqa"], options=2, seed=1), plant(200, tasks=["gsm8k"], options=0, first_item=200, seed=2)]
    )
    return Sheet.of(compare(pair.before, pair.after))


@cache
def graded() -> Sheet:
    """A pair of grades: no kept and no never, no options, no paper reading."""
    rows = [[answer(n, (n * step % 11) / 10) for n in range(60)] for step in (3, 7)]
    before, after = (
        make_run([{**row, "correct": None, "score": row["correct"]} for row in of], model=name, score="score")
        for of, name in zip(rows, ("grades-before", "grades-after"), strict=True)
    )
    return Sheet.of(compare(before, after))


@cache
def bridged() -> Sheet:
    """A pair with a bridge."""
    pair = plant(400, tasks=CATEGORISED, seed=5)
    middle = plant(400, tasks=CATEGORISED, lost=0.02, gained=0.01, seed=5)
    return Sheet.of(compare(pair.before, pair.after, bridge=renamed(middle.after, "planted-before")))


@cache
def capabilities(number: int = 1) -> tuple[Sheet, ...]:
    """Maps under the taxonomy with groups: two tasks of C1, one of C5b, one of H5, one that has no place."""
    tasks = ("gsm8k", "mmlu_pro:math", "hellaswag", "ruler.32k", "my_own_task")
    return several(number, tasks, taxonomy="captrack")
