"""How the numbers came about, in one paragraph, and what it takes to get them again."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet

#: Where the method is written down.
DOCS = "https://github.com/forgetmap/forgetmap/blob/main/docs/statistics.md"

_READINGS = {
    "auto": "the strongest reading that the logs allow decides, cell by cell",
    "observed": "flips are counted as they are, lucky guesses included",
    "noise": "what re-runs of one model move is taken off",
    "chance": "lucky guesses are taken off, with the help of the wrong answers",
    "soft": "probability on the right option is followed instead of right and wrong",
    "paper": "the published estimator is used, for comparison with published tables",
}
_WEIGHTS = {
    "tasks": "every task counts alike",
    "items": "every item counts alike",
    "categories": "every category counts alike",
}


def method_sentences(sheets: Sequence[Sheet], reading: str) -> list[str]:
    """Return the method as sentences of one paragraph."""
    first = sheets[0]
    margins = sorted({cell.decision["margin"] for sheet in sheets for cell in sheet.cells if cell.verdict})
    said = [
        "Both runs answered the same items; they are paired by content, item by item, so that a loss and a gain of the same "
        "size cannot hide each other.",
        f"Under the reading “{reading}” {_READINGS[reading]}.",
        f"In an average over several tasks {_WEIGHTS[first.weight]}.",
        "Intervals are 95 % intervals over items.",
    ]
    if margins:
        size = " or ".join(f"{100 * margin:g}" for margin in margins)
        said.append(
            f"A verdict says lost or gained where the change is surely more than {size} percentage points and steady where "
            "it is surely less; over all cells of a level at most one verdict in twenty is expected to be false."
        )
    said.append("What cannot be computed is shown as missing (–), never as zero.")
    return said


_DECIDES = {
    "chance": "chance (lucky guesses taken off)",
    "noise": "noise (beyond what re-runs move)",
    "observed": "observed (flips as they are)",
    "net": "the net change of the score",
    None: "nothing (no verdict)",
}


def deciding_readings(sheets: Sequence[Sheet]) -> str:
    """Return which readings the verdicts rest on, and in how many cells where they differ."""
    found = Counter(
        cell.decision["verdict_reading"] if cell.verdict else None for sheet in sheets for cell in sheet.cells
    )
    asked = sheets[0].reading
    told = ", ".join(
        _DECIDES.get(name, str(name)) + (f" in {number(count, 'cell')}" if len(found) > 1 else "")
        for name, count in found.most_common()
    )
    return f"{asked}: {told}" if asked == "auto" else told


def versions() -> dict[str, str]:
    """Return the versions that the numbers depend on; a package that is not installed says so."""
    found = {"python": platform.python_version()}
    for name in ("forgetmap", "polars", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    return found
