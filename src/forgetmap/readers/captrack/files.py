"""The files: `model_responses/<model>/<task>.{jsonl,json,csv,parquet}`, one row per item.

The tool wants the dots of task ids as underscores, its documentation shows dots: both are accepted. An id must match as
a whole: `gsm8k_rephrased` is never `gsm8k`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from forgetmap.errors import FormatError
from forgetmap.readers.source import ReadOptions, load_json, open_binary, records, sniff

#: The 37 task ids with the kind of answer we can score; None needs a judge, an interpreter or a checker.
TASKS: dict[str, str | None] = {
    **dict.fromkeys(
        ("mmlu_pro.subset", "mmlu_pro.rephrased", "truthfulqa.full", "winogrande.subset", "hellaswag.subset",
         "longbenchv2.full", "supergpqa.subset"), "choice"),
    **dict.fromkeys(("gsm8k.subset", "gsm8k.rephrased", "mgsm.subset"), "number"),
    **dict.fromkeys(("popqa.subset", "xtreme.subset"), "open"),
    **dict.fromkeys(
        ("livemathbench.full", "math.subset", "humaneval.full", "mbpp.full", "hotpotqa.subset", "boolq.subset",
         "ragtruth.subset", "eli5.subset", "mmlu_pro.schema", "mmlu_pro.table_schema", "gsm8k.schema",
         "gsm8k.table_schema", "harmbench.subset", "ruler.4k", "ruler.32k", "mtbench.turn1", "mtbench.turn2",
         "oasst1.full", "structflowbench.turn2", "ifeval.subset", "followbench.subset", "bfcl.subset", "mnms.full",
         "hotpotqa.citation", "qasper.citation"), None),
}  # fmt: skip
_INPUTS = ("id", "task", "prompt", "formatted_prompt", "ctx", "choices", "gold", "meta", "language", "turn1_response")
_BY_SPELLING = {re.sub(r"[._]", "_", task): task for task in TASKS}
_EXTENSION = re.compile(r"\.(jsonl|json|csv|parquet)(\.(gz|zst))?$", re.IGNORECASE)
_decode_row = msgspec.json.Decoder(dict[str, Any]).decode
_decode_list = msgspec.json.Decoder(list[dict[str, Any]]).decode


def task_id(name: object) -> str | None:
    """Return the task id a text spells, with dots or underscores; None if it is none."""
    return _BY_SPELLING.get(re.sub(r"[._]", "_", name.strip().lower())) if isinstance(name, str) else None


def task_of_file(path: Path) -> str | None:
    """Return the task a file is named after."""
    return task_id(_EXTENSION.sub("", path.name))


def detects(path: Path) -> bool:
    """Accept a table with `outputs` and `gold` that is named after one of the tasks, or names it in a column."""
    if not path.is_file():
        return False
    found = sniff(path)
    header = _csv_header(path) if found.kind == "text" else found.keys
    if not {"outputs", "gold"} <= set(header):
        return False
    return task_of_file(path) is not None or task_id(_first_task(path, found.first)) is not None


def _first_task(path: Path, first: Any) -> Any:
    if isinstance(first, dict):
        return first.get("task")
    found = sniff(path)
    if found.kind == "parquet" and "task" in found.keys:
        return next(iter(pl.scan_parquet(path).select("task").head(1).collect().to_series()), None)
    return next((row.get("task") for _, row in _csv_rows(path)), None) if found.kind == "text" else None


def _csv_header(path: Path) -> list[str]:
    if not re.search(r"\.csv(\.(gz|zst))?$", path.name, re.IGNORECASE):
        return []  # prose has no header worth a look
    with open_binary(path) as stream:
        line = stream.readline(1 << 16)
    try:
        return next(csv.reader([line.decode("utf-8-sig")]), [])
    except (UnicodeDecodeError, csv.Error):
        return []


def read_rows(path: Path, options: ReadOptions, count: Callable[[str], None]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (place, row) with the columns of the data set and `outputs`, which may have another name in the file."""
    renamed = options.columns.get("outputs") or options.columns.get("response") or "outputs"
    kind = sniff(path).kind
    if kind == "parquet":
        rows = _parquet_rows(path, renamed)
    elif kind == "lines":
        lines = records(path, _decode_row, skip_broken=options.skip_broken, count=count)
        rows = ((f"line {number}", row) for number, row in lines)
    elif kind in ("list", "object"):
        one = kind == "object"
        loaded = [load_json(path, _decode_row)] if one else load_json(path, _decode_list)
        rows = ((f"row {position}", row) for position, row in enumerate(loaded))
    else:
        rows = _csv_rows(path)
    for place, row in rows:
        if renamed not in row:
            raise FormatError(
                f"{path}: {place} has no column '{renamed}'; name that of the replies with --columns outputs=NAME"
            )
        row["outputs"] = row[renamed]
        yield place, row


def _parquet_rows(path: Path, outputs: str) -> Iterator[tuple[str, dict[str, Any]]]:
    present = [name for name in (*_INPUTS, outputs) if name in sniff(path).keys]
    try:
        table = pl.read_parquet(path, columns=present)
    except pl.exceptions.PolarsError as fault:
        raise FormatError(f"{path}: a broken Parquet file ({fault}); write it again") from fault
    for position, row in enumerate(table.iter_rows(named=True)):
        yield f"row {position}", row


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(1 << 28)  # replies are long
    with open_binary(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        try:
            for row in reader:
                if None in row or None in row.values():
                    raise FormatError(f"{path}: line {reader.line_num} and the header differ in cells; write it again")
                yield f"line {reader.line_num}", {name: cell if cell else None for name, cell in row.items()}
        except (csv.Error, UnicodeDecodeError) as fault:
            raise FormatError(f"{path}: line {reader.line_num} is broken ({fault}); write it again as UTF-8") from fault
