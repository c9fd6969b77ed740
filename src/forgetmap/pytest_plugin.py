"""A pytest fixture for gates: `forgetmap_gate(before, after, policy)` fails the test with a readable summary.

Importing it imports nothing else of forgetmap: every pytest run in the environment pays for its plugins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from forgetmap.gate import GateResult


@pytest.fixture
def forgetmap_gate() -> Callable[..., GateResult]:
    """Hold two runs against a policy; takes before, after, policy and the options of `forgetmap.gate.check_gate`."""

    def gate(before: Any, after: Any, policy: Any, **options: Any) -> GateResult:
        __tracebackhide__ = True  # the summary says it all
        from forgetmap.gate import check_gate

        found = check_gate(before, after, policy, **options)
        if not found.passed:
            raise AssertionError(found.text())
        return found

    return gate
