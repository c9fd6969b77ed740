"""The command line: one module per command."""

from forgetmap.cli.app import main

__all__ = ["main"]
