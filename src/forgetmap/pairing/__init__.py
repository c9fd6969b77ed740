"""Pairing: two runs side by side, item by item, by content (statistics.md 5)."""

from forgetmap.pairing.pair import Pair, Pairing, pair_runs
from forgetmap.pairing.scores import Scale

__all__ = ["Pair", "Pairing", "Scale", "pair_runs"]
