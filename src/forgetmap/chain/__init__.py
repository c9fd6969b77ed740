"""Chain: many stages of one model on one item set, as life lines (statistics.md 6)."""

from forgetmap.chain.build import chain_runs
from forgetmap.chain.result import Chain

__all__ = ["Chain", "chain_runs"]
