"""Until decided: stop evaluating as soon as a gate surely passes or fails.

Items come in the random order of the gate, some at a time. After each part the answers so far are held against the policy; its
bounds hold at every look, so that looking often costs nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forgetmap.errors import UsageError
from forgetmap.evaluation.jobs import Job
from forgetmap.items import item_id
from forgetmap.run import Run

if TYPE_CHECKING:
    from forgetmap.gate.policy import Policy
    from forgetmap.gate.result import GateResult

#: Items between two looks: few enough to stop soon, enough to fill batches.
PART = 200


@dataclass(frozen=True)
class Until:
    """A policy, and the run before that it is held against."""

    policy: str | Path
    before: Run = field(repr=False)
    part: int = PART

    @cached_property
    def rules(self) -> Policy:
        """The policy, read once: it does not change under an evaluation."""
        from forgetmap.gate import load_policy

        return load_policy(self.policy)

    @cached_property
    def key(self) -> str:
        """What tells this gate from others: its rules, and the answers before."""
        rules = {name: value for name, value in self.rules.to_dict().items() if name != "source"}
        told = f"{sorted(rules.items())}\n{self.before.info.content_hash}\n{self.part}"
        return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()

    def parts(self, jobs: Sequence[Job]) -> list[list[int]]:
        """Return places of jobs in the order of the gate, part by part; all repeats of an item stay together."""
        from forgetmap.gate import SequentialGate
        from forgetmap.gate.stream import suite_of

        suite = suite_of(self.before, tasks=self.rules.task_glob)
        place = {(item.task, item.id): number for number, item in enumerate(SequentialGate(self.rules, suite).order)}
        named = [(job.task.name, item_id(job.item.key.high, job.item.key.low)) for job in jobs]
        there = set(named)
        missing = sum(1 for name in place if name not in there)
        if missing:
            which = (
                "none of its items is" if missing == len(place) else f"{missing:,} of its {len(place):,} items are not"
            )
            raise UsageError(
                f"{self.before.source or self.before.name}: {which} evaluated now; evaluate the same suite and tasks as in this "
                "run before, with the same --limit, or name the tasks under 'tasks' in the policy"
            )
        order = sorted(range(len(jobs)), key=lambda at: (place.get(named[at], len(place)), at))
        found: list[list[int]] = []
        items: list[tuple[str, str]] = []
        for at in order:
            if not items or items[-1] != named[at]:
                items.append(named[at])
            number = (len(items) - 1) // self.part
            if number == len(found):
                found.append([])
            found[number].append(at)
        return found

    def result(self, after: Run) -> GateResult:
        """Return what the gate says of the answers so far."""
        from forgetmap.gate import check_sequential

        return check_sequential(self.before, after, self.rules)

    def decided(self, after: Run) -> bool:
        """Return whether the answers so far settle the gate."""
        found = self.result(after)
        return found.sequential is not None and found.sequential.decided
