"""One limit on one cell, decided by bets on either side of it (statistics.md 4, "Sequential")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.sequential import SequentialTest
from forgetmap.gate.policy import Limit
from forgetmap.gate.result import RuleResult, limit_text, share
from forgetmap.gate.samples import Floats


@dataclass
class LimitTest:
    """One limit on one cell, and the bets on either side of it."""

    limit: Limit
    measure: str
    bar: float
    level: str
    name: str
    reading: str
    members: NDArray[np.bool_]  # of each task: whether it is in the cell
    factor: Floats  # of each task: what turns the mean over items into the cell's weighted mean
    places: NDArray[np.int64]  # where the cell's items stand in the order
    below: SequentialTest
    above: SequentialTest

    @property
    def column(self) -> str:
        """The value of a sample that the limit is on."""
        direction = self.measure.removesuffix("_at_least")
        return "net" if direction == "net" else f"{direction}_{self.reading}"

    def take(self, values: dict[str, Floats], tasks: NDArray[np.int64]) -> None:
        """Take the samples of the cell among the next ones of the suite."""
        inside = self.members[tasks]
        x = values[self.column][inside] * self.factor[tasks[inside]]
        if np.isnan(x).any():
            raise UsageError(
                f"a sample of {self.level} '{self.name}' is graded or has no options: give its items options=None, so that flips "
                "are counted as they are"
            )
        # Bets that went well for long are worth more than a float holds; infinitely much is right.
        with np.errstate(over="ignore"):
            self.below.update(x)
            self.above.update(x)

    @property
    def outcome(self) -> tuple[bool, int] | None:
        """Whether the limit is kept and after how many samples of the cell that was decided; None while it is not."""
        upper = self.measure != "gained_at_least"
        decided = [(self.below.within_at, upper), (self.above.lost_at, not upper)]
        # Where both fall at one look, the limit counts as broken.
        at, kept = min(((at, kept) for at, kept in decided if at is not None), default=(None, not upper))
        if at is not None:
            return kept, at
        # After the last item only a mean exactly at the limit is open: it is not under it.
        return (kept, self.below.n) if self.below.n == self.below.items else None

    def result(self) -> RuleResult:
        """Return the limit as it stands now."""
        kept = self.outcome
        with np.errstate(over="ignore"):
            low, high = self.above.summary().low, self.below.summary().high
        seen = self.below.n
        if kept is None:
            reason = f"undecided after {seen:,} of {len(self.places):,} samples: from {share(low)} to {share(high)}"
        elif self.measure == "gained_at_least":
            reason = f"less than {limit_text(self.bar)} is gained: at most {share(high)}"
        else:
            what = {"lost": "is lost", "gained": "is gained", "net": "is the drop of the score"}[self.measure]
            reason = f"{limit_text(self.bar)} or more {what}: at least {share(low)}"
        return RuleResult(
            rule=self.limit.label,
            level=self.level,
            name=self.name,
            measure=self.measure,
            limit=self.bar,
            estimate=self.below.estimate,
            low=low,
            high=high,
            reading="net" if self.measure == "net" else self.reading,
            items=len(self.places),
            passed=kept is not None and kept[0],
            reason=None if kept is not None and kept[0] else reason,
            seen=seen,
            decided_at=None if kept is None else int(self.places[kept[1] - 1]) + 1,
        )
