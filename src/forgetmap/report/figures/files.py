"""Figures as files: SVG as drawn, PNG and PDF by an optional package."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.errors import UsageError
from forgetmap.report.figures.canvas import Figure
from forgetmap.storage import write_atomically

FORMATS = ("svg", "png", "pdf")
#: Sharp on a screen of twice the usual density.
_SCALE = 2.0


#: Which files of a folder an earlier call wrote, and what was in them.
INDEX = ".forgetmap-figures.json"
_SCHEMA = "forgetmap.figures/1"


def write_figures(figures: Sequence[Figure], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write every figure in every format into a folder, which is made if need be, and return the paths."""
    return _write(_made(figures, folder, formats), folder)


def renew_figures(figures: Sequence[Figure], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write figures as `write_figures` does, and remove those that an earlier call left and this one does not make.

    They would pass for figures of these maps. An index in the folder says which they are; a file that is not in it, or
    that has changed since, is left alone.
    """
    made = _made(figures, folder, formats)
    earlier = _read_index(folder)
    written = {name: _digest(content) for name, content in made.items()}
    folder.mkdir(parents=True, exist_ok=True)
    _write_index(folder, {**earlier, **written})  # first: what a call that is cut off leaves, the next one knows
    paths = _write(made, folder)
    taken = {name.lower() for name in made}  # where upper and lower case are one, that is the new file
    for name, digest in earlier.items():
        stale = folder / name
        if name.lower() in taken or stale.is_symlink() or not stale.is_file():
            continue
        if _digest(stale.read_bytes()) == digest:
            stale.unlink()
    _write_index(folder, written)
    return paths


def _made(figures: Sequence[Figure], folder: Path, formats: Sequence[str]) -> dict[str, bytes]:
    """The content of every file by its name."""
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        raise UsageError(f"format is '{', '.join(unknown)}'; it must be one or more of {', '.join(FORMATS)}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder for the figures")
    makers = {name: _maker(name) for name in dict.fromkeys(formats)}
    return {
        f"{stem}.{name}": make(figure.svg)
        for stem, figure in zip(file_stems(figures), figures, strict=True)
        for name, make in makers.items()
    }


def _write(made: dict[str, bytes], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        write_atomically(folder / name, lambda target, content=content: target.write_bytes(content))  # type: ignore[misc]
    return [folder / name for name in made]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_index(folder: Path) -> dict[str, str]:
    """Name and checksum of the files that an earlier call wrote; none where there was none."""
    path = folder / INDEX
    if not path.exists():
        return {}
    try:
        content = msgspec.json.decode(path.read_bytes(), type=_Index)
    except msgspec.DecodeError as fault:
        raise UsageError(f"{path}: not an index of figures ({fault}); remove it, or name another folder") from fault
    if content.schema != _SCHEMA or any(Path(name).name != name for name in content.files):
        raise UsageError(f"{path}: not an index that this version wrote; remove it, or name another folder")
    return content.files


def _write_index(folder: Path, files: dict[str, str]) -> None:
    content = msgspec.json.format(msgspec.json.encode(_Index(_SCHEMA, files)), indent=1) + b"\n"
    write_atomically(folder / INDEX, lambda target: target.write_bytes(content))


class _Index(msgspec.Struct):
    schema: str
    files: dict[str, str]


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
