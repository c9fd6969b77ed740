"""Fingerprints: what a run on disk is, told by its bytes and not by its date.

A map may come from the cache only if the logs behind it are the same, and finding that out must not cost as much as
reading them. So the contents of every file below a run are hashed once, and the hash is kept in an index beside the
file's size and time of change: while these two stand, the file is not opened again. A file that was only touched or
copied is hashed anew, and its maps are found again. Of a file over 64 MiB, 64 pieces spread over it are hashed instead,
with its time of change: a change in place then shows by the time, and a copy costs a new map, never a wrong one.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from forgetmap.readers.source import log_files
from forgetmap.storage import write_atomically

_PIECE, _PIECES = 1 << 20, 64
#: A file changed so shortly before it was hashed could change again within one tick of the clock of the file system.
_TICK_NS = 2_000_000_000

#: Absolute path -> [size, time of change in ns, hash].
Index = dict[str, tuple[int, int, str]]


@dataclass
class Fingerprints:
    """Hashes of the runs of a study, with the index that saves reading files again."""

    index: Index = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def open(cls, path: Path) -> Fingerprints:
        """Return the index of a cache; one that is missing or damaged is empty, and costs a second look at the files."""
        try:
            return cls(msgspec.json.decode(path.read_bytes(), type=Index))
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            return cls(changed=True)

    def save(self, path: Path) -> None:
        """Write the index, all or nothing."""
        if self.changed:
            content = msgspec.json.encode(self.index)
            write_atomically(path, lambda target: target.write_bytes(content))
            self.changed = False

    def of(self, place: Path) -> str:
        """Return the fingerprint of a log, a folder of logs or a saved run."""
        whole = hashlib.blake2b(digest_size=16)
        for file in _files(place):
            name = file.name if place.is_file() else file.relative_to(place).as_posix()
            whole.update(f"{name}\0{self._file(file)}\0".encode("utf-8", "surrogateescape"))
        return whole.hexdigest()

    def _file(self, file: Path) -> str:
        status, name = file.stat(), str(file)
        known = self.index.get(name)
        if known is not None and known[:2] == (status.st_size, status.st_mtime_ns):
            return known[2]
        found = _hash(file, status.st_size, status.st_mtime_ns)
        if time.time_ns() - status.st_mtime_ns > _TICK_NS:
            self.index[name] = (status.st_size, status.st_mtime_ns, found)
            self.changed = True
        return found


def snapshot(place: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and times of change of the files of a run: if they differ later, it was written to."""
    return [(str(file), status.st_size, status.st_mtime_ns) for file in _files(place) for status in [file.stat()]]


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else log_files(place)


def _hash(file: Path, size: int, changed: int) -> str:
    made = hashlib.blake2b(f"{size}".encode(), digest_size=16)
    with open(file, "rb") as stream:
        if size <= _PIECE * _PIECES:
            while piece := stream.read(_PIECE):
                made.update(piece)
        else:
            made.update(f"\0{changed}".encode())
            for place in range(_PIECES):
                stream.seek((size - _PIECE) * place // (_PIECES - 1))
                made.update(stream.read(_PIECE))
    return made.hexdigest()
