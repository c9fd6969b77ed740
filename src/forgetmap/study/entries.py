"""What a study holds of each pair, chain, cell and recipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from forgetmap.recipe import Recipe
from forgetmap.study.chains import SavedChain
from forgetmap.study.spec import ChainSpec, PairSpec

if TYPE_CHECKING:
    from forgetmap.report.sheet import Sheet

#: A category is forgotten nearly everywhere if more than this share of the pairs that have it surely lost it.
MOST = 0.5


@dataclass(frozen=True)
class Entry:
    """A pair of the study with its map, or with the reason why there is none."""

    spec: PairSpec
    sheet: Sheet | None = field(repr=False)
    failure: str | None = None
    notes: tuple[str, ...] = ()  # what must be said wherever its column is shown

    @property
    def name(self) -> str:
        """The pair's name."""
        return self.spec.name


@dataclass(frozen=True)
class ChainEntry:
    """A chain of the study, or the reason why there is none."""

    spec: ChainSpec
    chain: SavedChain | None = field(repr=False)
    failure: str | None = None


@dataclass(frozen=True)
class Count:
    """How often a cell was lost, gained, both, steady, unclear or missing over the pairs."""

    name: str
    level: str
    verdicts: dict[str, int]
    pairs: int  # all pairs with a map

    @property
    def lost(self) -> int:
        """Pairs in which it surely lost something."""
        return self.verdicts["lost"] + self.verdicts["both"]

    @property
    def judged(self) -> int:
        """Pairs that have the cell, with a verdict."""
        return self.pairs - self.verdicts["missing"]

    @property
    def everywhere(self) -> str | None:
        """Whether it was lost in all pairs that have it, or in most of them; one pair is not everywhere."""
        if self.judged < 2:
            return None
        return "all" if self.lost == self.judged else "most" if self.lost > MOST * self.judged else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON shows it."""
        return {
            "level": self.level,
            "name": self.name,
            **self.verdicts,
            "pairs": self.pairs,
            "lost_in": self.everywhere,
        }


@dataclass(frozen=True)
class StudyRecipe:
    """Pairs that differ in their training seed only, and their mean."""

    pairs: tuple[str, ...]
    recipe: Recipe | None
    failure: str | None = None
