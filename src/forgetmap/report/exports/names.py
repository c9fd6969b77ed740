"""After-runs that bear one name, told apart: two AFTERs may be checkpoints, seeds or settings of one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from forgetmap.report.sheet import Sheet
from forgetmap.report.styles.table import distinct_names


def told_apart(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Return the maps with after-models numbered where two maps would bear the same names, as tables and pages do it."""
    pairs = [(sheet.before_name, sheet.after_name) for sheet in sheets]
    places: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairs):
        places.setdefault(pair, []).append(place)
    made = list(sheets)
    for (_, after), of in places.items():
        if len(of) > 1:
            for place, name in zip(of, distinct_names([after] * len(of)), strict=True):
                made[place] = replace(sheets[place], after={**sheets[place].after, "model": name})
    return made


def sources_of(sheets: Sequence[Sheet]) -> list[str | None]:
    """Return, for each map whose names another one bears too, the line that says which log its after-run is."""
    times = Counter((sheet.before_name, sheet.after_name) for sheet in sheets)
    return [
        f"{named.after_name}: {sheet.after['source'] or 'it is not on record where this run came from'}"
        if times[sheet.before_name, sheet.after_name] > 1
        else None
        for sheet, named in zip(sheets, told_apart(sheets), strict=True)
    ]
