"""Evaluate: from a model and a suite to a run."""

from forgetmap.evaluation.runner import evaluate
from forgetmap.evaluation.settings import Settings, parse_variants

__all__ = ["Settings", "evaluate", "parse_variants"]
