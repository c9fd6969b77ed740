"""Small policies and pairs for the tests of gates."""

from __future__ import annotations

from typing import Any

from forgetmap import Run
from forgetmap.gate import CheckResult, GateResult, load_policy
from forgetmap.gate.checks import check_runs, count
from forgetmap.pairing import pair_runs


def policy(*limits: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"limits": list(limits) or [{"level": "total", "lost": 0.5}], **more}


def check(result: GateResult, name: str) -> CheckResult:
    return next(one for one in result.checks if one.name == name)


def conditions(before: Run, after: Run, **more: Any) -> dict[str, CheckResult]:
    """What a gate says of two runs before it looks at any figure; much sooner than with a map."""
    rules = load_policy(policy(**more))
    pair = pair_runs(before, after, tasks=rules.task_glob, force=True)
    return {one.name: one for one in check_runs(pair, rules, count(pair, rules))}


def with_settings(run: Run, **settings: Any) -> Run:
    run.info.settings.update(settings)
    return run
