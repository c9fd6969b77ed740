"""Plain tables, one row per sample: CSV, TSV, JSON lines, a JSON list, Parquet or a data frame (formats.md 3.5)."""

from forgetmap.readers.table.reader import detects, frame_to_run, read

__all__ = ["detects", "frame_to_run", "read"]
