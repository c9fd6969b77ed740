"""forgetmap: what post-training lost and gained, item by item."""

from forgetmap.chain import Chain, chain_runs
from forgetmap.map import ForgettingMap, compare, compare_all
from forgetmap.pairing import Pair
from forgetmap.readers import read_run
from forgetmap.repeats import join_repeats
from forgetmap.run import Run

__all__ = ["Chain", "ForgettingMap", "Pair", "Run", "chain_runs", "compare", "compare_all", "join_repeats", "read_run"]
