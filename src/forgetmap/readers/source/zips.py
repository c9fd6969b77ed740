"""Zip archives, with limits: nothing outside the archive, nothing that explodes."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import zstandard

from forgetmap.errors import FormatError

MEMBER_BYTES = 8 << 30  # the largest member that is unpacked
MEMBER_RATIO = 500  # of unpacked to packed size, above which a member is a bomb, not a log
RATIO_FLOOR = 64 << 20  # below this unpacked size the ratio does not matter


class SafeZip:
    """A zip archive whose members are read with limits; zstd members included (method 93)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile as fault:
            raise FormatError(f"{path}: a broken zip archive ({fault}); fetch the file again") from fault
        for member in self._archive.infolist():
            self._check(member)
        self._raw = open(path, "rb")  # noqa: SIM115 - closed in __exit__
        self.names = [member.filename for member in self._archive.infolist() if not member.is_dir()]

    def __enter__(self) -> SafeZip:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()
        self._archive.close()

    def _check(self, member: zipfile.ZipInfo) -> None:
        name = member.filename
        parts = name.replace("\\", "/").split("/")
        if ".." in parts or name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
            raise FormatError(f"{self.path}: member '{name}' points outside the archive; do not trust this file")
        size, packed = member.file_size, max(member.compress_size, 1)
        trust = "unpack it yourself if you trust it"
        if size > MEMBER_BYTES:
            raise FormatError(
                f"{self.path}: member '{name}' is {size:,} bytes, over the limit of {MEMBER_BYTES:,}; {trust}"
            )
        if size > RATIO_FLOOR and size / packed > MEMBER_RATIO:
            raise FormatError(
                f"{self.path}: member '{name}' unpacks {size // packed}-fold, over the limit of {MEMBER_RATIO}; {trust}"
            )

    def read(self, name: str) -> bytes:
        """Return the content of one member."""
        member = self._archive.getinfo(name)
        try:
            if member.compress_type != 93:
                with self._archive.open(member) as stream:
                    content = stream.read(member.file_size + 1)
            else:
                content = self._read_zstd(member)
        except (zipfile.BadZipFile, zstandard.ZstdError, OSError, EOFError, NotImplementedError) as fault:
            raise FormatError(
                f"{self.path}: member '{name}' cannot be unpacked ({fault}); fetch the file again"
            ) from fault
        if len(content) != member.file_size:
            raise FormatError(
                f"{self.path}: member '{name}' is not as long as the archive says; do not trust this file"
            )
        return content

    def _read_zstd(self, member: zipfile.ZipInfo) -> bytes:
        # The standard zipfile module reads method 93 from Python 3.14 on only: find the data by the local header.
        self._raw.seek(member.header_offset)
        header = self._raw.read(30)
        self._raw.seek(
            member.header_offset
            + 30
            + int.from_bytes(header[26:28], "little")
            + int.from_bytes(header[28:30], "little")
        )
        packed = self._raw.read(member.compress_size)
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            return stream.read(member.file_size + 1)
