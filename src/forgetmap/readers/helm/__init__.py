"""HELM run folders and suites."""

from forgetmap.readers.helm.reader import detects, read

__all__ = ["detects", "read"]
