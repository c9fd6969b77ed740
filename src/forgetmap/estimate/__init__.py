"""Estimates of lost and gained, one module per reading; every one is a mean of per-item values."""

from forgetmap.estimate.chance import Guessing, estimate_chance, estimate_guessing
from forgetmap.estimate.paper import estimate_paper
from forgetmap.estimate.transitions import count_transitions

__all__ = ["Guessing", "count_transitions", "estimate_chance", "estimate_guessing", "estimate_paper"]
