"""Power: how many items and repeats a loss needs to show, and the smallest loss that given ones can show (statistics.md 4).

`Shown` means what it means for a verdict: as often as the power says, the probability that no more than the margin was
lost is at most 5 %. The loss is counted in the reading that decides; false discoveries over many cells are not, unless
`cells` says how many are tested together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from forgetmap.errors import UsageError
from forgetmap.estimate.decide import FALSE_DISCOVERIES, MARGIN, MARGIN_WITH_FLOOR, check_margin
from forgetmap.estimate.intervals import FEW, Posteriors, sampling_factor
from forgetmap.estimate.units import Array
from forgetmap.estimate.worlds import MOST_REPEATS, CellWorld, Mixture, Points, Stratum, World

#: How often the loss shall show, if it is there.
POWER = 0.8
#: More items than these nobody has.
MOST_ITEMS = 10**9


@dataclass(frozen=True)
class Plan:
    """Items, repeats and the loss they show; what was asked for is None where nothing can give it."""

    asked: str  # items, loss or repeats
    loss: float | None
    items: int | None
    repeats: int | None
    reading: str  # what decides: chance, noise or net
    margin: float
    power: float
    cells: int
    world: World | CellWorld = field(repr=False)
    why: str | None = None  # why there is no answer

    def to_dict(self) -> dict[str, Any]:
        """Return what can be written down, with what was assumed."""
        made = {name: value for name, value in vars(self).items() if name != "world"}
        tasks = self.world.tasks if isinstance(self.world, CellWorld) else (Mixture(((self.world, 1.0),)),)
        parts = [(task.share * share, world) for task in tasks for world, share in task.parts]
        return {**made, "assumed": [{"share": share, **vars(world)} for share, world in parts]}

    def __repr__(self) -> str:
        told = {
            "loss": None if self.loss is None else f"{self.loss:.2%}",
            "items": None if self.items is None else f"{self.items:,}",
            "repeats": self.repeats,
        }
        found = f"none, {self.why}" if told[self.asked] is None else told[self.asked]
        rest = ", ".join(f"{name} {value}" for name, value in told.items() if name != self.asked)
        return f"Plan({self.asked}: {found}; {rest}, {self.reading} reading, margin {self.margin:.1%}, power {self.power:.0%})"


def items_needed(
    loss: float,
    world: World | CellWorld | None = None,
    *,
    margin: float | None = None,
    power: float = POWER,
    cells: int = 1,
) -> Plan:
    """Return how many items it takes to show a loss, 30 at the least.

    Parameters
    ----------
    loss : share of all items that were known before and are not after; more than the margin.
    world : what is assumed about items and models.
    margin : the loss that does not matter; default 0.01 with repeats, else 0.02.
    power : how often the loss shall show, if it is there.
    cells : number of cells tested together. Each is then tested at 5 % / cells, which is stricter than the control of false
        discoveries that verdicts use.

    Examples
    --------
    >>> items_needed(0.05, World(options=0))
    Plan(items: 211; loss 5.00%, repeats 1, chance reading, margin 2.0%, power 80%)
    """
    plan = replace(_plan("items", world, margin, power, cells), loss=loss)
    _check_loss(loss, plan)
    read = sum(part.weight * value * p for part in plan.world.strata(loss) for value, p in part.values)
    if read <= plan.margin:  # lucky guesses hide a part of the loss where they are not removed
        return replace(plan, why=f"it would read as {read:.3g}, which is no more than the margin of {plan.margin:g}")
    low, high = FEW - 1, FEW
    while not _shows(plan, loss, high):
        low, high = high, 2 * high
        if high > MOST_ITEMS:
            return replace(plan, why=f"more than {MOST_ITEMS:,} items would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _shows(plan, loss, middle) else (middle, high)
    return replace(plan, items=high)


def detectable_loss(
    items: float,
    world: World | CellWorld | None = None,
    *,
    margin: float | None = None,
    power: float = POWER,
    cells: int = 1,
) -> Plan:
    """Return the smallest loss that so many items show; parameters as of `items_needed`.

    `items` may be a fraction: a mean over tasks of different size is as certain as some number of items.

    Examples
    --------
    >>> detectable_loss(1000)
    Plan(loss: 5.49%; items 1,000, repeats 1, chance reading, margin 2.0%, power 80%)
    """
    _check_items(items)
    plan = replace(_plan("loss", world, margin, power, cells), items=round(items))
    most = plan.world.most
    if most <= plan.margin:
        return replace(plan, why="no more is known than the margin, so that no larger loss is possible")
    if not _shows(plan, most, items):
        return replace(plan, why="not even the loss of all that is known would show")
    low, high = plan.margin, most
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if _shows(plan, middle, items) else (middle, high)
    return replace(plan, loss=high)


def repeats_needed(
    loss: float,
    items: float,
    world: World | None = None,
    *,
    margin: float | None = None,
    power: float = POWER,
    cells: int = 1,
) -> Plan:
    """Return how many answers per item it takes to show a loss in so many items; parameters as of `items_needed`.

    Repeats average re-run noise away, and nothing else: where lost items and lucky guesses are too few or too many to
    tell, no number of repeats helps.

    Examples
    --------
    >>> repeats_needed(0.05, 1000).repeats, repeats_needed(0.03, 1000).why
    (2, 'not even 64 repeats are enough: there are too few items')
    """
    assumed = world or World()

    def plan(repeats: int) -> Plan:
        made = _plan("repeats", replace(assumed, repeats=repeats), margin, power, cells)
        return replace(made, loss=loss, items=round(items))

    def enough(repeats: int) -> bool:
        made = plan(repeats)
        return made.margin < loss <= made.world.most and _shows(made, loss, items)

    _check_items(items)
    _check_loss(loss, plan(2))
    if enough(1):
        return plan(1)
    if not enough(MOST_REPEATS):
        why = f"not even {MOST_REPEATS} repeats are enough: there are too few items"
        return replace(plan(MOST_REPEATS), repeats=None, why=why)
    low, high = 1, MOST_REPEATS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return plan(high)


def usual_margin(world: World | CellWorld) -> float:
    """Return the margin that a comparison takes when nobody sets one: smaller where repeats measure a noise floor."""
    return MARGIN_WITH_FLOOR if world.reading == "noise" else MARGIN


def _plan(asked: str, world: World | CellWorld | None, margin: float | None, power: float, cells: int) -> Plan:
    """A plan that lacks its answer."""
    check_margin(margin)
    if not 0.5 <= power < 1:
        raise UsageError(f"power is {power:g}; it must be a share from 0.5 to below 1, e.g. 0.8")
    if not 1 <= cells <= 10**6:
        raise UsageError(f"cells is {cells}; it must be a whole number from 1 to 1,000,000")
    world = world or World()
    margin = usual_margin(world) if margin is None else margin
    return Plan(asked, None, None, world.repeats, world.reading, margin, power, cells, world)


def _check_items(items: float) -> None:
    if not 1 <= items <= MOST_ITEMS:
        raise UsageError(f"items is {items:g}; it must be a number from 1 to {MOST_ITEMS:,}")


def _check_loss(loss: float, plan: Plan) -> None:
    if not 0 < loss <= 1:
        raise UsageError(f"loss is {loss:g}; it must be a share above 0 and at most 1, e.g. 0.03 for three points")
    if loss <= plan.margin:
        raise UsageError(
            f"a loss of {loss:g} cannot be told from a margin of {plan.margin:g}; plan for a larger loss or a smaller margin"
        )
    if loss > plan.world.most:
        raise UsageError(
            f"a loss of {loss:g} is more than the {plan.world.most:g} that is known before; plan for a smaller loss"
        )


def _shows(plan: Plan, loss: float, items: float) -> bool:
    """Whether the loss shows as often as the plan's power says.

    Of the estimates which this loss gives, the one at the (1 − power) quantile is looked at, and the items that go with
    it: given the mean of a sample, its other moments are those of the values tilted towards that mean. The lower end of
    their posterior is held against the margin, as a verdict would.
    """
    strata = plan.world.strata(loss)
    drawn = [_Spread.of(stratum.values, stratum.share * items) for stratum in strata]
    cumulants = _weigh((part.of_mean() for part in drawn), strata)
    lean = (_quantile(cumulants, 1 - plan.power) - cumulants[0]) / cumulants[1]
    seen = [part.tilted(lean * stratum.weight / part.mass) for part, stratum in zip(drawn, strata, strict=True)]
    posterior = _weigh((part.of_posterior(stratum) for part, stratum in zip(seen, strata, strict=True)), strata)
    return _quantile(posterior, FALSE_DISCOVERIES / plan.cells) >= plan.margin


Cumulants = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Spread:
    """Values, their shares, and the number of items."""

    values: Array
    shares: Array
    mass: float

    @staticmethod
    def of(points: Points, items: float) -> _Spread:
        values, shares = np.array([*points, (0.0, 0.0)]).T
        shares[-1] = 1 - shares.sum()
        return _Spread(values, shares, items)

    def moments(self) -> Cumulants:
        """Mean and central moments; where every item is lost nothing varies, and nothing may be divided by 0."""
        mean = float(self.shares @ self.values)
        second, third, fourth = (float(self.shares @ (self.values - mean) ** power) for power in (2, 3, 4))
        return mean, max(second, 1e-12), third, fourth

    def of_mean(self) -> Cumulants:
        """Cumulants of the mean of so many items."""
        mean, m2, m3, m4 = self.moments()
        n = self.mass
        return mean, m2 / n, m3 / n**2, (m4 - 3 * m2**2) / n**3

    def tilted(self, lean: float) -> _Spread:
        """The values that go with another mean, to first order of exponential tilting."""
        shares = np.maximum(self.shares * (1 + lean * (self.values - self.moments()[0])), 0.0)
        return _Spread(self.values, shares / shares.sum(), self.mass)

    def of_posterior(self, stratum: Stratum) -> Cumulants:
        """Cumulants of the Dirichlet mean over the items and the prior atoms, of which a task gets its weight."""
        places, masses = np.array(stratum.atoms).T
        weights = np.append(self.mass * self.shares, stratum.weight * masses)
        whole = float(weights.sum())
        centre, m2, m3, m4 = _Spread(np.append(self.values, places), weights / whole, whole).moments()
        variance = m2 / (whole + 1)
        moment4 = (6 * m4 + 3 * whole * m2**2) / ((whole + 1) * (whole + 2) * (whole + 3))
        third, fourth = 2 * m3 / ((whole + 1) * (whole + 2)), moment4 - 3 * variance**2
        tasks = 2 if stratum.weight < 1 else 1  # one of several, however many
        wider = float(sampling_factor(np.array([float(self.mass)]), np.array([tasks]))[0])
        return centre, variance * wider, third * wider**1.5, fourth * wider**2


def _weigh(parts: Iterable[Cumulants], strata: Sequence[Stratum]) -> Cumulants:
    """Cumulants of the weighted sum of independent means."""
    rows = [
        [c * stratum.weight**power for power, c in enumerate(part, 1)]
        for part, stratum in zip(parts, strata, strict=True)
    ]
    mean, variance, third, fourth = (sum(column) for column in zip(*rows, strict=True))
    return mean, variance, third, fourth


def _quantile(cumulants: Cumulants, p: float) -> float:
    one = np.ones(1)
    mean, variance, third, fourth = (cumulant * one for cumulant in cumulants)
    return float(Posteriors(mean, one, one, (mean, variance, third, fourth), {}).quantile(p)[0])
