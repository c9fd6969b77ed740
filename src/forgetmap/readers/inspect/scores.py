"""From logged scores to numbers and answer states."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from forgetmap.readers.inspect.records import Sample, Score

SCALAR = "score"  # the metric's name where a scorer gives one value

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
#: Why a score is not an ordinary one, in the words of 0.3.285 and later.
_REASONS = {"refusal": "refused", "no_response": "empty", "invalid_response_format": "no_answer"}
_FAILURES = ("grader_failed", "scoring_failed")


def values(score: Score) -> Iterator[tuple[str, Any]]:
    """Yield (metric, value): one for a plain score, one per key of a mapping, one per place of a list."""
    value = score.value
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield str(place), one
    else:
        yield SCALAR, value


def number(value: Any) -> float | None:
    """Return a value as a number; None where there is none: NaN, or a text that is no grade.

    The engine turns such texts into 0. Here a value that cannot be read is not an observation.
    """
    if isinstance(value, str):
        known = _LETTERS.get(value)
        if known is None:
            known = _WORDS.get(value.lower())
        if known is not None:
            return known
        try:
            value = float(value)
        except ValueError:
            return None
    elif value is None:
        return None
    return float(value) if isfinite(value) else None


def value_of(score: Score, metric: str) -> Any:
    """Return the value of one metric, None where the score has no such."""
    value = score.value
    if isinstance(value, (dict, list)):
        return dict(values(score)).get(metric)
    return value if metric == SCALAR else None


def reason(score: Score) -> Any:
    """Return the logged reason of an abnormal score; logs before it had a field kept it in the metadata."""
    if score.reason is None and score.metadata is not None:
        return score.metadata.unscored_reason
    return score.reason


def answer_state(sample: Sample, score: Score, value: Any, graded: float | None) -> str | None:
    """Return what kind of reply a score was given to; None where the log does not say."""
    if graded is None:
        return "error" if reason(score) in _FAILURES else "unscored"
    if sample.limit is not None:
        return "truncated"
    if score.reason is not None or score.metadata is not None:
        told = _REASONS.get(reason(score))
        if told is not None:
            return told
    if value == "N":
        return "no_answer"
    if value == "P":
        return "partial"
    answer = score.answer
    if answer is None:
        return None
    return "no_answer" if isinstance(answer, str) and not answer.strip() else "answered"
