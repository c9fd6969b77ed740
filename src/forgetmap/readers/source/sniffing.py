"""Looking into a file before reading it: magic bytes, first record, column and member names.

Detection happens by content, never by name.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from forgetmap.readers.source.documents import decode_json
from forgetmap.readers.source.streams import BREAKAGE, CHUNK_BYTES, PARQUET, UTF8_BOM, ZIP, open_binary

HEAD_BYTES = 1 << 16  # looked at to guess a format
RECORD_BYTES = 1 << 28  # the longest first record that detection will parse


@dataclass(frozen=True)
class Sniffed:
    """What the first bytes of a file tell."""

    kind: str  # empty, zip, parquet, object (JSON), list (JSON), lines (JSON lines), text, broken (first says why)
    first: Any = None  # JSON: the first record (of lines or list), or the object if it is small enough
    keys: frozenset[str] = frozenset()  # its keys; for Parquet the column names; for ZIP the member names
    dtypes: dict[str, Any] = field(default_factory=dict)  # Parquet: column types


def sniff(path: Path) -> Sniffed:
    """Return what the beginning of a file tells about its format."""
    status = path.stat()
    return _sniff(str(path), status.st_mtime_ns, status.st_size)


def forget_sniffed() -> None:
    """Let go of what was looked at: it may hold whole documents."""
    _sniff.cache_clear()


@lru_cache(maxsize=1 << 16)
def _sniff(name: str, _mtime: int, size: int) -> Sniffed:
    path = Path(name)
    if size == 0:
        return Sniffed("empty")
    try:
        with open(path, "rb") as file:
            magic = file.read(4)
        if magic[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return Sniffed("broken", f"{path}: UTF-16 text; convert the file to UTF-8")
        if magic == ZIP:
            with zipfile.ZipFile(path) as archive:
                return Sniffed("zip", keys=frozenset(archive.namelist()))
        if magic == PARQUET:
            return _sniff_parquet(path)
        return _sniff_json(path)
    except (*BREAKAGE, RecursionError) as fault:
        # Not raised here: a broken file beside a log must not keep the log from being read.
        return Sniffed("broken", f"{path}: broken ({type(fault).__name__}: {str(fault)[:120]}); fetch the file again")


def _sniff_parquet(path: Path) -> Sniffed:
    import polars as pl

    try:
        schema = pl.read_parquet_schema(path)
    except pl.exceptions.PolarsError as fault:
        raise OSError(str(fault)) from fault
    return Sniffed("parquet", keys=frozenset(schema), dtypes=dict(schema))


def _sniff_json(path: Path) -> Sniffed:
    with open_binary(path) as stream:
        head = stream.read(HEAD_BYTES)
        if head.startswith(UTF8_BOM):
            head = head[3:]
        start = head.lstrip()[:1]
        if start not in (b"{", b"["):
            return Sniffed("text" if head.strip() else "empty")
        rest = head.lstrip()
        newline = rest.find(b"\n")
        while newline < 0 and len(rest) < RECORD_BYTES:
            more = stream.read(CHUNK_BYTES)
            if not more:
                break
            searched = len(rest)
            rest += more
            newline = rest.find(b"\n", searched)
        line = rest if newline < 0 else rest[:newline]
        try:
            value = decode_json(line)
        except ValueError:
            value = None  # a pretty-printed document, or one that is torn: look at more of it
        if isinstance(value, dict):
            if newline >= 0 and rest[newline:].strip():
                return Sniffed("lines", value, frozenset(value))
            return Sniffed("lines" if newline >= 0 else "object", value, frozenset(value))
        if start == b"{":
            value = _whole(rest, stream)
            return Sniffed("object", value, frozenset(value)) if isinstance(value, dict) else Sniffed("text")
        first = _first_of_list(rest, stream)
        return Sniffed("list", first, frozenset(first) if isinstance(first, dict) else frozenset())


def _whole(begun: bytes, stream: BinaryIO) -> Any:
    content = begun + stream.read(RECORD_BYTES)
    try:
        return decode_json(content)
    except (ValueError, RecursionError) as fault:
        if len(content) >= RECORD_BYTES:  # too long to be looked at whole, not broken
            return None
        raise OSError(f"JSON that does not parse: {fault}") from fault


def _first_of_list(begun: bytes, stream: BinaryIO) -> Any:
    """Return the first element of a JSON list without reading all of it where that can be helped."""
    decoder = json.JSONDecoder()
    content = begun
    while True:
        text = content.decode("utf-8", "replace").lstrip()[1:].lstrip()
        try:
            return decoder.raw_decode(text)[0]
        except (ValueError, RecursionError):
            more = stream.read(max(CHUNK_BYTES, len(content)))
            if not more or len(content) > RECORD_BYTES:
                return None
            content += more
