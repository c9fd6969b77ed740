"""A table in some style: plain texts in rows and columns, before anyone escapes or draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forgetmap.report.plain import percent
from forgetmap.report.shown import cut

#: Names longer than this are cut: a row must stay a row.
LONGEST_NAME = 120


@dataclass(frozen=True)
class StyledColumn:
    """A column: its heading, and whether it holds figures (set to the right) or words (to the left)."""

    name: str
    figures: bool = True


@dataclass(frozen=True)
class StyledRow:
    """A row: one text per column. A section or heading is one text over all columns.

    The rows up to the next section belong to a section; a heading only names the rows below it.
    """

    texts: tuple[str, ...]
    kind: str = "cell"  # cell, group (the row that sums up those below it), total, heading, section

    @classmethod
    def section(cls, heading: str) -> StyledRow:
        """Return the row that opens a section."""
        return cls((heading,), "section")


@dataclass(frozen=True)
class StyledTable:
    """What a table says: what it shows and in which unit, of which models and how many items, and what its marks mean."""

    title: str  # sections say it instead, each for itself
    about: str
    columns: tuple[StyledColumn, ...]
    rows: tuple[StyledRow, ...]
    notes: tuple[str, ...]

    def sections(self) -> list[tuple[str, list[StyledRow]]]:
        """Return the rows section by section, each with its heading; without sections, all rows under the title."""
        parts: list[tuple[str, list[StyledRow]]] = []
        for row in self.rows:
            if row.kind == "section":
                parts.append((row.texts[0], []))
            else:
                if not parts:
                    parts.append((self.title, []))
                parts[-1][1].append(row)
        return parts


def distinct_names(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """Return names cut to a bearable length; those that would then read alike are numbered.

    >>> distinct_names(["math", "math", "long name"], 8)
    ['math (1)', 'math (2)', 'long na…']
    """
    short = [cut(name, most) for name in names]
    seen: dict[str, int] = {}
    made = []
    for name in short:
        seen[name] = seen.get(name, 0) + 1
        made.append(f"{name} ({seen[name]})" if short.count(name) > 1 else name)
    return made


def bare(value: float | None) -> str:
    """Return a share in percent without the sign, which stands in the title.

    >>> bare(0.1234), bare(-0.05), bare(None)
    ('12.3', '−5.0', '–')
    """
    return percent(value).removesuffix(" %")
