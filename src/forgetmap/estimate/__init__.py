"""Estimates of lost and gained, one module per reading; every one is a mean of per-item values, with its interval."""

from forgetmap.estimate.guessing import Guessing, estimate_guessing
from forgetmap.estimate.intervals import Estimate, estimate_mean

__all__ = ["Estimate", "Guessing", "estimate_guessing", "estimate_mean"]
