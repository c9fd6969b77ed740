"""One log file: its header and its samples, from summaries where they suffice and from full samples where not.

Summaries answer every estimate and are twenty times faster to read. They do not suffice where they were cut (inputs
over 5,120 characters: two long items that begin alike would become one), where images were replaced by a placeholder,
where options are not in them (logs of older versions), and where samples were invalidated later, which only the full
sample says. Each of these sends the reader to the full samples concerned, so that a key is never made of a cut text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import zstandard

from forgetmap.errors import FormatError
from forgetmap.readers.inspect import records
from forgetmap.readers.inspect.directory import Directory
from forgetmap.readers.inspect.records import FullSample, Message, Sample
from forgetmap.readers.source import HEAD_BYTES, ZIP, SafeZip, load_json, open_binary, parse_json, sniff

HEADER, SUMMARIES, START = "header.json", "summaries.json", "_journal/start.json"
CUT = "...\n(content truncated)"  # the end of a text that a summary cut
_PLACEHOLDER = re.compile(r"\((?:Image|Audio|Video|Data|Document)\)")
_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/(.*)_epoch_(\d+)(?:\.json|/sample\.json)", re.DOTALL)
_ATTACHMENT = "attachment://"
_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{[^{}]*"task"\s*:'
)


def is_log(path: Path) -> bool:
    """Tell whether a file is an Inspect log."""
    with open(path, "rb") as file:
        zipped = file.read(4) == ZIP
    if zipped:
        directory = Directory(path)
        names = directory if directory.usable else sniff(path).keys
        return HEADER in names or START in names
    if _begins_like_a_log(path):
        return True
    found = sniff(path)
    if found.kind not in ("object", "lines") or not found.keys >= {"version", "status", "eval"}:
        return False
    return isinstance(found.first["eval"], dict) and "task" in found.first["eval"]


def _begins_like_a_log(path: Path) -> bool:
    """Whether the first bytes say enough: a `.json` log may be too large to be looked at whole."""
    try:
        with open_binary(path) as stream:
            return bool(_BEGINNING.match(stream.read(HEAD_BYTES)))
    except (OSError, EOFError, zlib.error, zstandard.ZstdError):
        return False  # broken compression: nothing to tell from


class Log:
    """A log file with its header; `samples` reads the rest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            self.zipped = file.read(4) == ZIP
        if self.zipped:
            self.header, self.finished = _zipped_header(path)
        else:
            self.header, self.finished = load_json(path, records.decode_header), True
        self.spec: dict[str, Any] = self.header.get("eval") or {}
        if not isinstance(self.spec, dict) or not isinstance(self.spec.get("task"), str):
            raise FormatError(f"{path}: the header names no task; check that Inspect wrote this file")
        self.finished = self.finished and self.header.get("status") == "success"

    @property
    def task(self) -> str:
        """The task's name as logged, its package included."""
        return str(self.spec["task"])

    def get(self, *names: str) -> Any:
        """Return a value of the header by path, null where there is none."""
        value: Any = self.header
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def samples(self, texts: bool) -> list[Sample]:
        """Return every sample, with its texts if asked for."""
        if not self.zipped:
            return self._in_one_piece(texts)
        whole = texts or bool(self.get("invalidated"))
        lettered = self._asks_for_letters()
        quick = None if whole else self._quick_summaries()
        if quick is not None and not any(_is_cut(sample, lettered) for sample in quick):
            return quick
        with SafeZip(self.path) as archive:
            members = _Members(archive, texts)
            found = members.summaries()
            # A sample whose summary was not written before the process died still has a member of its own.
            if members.count > len(found):
                known = {(str(sample.id), sample.epoch) for sample in found}
                found += [members.full(*key) for key in members.ids() if key not in known]
            # The order of the summaries either way: texts that are read later must find their rows.
            return [
                members.full(str(sample.id), sample.epoch) if whole or _is_cut(sample, lettered) else sample
                for sample in found
            ]

    def _quick_summaries(self) -> list[Sample] | None:
        """The summaries of a finished log, if there is one for every sample; the archive is not listed for that."""
        directory = Directory(self.path)
        content = directory.read(SUMMARIES)
        if content is None:
            return None
        found = parse_json(content, f"{self.path}: {SUMMARIES}", records.decode_summaries)
        return found if len(found) >= directory.samples() else None

    def _in_one_piece(self, texts: bool) -> list[Sample]:
        if not texts:
            found = load_json(self.path, records.decode_json_log).samples or []
            if not any(_refers(sample.input) for sample in found):
                return found
        full = load_json(self.path, records.decode_full_json_log).samples or []
        for sample in full:
            _resolve(sample, sample.attachments)
        return list(full)

    def _asks_for_letters(self) -> bool:
        """Whether samples must have options: older versions left them out of the summaries."""
        steps = self.get("plan", "steps") or []
        solvers = {str(step.get("solver")).rpartition("/")[2] for step in steps}
        scorers = {str(scorer.get("name")).rpartition("/")[2] for scorer in self.spec.get("scorers") or []}
        return "multiple_choice" in solvers or "choice" in scorers


def _zipped_header(path: Path) -> tuple[dict[str, Any], bool]:
    """Return the header, and whether it is the one that is written last."""
    directory = Directory(path)
    for name in (HEADER, START) if directory.usable else ():
        content = directory.read(name)
        if content is not None:
            return parse_json(content, f"{path}: {name}"), name == HEADER
    with SafeZip(path) as archive:
        name = HEADER if HEADER in archive.names else START
        if name not in archive.names:
            raise FormatError(f"{path}: has neither {HEADER} nor {START}; check that Inspect wrote this file")
        return parse_json(archive.read(name), f"{path}: {name}"), name == HEADER


class _Members:
    """The members of an `.eval` archive that hold samples."""

    def __init__(self, archive: SafeZip, texts: bool) -> None:
        self.archive = archive
        self.names = frozenset(archive.names)
        self._texts = texts

    @property
    def count(self) -> int:
        """How many samples have members of their own; ids with a slash in them escape this quick count."""
        return sum(
            name.endswith("/sample.json") or (name.count("/") == 1 and name.endswith(".json"))
            for name in self.archive.names
            if name.startswith("samples/")
        )

    def summaries(self) -> list[Sample]:
        """Return the summaries, from the journal where the log was never finished; the last word on a sample counts."""
        if SUMMARIES in self.names:
            return list(self._read(SUMMARIES, records.decode_summaries))
        journal = sorted((int(found[1]), name) for name in self.names if (found := _JOURNAL.fullmatch(name)))
        latest: dict[tuple[str, int], Sample] = {}
        for _, name in journal:
            for sample in self._read(name, records.decode_summaries):
                latest[str(sample.id), sample.epoch] = sample
        return list(latest.values())

    def ids(self) -> Iterator[tuple[str, int]]:
        """Yield (id, epoch) of every sample, in the order of the archive."""
        for name in self.archive.names:
            found = _SAMPLE.fullmatch(name)
            if found:
                yield found[1], int(found[2])

    def full(self, id: str, epoch: int) -> FullSample:
        """Return one full sample, whichever of the two shapes it has, attachments in place."""
        prefix = f"samples/{id}_epoch_{epoch}"
        sample: FullSample
        if f"{prefix}.json" in self.names:
            sample = self._read(f"{prefix}.json", records.decode_full)
            attachments = sample.attachments
        elif f"{prefix}/sample.json" in self.names:
            sample = self._read(f"{prefix}/sample.json", records.decode_full)
            sample.metadata = self._hints(prefix)
            if self._texts:
                sequence = self._sequence(prefix, "messages", records.decode_messages)
                sample.messages = [one for start, end in sample.message_refs for one in sequence[start:end]]
            contents = self._sequence(prefix, "attachments", records.decode_texts)
            attachments = {str(number): text for number, text in enumerate(contents)}
        else:
            raise FormatError(
                f"{self.archive.path}: sample '{id}' of epoch {epoch} has a summary but no member of its own; fetch "
                "the file again"
            )
        _resolve(sample, attachments)
        if not self._texts:  # what was needed for the key is in `input` now: let the conversation go
            sample.messages, sample.attachments, sample.output = [], {}, None
        return sample

    def _hints(self, prefix: str) -> Any:
        name = f"{prefix}/metadata.json"
        return self._read(name, records.decode_hints) if name in self.names else None

    def _sequence(self, prefix: str, kind: str, decode: Any) -> list[Any]:
        chunks = sorted(self._chunks.get(f"{prefix}/{kind}", []))
        return [one for start in chunks for one in self._read(f"{prefix}/{kind}/{start}.json", decode)]

    @cached_property
    def _chunks(self) -> dict[str, list[int]]:
        """The chunks of every sequence; each is named by the number of its first element."""
        found: dict[str, list[int]] = {}
        for name in self.archive.names:
            sequence, _, start = name.removesuffix(".json").rpartition("/")
            if start.isdecimal():
                found.setdefault(sequence, []).append(int(start))
        return found

    def _read(self, name: str, decode: Any) -> Any:
        return parse_json(self.archive.read(name), f"{self.archive.path}: {name}", decode)


def _is_cut(sample: Sample, lettered: bool) -> bool:
    """Whether the summary lacks something the item's key is made of."""
    asked, target = sample.input, sample.target
    if isinstance(asked, str) and isinstance(target, str):
        return asked.endswith(CUT) or target.endswith(CUT) or (lettered and sample.choices is None)
    targets = [target] if isinstance(target, str) else target
    said = [Message(content=asked)] if isinstance(asked, str) else asked
    if lettered and sample.choices is None:
        return True
    return any(text.endswith(CUT) for text in targets) or any(_lacks_content(message.content) for message in said)


def _lacks_content(content: Any) -> bool:
    if isinstance(content, str):
        return content.endswith(CUT)
    texts = [part.get("text") for part in content or [] if isinstance(part, dict)]
    return any(isinstance(text, str) and (text.endswith(CUT) or _PLACEHOLDER.fullmatch(text)) for text in texts)


def _refers(value: Any) -> bool:
    """Whether an input refers to an attachment, as images in it do."""
    if isinstance(value, str):
        return value.startswith(_ATTACHMENT)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, Message):
        return _refers(value.content)
    return isinstance(value, list) and any(_refers(one) for one in value)


def _resolve(sample: Sample, attachments: dict[str, str]) -> None:
    """Put attached texts back where they belong: long texts are logged once and referred to."""
    if not attachments:
        return
    sample.input = _resolved(sample.input, attachments)
    if isinstance(sample, FullSample):
        sample.messages = _resolved(sample.messages, attachments)
        for reply in sample.output.choices if sample.output else []:
            reply.message = _resolved(reply.message, attachments)


def _resolved(value: Any, attachments: dict[str, str]) -> Any:
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_ATTACHMENT), value) if value.startswith(_ATTACHMENT) else value
    if isinstance(value, list):
        return [_resolved(one, attachments) for one in value]
    if isinstance(value, dict):
        return {name: _resolved(one, attachments) for name, one in value.items()}
    if isinstance(value, Message):
        value.content = _resolved(value.content, attachments)
    return value
