"""What a gate found: every limit held against its bound, every condition, and why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from forgetmap.gate.policy import Policy
from forgetmap.report.plain import number

SCHEMA = "forgetmap.gate/1"


@dataclass(frozen=True)
class RuleResult:
    """One limit on one cell. Shares of items; null is not computable, and never passes."""

    rule: str  # the limit it comes from, e.g. "category Math*"
    level: str
    name: str
    measure: str  # lost, gained, net or gained_at_least
    limit: float
    estimate: float | None
    low: float | None
    high: float | None  # the bound that must be under the limit; for gained_at_least it is `low` that must reach it
    reading: str | None
    items: int
    passed: bool | None  # sequential: null where it was open when the gate stopped
    verdict: str | None = None
    reason: str | None = None  # why it failed, or is open
    note: str | None = None  # how the figure should be read
    seen: int | None = None  # sequential: paired samples of the cell looked at
    decided_at: int | None = None  # sequential: after how many samples of the suite the rule was decided

    @property
    def what(self) -> str:
        """The cell and the measure in words."""
        return f"{'total' if self.level == 'total' else f'{self.level} {self.name}'}: {_WORDS[self.measure]}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return dict(vars(self))


_WORDS = {"lost": "lost", "gained": "gained", "net": "score drop", "gained_at_least": "gained at least"}


@dataclass(frozen=True)
class CheckResult:
    """One condition that the two runs must meet before their figures mean anything."""

    name: str
    passed: bool
    found: str  # what was found, in a few words
    reason: str | None = None  # why it failed and what to do

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Stop:
    """How far a sequential gate looked."""

    seen: int  # paired samples looked at
    of: int  # paired samples of the suite
    seed: int
    alpha: float
    decided: bool  # whether it could stop: see the policy's sequential, until

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class GateResult:
    """Whether an after-run passes a policy, limit by limit and condition by condition."""

    before: dict[str, Any] = field(repr=False)  # run summaries
    after: dict[str, Any] = field(repr=False)
    policy: Policy = field(repr=False)
    rules: Sequence[RuleResult]
    checks: Sequence[CheckResult]
    pairing: dict[str, Any] = field(repr=False)
    warnings: Sequence[str] = field(default=(), repr=False)
    sequential: Stop | None = None

    @property
    def passed(self) -> bool | None:
        """Whether every limit is kept and every condition met; None while a sequential gate is open."""
        outcomes = [rule.passed for rule in self.rules] + [check.passed for check in self.checks]
        return False if False in outcomes else None if None in outcomes else True

    @property
    def title(self) -> str:
        """What was compared, in words."""
        return f"{_name(self.before)} → {_name(self.after)}"

    @property
    def headline(self) -> str:
        """The outcome in one line."""
        said = {True: "gate passed", False: "gate failed", None: "gate undecided"}[self.passed]
        stop = self.sequential
        if stop is not None:
            said += f" after {stop.seen:,} of {number(stop.of, 'paired sample')}"
            counts = self._counts()
        elif self.passed:
            counts = f"{number(len(self.rules), 'limit')} kept"
        else:
            failed = [rule.passed for rule in self.rules].count(False) + sum(not check.passed for check in self.checks)
            counts = f"{failed} of {len(self.rules) + len(self.checks)} not met"
        return f"{said}: {counts} ({self.title})"

    def _counts(self) -> str:
        outcomes = [rule.passed for rule in self.rules]
        states = ((False, "broken"), (True, "kept"), (None, "open"))
        counted = [(outcomes.count(state), word) for state, word in states if state in outcomes]
        said = [f"{n:,} {word}" if place else f"{number(n, 'limit')} {word}" for place, (n, word) in enumerate(counted)]
        if unmet := sum(not check.passed for check in self.checks):
            said.append(f"{number(unmet, 'condition')} not met")
        return ", ".join(said)

    def reasons(self) -> list[str]:
        """Return why it does not pass, one sentence each: what failed or, where nothing did, what is open."""
        checks = [f"{check.name}: {check.reason}" for check in self.checks if not check.passed]
        return checks + [
            f"{rule.what}: {rule.reason}" for rule in self.rules if not rule.passed and rule.passed is self.passed
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON shows it (schema forgetmap.gate/1)."""
        return {
            "schema": SCHEMA,
            "passed": self.passed,
            "before": self.before,
            "after": self.after,
            "policy": self.policy.to_dict(),
            "rules": [rule.to_dict() for rule in self.rules],
            "checks": [check.to_dict() for check in self.checks],
            "pairing": self.pairing,
            "sequential": None if self.sequential is None else self.sequential.to_dict(),
            "warnings": list(self.warnings),
        }

    def text(self) -> str:
        """Return what `forgetmap gate` prints, as plain text."""
        from forgetmap.gate.text import gate_text

        return gate_text(self)

    def markdown(self) -> str:
        """Return a summary fit for a pull-request comment."""
        from forgetmap.gate.markdown import gate_markdown

        return gate_markdown(self)

    def junit(self) -> str:
        """Return JUnit XML for dashboards: one test case per limit and condition."""
        from forgetmap.gate.junit import gate_junit

        return gate_junit(self)

    def __repr__(self) -> str:
        return f"GateResult({self.headline})"


def _name(summary: dict[str, Any]) -> str:
    return str(summary["model"] or summary["source"] or "unnamed")


def share(value: float | None) -> str:
    """Return a figure in percent, fine enough to tell it from its limit.

    >>> share(0.0743), share(-0.00001), share(None)
    ('7.43 %', '0.00 %', '–')
    """
    return "–" if value is None else f"{round(100 * value, 2) + 0.0:.2f} %"


def ends(low: float | None, high: float | None) -> tuple[str, str]:
    """Return both bounds as people read them: few items leave more open than any share can be.

    >>> ends(-1.4833, 0.21), ends(None, None)
    (('-100.00 %', '21.00 %'), ('–', '–'))
    """
    return share(None if low is None else max(low, -1.0)), share(None if high is None else min(high, 1.0))


def limit_text(value: float) -> str:
    """Return a limit in percent as somebody would write it.

    >>> limit_text(0.05), limit_text(0.075)
    ('5 %', '7.5 %')
    """
    return f"{100 * value:.6g} %"
