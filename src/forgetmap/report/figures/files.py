"""Figures as files: SVG as drawn, PNG and PDF by an optional package."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.report.figures.canvas import Figure
from forgetmap.storage import write_atomically

FORMATS = ("svg", "png", "pdf")
#: Sharp on a screen of twice the usual density.
_SCALE = 2.0


def write_figures(figures: Sequence[Figure], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write every figure in every format into a folder, which is made if need be, and return the paths."""
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        raise UsageError(f"format is '{', '.join(unknown)}'; it must be one or more of {', '.join(FORMATS)}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder for the figures")
    makers = {name: _maker(name) for name in dict.fromkeys(formats)}
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for stem, figure in zip(file_stems(figures), figures, strict=True):
        for name, make in makers.items():
            content = make(figure.svg)
            path = folder / f"{stem}.{name}"
            write_atomically(path, lambda target, content=content: target.write_bytes(content))  # type: ignore[misc]
            written.append(path)
    return written


def file_stems(figures: Sequence[Figure]) -> list[str]:
    """Return file names without their endings: unlike each other, also where upper and lower case are one."""
    made: list[str] = []
    taken: set[str] = set()
    for figure in figures:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", figure.name).strip(".-")[:80] or "figure"
        stem, number = plain, 2
        while stem.lower() in taken:
            stem, number = f"{plain}-{number}", number + 1
        taken.add(stem.lower())
        made.append(stem)
    return made


def _maker(name: str) -> Callable[[str], bytes]:
    if name == "svg":
        return lambda svg: svg.encode("utf-8")
    try:
        import vl_convert
    except ImportError as fault:
        raise UsageError(
            f"figures as {name.upper()} need a package that is not installed; pip install 'forgetmap[figures]'"
        ) from fault
    convert: Any = vl_convert
    if name == "png":
        return lambda svg: bytes(convert.svg_to_png(svg, scale=_SCALE))
    return lambda svg: bytes(convert.svg_to_pdf(svg))
