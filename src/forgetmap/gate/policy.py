"""Policies: what a model may lose before it is turned away, and under which conditions its figures count."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from forgetmap.errors import ForgetmapError
from forgetmap.tasks import canonical_task

#: What a limit may be set on; all but the last are upper limits.
MEASURES = ("lost", "gained", "net", "gained_at_least")


class PolicyError(ForgetmapError):
    """A policy file is malformed."""


@dataclass(frozen=True)
class Limit:
    """Limits on the cells of a level whose names fit a glob. All are shares of items."""

    level: str  # task, category, group or total
    name: str = "*"
    lost: float | None = None  # the upper bound of the loss must be under it
    gained: float | None = None  # the upper bound of the gain must be under it
    net: float | None = None  # the upper bound of score before − score after must be under it
    gained_at_least: float | None = None  # the lower bound of the gain must reach it

    @property
    def label(self) -> str:
        """The cells it speaks of, as people write them."""
        return self.level if self.level == "total" else f"{self.level} {self.name}"

    def limits(self) -> list[tuple[str, float]]:
        """Return (measure, limit) of every limit that is set."""
        return [(name, getattr(self, name)) for name in MEASURES if getattr(self, name) is not None]


@dataclass(frozen=True)
class Allow:
    """What would fail the gate unless the policy allows it."""

    settings: tuple[str, ...] = ()  # globs of settings that may differ
    missing_tasks: tuple[str, ...] = ()  # globs of tasks that may be missing on one side
    prompt_changed: bool = False


@dataclass(frozen=True)
class Stopping:
    """How a sequential gate draws its items and when it may stop."""

    alpha: float = 0.05  # probability of each wrong decision of a rule, over all looks together
    seed: int = 0
    until: str = "gate"  # gate: stop once it surely passes or fails; limits: once every limit is decided


@dataclass(frozen=True)
class Policy:
    """What a gate lets pass. Make one with `load_policy`."""

    limits: tuple[Limit, ...]
    reading: str = "auto"
    margin: float | None = None
    taxonomy: str | None = None
    weight: str | None = None
    tasks: tuple[str, ...] = ()  # globs; all tasks where there are none
    coverage: float = 0.95
    null_scores: float = 0.01
    required_tasks: tuple[str, ...] = ()
    allow: Allow = field(default_factory=Allow)
    sequential: Stopping = field(default_factory=Stopping)
    source: str = "policy"  # where it came from, for messages

    @property
    def task_glob(self) -> str | None:
        """The globs of tasks as one, as pairing takes them."""
        return ",".join(self.tasks) or None

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as JSON shows it; what is not set is null."""
        return asdict(self)


def fits(glob: str, names: Iterable[str]) -> bool:
    """Tell whether one of several names fits a glob with * and ?; a task may be named by any spelling.

    >>> fits("mmlu:*", ["mmlu:anatomy"]), fits("hendrycksTest-anatomy", ["mmlu:anatomy"]), fits("gsm8k", ["gsm8k_cot"])
    (True, True, False)
    """
    names = list(names)
    pattern = _pattern(glob)
    if any(pattern.fullmatch(name) for name in names):
        return True
    return "*" not in glob and "?" not in glob and canonical_task(glob) in names


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    # only * and ?: names of tasks may hold brackets, which fnmatch would take for sets of characters
    return re.compile(re.escape(glob).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
