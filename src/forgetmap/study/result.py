"""StudyResult: the maps of a study and what they say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from forgetmap.cells import Cell
from forgetmap.recipe import summarise_recipe
from forgetmap.study.entries import ChainEntry, Count, Entry, StudyRecipe
from forgetmap.study.spec import Study
from forgetmap.study.trends import Point, fit_trend

if TYPE_CHECKING:
    from forgetmap.report.sheet import Sheet
    from forgetmap.report.shown import Shown

SCHEMA = "forgetmap.study/1"
DIRECTIONS = ("lost", "gained")
#: What a trend may run along: attribute -> its name in words.
AMOUNTS = {"size": "parameters", "data": "training data"}


@dataclass(frozen=True)
class StudyResult:
    """Every map of a study, decided together, and what they show side by side."""

    study: Study
    entries: tuple[Entry, ...] = field(repr=False)
    chains: tuple[ChainEntry, ...] = field(repr=False)

    @property
    def found(self) -> list[Entry]:
        """The pairs that have a map."""
        return [entry for entry in self.entries if entry.sheet is not None]

    @property
    def failed(self) -> list[Entry | ChainEntry]:
        """Pairs and chains that have none, with the reason."""
        everything: list[Entry | ChainEntry] = [*self.entries, *self.chains]
        return [entry for entry in everything if entry.failure is not None]

    @property
    def sheets(self) -> list[Sheet]:
        """The maps, in the order of the file."""
        return [entry.sheet for entry in self.entries if entry.sheet is not None]

    @cached_property
    def reading(self) -> str:
        """What pairs are compared by: what decides all of them, else the reading that all of them have."""
        from forgetmap.report.shown import reading_of

        asked = self.study.options.reading
        if asked != "auto":
            return asked
        used = {reading_of(sheet.total, "auto") for sheet in self.sheets}
        if len(used) == 1:
            return used.pop()
        has_chance = all(sheet.total.chance and sheet.total.chance["lost"] is not None for sheet in self.sheets)
        return "chance" if has_chance else "observed"

    @property
    def mixed_readings(self) -> bool:
        """Whether pairs are decided by different readings, so that `reading` is a common denominator."""
        from forgetmap.report.shown import reading_of

        return self.study.options.reading == "auto" and len({reading_of(s.total, "auto") for s in self.sheets}) > 1

    def shown(self, cell: Cell, direction: str) -> Shown:
        """Return lost or gained of a cell as the study compares it."""
        from forgetmap.report.shown import Shown, shown

        if self.reading == "known" and (cell.noise is None or cell.noise["form"] != "chance"):
            return Shown(None)
        return shown(cell, self.reading, direction)

    @property
    def groups(self) -> dict[str | None, list[Entry]]:
        """The pairs that have a map by group, in the order of the file."""
        made: dict[str | None, list[Entry]] = {}
        for entry in self.found:
            made.setdefault(entry.spec.group, []).append(entry)
        return made

    def ranked(self, direction: str = "lost") -> list[Entry]:
        """Return the pairs, the largest loss first; those without a figure come last."""

        def size(entry: Entry) -> float:
            assert entry.sheet is not None
            value = self.shown(entry.sheet.total, direction).value
            return float("inf") if value is None else -value

        return sorted(self.found, key=size)

    def counts(self, level: str = "category") -> list[Count]:
        """Return what happened to every cell of a level over all pairs, the most often lost first."""
        from forgetmap.estimate.decide import VERDICTS

        found: dict[str, Counter[str]] = {}
        for sheet in self.sheets:
            for cell in sheet.shown(level) if level != "total" else [sheet.total]:
                found.setdefault(cell.name, Counter())[cell.verdict or "missing"] += 1
        made = []
        for name, counted in found.items():
            verdicts = {verdict: counted[verdict] for verdict in VERDICTS}
            verdicts["missing"] = len(self.sheets) - sum(verdicts.values())
            made.append(Count(name, level, verdicts, len(self.sheets)))
        return sorted(made, key=lambda one: (-one.lost / max(one.judged, 1), -one.lost, one.name))

    def points(self, amount: str, direction: str) -> dict[str | None, list[Point]]:
        """Return the pairs that have an amount (size or data) and a figure, by the unit of the amount."""
        made: dict[str | None, list[Point]] = {}
        for entry in self.found:
            assert entry.sheet is not None
            spec, figure = entry.spec, self.shown(entry.sheet.total, direction)
            where = getattr(spec, amount)
            if where is None or figure.value is None:
                continue
            point = Point(
                spec.name, where, figure.value, figure.low, figure.high, spec.group, spec.family, spec.before.path
            )
            made.setdefault(spec.data_unit if amount == "data" else None, []).append(point)
        return made

    @cached_property
    def trends(self) -> list[dict[str, Any]]:
        """Slopes of lost and gained along size and data: over all pairs, and per group where there are several.

        One entry per amount, unit and direction: its points, the trend over all, and those of the groups.
        """
        made = []
        for amount in AMOUNTS:
            by_way = {way: self.points(amount, way) for way in DIRECTIONS}
            for unit in by_way["lost"]:
                for way in DIRECTIONS:
                    points = by_way[way].get(unit, [])
                    groups = list(dict.fromkeys(point.group for point in points))
                    own = [
                        fit_trend([point for point in points if point.group == group], group)
                        for group in (groups if len(groups) > 1 else [])
                    ]
                    made.append(
                        {"amount": amount, "unit": unit, "direction": way, "points": points,
                         "overall": fit_trend(points), "groups": own}
                    )  # fmt: skip
        return made

    @cached_property
    def recipes(self) -> list[StudyRecipe]:
        """Means over training seeds, of the pairs that differ in nothing else."""
        made = []
        together: dict[tuple[Any, ...], list[Entry]] = {}
        for entry in self.found:
            if entry.spec.seed is not None:
                together.setdefault(entry.spec.recipe, []).append(entry)
        for of in together.values():
            if len(of) < 2:
                continue
            names = tuple(entry.name for entry in of)
            seeds = Counter(entry.spec.seed for entry in of)
            if max(seeds.values()) > 1:
                why = f"seed {seeds.most_common(1)[0][0]} occurs more than once among pairs that differ in nothing else"
                made.append(StudyRecipe(names, None, why))
                continue
            # a sheet has the cells of a map, which is all that is asked of it
            made.append(StudyRecipe(names, summarise_recipe([entry.sheet for entry in of if entry.sheet is not None])))
        return made

    @cached_property
    def other_tasks(self) -> list[str]:
        """Pairs whose totals rest on other tasks than most do: their figures do not compare."""
        sets = Counter(frozenset(sheet.total.task_names) for sheet in self.sheets)
        if len(sets) < 2:
            return []
        usual = sets.most_common(1)[0][0]
        return [e.name for e in self.found if e.sheet and frozenset(e.sheet.total.task_names) != usual]

    @cached_property
    def warnings(self) -> list[str]:
        """What changes how the study should be read."""
        said = []
        if self.failed:
            said.append(
                f"{len(self.failed)} of {len(self.entries) + len(self.chains)} pairs and chains could not be computed"
            )
        if self.other_tasks:
            said.append(
                f"{len(self.other_tasks)} of {len(self.found)} pairs rest on other tasks than most: {_few(self.other_tasks)}; "
                "totals of different tasks do not compare"
            )
        if self.mixed_readings:
            said.append(self._mixed_warning())
        said += [f"{entry.name}: {note}" for entry in self.entries for note in entry.notes]
        return said

    def _mixed_warning(self) -> str:
        """Which pairs keep the others from being shown as they are decided, and what these pairs lack."""
        from forgetmap.report.shown import reading_of

        by: dict[str, list[str]] = {}
        lacking: dict[str, list[str]] = {}
        for entry in self.found:
            assert entry.sheet is not None
            total = entry.sheet.total
            by.setdefault(reading_of(total, "auto"), []).append(entry.name)
            if (why := _without_chance(total)) is not None:
                lacking.setdefault(why, []).append(entry.name)
        usual = max(by, key=lambda reading: len(by[reading]))
        decided = "; ".join(f"{_few(names)}: {_DECIDED[one]}" for one, names in by.items() if one != usual)
        said = (
            f"pairs are decided by different readings ({decided}; the {_others(len(by[usual]))}: {_DECIDED[usual]}); "
            f"side by side all are shown as {self.reading}"
        )
        if self.reading == "chance":
            return f"{said}, which all of them have"
        causes = "; ".join(
            f"{_few(names)} {'have' if len(names) > 1 else 'has'} no chance reading ({why})"
            for why, names in lacking.items()
        )
        return f"{said}, because {causes}" if causes else said

    @cached_property
    def map_warnings(self) -> dict[str, list[str]]:
        """What the maps warn of, with the pairs it holds for; the most frequent first."""
        found: dict[str, list[str]] = {}
        for entry in self.found:
            for warning in entry.sheet.warnings if entry.sheet else ():
                found.setdefault(warning, []).append(entry.name)
        return dict(sorted(found.items(), key=lambda one: -len(one[1])))

    def to_dict(self) -> dict[str, Any]:
        """Return the study as JSON shows it (schema forgetmap.study/1), with every map in it."""
        return {
            "schema": SCHEMA,
            "title": self.study.title,
            "options": self.study.options.to_dict(),
            "reading": self.reading if self.sheets else None,
            "pairs": [_entry_dict(entry, self) for entry in self.entries],
            "ranked": [entry.name for entry in self.ranked()],
            "categories": [count.to_dict() for count in self.counts()],
            "trends": [
                {
                    "amount": one["amount"],
                    "unit": one["unit"],
                    "direction": one["direction"],
                    "pairs": [point.name for point in one["points"]],
                    "overall": one["overall"].to_dict(),
                    "groups": [trend.to_dict() for trend in one["groups"]],
                }
                for one in self.trends
            ],
            "recipes": [
                {
                    "pairs": list(one.pairs),
                    "recipe": one.recipe.to_dict() if one.recipe else None,
                    "failure": one.failure,
                }
                for one in self.recipes
            ],
            "chains": [
                {
                    "name": entry.spec.name,
                    "chain": entry.chain.to_dict() if entry.chain else None,
                    "failure": entry.failure,
                }
                for entry in self.chains
            ],
            "warnings": self.warnings,
        }

    def __repr__(self) -> str:
        lost = f", {len(self.failed)} failed" if self.failed else ""
        return f"StudyResult({self.study.title}: {len(self.found)} pairs{lost})"


def _entry_dict(entry: Entry, result: StudyResult) -> dict[str, Any]:
    sheet = entry.sheet
    return {
        "name": entry.name,
        "attributes": entry.spec.attributes(),
        "before": sheet.before_name if sheet else None,
        "after": sheet.after_name if sheet else None,
        "notes": list(entry.notes),
        "failure": entry.failure,
        "map": None if sheet is None else map_dict(sheet),
    }


def map_dict(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as the JSON of a map, with the study's verdicts."""
    from forgetmap.map import SCHEMA as MAP_SCHEMA

    names = ("before", "after", "taxonomy", "weight", "reading", "scores", "pairing", "guessing", "bridge", "causes")
    return {
        "schema": MAP_SCHEMA,
        **{name: getattr(sheet, name) for name in names},
        "hidden": list(sheet.hidden),
        "cells": [cell.to_dict() for cell in sheet.cells],
        "drift": sheet.drift,
        "diagnosis": None,
        "warnings": sheet.warnings,
        "notes": sheet.notes,
    }


#: What decides a total, in words.
_DECIDED = {
    "chance": "knowledge, lucky guesses removed (chance)",
    "known": "knowledge beyond re-run noise (chance and noise)",
    "noise": "what moved beyond re-run noise (noise)",
    "observed": "what was observed, or its net change",
}


def _others(pairs: int) -> str:
    """Return how many others there are.

    >>> _others(1), _others(4)
    ('other', '4 others')
    """
    return "other" if pairs == 1 else f"{pairs} others"


def _without_chance(total: Cell) -> str | None:
    """What a total lacks for a chance reading; None where it has one."""
    if total.chance is None:
        return "graded scores" if total.observed["kept"] is None else "the number of options is not on record"
    return "only a range of it is known" if total.chance["lost"] is None else None


def _few(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
