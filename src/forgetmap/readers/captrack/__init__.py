"""CapTrack's responses: the data set's rows with a column of model outputs."""

from forgetmap.readers.captrack.files import detects
from forgetmap.readers.captrack.reader import read

__all__ = ["detects", "read"]
