"""Inspect logs, `.eval` and `.json` (formats.md 3.4)."""

from forgetmap.readers.inspect.reader import detects, read

__all__ = ["detects", "read"]
