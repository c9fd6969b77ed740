"""What decides a cell: which reading speaks there, with which margin, and what it says (statistics.md 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.decoding import decoding
from forgetmap.estimate import decide
from forgetmap.estimate.chance import Chance, read_chance
from forgetmap.estimate.intervals import DIFFERENCE, RATE, Posteriors
from forgetmap.estimate.noise import Noise, choices_tell, read_noise
from forgetmap.estimate.paper import estimate_paper
from forgetmap.estimate.reading import Reading
from forgetmap.estimate.soft import read_soft
from forgetmap.estimate.transitions import read_transitions
from forgetmap.estimate.units import Array
from forgetmap.hygiene import task_warnings
from forgetmap.levels import Level, PlacedTask, place_tasks
from forgetmap.pairing import Pair
from forgetmap.repeats import repeat_kind
from forgetmap.taxonomies import Taxonomy

READINGS = ("auto", "observed", "noise", "chance", "soft", "paper")

#: Shares of a cell's items that a reading must cover to speak for the cell.
ENOUGH = 0.95
_MOST = 0.5  # the chance reading may speak of a part, which is then marked
#: A deterministic re-run has floor 0 and proves nothing; other repeats measure one.
_FLOOR_KINDS = ("seed", "prompt", "order", "format")


@dataclass(frozen=True)
class Readings:
    """Every reading of a pair, lined up by task."""

    tasks: Sequence[PlacedTask]
    observed: Reading
    chance: Chance
    noise: Noise | None
    soft: Reading | None
    paper: dict[str, dict[int, dict[str, float]]]  # by task and seed
    repeat_kind: str | None
    sampled: NDArray[np.bool_]  # tasks whose answers were drawn at random
    single: bool  # one answer per item and side

    @property
    def floor_measured(self) -> bool:
        """Whether repeats on both sides tell how much a re-run moves."""
        return self.noise is not None and not self.noise.one_sided and (self.rewording_measured or self.noise.disagrees)

    @property
    def rewording_measured(self) -> bool:
        """Whether they are more than re-runs of deterministic decoding, which say nothing about another wording."""
        return all(kind in _FLOOR_KINDS for kind in (self.repeat_kind or "").split(" / "))


def read_pair(pair: Pair, taxonomy: Taxonomy) -> tuple[Readings, list[str]]:
    """Return every reading of a pair, and what must be said about them."""
    return read_tasks(pair, place_tasks(sorted(pair.patterns["task"].unique()), taxonomy), taxonomy)


def read_tasks(pair: Pair, tasks: Sequence[PlacedTask], taxonomy: Taxonomy) -> tuple[Readings, list[str]]:
    """The same with the tasks in places of one's own."""
    names = [task.name for task in tasks]
    corrected = read_chance(pair, names)
    published: dict[str, dict[int, dict[str, float]]] = {}
    for row in estimate_paper(pair, taxonomy):
        published.setdefault(row["task"], {})[row["seed"]] = row
    noisy = read_noise(pair, names, corrected.excluded)
    kinds = [repeat_kind(run) for run in (pair.before, pair.after)] if noisy is not None else []
    kind = " / ".join(dict.fromkeys(kind for kind in kinds if kind)) or None
    sampled, warnings = _decoding(pair, names, _disagreeing(pair))
    readings = Readings(
        tasks, read_transitions(pair, names), corrected, noisy, read_soft(pair, names), published, kind, sampled,
        single=noisy is None and "floor" not in pair.patterns.columns,
    )  # fmt: skip
    if sampled.any() and not readings.floor_measured:
        many = f"{int(sampled.sum())} of {len(names)} tasks" if len(names) > 1 else "the task"
        warnings.append(
            f"answers were sampled in {many} and there are no repeats of all items on both sides: gross movement cannot be "
            "told from re-run noise, so verdicts there rest on the net change"
        )
    if noisy is not None and noisy.one_sided:
        warnings.append("one side has no repeats: the other side's noise floor stands for both")
    if noisy is not None and not readings.rewording_measured:
        warnings.append("repeats are re-runs of deterministic decoding: their floor proves nothing about rewording")
    if kind is not None and " / " in kind:
        warnings.append(f"repeats differ in kind before and after ({kind}): the two floors measure different things")
    if noisy is not None and not noisy.one_sided and _ties_unsolved(pair):
        warnings.append(
            "items have prompts in common before and after, but not the same three or more: where wrong choices do not tell, "
            "what was lost at least reads too low; ask both sides with the same wordings, three or more"
        )
    return readings, [*corrected.warnings, *warnings, *task_warnings(pair)]


def _ties_unsolved(pair: Pair) -> bool:
    """Whether answers to one prompt move together in a way that the bound of the loss cannot be freed of."""
    if "shared" not in pair.patterns.columns:
        return False
    tied = (pl.col("tied_right").abs() > 0) & ~(pl.col("shared") >= 3).fill_null(False)
    return bool(pair.patterns.select((tied & ~choices_tell().fill_null(False)).any()).item())


def _disagreeing(pair: Pair) -> set[str]:
    """Tasks whose repeats do not agree with themselves: whatever the log says, their answers were drawn."""
    if "floor" not in pair.patterns.columns:
        return set()
    drawn = pair.patterns.filter((pl.col("floor") > 0) | (pl.col("floor_after") > 0))
    return set(drawn["task"].unique())


def _decoding(pair: Pair, names: Sequence[str], drawn: set[str]) -> tuple[NDArray[np.bool_], list[str]]:
    found = {
        choice.task: {
            decoding(pair.before, choice.before.task, choice.before),
            decoding(pair.after, choice.after.task, choice.after),
        }
        for choice in pair.choices
    }
    unknown = [name for name in names if None in found[name] and "sampled" not in found[name] and name not in drawn]
    sampled = np.array(["sampled" in found[name] or name in drawn for name in names], dtype=bool)
    if not unknown:
        return sampled, []
    where = "the logs do" if len(unknown) == len(names) else f"{', '.join(unknown[:5])}{_more(unknown, 5)}: the logs do"
    return sampled, [f"{where} not say whether answers were sampled: taken as deterministic"]


def _more(names: Sequence[str], shown: int) -> str:
    return f" and {len(names) - shown} more" if len(names) > shown else ""


@dataclass(frozen=True)
class Bounds:
    """Lost and gained of the cells of a level under one reading: posteriors at the ends of what is not known."""

    lost: list[Posteriors]
    gained: list[Posteriors]

    def interval(self, direction: str) -> tuple[Array, Array]:
        """Return the hull of the intervals."""
        ends = [found.interval() for found in getattr(self, direction)]
        return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)

    def tail(self, direction: str, margin: Array) -> Array:
        """Return the largest probability that no more than the margin moved."""
        tails: Array = np.max([found.tail(margin) for found in getattr(self, direction)], axis=0)
        return tails


def bounds_of(level: Level, readings: Readings) -> dict[str, Bounds]:
    """Return what every reading with intervals says of the cells of a level."""
    grouping, observed, corrected = level.grouping, readings.observed, readings.chance
    made = {
        "observed": Bounds(*([observed.posterior(name, grouping, RATE)] for name in ("lost", "gained"))),
        "chance": Bounds(
            *(
                [corrected.reading.posterior(end, grouping, corrected.atoms) for end in corrected.ends(direction)]
                for direction in ("lost", "gained")
            )
        ),
    }
    if readings.soft is not None:
        made["soft"] = Bounds(*([readings.soft.posterior(name, grouping, RATE)] for name in ("lost", "gained")))
    found = readings.noise
    if found is not None:
        directions = ("lost", "gained")
        made["noise"] = Bounds(*([found.reading.posterior(name, grouping, DIFFERENCE)] for name in directions))
        made["noise_at_least"] = Bounds(
            *([found.reading.posterior(f"{name}_at_least", grouping, DIFFERENCE)] for name in directions)
        )
        made["noise_at_most"] = Bounds(*([found.at_most_posterior(name, grouping)] for name in directions))
        made["noise_chance"] = Bounds(*([found.chance.posterior(name, grouping, found.atoms)] for name in directions))
    return made


@dataclass(frozen=True)
class Judged:
    """The evidence of every cell of a level, and what gave it."""

    evidence: decide.Evidence
    reading: list[str]  # noise, chance, observed or net
    form: list[str | None]  # of noise: chance or observed
    margin: Array
    p_net: Array


def judge(level: Level, readings: Readings, bounds: dict[str, Bounds], reading: str, margin: float | None) -> Judged:
    """Return the evidence of a level.

    Repeats on both sides: noise, in its chance-corrected form where choices exist. None and deterministic decoding:
    chance. Else, or where the number of options is unknown: the net change only, because without repeats gross movement
    cannot be told from re-run noise.
    """
    grouping, observed = level.grouping, readings.observed
    items = observed.items(grouping)
    usable = ~np.isnan(observed.mean("acc_before", grouping))
    sampled = grouping.total((readings.sampled & (observed.units.items > 0)).astype(float)) > 0

    def covers(one: Reading) -> NDArray[np.bool_]:
        return usable & (one.items(grouping) >= ENOUGH * items)

    no = np.zeros(grouping.cells, dtype=bool)
    floor = covers(readings.noise.reading) if readings.noise is not None and readings.floor_measured else no
    told = covers(readings.noise.chance) & floor if readings.noise is not None else no
    has_chance = usable & (readings.chance.reading.items(grouping) >= _MOST * items)
    # Gross movement of sampled answers holds re-run noise, whatever reading is asked for: the floor is then taken off.
    floored = floor if reading not in ("observed", "chance") else floor & sampled
    masks = {
        "noise_chance": floored & told if reading != "observed" else no,
        "noise": floored,
        "observed": usable & ~sampled if reading == "observed" else no,
        "chance": has_chance & ~sampled if reading != "observed" else no,
        "net": usable,
    }
    margins = np.full(grouping.cells, decide.MARGIN if margin is None else margin)
    if margin is None:
        margins = np.where(floor & readings.rewording_measured, decide.MARGIN_WITH_FLOOR, margins)
    net = observed.posterior("net", grouping, DIFFERENCE)
    weighed: dict[str, decide.Evidence] = {}
    one = np.ones(grouping.cells)
    top = readings.chance.reading.mean("top", grouping)
    for name in ("observed", "chance", "noise", "noise_chance"):
        if name in bounds:
            weighed[name] = _weigh(
                bounds, name, margins, np.where(np.isnan(top), 1.0, top) if "chance" in name else one
            )
    weighed["net"] = _weigh_net(net, bounds["observed"], margins)
    names = [name for name in masks if name in weighed]
    chosen = [masks[name] for name in names]
    evidence = decide.Evidence(
        *(
            decide.pick(chosen, [getattr(weighed[name], part) for name in names])
            for part in ("p_lost", "p_gained", "high_lost", "high_gained", "detectable")
        )
    )
    first = np.select(chosen, np.arange(len(names)).tolist(), default=len(names) - 1)
    which = [names[place] for place in first.tolist()]
    forms: list[str | None] = [{"noise_chance": "chance", "noise": "observed"}.get(name) for name in which]
    return Judged(
        evidence, [name.removesuffix("_chance") for name in which], forms, margins, _p_net(net, level, readings)
    )


def _weigh(bounds: dict[str, Bounds], name: str, margin: Array, worth: Array) -> decide.Evidence:
    found = bounds[name]
    tails = [found.tail(direction, margin) for direction in ("lost", "gained")]
    if name == "noise":  # a verdict needs what was lost at least; grades have no such bound, and their excess decides
        for place, direction in enumerate(("lost", "gained")):
            sure = bounds["noise_at_least"].tail(direction, margin)
            tails[place] = np.where(np.isnan(sure), tails[place], sure)
    least = decide.smallest_detectable(found.lost[0], margin, worth)
    highs = [found.interval(direction)[1] for direction in ("lost", "gained")]
    if name.startswith("noise"):  # the excess may be small where much moved both ways: steady needs the most
        most = [bounds["noise_at_most"].interval(direction)[1] for direction in ("lost", "gained")]
        highs = [np.fmax(high, end) for high, end in zip(highs, most, strict=True)]
    return decide.Evidence(tails[0], tails[1], highs[0], highs[1], least)


def _weigh_net(net: Posteriors, gross: Bounds, margin: Array) -> decide.Evidence:
    least = decide.smallest_detectable(net, margin, np.ones(len(margin)))
    highs = gross.interval("lost")[1], gross.interval("gained")[1]
    return decide.Evidence(net.tail(margin), 1 - net.tail(-margin), *highs, least)


def _p_net(net: Posteriors, level: Level, readings: Readings) -> Array:
    """Exact McNemar for one answer per side where every item weighs alike; else the tail of the net's own posterior."""
    p = net.two_sided()
    units, values = readings.observed.units, readings.observed.values
    if not readings.single or units.clusters is not None:
        return p
    binary = ~np.isnan(units.means(values["kept"]))
    alike = level.grouping.part is None
    moved = [units.total(units.counts * np.nan_to_num(values[name])) for name in ("lost", "gained")]
    lost, gained = (level.grouping.total(count) for count in moved)
    for place, (_, _, members) in enumerate(level.cells):
        if (alike or len(members) == 1) and binary[members].all():
            p[place] = decide.mcnemar(round(lost[place]), round(gained[place]))
    return p
