"""Scales: from values to coordinates, and the round values that an axis names."""

from __future__ import annotations

import math
from dataclasses import dataclass

_NOTHING = 1e-12


@dataclass(frozen=True)
class Scale:
    """A linear scale from values to coordinates."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round values from at or below `low` to at or above `high`, `most` + 1 of them or fewer; `most` is 2 or more.

    >>> ticks(0, 0.23, 5)
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"the ends of an axis are {low} and {high}; missing values must not be drawn")
    if high < low:
        low, high = high, low
    if high - low <= max(1e-9 * max(abs(low), abs(high)), _NOTHING):  # one value: the axis begins or ends at 0
        low, high = (0.0, 1.0) if max(abs(low), abs(high)) <= _NOTHING else (min(low, 0.0), max(high, 0.0))
    power = math.floor(math.log10((high - low) / most))
    for exponent in range(power, power + 3):
        for factor in (1, 2, 2.5, 5):
            step = factor * 10.0**exponent
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first <= most:
                # The decimals of the step, or the ticks would show what binary fractions are like.
                places = max(0, 1 - exponent)
                return [round(at * step, places) + 0.0 for at in range(first, last + 1)]
    raise AssertionError("a step of a hundredfold power holds any axis")


def percent_tick(value: float, step: float) -> str:
    """Return a tick in percent with as many decimals as its step needs.

    >>> percent_tick(0.05, 0.05), percent_tick(-0.0025, 0.0025)
    ('5', '−0.25')
    """
    places = next((n for n in range(4) if abs(round(step * 100, n) - step * 100) < 1e-9), 4)
    return f"{round(100 * value, places) + 0.0:.{places}f}".replace("-", "−")
