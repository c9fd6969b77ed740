"""Cells: the estimates of tasks, categories, groups and the total, each with intervals and a verdict.

A cell averages only what it shows and names how much is in it. The columns of every block of the JSON contract are made
here, side by side, so that a block and its interval cannot drift apart: hence the length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np

from forgetmap.estimate.decide import adjust_together, choose_verdicts
from forgetmap.estimate.intervals import DIFFERENCE, Atoms
from forgetmap.estimate.units import Array
from forgetmap.estimate.validity import validity_split
from forgetmap.evidence import ENOUGH, Bounds, Judged, Readings, bounds_of, judge
from forgetmap.levels import Level

_OBSERVED = ("no_answer_before", "no_answer_after", "acc_before", "acc_after", "kept", "lost", "gained", "never")
_CHANCE = (
    "known_before", "known_after", "lost", "gained", "lost_from", "lost_to", "gained_from", "gained_to",
    "lost_if_independent", "lost_if_persistent", "gained_if_independent", "gained_if_persistent",
)  # fmt: skip
_PAPER = ("lost", "gained", "lost_max", "gained_max")
_DIRECTIONS = ("lost", "gained")
#: What says how a cell is judged.
DECISION = (
    "p_lost", "q_lost", "p_gained", "q_gained", "p_net", "q_net", "verdict", "verdict_reading", "margin", "detectable",
    "net_because",
)  # fmt: skip

Columns = dict[str, Any]  # one array or list per name, one entry per cell

#: Fields of a cell that its JSON holds under the same name.
_FIELDS = (
    "level", "name", "path", "tasks", "items", "mapped", "task_names", "chance", "noise", "soft", "paper", "flags", "scorers",
    "validity",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Lost and gained of one group of items. Rates are fractions of its paired items; null is not computable."""

    level: str
    name: str
    path: tuple[str, ...]
    tasks: int
    items: int
    mapped: bool  # whether the taxonomy knows the place of these tasks
    task_names: tuple[str, ...]
    observed: dict[str, float | None]  # rates with the ends of their intervals
    chance: dict[str, Any] | None
    noise: dict[str, Any] | None
    soft: dict[str, Any] | None
    paper: dict[str, Any] | None
    decision: dict[str, Any]
    flags: tuple[str, ...] = ()  # what a verdict carries: prompt changed, depends on the scorer
    scorers: tuple[dict[str, Any], ...] = ()  # the same cell under the log's other scorers
    validity: dict[str, float | None] | None = (
        None  # the change of the score, split into answering at all and answering right
    )

    @property
    def verdict(self) -> str | None:
        """Lost, gained, both, steady or unclear; None where nothing can be said."""
        verdict: str | None = self.decision["verdict"]
        return verdict

    @property
    def place(self) -> tuple[str, bool, tuple[str, ...], str]:
        """What tells it from every other cell: a task without a place may bear the name of a category."""
        return self.level, self.mapped, self.path, self.name

    @property
    def judged_by(self) -> str:
        """How its verdict reads it: observed, chance, noise (beyond re-runs) or known (beyond re-runs and luck)."""
        decides: str | None = self.decision["verdict_reading"]
        if decides in (None, "net"):
            return "observed"
        return "known" if decides == "noise" and self.noise and self.noise["form"] == "chance" else str(decides)

    def figures(self, reading: str, direction: str) -> tuple[float | None, float | None, float | None]:
        """Return value and interval under a reading; of noise what moved at least, where that is known."""
        block = self.block("noise" if reading == "known" else reading)
        if block is None:
            return None, None, None
        names = tuple(f"{direction}{end}" for end in ("", "_low", "_high"))
        if reading == "known":
            names = tuple(f"known_{name}" for name in names)
        elif reading == "noise" and block[f"{direction}_at_least"] is not None:
            names = tuple(f"{direction}{end}" for end in ("_at_least", "_at_least_low", "_at_most_high"))
        value, low, high = (block.get(name) for name in names)
        return value, low, high

    def block(self, reading: str) -> dict[str, Any] | None:
        """Return the figures of a reading: lost, lost_low, lost_high, gained, …; None where it cannot be had."""
        if reading == "observed":
            return self.observed
        block: dict[str, Any] | None = getattr(self, reading)
        return block

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Cell:
        """Return the cell that a map's JSON holds: the reverse of `to_dict`."""
        own = {name: row[name] for name in _FIELDS}
        for name in ("path", "task_names", "flags", "scorers"):
            own[name] = tuple(own[name])
        decision = {name: row[name] for name in DECISION}
        observed = {name: value for name, value in row.items() if name not in own and name not in decision}
        return cls(**own, decision=decision, observed=observed)

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as the JSON contract shows it; blocks that cannot be computed are null."""
        return {
            "level": self.level,
            "name": self.name,
            "path": list(self.path),
            "tasks": self.tasks,
            "items": self.items,
            "mapped": self.mapped,
            "task_names": list(self.task_names),
            **self.observed,
            "chance": self.chance,
            "noise": self.noise,
            "soft": self.soft,
            "paper": self.paper,
            **self.decision,
            "flags": list(self.flags),
            "scorers": list(self.scorers),
            "validity": self.validity,
        }


@dataclass(frozen=True)
class Draft:
    """The cells of one map before false discoveries are counted over all maps of a call."""

    readings: Readings
    levels: list[Level]
    columns: list[dict[str, Columns]]  # per level: observed, chance, noise, soft
    judged: list[Judged]


def draft_cells(
    readings: Readings, levels: list[Level], *, reading: str = "auto", margin: float | None = None
) -> Draft:
    """Return every estimate of every cell, and the evidence for its verdict."""
    columns, judged = [], []
    done: dict[tuple[bytes, ...], tuple[dict[str, Columns], Judged]] = {}
    for level in levels:
        key = level.grouping.signature  # tasks without a place make the same cells at two levels
        if key not in done:
            bounds = bounds_of(level, readings)
            done[key] = _columns(level, readings, bounds), judge(level, readings, bounds, reading, margin)
        columns.append(done[key][0])
        judged.append(done[key][1])
    return Draft(readings, levels, columns, judged)


def finish_cells(drafts: Sequence[Draft]) -> list[list[Cell]]:
    """Return the cells of every map; the family of a level is all its cells, lost and gained, over all maps.

    Totals are in no family, and neither is a level's only cell: there is one of them, and it is looked at first.
    """
    decided: list[dict[str, tuple[Array, Array, Array]]] = [{} for _ in drafts]
    for name in dict.fromkeys(level.name for draft in drafts for level in draft.levels):
        judged = [dict(zip((lv.name for lv in d.levels), d.judged, strict=True)).get(name) for d in drafts]
        there = [(at, one) for at, one in enumerate(judged) if one is not None]
        moved = [[one.evidence.p_lost, one.evidence.p_gained] for _, one in there]
        nets = [[one.p_net] for _, one in there]
        # A lone cell is the total under another name, and must not be judged otherwise.
        if name != "total" and sum(len(one.margin) for _, one in there) > 1:
            moved, nets = adjust_together(moved), adjust_together(nets)
        for (at, _), (lost, gained), (net,) in zip(there, moved, nets, strict=True):
            decided[at][name] = (lost, gained, net)
    return [_cells(draft, adjusted) for draft, adjusted in zip(drafts, decided, strict=True)]


def _cells(draft: Draft, adjusted: dict[str, tuple[Array, Array, Array]]) -> list[Cell]:
    made = []
    readings, tasks = draft.readings, draft.readings.tasks
    changed = readings.observed.task_means("prompt_changed") > 0
    for level, columns, judged in zip(draft.levels, draft.columns, draft.judged, strict=True):
        q_lost, q_gained, q_net = adjusted[level.name]
        evidence = judged.evidence
        decisions: Columns = {
            "p_lost": evidence.p_lost,
            "q_lost": q_lost,
            "p_gained": evidence.p_gained,
            "q_gained": q_gained,
            "p_net": judged.p_net,
            "q_net": q_net,
            "verdict": choose_verdicts(evidence, q_lost, q_gained, judged.margin),
            "verdict_reading": judged.reading,
            "margin": judged.margin,
            "detectable": evidence.detectable,
        }
        rows = {name: _rows(block, len(level.cells)) for name, block in {**columns, "decision": decisions}.items()}
        for place, (name, path, members) in enumerate(level.cells):
            named = tuple(tasks[at].name for at in members)
            observed, decision = rows["observed"][place], rows["decision"][place]
            noisy = rows["noise"][place] if "noise" in rows else None
            if decision["verdict"] is None:
                decision |= {"verdict_reading": None, "margin": None}
            decision["net_because"] = _net_because(readings, members, observed, decision)
            if noisy is not None:
                noisy["form"] = judged.form[place]
            made.append(
                Cell(
                    level.name,
                    name,
                    path,
                    tasks=len(members),
                    items=int(observed.pop("items")),
                    mapped=all(tasks[at].mapped for at in members),
                    task_names=named,
                    observed=observed,
                    chance=_present(rows["chance"][place]),
                    noise=_present(noisy),
                    soft=_present(rows["soft"][place] if "soft" in rows else None),
                    paper=_paper(readings, level, members),
                    decision=decision,
                    flags=("prompt changed",) if changed[members].any() and decision["verdict"] else (),
                    validity=_validity(observed),
                )
            )
    return made


def _net_because(
    readings: Readings, members: list[int], observed: dict[str, float | None], decision: dict[str, Any]
) -> str | None:
    """Why only the net change of a cell is judged; None where more is."""
    if decision["verdict_reading"] != "net":
        return None
    if readings.sampled[members].any():
        return "sampled"
    return "graded" if observed["kept"] is None else "options unknown"


def _validity(observed: dict[str, float | None]) -> dict[str, float | None] | None:
    """Right answers are answers: for 0/1 scores the change of the score splits exactly (statistics.md 6)."""
    before, after = observed["acc_before"], observed["acc_after"]
    silent, silent_after = observed["no_answer_before"], observed["no_answer_after"]
    if observed["kept"] is None or before is None or after is None or silent is None or silent_after is None:
        return None
    return validity_split(before, after, 1 - silent, 1 - silent_after).to_dict()


def _present(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """A block over no items is no block."""
    if row is None or not row["items"]:
        return None
    return {**row, **{name: int(row[name]) for name in ("items", "tasks") if name in row}}


def _rows(columns: Columns, cells: int) -> list[dict[str, Any]]:
    """Turn columns into one dictionary per cell; NaN becomes None."""
    listed = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            missing = np.isnan(column)
            column = column.tolist()
            if missing.any():
                for place in np.flatnonzero(missing).tolist():
                    column[place] = None
        listed[name] = column
    names = list(listed)
    return [dict(zip(names, row, strict=True)) for row in zip(*listed.values(), strict=True)] or [{}] * cells


def _columns(level: Level, readings: Readings, bounds: dict[str, Bounds]) -> dict[str, Columns]:
    grouping, observed = level.grouping, readings.observed
    made = {
        "observed": {
            "items": observed.items(grouping),
            **{name: observed.mean(name, grouping) for name in _OBSERVED},
            **_ends(bounds["observed"]),
        },
        "chance": _chance_columns(level, readings, bounds["chance"]),
    }
    if readings.noise is not None:
        made["noise"] = _noise_columns(level, readings, bounds)
    if readings.soft is not None:
        soft = readings.soft
        made["soft"] = {
            "items": soft.items(grouping),
            "tasks": soft.tasks(grouping),
            **{name: soft.mean(name, grouping) for name in ("p_before", "p_after", "lost", "gained", "floor")},
            **_ends(bounds["soft"]),
        }
    return made


def _ends(bounds: Bounds) -> Columns:
    made = {}
    for direction in _DIRECTIONS:
        made[f"{direction}_low"], made[f"{direction}_high"] = bounds.interval(direction)
    return made


def _chance_columns(level: Level, readings: Readings, bounds: Bounds) -> Columns:
    grouping, reading = level.grouping, readings.chance.reading
    values = {name: reading.mean(name, grouping) for name in _CHANCE}
    return {
        "items": reading.items(grouping),
        "tasks": reading.tasks(grouping),
        **values,
        **_ends(bounds),
        **_of_known(level, readings, values["known_before"]),
    }


def _of_known(level: Level, readings: Readings, known: Array) -> Columns:
    """Loss as a share of what was known: a ratio of means, its interval that of the linearised items."""
    grouping, reading, atoms = level.grouping, readings.chance.reading, readings.chance.atoms
    place = np.maximum(grouping.cell, 0)
    made: Columns = {}
    # What is known to a rounding error is nothing: no share of it can be lost.
    positive = np.where(known > 1e-9, known, np.nan)
    made["lost_of_known"] = reading.mean("lost", grouping) / positive
    surely = reading.posterior("known_before", grouping, DIFFERENCE).quantile(0.025) > 0
    lows, highs = [], []
    for end in readings.chance.ends("lost"):
        ratio = reading.mean(end, grouping) / positive
        base, share = positive[place], ratio[place]
        units = reading.units
        values = (reading.values[end] - share[units.task] * reading.values["known_before"]) / base[units.task]
        moved = Atoms(atoms.positions / base[:, None] - share[:, None], atoms.masses)
        found = reading.posterior(values, grouping, moved)
        lows.append(ratio + np.minimum(found.quantile(0.025), 0.0))
        highs.append(ratio + np.maximum(found.quantile(0.975), 0.0))
    # Where not even something known is sure, a share of it may be anything.
    made["lost_of_known_low"] = np.where(surely, np.min(lows, axis=0), np.nan)
    made["lost_of_known_high"] = np.where(surely, np.max(highs, axis=0), np.nan)
    return made


def _noise_columns(level: Level, readings: Readings, bounds: dict[str, Bounds]) -> Columns:
    found, grouping = readings.noise, level.grouping
    assert found is not None
    reading = found.reading
    made: Columns = {
        "items": reading.items(grouping),
        "tasks": reading.tasks(grouping),
        "repeats_before": [found.repeats_before] * grouping.cells,
        "repeats_after": [found.repeats_after] * grouping.cells,
        "kind": [readings.repeat_kind] * grouping.cells,
        "floor_before": reading.mean("floor_before", grouping),
        "floor_after": reading.mean("floor_after", grouping),
        **{name: reading.mean(name, grouping) for name in _DIRECTIONS},
        **_ends(bounds["noise"]),
    }
    for name in _DIRECTIONS:
        made[f"{name}_at_least"] = reading.mean(f"{name}_at_least", grouping)
        made[f"{name}_at_most"] = found.at_most(name, grouping)
        made[f"{name}_at_least_low"] = bounds["noise_at_least"].interval(name)[0]
        high = bounds["noise_at_most"].interval(name)[1]
        made[f"{name}_at_most_high"] = np.clip(np.maximum(high, made[f"{name}_at_most"]), None, 1.0)
    whole = found.chance.items(grouping) >= ENOUGH * reading.items(grouping)  # the rule by which it decides
    for name in _DIRECTIONS:
        low, high = bounds["noise_chance"].interval(name)
        for column, values in (("", found.chance.mean(name, grouping)), ("_low", low), ("_high", high)):
            made[f"known_{name}{column}"] = np.where(whole, values, np.nan)
    return made


def _paper(readings: Readings, level: Level, members: list[int]) -> dict[str, Any] | None:
    """The published estimator of a cell: means over parts, seed by seed, then over seeds."""
    tasks, part = readings.tasks, level.grouping.part
    parts: dict[Any, list[dict[int, dict[str, float]]]] = {}
    for at in members:
        seeds = readings.paper.get(tasks[at].name)
        if seeds:
            parts.setdefault(at if part is None else int(part[at]), []).append(seeds)
    return _over_seeds(_seed_means([_seed_means(of) for of in parts.values()]))


def _seed_means(parts: Sequence[dict[int, dict[str, float]]]) -> dict[int, dict[str, float]]:
    """Unweighted mean over the parts, seed by seed, over the seeds that all of them have."""
    if not parts:
        return {}
    common = set(parts[0]).intersection(*parts[1:])
    return {seed: {name: fmean(part[seed][name] for part in parts) for name in _PAPER} for seed in sorted(common)}


def _over_seeds(seeds: dict[int, dict[str, float]]) -> dict[str, Any] | None:
    if not seeds:
        return None
    values = {name: [row[name] for row in seeds.values()] for name in _PAPER}
    several = len(seeds) > 1  # the spread of one seed is undefined, not 0
    return {
        "lost": fmean(values["lost"]),
        "gained": fmean(values["gained"]),
        "lost_sd": stdev(values["lost"]) if several else None,
        "gained_sd": stdev(values["gained"]) if several else None,
        "lost_max": fmean(values["lost_max"]),
        "gained_max": fmean(values["gained_max"]),
        "seeds": len(seeds),
    }
