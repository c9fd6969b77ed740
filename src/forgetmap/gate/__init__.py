"""Gates: does an after-run pass a policy, and if not, why."""

from forgetmap.gate.check import check_gate, gate_map
from forgetmap.gate.files import load_policy
from forgetmap.gate.policy import Policy, PolicyError
from forgetmap.gate.result import CheckResult, GateResult, RuleResult
from forgetmap.gate.samples import PairedSample, SuiteItem
from forgetmap.gate.sequential import SequentialGate
from forgetmap.gate.stream import check_sequential, suite_of

__all__ = [
    "CheckResult",
    "GateResult",
    "PairedSample",
    "Policy",
    "PolicyError",
    "RuleResult",
    "SequentialGate",
    "SuiteItem",
    "check_gate",
    "check_sequential",
    "gate_map",
    "load_policy",
    "suite_of",
]
