"""Slices: the same pair, cut by what the logs know of an item rather than by its task."""

from forgetmap.slices.compare import Sliced, slice_pair
from forgetmap.slices.dimensions import Dimension, dimensions, slice_column
from forgetmap.slices.restrict import restrict

__all__ = ["Dimension", "Sliced", "dimensions", "restrict", "slice_column", "slice_pair"]
