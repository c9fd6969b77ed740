"""The cache of a study: finished maps by what went into them. What cannot be proved whole is computed again.

An entry is one file: a line with its key and the hash of what follows, then the JSON, compressed. It is named by the hash
of everything that decides its content: the two runs, the options, and the code that made it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import zstandard

import forgetmap
from forgetmap.errors import UsageError
from forgetmap.storage import write_atomically

#: Parts of the package that draw and print: what they do changes no figure.
_DRAWING = ("report", "explorer", "gate", "cli", "testing.py", "pytest_plugin.py")
_LARGEST = 1 << 31  # bytes of JSON; a damaged length must not fill the memory


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    size: int
    digest: str


@dataclass(frozen=True)
class Cache:
    """A folder of finished results."""

    folder: Path

    @classmethod
    def open(cls, folder: Path) -> Cache:
        """Return the cache in a folder, which is made if there is none."""
        try:
            (folder / "maps").mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise UsageError(
                f"the cache folder {folder} cannot be made ({fault.strerror}); name another with --cache DIR"
            ) from fault
        return cls(folder)

    @property
    def index(self) -> Path:
        """The file of known fingerprints."""
        return self.folder / "files.json"

    def load(self, key: str) -> dict[str, Any] | None:
        """Return a finished result; None if there is none, or if it is not whole."""
        try:
            first, _, body = self._path(key).read_bytes().partition(b"\n")
            head = msgspec.json.decode(first, type=_Head)
            if head.key != key or head.size > _LARGEST or head.digest != _digest(body):
                return None
            content = zstandard.ZstdDecompressor().decompress(body, max_output_size=head.size)
            return msgspec.json.decode(content, type=dict[str, Any])
        except (OSError, msgspec.DecodeError, msgspec.ValidationError, zstandard.ZstdError):
            return None  # not there, or damaged: computing it again costs time, believing it might cost a paper

    def store(self, key: str, result: Mapping[str, Any]) -> None:
        """Keep a result, all or nothing."""
        content = msgspec.json.encode(result)
        body = zstandard.ZstdCompressor(level=6).compress(content)
        head = msgspec.json.encode(_Head(key, len(content), _digest(body)))
        path = self._path(key)
        # two studies may share a cache and finish the same map at once
        own = path.with_name(f"{path.name}.{os.getpid()}")
        write_atomically(own, lambda target: target.write_bytes(head + b"\n" + body))
        os.replace(own, path)

    def _path(self, key: str) -> Path:
        return self.folder / "maps" / f"{key}.zst"


def make_key(kind: str, parts: Mapping[str, Any]) -> str:
    """Return the name of a result: the hash of what it is made of, and of the code that makes it."""
    content = msgspec.json.encode({"kind": kind, "code": code_digest(), **parts}, order="sorted")
    return hashlib.blake2b(content, digest_size=20).hexdigest()


@cache
def code_digest() -> str:
    """Return the hash of the version and of every module that has a part in a figure."""
    root = Path(forgetmap.__file__).parent
    made = hashlib.blake2b(version("forgetmap").encode(), digest_size=16)
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.suffix in (".py", ".yaml") and inside.parts[0] not in _DRAWING:
            made.update(inside.as_posix().encode() + b"\0" + path.read_bytes())
    return made.hexdigest()


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=16).hexdigest()
