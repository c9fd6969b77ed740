"""forgetmap: what post-training lost and gained, item by item."""

from forgetmap.readers import read_run
from forgetmap.run import Run

__all__ = ["Run", "read_run"]
