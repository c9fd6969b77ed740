"""The validity split: is accuracy lost by answering less often, or by answering worse? (statistics.md 6)"""

from __future__ import annotations

from dataclasses import dataclass

from forgetmap.errors import UsageError


@dataclass(frozen=True, slots=True)
class ValiditySplit:
    """A change of accuracy, split into answering less often and answering worse; differences are before − after.

    Accuracy is the share with an answer times the accuracy among them. Where nothing was answered, the second has no
    value; the whole change is then one of answering.
    """

    acc_before: float
    acc_after: float
    answered_before: float
    answered_after: float
    acc_answered_before: float | None
    acc_answered_after: float | None
    from_answering: float
    from_accuracy: float

    def to_dict(self) -> dict[str, float | None]:
        """Return all fields."""
        return {name: getattr(self, name) for name in self.__slots__}


def validity_split(acc_before: float, acc_after: float, answered_before: float, answered_after: float) -> ValiditySplit:
    """Return the exact split Δacc = Δv·mean(c) + mean(v)·Δc of statistics.md 6.

    Examples
    --------
    >>> split = validity_split(0.40, 0.30, answered_before=0.8, answered_after=0.6)
    >>> round(split.from_answering, 12), round(split.from_accuracy, 12)
    (0.1, 0.0)
    """
    sides = (("before", acc_before, answered_before), ("after", acc_after, answered_after))
    for side, accuracy, answered in sides:
        if not 0 <= accuracy <= answered + 1e-9 <= 1 + 2e-9:
            raise UsageError(
                f"{side}: accuracy is {accuracy:g} and {answered:g} are answered; shares of all items are needed, and no "
                "more right answers than answers"
            )
    c_before, c_after = (accuracy / answered if answered > 0 else None for _, accuracy, answered in sides)
    known = [value for value in (c_before, c_after) if value is not None]
    # With one side unknown the mean is the other's: what cannot be seen is taken as unchanged.
    typical = sum(known) / len(known) if known else 0.0
    from_answering = (answered_before - answered_after) * typical
    return ValiditySplit(
        acc_before=acc_before,
        acc_after=acc_after,
        answered_before=answered_before,
        answered_after=answered_after,
        acc_answered_before=c_before,
        acc_answered_after=c_after,
        from_answering=from_answering,
        from_accuracy=(acc_before - acc_after) - from_answering,
    )
