"""The workplace: a folder beside the run that is being made, which an evaluation can be killed in at any moment.

`evaluation.json` holds what was asked and which jobs run together; it is written once, before the first batch. Every batch
that is done is one file, written whole or not at all. Whoever comes back does what has no file yet, in the same batches, and
so gets the same digits.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from forgetmap.engines.requests import Rated, Written
from forgetmap.errors import RunError
from forgetmap.evaluation.settings import Settings
from forgetmap.evaluation.usage import Usage
from forgetmap.storage import MANIFEST, SAMPLES, TEXTS, is_run_folder, write_atomically

_PLAN, _SHARDS = "evaluation.json", "shards"
_SHARD = re.compile(r"(\d{6,})\.json\.zst")
#: What is left in the folder of a run whose writing was broken off; `run.json` comes last.
_TORN = {SAMPLES, TEXTS, *(f"{name}.part" for name in (SAMPLES, TEXTS, MANIFEST))}


class Plan(msgspec.Struct, kw_only=True):
    """What is asked of whom, and in which batches."""

    schema: str = "forgetmap.evaluation/1"
    settings: Settings
    engine: dict[str, Any]
    hash: str
    jobs: int
    batches: list[list[int]]
    looks: list[int] = []  # after so many batches a gate is looked at; empty where none decides


class Reply(msgspec.Struct, omit_defaults=True):
    """The answer to one job: ratings, or what was written turn by turn."""

    job: int
    rated: Rated | None = None
    written: list[Written] = []


class Shard(msgspec.Struct, omit_defaults=True):
    """One batch that is done."""

    batch: int
    replies: list[Reply]
    splits: list[tuple[int, int]] = []  # the batch did not fit in memory: sizes tried and taken
    seconds: float = 0.0
    usage: Usage | None = None  # None where the engine does not count


class Workplace:
    """The folder of one evaluation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, out: Path) -> Workplace:
        """Return the workplace of a run."""
        named = out if out.name not in ("", "..") else Path(os.path.abspath(out))
        return cls(named.with_name(f"{named.name}.part"))

    def plan(self) -> Plan | None:
        """Return what was begun here; None where nothing was."""
        path = self.folder / _PLAN
        if not path.is_file():
            if not self._is_fresh():
                raise RunError(
                    f"{self.folder}: holds something that is no evaluation; name another folder for the run with --out"
                )
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Plan)
        except msgspec.DecodeError as fault:
            raise RunError(f"{path}: is damaged ({fault}); remove {self.folder} and begin anew") from fault

    def _is_fresh(self) -> bool:
        """Whether nothing was begun here, or nothing but the folders for it."""
        if not self.folder.is_dir():
            return not self.folder.exists()
        known = {_SHARDS, f"{_PLAN}.part"}
        shards = self.folder / _SHARDS
        return {path.name for path in self.folder.iterdir()} <= known and not (
            shards.is_dir() and any(shards.iterdir())
        )

    def begin(self, plan: Plan) -> None:
        """Write down what is going to be done."""
        content = msgspec.json.encode(plan)
        with _told(self.folder, "name another folder with --out, or make room there"):
            (self.folder / _SHARDS).mkdir(parents=True, exist_ok=True)
            write_atomically(self.folder / _PLAN, lambda path: path.write_bytes(content))

    def done(self) -> set[int]:
        """Return the batches that have a file."""
        found = (_SHARD.fullmatch(path.name) for path in (self.folder / _SHARDS).glob("*.json.zst"))
        return {int(name[1]) for name in found if name}

    def add(self, shard: Shard) -> None:
        """Keep a batch that is done."""
        content = zstandard.compress(msgspec.json.encode(shard), 3)
        path = self._path(shard.batch)
        with _told(path, "what was done before is kept: make room, and run the same command again"):
            write_atomically(path, lambda place: place.write_bytes(content))

    def shards(self, plan: Plan) -> dict[int, Shard]:
        """Return the batches that are done; one that is damaged is named before anything else is asked."""
        return {number: self._shard(number, plan) for number in sorted(self.done())}

    def _path(self, batch: int) -> Path:
        return self.folder / _SHARDS / f"{batch:06d}.json.zst"

    def _shard(self, batch: int, plan: Plan) -> Shard:
        path = self._path(batch)
        try:
            shard = msgspec.json.decode(zstandard.decompress(path.read_bytes()), type=Shard)
            if batch >= len(plan.batches) or [one.job for one in shard.replies] != plan.batches[batch]:
                raise msgspec.DecodeError("it answers other jobs than were planned")
        except (zstandard.ZstdError, msgspec.DecodeError) as fault:
            raise RunError(f"{path}: is damaged ({fault}); remove this file, and the batch is done again") from fault
        return shard

    def remove(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.folder, ignore_errors=True)


def check_out(out: Path) -> None:
    """Refuse a folder that no run can go into, before anything is loaded."""
    if out.is_dir():
        if any(out.iterdir()) and not is_run_folder(out) and not is_torn(out):
            raise RunError(f"{out}: holds something that is no run; name another folder with --out")
    elif out.exists():
        raise RunError(f"{out}: is a file; name a folder for the run with --out")
    there = next(parent for parent in out.absolute().parents if parent.exists())
    if not there.is_dir():
        raise RunError(f"{out}: cannot be made, for {there} is a file; name another folder with --out")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RunError(f"{out}: cannot be made, for {there} is not to be written to; name another folder with --out")


def is_torn(out: Path) -> bool:
    """Tell whether a folder holds the beginning of a run whose saving was broken off, and nothing else."""
    names = {path.name for path in out.iterdir()}
    return bool(names) and names <= _TORN and Workplace.of(out).plan() is not None


def clear_torn(out: Path) -> None:
    """Remove the beginning of a run whose saving was broken off: it is written anew from the batches."""
    if out.is_dir() and is_torn(out):
        for path in out.iterdir():
            path.unlink()


@contextmanager
def _told(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise RunError(f"{path}: cannot be written ({fault.strerror or fault}); {remedy}") from fault
