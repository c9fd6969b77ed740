"""The exception tree: one root, and a child for each thing a caller may want to treat apart.

Every message is one sentence that says what was found, what was expected and what to do.
"""

from __future__ import annotations


class ForgetmapError(Exception):
    """Anything forgetmap refuses to do. The command line prints it as one sentence and exits with 2."""


class FormatError(ForgetmapError):
    """A file is not what it seems to be: torn, empty, mixed, or of no known format."""


class MissingDataError(ForgetmapError):
    """The data lack something that the request needs, such as a column or a scorer."""


class RunError(ForgetmapError):
    """A run breaks the rules of the sample table, or its folder is incomplete."""


class PairingError(ForgetmapError):
    """Two runs cannot be set side by side, or too little of them can."""


class TaxonomyError(ForgetmapError):
    """A taxonomy file is malformed or unknown."""


class UsageError(ForgetmapError):
    """An option has a value that makes no sense."""


class SuiteError(ForgetmapError):
    """A suite or a task file is malformed, or its data are not to be had."""


class EngineError(ForgetmapError):
    """A model cannot answer what it was asked."""
