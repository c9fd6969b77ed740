"""Intervals of many cells at once, against drawing them; and a pair of the size of MMLU from saved runs to verdicts.

Targets: lost and gained of 20,000 tasks at every level, observed and chance, under 0.5 s; two runs of 14,042 items in 57
tasks compared, reading included, under 2 s.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from measure import in_fresh_process, line, report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "simulation"))

TASKS, ITEMS = 20_000, 200
DRAWS, DRAWN_CELLS = 200_000, 40


def many() -> None:
    """Time the intervals of all levels, and draw some of them."""
    from worlds import Population, World

    from forgetmap.evidence import Readings, bounds_of
    from forgetmap.levels import make_levels

    rng = np.random.default_rng(1)
    number = np.arange(TASKS)
    population = Population(options=((3, 1), (4, 1), (5, 2), (10, 1)), persistence=0.3, abstain=(0.05, 0.1))
    world = World.of(population.draw(TASKS, ITEMS, rng), of=number // 20, group=number // 2000)
    readings = world.read()
    levels = make_levels(world.tasks, "tasks", [True] * TASKS)

    def work(readings: Readings) -> list[float]:
        ends = []
        for level in levels:
            bounds = bounds_of(level, readings)
            for reading in ("observed", "chance"):
                for direction in ("lost", "gained"):
                    low, high = bounds[reading].interval(direction)
                    ends.append(float(np.sum(high - low)))
        return ends

    work(readings)
    start = time.perf_counter()
    drawn = _drawn(readings.chance, levels[0])
    seconds = (time.perf_counter() - start) / DRAWN_CELLS
    fresh = world.read()  # power sums are kept with the readings: they count
    report(lambda: work(fresh), off=drawn, draw=seconds)


def _drawn(chance: object, level: object) -> float:
    """The largest difference of an end from 200,000 draws of the Dirichlet, over some tasks."""
    reading, atoms = chance.reading, chance.atoms  # type: ignore[attr-defined]
    low, high = reading.posterior("lost", level.grouping, atoms).interval()  # type: ignore[attr-defined]
    off = 0.0
    for task in range(DRAWN_CELLS):
        mine = reading.units.task == task
        values = np.concatenate([reading.values["lost"][mine], atoms.positions[task]])
        masses = np.concatenate([reading.units.counts[mine], atoms.masses[task]])
        gammas = np.random.default_rng(task).standard_gamma(masses, size=(DRAWS, len(masses)))
        ends = np.quantile(gammas @ values / gammas.sum(axis=1), [0.025, 0.975])
        off = max(off, abs(ends[0] - low[task]), abs(ends[1] - high[task]))
    return off


def make(folder: str) -> None:
    from forgetmap.testing import plant

    planted = plant(14_042, tasks=57, options=4, persistence=0.3, abstain=(0.02, 0.02), seed=1)
    for side in ("before", "after"):
        getattr(planted, side).save(Path(folder) / side)
    report(lambda: planted.lost)


def pair(folder: str) -> None:
    import forgetmap as fm

    report(lambda: fm.compare(f"{folder}/before", f"{folder}/after").total.chance["lost"])


def main() -> None:
    found = in_fresh_process(__file__, "many")
    cells = f"{TASKS:,} tasks of {ITEMS} items, 4 levels: intervals"
    line(cells, f"{found['seconds']:.2f} s", "< 0.5 s", found["seconds"] < 0.5)
    drawn = 4 * TASKS * found["draw"]
    line(f"  the same by {DRAWS:,} draws each, from {DRAWN_CELLS} of them", f"{drawn:,.0f} s", "-", True)
    line(
        "  largest difference of an end from its draws",
        f"{100 * found['off']:.2f} points",
        "< 0.3 points",
        found["off"] < 0.003,
    )
    with tempfile.TemporaryDirectory() as folder:
        in_fresh_process(__file__, "make", folder, times=1)
        done = in_fresh_process(__file__, "pair", folder)
    line("14,042 items in 57 tasks, saved runs: compare", f"{done['seconds']:.2f} s", "< 2 s", done["seconds"] < 2)
    line("  peak memory", f"{done['peak_mb']:.0f} MB", "-", True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"many": many, "make": make, "pair": pair}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
