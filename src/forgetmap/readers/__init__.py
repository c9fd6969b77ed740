"""Readers: from the log of any evaluation tool to a run.

One module per format, each with `detects(path)` and `read(path, options)`. A format is found by content, never by
name. Third parties add one through the entry point group `forgetmap.readers`.
"""

from forgetmap.readers.registry import Reader, find_reader, read_run, reader_names
from forgetmap.readers.source import ReadOptions

__all__ = ["ReadOptions", "Reader", "find_reader", "read_run", "reader_names"]
