"""The command that writes a pair's own page: a study holds its map, the page of the pair its items too."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from forgetmap.study.spec import PairSpec, Study


def pair_commands(study: Study, pairs: Sequence[PairSpec], level: str = "category") -> list[str | None]:
    """Return the command of each pair, to be given in the study file's folder, under the options of the study.

    None where both runs cannot be read by one command: they are said to be of different formats or columns.
    """
    taken: set[str] = set()
    made = []
    for pair in pairs:
        name = stem = re.sub(r"[^\w.-]+", "-", pair.name).strip("-.")[:80] or "pair"
        number = 1
        while name.casefold() in taken:  # some file systems do not tell A from a
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        made.append(_command(study, pair, level, f"{name}.html"))
    return made


def _command(study: Study, pair: PairSpec, level: str, target: str) -> str | None:
    options = study.options
    formats = {run.format or options.format for run in (pair.before, pair.after)}
    columns = {run.columns or options.columns for run in (pair.before, pair.after)}
    if len(formats) > 1 or len(columns) > 1:
        return None
    words = ["forgetmap", "report", *(run.written or run.path for run in (pair.before, pair.after)), "-o", target]
    given = {
        "by": None if level == "category" else level,
        "reading": None if options.reading == "auto" else options.reading,
        "margin": options.margin,
        "taxonomy": _from(study.folder, options.taxonomy),
        "weight": options.weight,
        "scorer": options.scorer,
        "metric": options.metric,
        "threshold": options.threshold,
        "scale": None if options.scale is None else ",".join(map(str, options.scale)),
        "format": formats.pop(),
        "columns": ",".join(f"{field}={column}" for field, column in columns.pop()) or None,
    }
    for option, value in given.items():
        words += [] if value is None else [f"--{option}", str(value)]
    for glob in options.tasks:
        words += ["--tasks", glob]
    words += ["--force"] if options.force else []
    words += ["--skip-broken"] if options.skip_broken else []
    return shlex.join(words)


def _from(folder: Path, taxonomy: str | None) -> str | None:
    """A taxonomy's file as it is named from the folder: what others are shown holds no path of this machine."""
    if taxonomy is None or not Path(taxonomy).is_relative_to(folder):
        return taxonomy
    return str(Path(taxonomy).relative_to(folder))
