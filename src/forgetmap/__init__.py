"""forgetmap: what post-training lost and gained, item by item."""

from forgetmap.map import ForgettingMap, compare
from forgetmap.pairing import Pair
from forgetmap.readers import read_run
from forgetmap.run import Run

__all__ = ["ForgettingMap", "Pair", "Run", "compare", "read_run"]
