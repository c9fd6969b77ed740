"""The files: a zip with one JSON list of rows (`model_outputs_<model>_<n>shots.zip`), or one list per category."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import msgspec

from forgetmap.errors import FormatError
from forgetmap.readers.source import HEAD_BYTES, ZIP, SafeZip, load_json, open_binary, parse_json

_KEYS = (b'"question_id"', b'"options"', b'"answer_index"', b'"pred"')
_FILE_NAME = re.compile(r"model_outputs_(?P<model>.+)_(?P<shots>\d+)shots")
_OWN_FOLDER = "CoT"  # results/<model>/CoT/<subjects>/<category>.json


class Row(msgspec.Struct):
    """One question with its reply."""

    question: str
    options: list[str]
    question_id: int | str | None = None
    answer: str | None = None
    answer_index: int | None = None
    category: str | None = None
    src: str | None = None
    pred: str | None = None
    generated_text: str | None = None
    model_outputs: str | None = None  # the text's name in newer files

    @property
    def text(self) -> str | None:
        """The reply; None where there was none."""
        return self.model_outputs if self.generated_text is None else self.generated_text


_decode = msgspec.json.Decoder(list[Row | str]).decode


def detects(path: Path) -> bool:
    """Accept a JSON list of rows, plain or as the only JSON member of a zip."""
    if not path.is_file():
        return False
    try:
        head = _head(path).lstrip(b"\xef\xbb\xbf \t\r\n")
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError):
        return False
    # looked for as bytes: the list may begin with totals as bare texts, and not with a row
    return head.startswith(b"[") and all(key in head for key in _KEYS)


def read_rows(file: Path) -> tuple[list[Row], int]:
    """Return the rows of a file, and how many bare texts (totals of categories) stood among them."""
    if _is_zip(file):
        with SafeZip(file) as archive:
            members = _members(archive.names)
            if len(members) != 1:
                raise FormatError(f"{file}: {len(members)} JSON members, expected one; unpack it and name the file")
            found = parse_json(archive.read(members[0]), f"{file}: {members[0]}", _decode)
    else:
        found = load_json(file, _decode)
    rows = [row for row in found if isinstance(row, Row)]
    return rows, len(found) - len(rows)


def choose_files(files: list[Path], path: Path, model: str | None) -> tuple[list[Path], str | None, int | None]:
    """Return the files of one model, its name and the number of shots."""
    if not files:
        raise FormatError(f"{path}: no MMLU-Pro results in it; name their folder, or another format with --format")
    named = {file: _name(file) for file in files}
    known = ", ".join(sorted({str(name) for name, _ in named.values()}))
    mine = [file for file in files if model is None or named[file][0] == model]
    if not mine:
        raise FormatError(f"{path}: no results of '{model}' in it; there are: {known}")
    if len({named[file] for file in mine}) > 1:
        raise FormatError(f"{path}: results of several models ({known}); name the file or folder of one of them")
    return mine, *named[mine[0]]


def _is_zip(file: Path) -> bool:
    with open(file, "rb") as stream:
        return stream.read(4) == ZIP


def _head(path: Path) -> bytes:
    if not _is_zip(path):
        with open_binary(path) as stream:
            return stream.read(HEAD_BYTES * 16)
    with zipfile.ZipFile(path) as archive:
        members = _members(archive.namelist())
        if len(members) != 1:
            return b""
        with archive.open(members[0]) as member:
            return member.read(HEAD_BYTES * 16)


def _members(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".json") and not name.startswith("__MACOSX/")]


def _name(file: Path) -> tuple[str | None, int | None]:
    """Return model and number of shots: from the file's name, its member's (a renamed zip) or its folder's."""
    names = [file.name]
    if _is_zip(file):
        with SafeZip(file) as archive:
            names += archive.names
    for name in names:
        if found := _FILE_NAME.search(name):
            return found["model"], int(found["shots"])
    folders = file.absolute().parent.parts
    if _OWN_FOLDER in folders[1:]:
        return folders[folders.index(_OWN_FOLDER) - 1], None
    # the repository's first results: eval_results/<model>/<category>_result.json
    return file.absolute().parent.name if file.name.endswith("_result.json") else None, None
