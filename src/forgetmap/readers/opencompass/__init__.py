"""OpenCompass predictions and results."""

from forgetmap.readers.opencompass.reader import detects, read

__all__ = ["detects", "read"]
