"""The workplace: a folder beside the run that is being made, which an evaluation can be killed in at any moment.

`evaluation.json` holds what was asked and which jobs run together; it is written once, before the first batch. Every batch
that is done is one file, written whole or not at all. Whoever comes back does what has no file yet, in the same batches, and
so gets the same digits.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from forgetmap.engines.requests import Rated, Written
from forgetmap.errors import RunError
from forgetmap.evaluation.settings import Settings
from forgetmap.storage import write_atomically

_MANIFEST, _SHARDS = "evaluation.json", "shards"


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


class Workplace:
    """The folder of one evaluation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, out: Path) -> Workplace:
        """Return the workplace of a run."""
        return cls(out.with_name(f"{out.name}.part"))

    def plan(self) -> Plan | None:
        """Return what was begun here; None where nothing was."""
        path = self.folder / _MANIFEST
        if not path.is_file():
            if self.folder.exists() and any(self.folder.iterdir()):
                raise RunError(f"{self.folder}: holds something that is no evaluation; name another folder for the run")
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Plan)
        except msgspec.DecodeError as fault:
            raise RunError(f"{path}: is damaged ({fault}); remove {self.folder} and begin anew") from fault

    def begin(self, plan: Plan) -> None:
        """Write down what is going to be done."""
        (self.folder / _SHARDS).mkdir(parents=True, exist_ok=True)
        content = msgspec.json.encode(plan)
        write_atomically(self.folder / _MANIFEST, lambda path: path.write_bytes(content))

    def done(self) -> set[int]:
        """Return the batches that have a file."""
        return {int(path.name.split(".")[0]) for path in (self.folder / _SHARDS).glob("[0-9]*.json.zst")}

    def add(self, shard: Shard) -> None:
        """Keep a batch that is done."""
        content = zstandard.compress(msgspec.json.encode(shard), 3)
        path = self.folder / _SHARDS / f"{shard.batch:06d}.json.zst"
        write_atomically(path, lambda place: place.write_bytes(content))

    def shard(self, batch: int) -> Shard:
        """Return a batch that is done."""
        path = self.folder / _SHARDS / f"{batch:06d}.json.zst"
        try:
            return msgspec.json.decode(zstandard.decompress(path.read_bytes()), type=Shard)
        except (zstandard.ZstdError, msgspec.DecodeError) as fault:
            raise RunError(f"{path}: is damaged ({fault}); remove this file, and the batch is done again") from fault

    def remove(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.folder, ignore_errors=True)
