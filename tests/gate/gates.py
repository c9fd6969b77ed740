"""Small policies and pairs for the tests of gates."""

from __future__ import annotations

from typing import Any

from forgetmap import Run
from forgetmap.gate import CheckResult, GateResult


def policy(*limits: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"limits": list(limits) or [{"level": "total", "lost": 0.5}], **more}


def check(result: GateResult, name: str) -> CheckResult:
    return next(one for one in result.checks if one.name == name)


def with_settings(run: Run, **settings: Any) -> Run:
    run.info.settings.update(settings)
    return run
