"""One limit on one cell, decided by bets on either side of it (statistics.md 4, "Sequential")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.sequential import SequentialTest
from forgetmap.gate.bounds import ENOUGH
from forgetmap.gate.policy import Limit
from forgetmap.gate.result import RuleResult, ends, limit_text, share
from forgetmap.gate.samples import Floats
from forgetmap.report.plain import number


def stream_reading(measure: str, asked: str, items: int, told: int, *, noisy: bool = False) -> tuple[str | None, str]:
    """Return the reading that a stream of a cell's items is held under, and what to know of it; None if there is none.

    Parameters
    ----------
    items, told : the cell's items, and how many of them have a chance reading.
    noisy : whether the same model would have flipped items too, as answers were drawn at random.

    >>> stream_reading("lost", "auto", 1000, 998)
    ('chance', '2 of 1,000 items have no chance reading and are left out')
    >>> stream_reading("lost", "auto", 1000, 900)[0], stream_reading("lost", "chance", 1000, 900)[0]
    ('observed', None)
    """
    if measure == "net":
        return "net", ""
    if asked == "observed":
        return "observed", ""
    part = f"only {told:,} of {items:,} items have a chance reading" if told else "no item has a chance reading"
    enough = told > 0 and told >= ENOUGH * items
    if asked == "chance" and not enough:
        return None, f"{part}; choose reading: auto or observed"
    if asked == "auto" and measure == "gained_at_least":
        # Every doubt goes to the side of the larger loss: flips that may be luck or noise are no gain.
        if noisy:
            return None, "re-run noise counts as gained in a stream, and that shows no gain; leave --sequential out"
        if not enough:
            return None, f"{part}, and flips that may be luck show no gain; choose reading: observed"
    if not enough:
        return "observed", f"{part}: all items that flipped count, lucky ones too"
    left_out = items - told
    verbs = ("has", "is") if left_out == 1 else ("have", "are")
    said = f"{left_out:,} of {number(items, 'item')} {verbs[0]} no chance reading and {verbs[1]} left out"
    return "chance", said if left_out else ""


@dataclass
class LimitTest:
    """One limit on one cell, and the bets on either side of it."""

    limit: Limit
    measure: str
    bar: float
    level: str
    name: str
    reading: str
    note: str
    places: NDArray[np.int64]  # where the cell's items stand in the order
    factor: Floats  # of each of them: what turns the mean over items into the cell's weighted mean
    below: SequentialTest
    above: SequentialTest

    @property
    def column(self) -> str:
        """The value of a sample that the limit is on."""
        return "net" if self.measure == "net" else f"{self.measure.removesuffix('_at_least')}_{self.reading}"

    def take(self, values: dict[str, Floats], start: int) -> None:
        """Take the samples of the cell among the next ones of the suite, which follow on `start` others."""
        found = values[self.column]
        due = slice(*np.searchsorted(self.places, [start, start + len(found)]))
        x = found[self.places[due] - start] * self.factor[due]
        if np.isnan(x).any():
            raise UsageError(
                f"a sample of {self.level} '{self.name}' is graded or has no options: give its items options=None, so that flips "
                "are counted as they are"
            )
        self.below.update(x)
        self.above.update(x)

    @property
    def outcome(self) -> tuple[bool, int] | None:
        """Whether the limit is kept and after how many samples of the suite that was decided; None while it is not."""
        upper = self.measure != "gained_at_least"
        decided = [(self.below.within_at, upper), (self.above.lost_at, not upper)]
        # Where both fall at one look, the limit counts as broken.
        at, kept = min(((at, kept) for at, kept in decided if at is not None), default=(None, not upper))
        if at is None and self.below.n == self.below.items:
            at = self.below.n  # after the last item only a mean exactly at the limit is open: it is not under it
        return None if at is None else (kept, int(self.places[at - 1]) + 1)

    def result(self) -> RuleResult:
        """Return the limit as it stands now."""
        kept, decided_at = self.outcome or (None, None)
        seen = self.below.n
        # Before the first item the bounds would only say which values an item can have.
        low, high = (self.above.summary().low, self.below.summary().high) if seen else (None, None)
        return RuleResult(
            rule=self.limit.label,
            level=self.level,
            name=self.name,
            measure=self.measure,
            limit=self.bar,
            estimate=self.below.estimate,
            low=low,
            high=high,
            reading=self.reading,
            items=len(self.places),
            passed=kept,
            reason=None if kept else self._open(low, high, seen) if kept is None else self._broken(low, high),
            note=self.note or None,
            seen=seen,
            decided_at=decided_at,
        )

    def _open(self, low: float | None, high: float | None, seen: int) -> str:
        if not seen:
            return "open: none of its samples was looked at"
        return f"open: from {' to '.join(ends(low, high))} after {number(seen, 'sample')}"

    def _broken(self, low: float | None, high: float | None) -> str:
        if self.measure == "gained_at_least":
            return f"less than {limit_text(self.bar)} is gained: at most {share(high)}"
        what = {"lost": "is lost", "gained": "is gained", "net": "is the drop of the score"}[self.measure]
        return f"{limit_text(self.bar)} or more {what}: at least {share(low)}"
