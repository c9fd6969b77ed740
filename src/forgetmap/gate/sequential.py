"""A gate that stops as soon as its outcome is sure, fed with paired samples in a random order (statistics.md 4).

It fails once one limit is surely broken and passes once all are surely kept; what is open then is shown as open.

The order is drawn before anything is seen, from the items and a seed. It is kept here, so that samples in file order are
refused: the first items of a file are not a sample of the suite, and no bound would hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.sequential import SequentialTest
from forgetmap.gate.bets import LimitTest, stream_reading
from forgetmap.gate.check import nothing_fits
from forgetmap.gate.files import PolicyLike, load_policy
from forgetmap.gate.policy import Limit, fits
from forgetmap.gate.result import GateResult, RuleResult, Stop
from forgetmap.gate.samples import (
    Floats,
    PairedSample,
    SuiteItem,
    answers_frame,
    shuffled,
    suite_frame,
    suite_items,
    value_range,
    values_of,
)
from forgetmap.levels import Level, make_levels, place_tasks
from forgetmap.taxonomies import Taxonomy, load_taxonomy


class SequentialGate:
    """Holds paired samples against a policy as they come, and says when the outcome is sure.

    Parameters
    ----------
    policy : a YAML file, its content as a mapping, or a Policy; its reading must be auto, observed or chance.
    suite : every item that would be evaluated; `order` says in which order to do it.
    seed : of the order; the policy's by default.
    taxonomy : instead of the policy's, where that is the log's own.
    spellings : of a task: further names under which a limit may name it.
    noisy : tasks whose answers were drawn at random: what they gain may be re-run noise.

    Notes
    -----
    One limit that is surely broken decides the gate, as do all limits surely kept; `sequential: {until: limits}` in the
    policy goes on until every limit is decided. The bounds speak of this suite: after its last item they are its mean, and
    any limit is decided. They hold at every look, so one may look after each sample. Where a cell is a mean over tasks, an
    item of a small task counts for more. Wrong choices that are not on record count as the same choice, the end at which
    most is lost. Items without a chance reading are left out of a cell where they are few, as the suite tells beforehand.

    Examples
    --------
    >>> suite = [SuiteItem("sums", str(n), options=0) for n in range(2000)]
    >>> gate = SequentialGate({"limits": [{"level": "total", "lost": 0.05}]}, suite)
    >>> for item in gate.order:
    ...     if gate.update([PairedSample(item.task, item.id, before=1.0, after=1.0)]):
    ...         break
    >>> gate.passed, gate.seen < 200
    (True, True)
    """

    def __init__(
        self,
        policy: PolicyLike,
        suite: Iterable[SuiteItem] | pl.DataFrame,
        *,
        seed: int | None = None,
        taxonomy: Taxonomy | None = None,
        spellings: Mapping[str, Sequence[str]] | None = None,
        noisy: Collection[str] = (),
    ) -> None:
        self.policy = load_policy(policy)
        if self.policy.reading == "noise":
            raise UsageError(
                f"{self.policy.source}: reading is noise, but a sequential gate bets on single items; choose auto, chance or "
                "observed"
            )
        if self.policy.taxonomy == "log" and taxonomy is None:
            raise UsageError(
                f"{self.policy.source}: taxonomy is log, but a suite has no log; name a taxonomy or a file"
            )
        items = suite_frame(suite)
        if not items.height:
            raise UsageError("the suite holds no items; give at least one")
        self.seed = self.policy.sequential.seed if seed is None else seed
        self.seen = 0
        self._spellings = spellings or {}
        self._suite = shuffled(items, self.seed)
        places = taxonomy or load_taxonomy(self.policy.taxonomy or "post_forget")
        placed = place_tasks(sorted(items["task"].unique()), places)
        code = {task.name: place for place, task in enumerate(placed)}
        self._tasks: NDArray[np.int64] = self._suite["task"].replace_strict(code, return_dtype=pl.Int64).to_numpy()
        self._told = (self._suite["chance"] < 1).fill_null(False).to_numpy()
        self._noisy = np.array([task.name in noisy for task in placed])
        levels = make_levels(placed, self.policy.weight or places.weight, [True] * len(placed))
        # In the order of the policy; what is a result already, nothing can decide.
        self._rules: list[LimitTest | RuleResult] = []
        for limit in self.policy.limits:
            self._add(limit, next((level for level in levels if level.name == limit.level), None))

    def _add(self, limit: Limit, level: Level | None) -> None:
        cells = [] if level is None else level.cells
        fitting = [cell for cell in cells if limit.level == "total" or fits(limit.name, self._called(limit, cell[0]))]
        if level is None or not fitting:
            names = [name for name, _, _ in cells]
            self._rules += [nothing_fits(limit, measure, bar, names) for measure, bar in limit.limits()]
            return
        for name, _, members in fitting:
            inside = np.isin(self._tasks, members)
            items, told = int(inside.sum()), int((inside & self._told).sum())
            for measure, bar in limit.limits():
                noisy = bool(self._noisy[members].any())
                reading, note = stream_reading(measure, self.policy.reading, items, told, noisy=noisy)
                if reading is None:
                    self._rules.append(
                        RuleResult(
                            limit.label, level.name, name, measure, bar, None, None, None, None, items, False, reason=note
                        )
                    )  # fmt: skip
                    continue
                places = np.flatnonzero(inside & self._told if reading == "chance" else inside)
                factor = self._factor(level, places)
                tests = self._tests_of(measure, bar, reading, places, factor)
                self._rules.append(
                    LimitTest(limit, measure, bar, level.name, name, reading, note, places, factor, *tests)
                )

    def _factor(self, level: Level, places: NDArray[np.int64]) -> Floats:
        """What turns the mean over these items into the cell's mean: tasks may weigh alike, items come by their number."""
        if level.grouping.part is None:
            return np.ones(len(places))
        tasks = self._tasks[places]
        sizes = np.bincount(tasks, minlength=len(self._noisy)).astype(np.float64)
        return (level.grouping.weights(sizes > 0) * len(places) / np.maximum(sizes, 1.0))[tasks]

    def _called(self, limit: Limit, name: str) -> list[str]:
        return [name, *(self._spellings.get(name, ()) if limit.level == "task" else ())]

    def _tests_of(
        self, measure: str, bar: float, reading: str, places: NDArray[np.int64], factor: Floats
    ) -> tuple[SequentialTest, SequentialTest]:
        """One test to show that the mean is under the limit, one that it is over it.

        Each plans for a mean well away from the limit, half of it or twice. That changes how soon it decides, nothing else.
        """
        low, high = value_range(self._suite[places], measure, reading)
        bounds = (float((low * factor).min()), float((high * factor).max()))
        alpha, items = self.policy.sequential.alpha, len(places)
        twice = min(2 * bar, (bar + bounds[1]) / 2)
        return (
            SequentialTest(bar / 2, limit=bar, bounds=bounds, items=items, alpha=alpha),
            SequentialTest(bar, limit=twice, bounds=bounds, items=items, alpha=alpha),
        )

    @property
    def order(self) -> list[SuiteItem]:
        """Every item, in the order in which samples must come."""
        return suite_items(self._suite)

    @property
    def items(self) -> int:
        """Number of items of the suite."""
        return self._suite.height

    def update(self, samples: Iterable[PairedSample]) -> bool:
        """Take the next samples and return whether the gate is decided; `passed` says how."""
        rows = list(samples)
        due = self._suite[self.seen : self.seen + len(rows)]
        for place, (row, task, item) in enumerate(zip(rows, due["task"], due["id"], strict=False)):
            if (row.task, row.id) != (task, item):
                raise UsageError(
                    f"sample {self.seen + place + 1} is {row.task} {row.id}, but {task} {item} is due: samples must come in the "
                    "random order of the gate, not in that of a file"
                )
        if len(rows) > due.height:
            raise UsageError(
                f"{self.seen + len(rows):,} samples for a suite of {self.items:,} items: give each item once"
            )
        if rows:
            self.feed(answers_frame(rows).hstack(due.select("n_options", "n_gold", "chance")))
        return self.decided

    def feed(self, answers: pl.DataFrame) -> None:
        """Take the next rows of the suite: right, wrong, none, the same after, differ, lost, gained, and the options."""
        values = values_of(answers)
        for test in self._rules:
            if isinstance(test, LimitTest):
                test.take(values, self.seen)
        self.seen += answers.height

    @property
    def decided(self) -> bool:
        """Whether one may stop: the gate surely passes or fails or, `until: limits`, every limit is decided."""
        return self.decided_at is not None

    @property
    def passed(self) -> bool | None:
        """Whether every limit is kept; False as soon as one is not, None while that is open."""
        outcomes = self._outcomes()
        if any(outcome is not None and not outcome[0] for outcome in outcomes):
            return False
        return None if None in outcomes else True

    @property
    def decided_at(self) -> int | None:
        """After how many samples of the suite one could stop; None while one may not."""
        outcomes = self._outcomes()
        broken = [outcome[1] for outcome in outcomes if outcome is not None and not outcome[0]]
        if broken and self.policy.sequential.until == "gate":
            return min(broken)
        return None if None in outcomes else max(outcome[1] for outcome in outcomes if outcome is not None)

    def _outcomes(self) -> list[tuple[bool, int] | None]:
        """Of every limit: whether it is kept, and since which sample; what nothing can decide fails from the start."""
        return [(False, 0) if isinstance(rule, RuleResult) else rule.outcome for rule in self._rules]

    def rules(self) -> list[RuleResult]:
        """Return every limit as it stands now."""
        return [rule if isinstance(rule, RuleResult) else rule.result() for rule in self._rules]

    @property
    def stop(self) -> Stop:
        """How far the gate has looked."""
        return Stop(self.seen, self.items, self.seed, self.policy.sequential.alpha, self.decided)

    def result(self, **about: Any) -> GateResult:
        """Return the gate as it stands now: limits that are open neither pass nor fail."""
        unknown: dict[str, Any] = {
            "before": {"model": "before", "source": None},
            "after": {"model": "after", "source": None},
            "checks": [],
            "pairing": {},
        }
        return GateResult(**{**unknown, **about}, policy=self.policy, rules=self.rules(), sequential=self.stop)

    def __repr__(self) -> str:
        state = {True: "passed", False: "failed", None: "open"}[self.passed]
        return f"SequentialGate({state} after {self.seen} of {self.items} samples, {len(self._rules)} limits, seed {self.seed})"
