"""Rows out of a table file, whatever its container."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, decode_any, load_json, open_binary, records, sniff

Rows = Sequence[tuple[int, Mapping[str, Any]]]  # with the row's number, for messages


def load_rows(path: Path, options: ReadOptions, told: Counter[str]) -> tuple[list[str], Rows]:
    """Return column names and numbered rows; `told` counts what was skipped or read tolerantly."""
    sniffed = sniff(path)
    if sniffed.kind == "empty":
        raise FormatError(f"{path}: the file is empty; check that it was written")
    if sniffed.kind == "parquet":
        try:
            table = pl.read_parquet(path)
        except pl.exceptions.PolarsError as fault:
            raise FormatError(f"{path}: a broken Parquet file ({fault}); fetch the file again") from fault
        return table.columns, list(enumerate(table.iter_rows(named=True), start=1))
    if sniffed.kind == "text":
        table = _read_csv(path)
        return table.columns, list(enumerate(table.iter_rows(named=True), start=2))
    if sniffed.kind == "lines":
        count = told.update
        found = list(records(path, decode_any, skip_broken=options.skip_broken, count=lambda what: count([what])))
    else:
        content: Any = load_json(path)
        if not isinstance(content, list):
            raise FormatError(f"{path}: expected a list of rows; name the format with --format if it is a log")
        found = list(enumerate(content, start=1))
    for number, row in found:
        if not isinstance(row, dict):
            raise FormatError(f"{path}: row {number} is {type(row).__name__}, expected an object; correct or remove it")
    names = dict.fromkeys(name for _, row in found for name in row)
    return list(names), found


def csv_header(path: Path) -> list[str]:
    """Return the column names of a CSV or TSV file."""
    with open_binary(path) as stream:
        line = stream.readline(1 << 16).decode("utf-8-sig", "replace")
    return line.rstrip("\r\n").split(_delimiter(line))


def _delimiter(header: str) -> str:
    return max((",", "\t", ";"), key=header.count)


def _read_csv(path: Path) -> pl.DataFrame:
    with open_binary(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        row = content.count(b"\n", 0, fault.start) + 1
        raise FormatError(
            f"{path}: line {row} is not UTF-8 (byte 0x{content[fault.start]:02x}); convert it to UTF-8"
        ) from fault
    separator = _delimiter(text.split("\n", 1)[0])
    header = csv_header(path)
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise FormatError(f"{path}: two columns are called '{twice[0]}'; rename or remove one")
    try:
        return pl.read_csv(text.encode(), separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, ValueError) as fault:
        reason = str(fault).split("\n")[0]
        raise FormatError(
            f"{path}: not a regular table ({reason}); give every row as many cells as the header"
        ) from fault
