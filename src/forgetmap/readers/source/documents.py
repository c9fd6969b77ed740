"""JSON as other tools write it: lines of any length, bare NaN, halved characters, torn ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from forgetmap.errors import FormatError
from forgetmap.readers.source.streams import BREAKAGE, UTF8_BOM, open_binary

T = TypeVar("T")


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
                if line[:1] not in b" \t\r\n\x0b\x0c" or not line.isspace():  # one look settles it for most lines
                    yield number, line
        except BREAKAGE as fault:
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

    `decode` is a msgspec decoder's method. A line that does not parse is an error with its number, unless `skip_broken`.
    `count` (a RunBuilder's) is told of "skipped_lines", and of what was read tolerantly (`decode_tolerant`).
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
        except BREAKAGE as fault:
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
