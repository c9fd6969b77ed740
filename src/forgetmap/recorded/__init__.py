"""Recorded: real runs of a small model before and after a real post-training, for the demo."""

from forgetmap.recorded.runs import NAMES, Training, recorded_run, same_items, training
from forgetmap.recorded.subset import ITEMS, LIVE_ITEMS, STYLE, SUITE, TASKS, VARIANTS

__all__ = [
    "ITEMS", "LIVE_ITEMS", "NAMES", "STYLE", "SUITE", "TASKS", "VARIANTS", "Training", "recorded_run", "same_items", "training",
]  # fmt: skip
