"""The library: the runs a person pointed at, each under a short id that permalinks carry instead of a path."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetmap.errors import ForgetmapError, UsageError
from forgetmap.readers import read_run
from forgetmap.report.plain import visible
from forgetmap.run import Run
from forgetmap.storage import is_run_folder, load_run

#: How deep a folder is searched, and when it is more likely a whole disk than a folder of runs.
DEEPEST = 5
MOST_FOLDERS = 20_000
_SHORTEST = 8  # digits of an id


@dataclass(frozen=True)
class Entry:
    """One run that can be chosen."""

    id: str
    name: str  # the model; with its folder where two runs share it
    run: Run = field(repr=False)
    saved: bool  # a run folder; a raw log was read into memory


@dataclass(frozen=True)
class Library:
    """Runs by id, in the order in which they were given or found."""

    entries: dict[str, Entry]
    broken: list[str] = field(default_factory=list)  # folders that look like runs and are none, in words

    @classmethod
    def open(cls, paths: Sequence[str | Path], **options: object) -> Library:
        """Return the runs in the paths: run folders, folders of run folders, or logs; options as of `read_run`."""
        found: list[tuple[Path, Run, bool]] = []
        broken: list[str] = []
        seen: set[Path] = set()
        for path in paths:
            place = Path(path)
            folders = [one for one in _run_folders(place) if one.resolve() not in seen] if place.is_dir() else []
            seen.update(one.resolve() for one in folders)
            inside: list[tuple[Path, Run, bool]] = []
            for folder in folders:
                try:
                    inside.append((folder, load_run(folder), True))
                except ForgetmapError as fault:
                    broken.append(visible(str(fault)))
            # what was evaluated first is likely to be before; where nobody knows, names decide
            found += sorted(inside, key=lambda one: one[1].info.date or "")
            if not folders and place.resolve() not in seen:
                seen.add(place.resolve())
                run = read_run(path, **options)  # type: ignore[arg-type]
                found.append((place, run, is_run_folder(place)))
        if not found:
            said = f" ({broken[0]})" if broken else ""
            raise UsageError(
                f"no run in {', '.join(map(str, paths))}{said}; give run folders that `forgetmap import` wrote, folders of "
                "them, or logs"
            )
        return cls(_named(found), broken)

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Library:
        """Return a library of runs in memory."""
        return cls(_named([(Path(run.source or f"run-{place}"), run, False) for place, run in enumerate(runs, 1)]))

    def __len__(self) -> int:
        return len(self.entries)

    def unsaved(self) -> list[Entry]:
        """Return the runs that were read from raw logs: every start reads them anew."""
        return [entry for entry in self.entries.values() if not entry.saved]


def _run_folders(place: Path) -> list[Path]:
    """Run folders at or under a place, sorted by path; hidden folders and links to folders are left alone."""
    if is_run_folder(place):
        return [place]
    found = []
    for looked, folder in enumerate(_walk(place, DEEPEST)):
        if looked >= MOST_FOLDERS:
            raise UsageError(f"{place}: holds more than {MOST_FOLDERS:,} folders; name the folder of the runs")
        if is_run_folder(folder):
            found.append(folder)
    return found


def _walk(place: Path, depth: int) -> Iterator[Path]:
    try:
        inner = sorted(
            entry.path
            for entry in os.scandir(place)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )
    except PermissionError:
        return  # a folder one may not read holds no run one may read
    for path in map(Path, inner):
        yield path
        if depth > 1 and not is_run_folder(path):
            yield from _walk(path, depth - 1)


def _named(found: Sequence[tuple[Path, Run, bool]]) -> dict[str, Entry]:
    models = [run.name for _, run, _ in found]
    digests = [_digest(run) for _, run, _ in found]
    entries: dict[str, Entry] = {}
    for (path, run, saved), model, digest in zip(found, models, digests, strict=True):
        label = model if models.count(model) == 1 else f"{model} · {path.name}"
        ident = _short(digest, digests)
        copy = 1
        while ident in entries:  # the same samples of the same model, twice
            copy += 1
            ident = f"{_short(digest, digests)}-{copy}"
        entries[ident] = Entry(ident, visible(" ".join(label.split())), run, saved)
    return entries


def _digest(run: Run) -> str:
    """What a run is, not where it lies: the same samples of the same model keep their id wherever they are moved."""
    info = run.info
    parts = (info.content_hash or run.source, info.model or "", info.model_revision or "", info.suite or "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _short(digest: str, others: Sequence[str]) -> str:
    length = _SHORTEST
    while length < len(digest) and len({one for one in others if one.startswith(digest[:length])}) > 1:
        length += 1
    return digest[:length]
