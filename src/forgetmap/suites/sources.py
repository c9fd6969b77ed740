"""Sources: where the rows of a task come from. Packed items, files of the suite folder, or datasets of the hub.

A local mirror (`--data-dir`) is read with polars alone. It never falls back to the network: what is not in the mirror is
said to be missing.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.errors import FormatError, MissingDataError, SuiteError
from forgetmap.suites.item import Item
from forgetmap.suites.spec import Source

Row = dict[str, Any]
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.parquet$")


class PackedLine(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a packed file."""

    task: str
    id: str
    question: str
    options: list[str] | None = None
    gold: list[str] = []
    facts: dict[str, Any] = {}
    cluster: str | None = None


def packed_items(packed: str, folder: Path, task: str) -> list[Item]:
    """Return the packed items of a task: the lines of one task in FILE.jsonl.zst."""
    name, _, part = packed.rpartition("/")
    path = folder / f"{packed}.jsonl.zst"
    if not path.is_file() and name:
        path = folder / f"{name}.jsonl.zst"
    else:
        part = task
    if not path.is_file():
        raise MissingDataError(f"task '{task}': {path.name} is not in {folder}; add the packed items")
    status = path.stat()
    lines = _packed(path, status.st_size, status.st_mtime_ns).get(part)
    if not lines:
        raise SuiteError(f"task '{task}': {path} holds no items of {part!r}; correct 'source, packed'")
    return [
        Item(
            task=task,
            native_id=line.id,
            question=line.question,
            options=None if line.options is None else tuple(line.options),
            gold=tuple(line.gold),
            facts=line.facts,
            cluster=line.cluster,
        )
        for line in lines
    ]


@lru_cache(maxsize=4)
def _packed(path: Path, _size: int, _time: int) -> dict[str, list[PackedLine]]:
    """Return the lines by task; one file serves all tasks of a suite."""
    import zstandard

    decode = msgspec.json.Decoder(PackedLine).decode
    found: dict[str, list[PackedLine]] = {}
    try:
        with open(path, "rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            for number, raw in enumerate(io.BufferedReader(stream)):
                try:
                    line = decode(raw)
                except (msgspec.MsgspecError, RecursionError) as fault:
                    raise FormatError(f"{path}: line {number + 1}: {fault}; pack the items again") from None
                found.setdefault(line.task, []).append(line)
    except zstandard.ZstdError as fault:
        raise FormatError(f"{path}: cannot be unpacked ({fault}); pack the items again") from None
    return found


def source_rows(source: Source, folder: Path, data_dir: Path | None, task: str) -> list[Row]:
    """Return the rows of a hub dataset or of files, in their order."""
    if source.file:
        paths = _fitting(folder, source.file, task)
        if not paths:
            raise MissingDataError(f"task '{task}': no file fits {source.file!r} in {folder}; correct 'source, file'")
        return [row for path in paths for row in read_rows(path)]
    if data_dir is not None:
        return [row for path in mirror_files(source, data_dir, task) for row in read_rows(path)]
    return _hub_rows(source, task)


def mirror_files(source: Source, data_dir: Path, task: str) -> list[Path]:
    """Return the files of a split in a local mirror of the hub, `DATA_DIR/OWNER/NAME`, in the hub's own layouts."""
    home = data_dir / str(source.hub)
    if not home.is_dir():
        raise MissingDataError(
            f"task '{task}': the dataset {source.hub} is not in {data_dir}; copy its repository to {home}, or leave "
            "out --data-dir to ask the hub"
        )
    patterns = _layouts(source)
    for pattern in patterns:
        found = _fitting(home, pattern, task)
        if found:
            _check_shards(found, task)
            return found
    of_config = f" of configuration {source.config!r}" if source.config else ""
    raise MissingDataError(
        f"task '{task}': {home} holds no split {source.split!r}{of_config}, looked for {', '.join(patterns)}; copy the "
        "dataset's files there"
    )


def _fitting(home: Path, pattern: str, task: str) -> list[Path]:
    """Return the files below a folder that fit a pattern."""
    try:
        return sorted(path for path in home.glob(pattern) if path.is_file())
    except (NotImplementedError, ValueError, IndexError) as fault:
        said = f"{str(fault)[:1].lower()}{str(fault)[1:]}"
        raise SuiteError(
            f"task '{task}': {pattern!r} is no pattern of files below {home} ({said}); write one such as data/*.jsonl"
        ) from None


def _layouts(source: Source) -> list[str]:
    """Return where a split may lie, as patterns, the likeliest first."""
    split, config = source.split, source.config
    # shards, one file, the hub's own conversion; then what people uploaded before there was one
    ends = [f"{split}-*.parquet", f"{split}.parquet", f"{split}/*.parquet", f"{split}.jsonl", f"{split}.csv"]
    homes = [f"{config}/", f"data/{config}/"] if config else ["data/", "", "default/"]
    usual = [home + end for home in homes for end in ends] if split else []
    whole = [f"data/{config}/data.parquet", f"data/{config}.json"] if config else []  # repositories without splits
    return [*([source.files] if source.files else []), *usual, *whole]


def _check_shards(paths: list[Path], task: str) -> None:
    """Refuse a split of which a part is missing: its items would be taken for all there are."""
    numbered = [found for path in paths if (found := _SHARD.search(path.name))]
    if numbered and len({found[1] for found in numbered}) < int(numbered[0][2]):
        raise MissingDataError(
            f"task '{task}': {len(numbered)} of {int(numbered[0][2])} files like {paths[0]} are there; copy the others"
        )


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a Parquet, JSON-lines or CSV file."""
    import polars as pl

    ending = path.suffix.lower()
    try:
        if ending == ".parquet":
            return pl.read_parquet(path).to_dicts()
        if ending == ".csv":
            # everything as text: an answer "007" or "1.0" is not a number before an adapter says so
            return pl.read_csv(path, infer_schema=False).to_dicts()
    except pl.exceptions.PolarsError as fault:
        said = str(fault).partition("\n")[0]
        raise FormatError(f"{path}: cannot be read ({said}); copy or write it again") from None
    if ending == ".json":
        return _json_rows(path)
    if ending not in (".jsonl", ".ndjson"):
        raise FormatError(f"{path}: is neither .parquet nor .jsonl, .json or .csv; convert it")
    rows: list[Row] = []
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    for number, line in enumerate(path.read_bytes().splitlines()):
        if not line.strip():
            continue
        try:
            rows.append(decode(line))
        except (msgspec.MsgspecError, RecursionError) as fault:
            raise FormatError(f"{path}: line {number + 1}: {fault}; correct it") from None
    return rows


def _json_rows(path: Path) -> list[Row]:
    """Return the rows of a JSON list, or of an object that holds one list (BIG-bench hard has it under "examples")."""
    try:
        content = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise FormatError(f"{path}: {fault}; copy it again") from None
    lists = [one for one in (content.values() if isinstance(content, dict) else [content]) if isinstance(one, list)]
    if len(lists) != 1 or not all(isinstance(row, dict) for row in lists[0]):
        raise FormatError(f"{path}: holds {len(lists)} lists, expected one list of objects; convert it to JSON lines")
    found: list[Row] = lists[0]
    return found


def _hub_rows(source: Source, task: str) -> list[Row]:
    try:
        from datasets import load_dataset  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingDataError(
            f"task '{task}' is in the hub dataset {source.hub}, and the package that fetches it is missing; run "
            "pip install datasets, or give --data-dir a folder with the dataset"
        ) from None
    split = source.split or "train"  # so the library calls what has no split of its own
    wanted: dict[str, Any] = {"split": split, "revision": source.revision}
    if source.files:
        wanted |= {"data_files": {split: source.files}}
    else:
        wanted |= {"name": source.config}
    try:
        return list(load_dataset(source.hub, **wanted))
    except Exception as fault:
        # whatever it was, network or access or a missing split, the user can only look at the dataset
        said = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise MissingDataError(
            f"task '{task}': the hub dataset {source.hub} (configuration {source.config}, split {source.split}) cannot be "
            f"fetched: {said[:200].rstrip('.')}; check network and access, or give --data-dir"
        ) from fault
