"""A run on disk: a folder of `samples.parquet` (narrow), `texts.parquet` (wide) and, last, `run.json`.

A folder without `run.json` is not a run: each file is written under a temporary name, synced and renamed, and the
one that makes the folder complete comes last.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl

from forgetmap.errors import RunError
from forgetmap.run import SAMPLE_SCHEMA, TEXT_SCHEMA, Run, RunInfo

MANIFEST = "run.json"
SAMPLES = "samples.parquet"
TEXTS = "texts.parquet"


def save_run(run: Run, folder: Path, *, overwrite: bool = False, texts: bool = True) -> Path:
    """Write the run into `folder` and return it."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder}: is a file; name a folder for the run")
    if folder.exists() and any(folder.iterdir()):
        if not overwrite:
            raise RunError(f"{folder}: is not empty; choose another folder, or --force to replace the run in it")
        if not is_run_folder(folder):
            raise RunError(f"{folder}: holds something else than a run; choose another folder")
        (folder / MANIFEST).unlink()  # from here until the new one is written, the folder is no run
    folder.mkdir(parents=True, exist_ok=True)
    samples = run.samples
    write_atomically(
        folder / SAMPLES, lambda path: samples.write_parquet(path, compression="zstd", compression_level=1)
    )
    if texts and run.has_texts:
        wide = run.texts()
        write_atomically(folder / TEXTS, lambda path: wide.write_parquet(path, compression="zstd", compression_level=3))
    else:
        (folder / TEXTS).unlink(missing_ok=True)
    manifest = msgspec.json.format(msgspec.json.encode(run.info), indent=1)
    write_atomically(folder / MANIFEST, lambda path: path.write_bytes(manifest))
    return folder


def load_run(folder: Path) -> Run:
    """Open a run folder lazily."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise RunError(f"{folder}: no {MANIFEST}, so the run is incomplete; import or evaluate it again")
    try:
        info = msgspec.json.decode(manifest.read_bytes(), type=RunInfo)
    except msgspec.DecodeError as fault:
        raise RunError(f"{manifest}: not a run manifest ({fault}); import the log again") from fault
    if info.schema != RunInfo().schema:
        raise RunError(f"{manifest}: schema is '{info.schema}', expected '{RunInfo().schema}'; import the log again")
    if not (folder / SAMPLES).is_file():
        raise RunError(f"{folder}: {SAMPLES} is missing; import the log again")
    try:
        samples = pl.scan_parquet(folder / SAMPLES)
        schema = samples.collect_schema()
    except pl.exceptions.PolarsError as fault:
        raise RunError(f"{folder / SAMPLES}: cannot be read ({fault}); import the log again") from fault
    for name, dtype in SAMPLE_SCHEMA.items():
        if schema.get(name) != dtype:
            found = schema.get(name, "absent")
            raise RunError(f"{folder / SAMPLES}: column '{name}' is {found}, expected {dtype}; import the log again")
    texts = (lambda: _scan_texts(folder / TEXTS)) if (folder / TEXTS).is_file() else None
    return Run(info=info, _samples=samples, _texts=texts, source=str(folder))


def is_run_folder(path: Path) -> bool:
    """Tell whether a folder holds a complete run."""
    return path.is_dir() and (path / MANIFEST).is_file() and (path / SAMPLES).is_file()


def _scan_texts(path: Path) -> pl.LazyFrame:
    texts = pl.scan_parquet(path)
    if texts.collect_schema() != TEXT_SCHEMA:
        raise RunError(f"{path}: not a texts table; import the log again")
    return texts


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Have `write` fill a temporary file, sync it and give it its name: all or nothing."""
    temporary = path.with_name(path.name + ".part")
    try:
        write(temporary)
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, all or nothing; lone surrogates of broken model text have no bytes of their own."""
    write_atomically(path, lambda target: target.write_bytes(text.encode("utf-8", "replace")))
