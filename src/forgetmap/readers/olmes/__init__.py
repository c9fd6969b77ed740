"""Predictions of OLMES (oe-eval) and of its successor olmo-eval."""

from forgetmap.readers.olmes.reader import detects, read

__all__ = ["detects", "read"]
