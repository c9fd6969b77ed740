"""Single members of a large archive, without listing all of them.

An `.eval` log has one member per sample. To list 4,000 of them takes the zipfile module longer than to read and parse
their summaries, so the few members that are known by name are looked up in the raw directory at the archive's end.
Anything unusual there (a comment, 64-bit offsets, encryption) gives None: the caller then goes through SafeZip.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import zstandard

from forgetmap.errors import FormatError
from forgetmap.readers.source import MEMBER_RATIO, RATIO_FLOOR

_END = struct.Struct("<4s4H2LH")  # end of the directory
_ENTRY = struct.Struct("<4s6H3L5H2L")  # one entry of it, before the name
_LOCAL = struct.Struct("<4s5H3L2H")  # what stands before a member's data
_END_MARK, _ENTRY_MARK, _LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_SIZE_LIMIT = 0xFFFFFFFF
_STORED, _DEFLATED, _ZSTD = 0, 8, 93


class Directory:
    """The directory of an archive as it lies in the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: bytes | None = None
        size = path.stat().st_size
        with open(path, "rb") as file:
            file.seek(max(size - _END.size, 0))
            tail = file.read()
            if len(tail) == _END.size and tail.startswith(_END_MARK):
                _, _, _, _, self.count, length, start, _ = _END.unpack(tail)
                if self.count < 0xFFFF and start + length + _END.size == size:
                    file.seek(start)
                    self._entries = file.read(length)

    @property
    def usable(self) -> bool:
        """Whether the directory is an ordinary one."""
        return self._entries is not None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name.encode()) is not None

    def samples(self) -> int:
        """How many members could be samples: at least as many as there are."""
        return self._entries.count(b"_epoch_") if self._entries is not None else 0

    def read(self, name: str) -> bytes | None:
        """Return a member's content; None where it is not there or not to be had this way."""
        entry = self._find(name.encode())
        if entry is None:
            return None
        flags, method, check, packed, size, offset = entry
        if flags & 1 or _SIZE_LIMIT in (packed, size, offset) or method not in (_STORED, _DEFLATED, _ZSTD):
            return None
        if size > RATIO_FLOOR and size > MEMBER_RATIO * max(packed, 1):
            return None
        with open(self.path, "rb") as file:
            file.seek(offset)
            local = file.read(_LOCAL.size)
            if len(local) < _LOCAL.size or not local.startswith(_LOCAL_MARK):
                return None
            *_, name_length, extra_length = _LOCAL.unpack(local)
            file.seek(name_length + extra_length, 1)
            data = file.read(packed)
        try:
            content = _unpacked(data, method, size)
        except (zlib.error, zstandard.ZstdError):
            return None
        if len(content) != size:
            return None
        if zlib.crc32(content) != check:
            raise FormatError(f"{self.path}: member '{name}' is damaged (its checksum is wrong); fetch the file again")
        return content

    def _find(self, name: bytes) -> tuple[int, ...] | None:
        """Return flags, method, checksum, packed size, size and offset; the last entry of a name counts."""
        entries = self._entries
        if entries is None:
            return None
        place = len(entries)
        while (place := entries.rfind(name, 0, place)) >= 0:
            start = place - _ENTRY.size
            if start >= 0 and entries.startswith(_ENTRY_MARK, start):
                found = _ENTRY.unpack_from(entries, start)
                if found[10] == len(name):
                    return found[3], found[4], found[7], found[8], found[9], found[16]
            place += len(name) - 1
        return None


def _unpacked(data: bytes, method: int, size: int) -> bytes:
    if method == _DEFLATED:
        return zlib.decompressobj(-15).decompress(data, size + 1)
    if method == _ZSTD:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            return stream.read(size + 1)
    return data
