"""Until decided: stop evaluating as soon as a gate surely passes or fails.

Items come in the random order of the gate, some at a time. After each part the answers so far are held against the policy; its
bounds hold at every look, so that looking often costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetmap.errors import UsageError
from forgetmap.evaluation.jobs import Job
from forgetmap.items import item_id
from forgetmap.run import Run

#: Items between two looks: few enough to stop soon, enough to fill batches.
PART = 200


@dataclass(frozen=True)
class Until:
    """A policy, and the run before that it is held against."""

    policy: str | Path
    before: Run = field(repr=False)
    part: int = PART

    def parts(self, jobs: Sequence[Job]) -> list[list[int]]:
        """Return places of jobs in the order of the gate, part by part; all repeats of an item stay together."""
        from forgetmap.gate import SequentialGate, load_policy
        from forgetmap.gate.stream import suite_of

        rules = load_policy(self.policy)
        suite = suite_of(self.before, tasks=rules.task_glob)
        place = {(item.task, item.id): number for number, item in enumerate(SequentialGate(rules, suite).order)}
        named = [(job.task.name, item_id(job.item.key.high, job.item.key.low)) for job in jobs]
        missing = sum(1 for name in place if name not in set(named))
        if missing:
            raise UsageError(
                f"the run before holds {missing:,} items that are not evaluated now; evaluate the same suite and tasks, without "
                "--limit, or name the tasks of the policy"
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

    def decided(self, after: Run) -> bool:
        """Return whether the answers so far settle the gate."""
        from forgetmap.gate import check_sequential

        found = check_sequential(self.before, after, self.policy)
        return found.sequential is not None and found.sequential.decided
