"""The list of readers, and the search for the one that fits a path."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import polars.exceptions

from forgetmap.errors import FormatError, UsageError
from forgetmap.readers.source import ReadOptions, forget_sniffed, log_files, sniff
from forgetmap.run import Run

#: Name people use -> module, in the order in which formats are tried (formats.md 6).
BUILT_IN = {
    "forgetmap": "forgetmap.readers.saved",
    "inspect": "forgetmap.readers.inspect",
    "mmlu-pro": "forgetmap.readers.mmlu_pro",
    "lighteval-v2": "forgetmap.readers.lighteval_v2",
    "lighteval-v1": "forgetmap.readers.lighteval_v1",
    "helm": "forgetmap.readers.helm",
    "opencompass": "forgetmap.readers.opencompass",
    "evalplus": "forgetmap.readers.evalplus",
    "alpaca-eval": "forgetmap.readers.alpaca_eval",
    "openai-evals": "forgetmap.readers.openai_evals",
    "lm-eval": "forgetmap.readers.lm_eval",
    "olmes": "forgetmap.readers.olmes",
    "captrack": "forgetmap.readers.captrack",
}
#: Tried only when nothing else accepts: almost any table could be mapped somehow.
LAST_RESORT = {"table": "forgetmap.readers.table"}

ENTRY_POINTS = "forgetmap.readers"


@dataclass(frozen=True)
class Reader:
    """A format: its name and the two functions of its module."""

    name: str
    detects: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Run]


@cache
def _load(name: str, module: str) -> Reader:
    found: Any = import_module(module)
    return Reader(name, found.detects, found.read)


def _third_party() -> dict[str, Reader]:
    readers = {}
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in BUILT_IN or point.name in LAST_RESORT or point.name in readers:
            raise UsageError(f"two readers are called '{point.name}'; rename the entry point of '{point.value}'")
        found: Any = point.load()
        readers[point.name] = Reader(point.name, found.detects, found.read)
    return readers


def _first_choice() -> list[Reader]:
    return [_load(name, module) for name, module in BUILT_IN.items()] + list(_third_party().values())


def reader_names() -> list[str]:
    """Return the names of all formats that can be read."""
    return [*BUILT_IN, *_third_party(), *LAST_RESORT]


def find_reader(path: Path, name: str | None = None, *, is_table: bool = False) -> Reader:
    """Return the one reader that accepts `path`, or the one called `name`.

    `is_table`: the caller has named columns, so what no other reader accepts is a table whatever its columns are called.
    """
    if name is not None:
        named = {**BUILT_IN, **LAST_RESORT}
        if name in named:
            return _load(name, named[name])
        others = _third_party()
        if name in others:
            return others[name]
        raise UsageError(f"no reader is called '{name}'; there are: {', '.join(reader_names())}")
    if path.is_file() and sniff(path).kind == "broken":
        raise FormatError(sniff(path).first)
    for readers in (_first_choice(), [_load(name, module) for name, module in LAST_RESORT.items()]):
        accepting = [reader for reader in readers if _accepts(reader, path)]
        if len(accepting) == 1:
            return accepting[0]
        if accepting:
            names = " and ".join(reader.name for reader in accepting)
            raise FormatError(f"{path}: {names} both accept it; choose one with --format NAME")
    if is_table and path.is_file():
        return _load("table", LAST_RESORT["table"])
    if path.is_file() and sniff(path).kind == "empty":
        raise FormatError(f"{path}: the file is empty; check that the evaluation finished")
    if path.is_dir():
        files = log_files(path)
        if not files:
            raise FormatError(f"{path}: the folder is empty; check the path")
        if any({"results", "configs"} <= sniff(file).keys for file in files):
            raise FormatError(
                f"{path}: holds results of lm-evaluation-harness but no samples; evaluate again with --log_samples"
            )
    raise FormatError(
        f"{path}: no reader accepts it; if it is a table, map its columns with --columns FIELD=COLUMN, else name the "
        f"format with --format (one of {', '.join(reader_names())})"
    )


def _accepts(reader: Reader, path: Path) -> bool:
    if path.is_dir():
        return reader.detects(path) or any(reader.detects(file) for file in log_files(path))
    return reader.detects(path)


def read_run(
    path: str | Path,
    *,
    format: str | None = None,
    texts: bool = False,
    skip_broken: bool = False,
    columns: Mapping[str, str] | None = None,
    model: str | None = None,
) -> Run:
    """Return the run in a log file, a folder of logs or a saved run.

    Parameters
    ----------
    path : a file or folder that any reader accepts.
    format : the reader's name, where two accept or none does.
    texts : keep prompts and replies at once. Without it they are read when `Run.texts` is called.
    skip_broken : skip lines that do not parse, and count them, instead of refusing the file.
    columns : for plain tables, our field name -> the table's column.
    model : the run to take from a table that holds several; `table.csv::NAME` as path says the same.
    """
    place, named_run = _split_run(str(path))
    model = model if model is not None else named_run
    if not str(path) or not place.exists():
        raise FormatError(f"{str(path) or 'an empty path'}: no such file or folder; check the path")
    options = ReadOptions(texts=texts, skip_broken=skip_broken, columns=dict(columns or {}), model=model)
    named = bool(options.columns) or model is not None
    collects = gc.isenabled()
    gc.disable()  # samples are small tuples that all live to the end: walking them again and again costs a tenth
    try:
        run = _read(find_reader(place, format, is_table=named), place, options, forced=format is not None)
        if place.is_dir():
            broken = [file.name for file in log_files(place) if sniff(file).kind == "broken"]
            if broken:
                run.info.warnings.append(f"{len(broken)} files are broken and were not read: {', '.join(broken[:5])}")
    finally:
        forget_sniffed()
        if collects:
            gc.enable()
    return run


def _split_run(text: str) -> tuple[Path, str | None]:
    """Split TABLE::RUN where TABLE exists; the run's name may hold slashes and colons."""
    start = text.find("::")
    while start >= 0 and not Path(text).exists():
        if start and Path(text[:start]).exists():
            return Path(text[:start]), text[start + 2 :]
        start = text.find("::", start + 1)
    return Path(text), None


def _read(reader: Reader, path: Path, options: ReadOptions, *, forced: bool) -> Run:
    try:
        return reader.read(path, options)
    except (
        LookupError,
        TypeError,
        AttributeError,
        ValueError,
        ArithmeticError,
        EOFError,
        polars.exceptions.PolarsError,
    ) as fault:
        if not forced:  # a file that was recognised must not surprise its reader
            raise
        raise FormatError(
            f"{path}: cannot be read as {reader.name} ({type(fault).__name__}: {str(fault)[:100]}); leave --format out to have "
            "the format found"
        ) from fault
