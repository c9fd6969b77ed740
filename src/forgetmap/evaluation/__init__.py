"""Evaluate: from a model and a suite to a run."""

from forgetmap.evaluation.runner import evaluate
from forgetmap.evaluation.settings import Settings, parse_variants
from forgetmap.evaluation.until import Until

__all__ = ["Settings", "Until", "evaluate", "parse_variants"]
