"""Formats: how options are listed in a prompt, and what the model is to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forgetmap.answers import letters


@dataclass(frozen=True, slots=True)
class Format:
    """A way to show options. `mark` is how a label stands before an option, None where options have no labels."""

    name: str
    mark: str | None
    digits: bool = False
    given: bool = False  # the question itself lists the options already

    def labels(self, count: int) -> tuple[str, ...] | None:
        """Return the bare labels of so many options: A, B, … or 1, 2, …; None where there are none."""
        if self.mark is None:
            return None
        return tuple(str(place + 1) for place in range(count)) if self.digits else letters(count)

    def listed(self, options: Sequence[str]) -> str:
        """Return the options, one under the other.

        >>> FORMATS["parenthesised"].listed(["red", "blue"])
        '(A) red\\n(B) blue'
        """
        labels = self.labels(len(options))
        if labels is None or self.mark is None:
            return "\n".join(f"- {option}" for option in options)
        return "\n".join(f"{self.mark.format(label)} {option}" for label, option in zip(labels, options, strict=True))

    def answers(self, options: Sequence[str]) -> tuple[str, ...]:
        """Return what a model answers to choose each option: its label as shown, or its text."""
        labels = self.labels(len(options))
        if labels is None:
            return tuple(options)
        return tuple(f"({label})" for label in labels) if self.name == "parenthesised" else labels

    @property
    def label_word(self) -> str:
        """What a label is called."""
        return "number" if self.digits else "letter"


FORMATS = {
    one.name: one
    for one in (
        Format("plain", None),  # options are not labelled; listed only where a wording says {options}
        Format("letters", "{}."),
        Format("parenthesised", "({})"),
        Format("digits", "{}.", digits=True),
        Format("given", "{}.", given=True),  # listed below the question only where the question does not show them
    )
}
