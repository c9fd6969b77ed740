"""Opening files: gzip and zstd unpacked on the way, damage recognised."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import zstandard

CHUNK_BYTES = 1 << 22
BUFFER_BYTES = 1 << 17  # larger ones are slower: each would be fresh memory from the system
UTF8_BOM = b"\xef\xbb\xbf"
GZIP, ZSTD, ZIP, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1"

#: What reading a damaged file raises.
BREAKAGE = (zipfile.BadZipFile, zlib.error, zstandard.ZstdError, EOFError, OSError)


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking gzip and zstd on the way."""
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic[:2] == GZIP:
        return gzip.open(path, "rb")  # type: ignore[return-value]
    if magic == ZSTD:
        raw = open(path, "rb")  # noqa: SIM115 - closed by the stream that wraps it
        reader = zstandard.ZstdDecompressor().stream_reader(raw, closefd=True, read_across_frames=True)
        return io.BufferedReader(reader, CHUNK_BYTES)
    return open(path, "rb", buffering=BUFFER_BYTES)
