"""From the JSON of maps to the result of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forgetmap.study.chains import SavedChain
from forgetmap.study.entries import ChainEntry, Entry
from forgetmap.study.result import StudyResult
from forgetmap.study.spec import PairSpec, Study
from forgetmap.study.together import decide_together

if TYPE_CHECKING:
    from forgetmap.report.sheet import Sheet


def make_result(
    study: Study,
    maps: Mapping[str, dict[str, Any] | None],
    chains: Mapping[str, SavedChain | None],
    failures: Mapping[tuple[str, str], str],
) -> StudyResult:
    """Return the result of a study from the JSON of its maps; verdicts are decided over all of them."""
    from forgetmap.report.sheet import Sheet

    sheets: dict[str, Sheet] = {}
    for pair in study.pairs:
        content = maps[pair.name]
        if content is not None:
            # a map is found again by what its runs hold, wherever they lie now
            sides = {side: {**content[side], "source": getattr(pair, side).written} for side in ("before", "after")}
            sheets[pair.name] = Sheet.from_dict({**content, **sides}, pair.name)
    decided = decide_together([sheet.cells for sheet in sheets.values()])
    final = {name: replace(sheet, cells=cells) for (name, sheet), cells in zip(sheets.items(), decided, strict=True)}
    entries = tuple(
        Entry(pair, final.get(pair.name), failures.get(("pair", pair.name)), _notes(pair, final.get(pair.name)))
        for pair in study.pairs
    )
    lines = tuple(ChainEntry(chain, chains[chain.name], failures.get(("chain", chain.name))) for chain in study.chains)
    return StudyResult(study, entries, lines)


def _notes(pair: PairSpec, sheet: Sheet | None) -> tuple[str, ...]:
    """A pair that is measured from another model than its parent says so everywhere (the parent may be an alias)."""
    if sheet is None or pair.parent is None:
        return ()
    names = {sheet.before_name, pair.before.label, pair.before.written}
    if pair.parent in names or pair.parent_path == pair.before.path:
        return ()
    return (f"measured from {sheet.before_name}, not from its parent {pair.parent}",)
