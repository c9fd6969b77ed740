"""The gate: two runs held against a policy. A limit is kept only if the bound of the loss is under it."""

from __future__ import annotations

from typing import Any

from forgetmap.cells import Cell
from forgetmap.gate.bounds import Bound, net_bounds, read_bound
from forgetmap.gate.checks import check_runs, count
from forgetmap.gate.files import PolicyLike, load_policy
from forgetmap.gate.policy import Limit, Policy, fits
from forgetmap.gate.result import GateResult, RuleResult, limit_text, share
from forgetmap.map import ForgettingMap, RunLike, compare


def check_gate(before: RunLike, after: RunLike, policy: PolicyLike, **options: Any) -> GateResult:
    """Return whether an after-run passes a policy, and why not.

    Parameters
    ----------
    before, after : runs, or paths in any readable format.
    policy : a YAML file, its content as a mapping, or a Policy.
    options : scorer, metric, threshold and scale, as `compare` takes them.

    Notes
    -----
    Passing needs evidence: few items, no repeats or unknown options fail a limit rather than pass it.
    """
    rules = load_policy(policy)
    # Too little coverage is a reason to fail, said beside the others, not an error.
    found = compare(
        before,
        after,
        reading=rules.reading,
        margin=rules.margin,
        taxonomy=rules.taxonomy,
        weight=rules.weight,
        tasks=rules.task_glob,
        check_scorers=False,
        **{**options, "force": True},
    )
    return gate_map(found, rules)


def gate_map(found: ForgettingMap, policy: Policy) -> GateResult:
    """Return whether a map passes a policy; the map must have been made with the policy's options."""
    pair = found.pair
    nets = net_bounds(found)
    return GateResult(
        before=pair.before.summary(),
        after=pair.after.summary(),
        policy=policy,
        rules=[result for limit in policy.limits for result in _rules(found, limit, policy, nets)],
        checks=check_runs(pair, policy, count(pair, policy)),
        pairing=pair.pairing.to_dict(),
        warnings=found.warnings,
    )


def _rules(found: ForgettingMap, limit: Limit, policy: Policy, nets: list[Bound]) -> list[RuleResult]:
    cells = [(cell, net) for cell, net in zip(found.cells, nets, strict=True) if _fits(limit, cell, found)]
    if not cells:
        return [
            nothing_fits(limit, measure, value, [c.name for c in found.at(limit.level)])
            for measure, value in limit.limits()
        ]
    return [
        _rule(limit, cell, measure, value, net if measure == "net" else _bound(cell, measure, policy.reading))
        for cell, net in cells
        for measure, value in limit.limits()
    ]


def _fits(limit: Limit, cell: Cell, found: ForgettingMap) -> bool:
    if cell.level != limit.level:
        return False
    names = [cell.name]
    if cell.level == "task":
        names += [run.info.task_names.get(cell.name, cell.name) for run in (found.pair.before, found.pair.after)]
    return limit.level == "total" or fits(limit.name, names)


def _bound(cell: Cell, measure: str, reading: str) -> Bound:
    if measure != "gained_at_least":
        return read_bound(cell, measure, reading)
    bound = read_bound(cell, "gained", reading)
    if reading == "auto" and bound.note and "observed" in (bound.reading or ""):  # flips may be luck
        return Bound(
            None, bound.estimate, None, None, f"{bound.note}, and that shows no gain; choose reading: observed"
        )
    return bound


def nothing_fits(limit: Limit, measure: str, value: float, names: list[str]) -> RuleResult:
    """A limit that speaks of nothing was meant to speak of something: it fails."""
    there = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    said = f"there are: {there}" if names else f"the taxonomy has no {limit.level}"
    reason = f"no {limit.level} fits '{limit.name}'; {said}"
    return RuleResult(
        limit.label, limit.level, limit.name, measure, value, None, None, None, None, 0, False, reason=reason
    )


def _rule(limit: Limit, cell: Cell, measure: str, value: float, bound: Bound) -> RuleResult:
    passed, reason = hold(measure, value, bound)
    return RuleResult(
        rule=limit.label,
        level=cell.level,
        name=cell.name,
        measure=measure,
        limit=value,
        estimate=bound.estimate,
        low=bound.low,
        high=bound.high,
        reading=bound.reading,
        items=cell.items,
        passed=passed,
        verdict=cell.verdict,
        reason=reason,
        note=bound.note if passed or reason != bound.note else None,
    )


def hold(measure: str, limit: float, bound: Bound) -> tuple[bool, str | None]:
    """Return whether a bound keeps a limit, and if not, why.

    >>> hold("lost", 0.05, Bound("chance", 0.02, 0.01, 0.03))
    (True, None)
    >>> hold("lost", 0.05, Bound("chance", 0.04, 0.02, 0.06))[1]
    'up to 6.00 % may be lost, and the limit is 5 %; the estimate of 4.00 % is under it: more items would tell'
    """
    deciding = bound.low if measure == "gained_at_least" else bound.high
    if deciding is None or bound.reading is None:
        return False, bound.note or "it has no figure"
    estimate = "no point estimate" if bound.estimate is None else f"the estimate is {share(bound.estimate)}"
    if measure == "gained_at_least":
        if deciding >= limit:
            return True, None
        return False, f"only {share(deciding)} is surely gained, and {limit_text(limit)} is asked; {estimate}"
    if deciding < limit:
        return True, None
    moved = {"lost": "be lost", "gained": "be gained", "net": "be the drop of the score"}[measure]
    said = f"up to {share(min(deciding, 1.0))} may {moved}, and the limit is {limit_text(limit)}"
    if bound.low is not None and bound.low >= limit:
        return False, f"{said}; even the lower bound is {share(bound.low)}"
    if bound.estimate is not None and bound.estimate < limit:
        return False, f"{said}; the estimate of {share(bound.estimate)} is under it: more items would tell"
    return False, f"{said}; {estimate}"
