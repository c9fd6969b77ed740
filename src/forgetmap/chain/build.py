"""From runs to a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import polars as pl

from forgetmap.chain.expected import nothing_changed
from forgetmap.chain.result import Chain
from forgetmap.chain.stages import Stage, align, choose_stages, name_stages, pair_stages
from forgetmap.decoding import decoding
from forgetmap.errors import PairingError, UsageError
from forgetmap.pairing import Scale
from forgetmap.pairing.pair import LEAST_COVERAGE, WARN_COVERAGE
from forgetmap.readers import read_run
from forgetmap.run import Run

#: Every further stage doubles the number of life lines.
MOST_STAGES = 12


def chain_runs(
    runs: Sequence[Run | str | Path],
    *,
    names: Sequence[str] | None = None,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    threshold: float | None = None,
    force: bool = False,
) -> Chain:
    """Return the chain of two or more stages, in the order given.

    Parameters
    ----------
    runs : runs, or paths in any readable format.
    names : of the stages; default the models' names.
    scorer, metric, tasks : which scores to read; tasks is a glob.
    threshold : a graded score is right from this value on; without it graded tasks are left out, and named.
    force : go on where less than half of a stage's items is seen at every stage.

    Examples
    --------
    >>> from forgetmap.testing import plant
    >>> two = plant(1000, known=0.6, lost=0.1, gained=0.05, options=0)
    >>> found = chain_runs([two.before, two.after, two.before], names=["base", "sft", "rl"])
    >>> found
    Chain(base → sft → rl: 1000 items, 5.0% lost for good, 10.0% lost and recovered)
    >>> found.life.select("line", "n").rows()
    [('111', 500.0), ('000', 350.0), ('101', 100.0), ('010', 50.0)]
    """
    if not 2 <= len(runs) <= MOST_STAGES:
        raise UsageError(f"a chain takes 2 to {MOST_STAGES} runs, not {len(runs)}; give the stages in their order")
    opened = [run if isinstance(run, Run) else read_run(run) for run in runs]
    if names is not None and (len(names) != len(runs) or len(set(names)) < len(names)):
        raise UsageError(f"names are {', '.join(names)}; give {len(runs)} different ones, one per run")
    called = list(names) if names is not None else name_stages(opened)
    scale = Scale(threshold)
    stages, warnings = choose_stages(opened, called, scorer=scorer, metric=metric, tasks=tasks, scale=scale)
    pairs = pair_stages(stages, scale, force=force)
    table = align(stages, scale)
    rights = [f"right_{place}" for place in range(len(stages))]
    complete = table.drop_nulls(rights)
    warnings += _check_complete(table, complete.height, called, force)
    patterns = (
        complete.group_by("task", "none", "repeats", "chance", right="right_0")
        .agg(n=pl.len())
        .sort("task", "right", "none", "repeats", "chance")
    )
    null, said = nothing_changed(patterns, len(stages), called[0], pairs)
    said += _sampled(stages) if null.basis == "guessing" else []
    steps = [f"{a} → {b}" for a, b in pairwise(called)]
    own = {name: run.info.warnings for name, run in zip(called, opened, strict=True)}
    from_pairs = _gathered(dict(zip(steps, (pair.warnings for pair in pairs), strict=True)), "every step")
    return Chain(
        tuple(called), complete.height, table.height - complete.height, null.basis, null.persistence.overall,
        _gathered(own, "every stage") + warnings + from_pairs + said,
        _gathered(dict(zip(steps, (pair.notes for pair in pairs), strict=True)), "every step"),
        tuple(pairs), tuple(opened), tuple(stages), table, null,
    )  # fmt: skip


def _check_complete(table: pl.DataFrame, complete: int, names: Sequence[str], force: bool) -> list[str]:
    held = {name: table.height - table[f"right_{place}"].null_count() for place, name in enumerate(names)}
    if not complete:
        counts = ", ".join(f"{name} ({n:,})" for name, n in held.items())
        raise PairingError(f"no item has a score at every stage: {counts}; check that all evaluate the same data set")
    least = min(held, key=lambda name: held[name])
    share = complete / held[least]
    said = f"{share:.1%} of the items of {least} have a score at every stage"
    if share < LEAST_COVERAGE and not force:
        raise PairingError(f"only {said}; compare the same data set, or insist with --force")
    return [said] if share < WARN_COVERAGE else []


def _gathered(said: Mapping[str, Sequence[str]], everyone: str) -> list[str]:
    """Warnings with who they are about; what holds for all is said once."""
    lists = list(said.values())
    common = [text for text in lists[0] if all(text in other for other in lists)] if len(lists) > 1 else []
    return [f"{everyone}: {text}" for text in common] + [
        f"{who}: {text}" for who, texts in said.items() for text in texts if text not in common
    ]


def _sampled(stages: Sequence[Stage]) -> list[str]:
    """Sampled answers differ from run to run, which the model of guessing knows nothing of."""
    drawn = [
        stage.name
        for stage in stages
        if any(decoding(stage.run, task, score) == "sampled" for task, score in stage.scores.items())
    ]
    if not drawn:
        return []
    return [
        f"answers of {', '.join(drawn)} were sampled, and re-run noise is in no expected share: measuring it takes "
        f"{len(stages)} repeats of {stages[0].name}"
    ]
