"""Looking into a file before, and while, reading it: magic bytes, first record, lines, members.

Detection happens by content. All limits that keep hostile or torn files from doing harm are here.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec
import zstandard

from forgetmap.errors import FormatError

T = TypeVar("T")

HEAD_BYTES = 1 << 16  # looked at to guess a format
CHUNK_BYTES = 1 << 22
BUFFER_BYTES = 1 << 17  # larger ones are slower: each would be fresh memory from the system
RECORD_BYTES = 1 << 28  # the longest first record that detection will parse
MEMBER_BYTES = 8 << 30  # the largest zip member that is unpacked
MEMBER_RATIO = 500  # of unpacked to packed size, above which a member is a bomb, not a log
RATIO_FLOOR = 64 << 20  # below this unpacked size the ratio does not matter

#: What reading a damaged file raises.
_BREAKAGE = (zipfile.BadZipFile, zlib.error, zstandard.ZstdError, EOFError, OSError)

UTF8_BOM = b"\xef\xbb\xbf"
GZIP, ZSTD, ZIP, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1"


@dataclass(frozen=True)
class ReadOptions:
    """What the caller wants of a read."""

    texts: bool = False
    skip_broken: bool = False
    columns: dict[str, str] = field(default_factory=dict)
    model: str | None = None

    def with_texts(self) -> ReadOptions:
        """Return the same options, texts included."""
        return replace(self, texts=True)


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


@lru_cache(maxsize=4096)
def _sniff(name: str, _mtime: int, size: int) -> Sniffed:
    path = Path(name)
    if size == 0:
        return Sniffed("empty")
    with open(path, "rb") as file:
        magic = file.read(4)
    try:
        if magic == ZIP:
            with zipfile.ZipFile(path) as archive:
                return Sniffed("zip", keys=frozenset(archive.namelist()))
        if magic == PARQUET:
            return _sniff_parquet(path)
        return _sniff_json(path)
    except _BREAKAGE as fault:
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


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of every non-blank line, counted from 1, whatever its length.

    The file's own line iteration is the quickest there is (4 GB/s) and holds one line at a time.
    """
    number = 0
    with open_binary(path) as stream:
        try:
            for number, line in enumerate(stream, start=1):
                if number == 1:
                    line = line.removeprefix(UTF8_BOM)
                if len(line) > 2 or not line.isspace():
                    yield number, line
        except _BREAKAGE as fault:
            raise FormatError(
                f"{path}: compressed data end or break after line {number} ({fault}); fetch the file again"
            ) from fault


def records(
    path: Path,
    decode: Callable[[bytes], T],
    *,
    skip_broken: bool = False,
    count: Callable[[str], None] | None = None,
) -> Iterator[tuple[int, T]]:
    """Yield (line number, record) of a JSON lines file.

    `decode` is a msgspec decoder's method (any JSON by default). Lines with bare NaN or Infinity are decoded again with these as null.
    A line that does not parse is an error with its number, unless `skip_broken`. `count` (a RunBuilder's) is told of
    "skipped_lines" and "nan_lines".
    """
    seen = False
    tell = count or (lambda what: None)
    for number, line in lines(path):
        seen = True
        try:
            if not line.isascii():
                line.decode("utf-8")  # fields that are skipped would hide bytes that are no text
            record = decode_tolerant(line, decode, tell)
        except UnicodeDecodeError as fault:
            if not skip_broken:
                raise FormatError(
                    f"{path}: line {number} is not UTF-8 (byte 0x{line[fault.start]:02x} at {fault.start}); convert the "
                    "file to UTF-8, or skip such lines with --skip-broken"
                ) from fault
        except (ValueError, RecursionError) as fault:
            if not skip_broken:
                raise FormatError(
                    f"{path}: line {number} is broken ({str(fault)[:120]}); write the log again, or skip such lines with "
                    "--skip-broken"
                ) from fault
        else:
            yield number, record
            continue
        tell("skipped_lines")
    if not seen:
        raise FormatError(f"{path}: the file is empty; check that the evaluation finished")


_BARE = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\bInfinity\b|\bNaN\b', re.DOTALL)


def _null_for_bare(match: re.Match[bytes]) -> bytes:
    token = match[0]
    return token if token.startswith(b'"') else b"null"


_ESCAPES = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)", re.DOTALL)


def _whole_characters(match: re.Match[bytes]) -> bytes:
    """Half a surrogate pair, which a cut in the middle of an emoji leaves behind, is no character: U+FFFD."""
    escape = match[0]
    return rb"\ufffd" if len(escape) == 6 else escape


def decode_tolerant(content: bytes, decode: Callable[[bytes], T], tell: Callable[[str], None] = lambda what: None) -> T:
    """Decode JSON; where that fails, try again without what other tools write although it is no JSON.

    Bare NaN and Infinity become null ("nan_lines"), halves of surrogate pairs U+FFFD ("halved_characters").
    """
    try:
        return decode(content)
    except msgspec.DecodeError:
        cleaned, found = content, []
        if b"NaN" in content or b"Infinity" in content:
            cleaned = _BARE.sub(_null_for_bare, cleaned)
            found.append("nan_lines")
        if b"\\ud" in content or b"\\uD" in content:
            cleaned = _ESCAPES.sub(_whole_characters, cleaned)
            found.append("halved_characters")
        if cleaned is content or cleaned == content:
            raise
    record = decode(cleaned)
    for what in found:
        tell(what)
    return record


decode_any: Callable[[bytes], Any] = msgspec.json.Decoder().decode


def decode_json(content: bytes) -> Any:
    """Return any JSON value; ValueError if it is none."""
    return decode_tolerant(content, decode_any)


def load_json(path: Path, decode: Callable[[bytes], T] = decode_any) -> T:
    """Return the content of a JSON file, or one sentence on why it cannot be had."""
    with open_binary(path) as stream:
        try:
            content = stream.read()
        except _BREAKAGE as fault:
            raise FormatError(f"{path}: compressed data are broken ({fault}); fetch the file again") from fault
    return parse_json(content.removeprefix(UTF8_BOM), str(path), decode)


def parse_json(content: bytes, place: str, decode: Callable[[bytes], T] = decode_any) -> T:
    """Return the value of a JSON document; `place` names it in messages."""
    if not content.strip():
        raise FormatError(f"{place}: is empty; check that the evaluation finished")
    try:
        if not content.isascii():
            content.decode("utf-8")
        return decode_tolerant(content, decode)
    except UnicodeDecodeError as fault:
        raise FormatError(f"{place}: not UTF-8 at byte {fault.start}; convert the file to UTF-8") from fault
    except (ValueError, RecursionError) as fault:
        raise FormatError(f"{place}: broken JSON ({str(fault)[:160]}); write or fetch the file again") from fault


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


def log_files(folder: Path) -> list[Path]:
    """Return every plain file below a folder, sorted, hidden ones left out."""
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(root) / name for name in sorted(files) if not name.startswith(".")]
    return found


def split_files(path: Path, detects: Callable[[Path], bool]) -> tuple[list[Path], list[Path]]:
    """Return the files of `path` that a reader accepts, and the others that lie beside them."""
    if path.is_file():
        return [path], []
    mine: list[Path] = []
    others: list[Path] = []
    for file in log_files(path):
        (mine if detects(file) else others).append(file)
    return mine, others
