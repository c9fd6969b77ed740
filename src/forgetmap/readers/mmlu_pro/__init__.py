"""MMLU-Pro's own result files."""

from forgetmap.readers.mmlu_pro.files import detects
from forgetmap.readers.mmlu_pro.reader import read

__all__ = ["detects", "read"]
