"""lm-evaluation-harness logs made with `--log_samples` (formats.md 3.1)."""

from forgetmap.readers.lm_eval.reader import detects, read

__all__ = ["detects", "read"]
