"""Where OpenCompass keeps things: `<time>/{predictions,results}/<model>/<data set>.json`.

The name of the data set stands in the file's name only, that of the model in the folder's. Predictions of a large data
set are split over `<data set>_0.json`, `_1.json`, …, each of which counts its entries from 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetmap.errors import FormatError
from forgetmap.readers.source import sniff

PREDICTIONS, RESULTS = "predictions", "results"
VERDICTS = ("correct", "is_correct", "cascade_correct")
_DETAIL = frozenset({"example_abbr", "pred", "predictions", *VERDICTS})
_PART = re.compile(r"(.+)_(\d{1,6})")


@dataclass
class Logged:
    """The files of one data set."""

    root: Path  # the folder that holds predictions and results, named after the time
    model: str | None
    name: str
    predictions: list[Path] = field(default_factory=list)  # in order of their parts
    results: Path | None = None


def kind_of(path: Path) -> str | None:
    """Return whether a file holds predictions or results with details; null for anything else."""
    if not path.is_file():
        return None
    found = sniff(path)
    content = found.first
    if found.kind not in ("object", "lines") or not isinstance(content, dict) or not content:
        return None
    if all(name.isdecimal() for name in content):
        first = next(iter(content.values()))
        return PREDICTIONS if isinstance(first, dict) and _is_prediction(first) else None
    details = content.get("details")
    rows: list[Any] = (
        list(details.values()) if isinstance(details, dict) else details if isinstance(details, list) else []
    )
    return RESULTS if any(isinstance(row, dict) and not _DETAIL.isdisjoint(row) for row in rows[:2]) else None


def _is_prediction(entry: dict[str, Any]) -> bool:
    return "origin_prompt" in entry or {"choices", "pred_label"} <= entry.keys() or any(map(is_label, entry))


def is_label(name: str) -> bool:
    """Whether a field holds the perplexity of one option."""
    return name.startswith("label: ")


def group_files(path: Path, files: list[Path]) -> list[Logged]:
    """Return the data sets that some files belong to."""
    found: dict[tuple[Path, str | None], dict[str, dict[str, Path]]] = {}
    for file in files:
        laid_out = file.parent.parent.name in (PREDICTIONS, RESULTS)
        where = (file.parents[2], file.parent.name) if laid_out else (file.parent, None)
        kind = kind_of(file)
        if kind is not None:
            found.setdefault(where, {PREDICTIONS: {}, RESULTS: {}})[kind][file.stem] = file
    logged: list[Logged] = []
    for (root, model), kinds in found.items():
        sets = {name: Logged(root, model, name, results=file) for name, file in kinds[RESULTS].items()}
        parts: dict[str, dict[int, Path]] = {}
        for stem, file in kinds[PREDICTIONS].items():
            name, part = _part_of(stem, kinds)
            parts.setdefault(name, {})[part] = file
        for name, numbered in parts.items():
            if sorted(numbered) != list(range(len(numbered))):
                there = ", ".join(map(str, sorted(numbered)))
                raise FormatError(
                    f"{path}: of the predictions '{name}' only the parts {there} are there; run the rest first"
                )
            sets.setdefault(name, Logged(root, model, name)).predictions = [numbered[part] for part in sorted(numbered)]
        logged += sets.values()
    return logged


def _part_of(stem: str, kinds: dict[str, dict[str, Path]]) -> tuple[str, int]:
    """Return the data set and the part that a predictions file holds, by the rule of the tool's own evaluation."""
    found = _PART.fullmatch(stem)
    if found is None or stem in kinds[RESULTS]:
        return stem, 0
    whole = found[1]
    is_part = whole not in kinds[PREDICTIONS] and f"{whole}_0" in kinds[PREDICTIONS]
    return (whole, int(found[2])) if is_part else (stem, 0)


def beside(path: Path) -> list[Path]:
    """Return the files that belong to the data set of one file: its other parts, its results or its predictions."""
    if path.parent.parent.name not in (PREDICTIONS, RESULTS):
        return [path]
    found = _PART.fullmatch(path.stem)
    names = {path.stem, found[1]} if found else {path.stem}
    near = [path]
    for kind in (PREDICTIONS, RESULTS):
        folder = path.parents[2] / kind / path.parent.name
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else []:
            part = _PART.fullmatch(file.stem)
            if file != path and (file.stem in names or (part is not None and part[1] in names)):
                near.append(file)
    whole = [entry for entry in group_files(path, near) if path in (*entry.predictions, entry.results)]
    return [file for entry in whole for file in (*entry.predictions, entry.results) if file is not None]
