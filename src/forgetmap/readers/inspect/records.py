"""The records of a log, typed, so that the parser skips what nobody asked for.

One shape serves summaries and full samples: a summary has the error as text, a full sample as an object, and so on.
Events, nine tenths of a full sample, are never decoded.
"""

from __future__ import annotations

from typing import Any

import msgspec


class ScoreNotes(msgspec.Struct, gc=False):
    """What a score's metadata may hold; before 0.3.285 the reason of a failed grading stood here."""

    unscored_reason: Any = None


class Score(msgspec.Struct, gc=False):
    """One scorer's verdict. `value` may be a letter, number, bool, list or mapping."""

    value: Any = None
    answer: Any = None
    reason: Any = None
    metadata: ScoreNotes | None = None
    history: list[Any] = []


class Hints(msgspec.Struct, gc=False):
    """The fields of a sample's metadata that say what the item is about."""

    subject: Any = None
    category: Any = None
    topic: Any = None
    domain: Any = None
    tags: Any = None


class Usage(msgspec.Struct, gc=False):
    """Tokens of one model."""

    output_tokens: int | None = None


class Message(msgspec.Struct, gc=False):
    """A chat message; `content` is a text or a list of parts."""

    role: str = "user"
    content: Any = None


class Reply(msgspec.Struct, gc=False):
    """One completion of the model."""

    message: Message | None = None
    stop_reason: str | None = None


class Output(msgspec.Struct, gc=False):
    """What the model gave back."""

    choices: list[Reply] = []


class Sample(msgspec.Struct, gc=False):
    """A sample or its summary."""

    id: Any
    epoch: int = 1
    input: str | list[Message] = ""
    choices: list[str] | None = None
    target: str | list[str] = ""
    metadata: Hints | None = None
    scores: dict[str, Score] | None = None
    model_usage: dict[str, Usage] = {}
    error: Any = None  # a text in summaries, an object with `message` in samples
    limit: Any = None  # a text in summaries, an object with `type` in samples
    invalidation: Any = None  # samples only
    score: Score | None = None  # logs of 2024 had one scorer and no name for it


class FullSample(Sample, gc=False):
    """A sample with its texts."""

    messages: list[Message] = []
    message_refs: list[tuple[int, int]] = []  # chunked samples: half-open ranges of the message sequence
    output: Output | None = None
    attachments: dict[str, str] = {}


class Header(msgspec.Struct, gc=False):
    """A whole `.json` log without its samples."""

    status: Any = None
    eval: Any = None
    plan: Any = None
    results: Any = None
    invalidated: Any = None


class JsonLog(msgspec.Struct, gc=False):
    """A whole `.json` log without texts."""

    samples: list[Sample] | None = None


class FullJsonLog(msgspec.Struct, gc=False):
    """A whole `.json` log."""

    samples: list[FullSample] | None = None


_decode_header = msgspec.json.Decoder(Header).decode


def decode_header(content: bytes) -> dict[str, Any]:
    """Return what a `.json` log says besides its samples."""
    return msgspec.structs.asdict(_decode_header(content))


decode_summaries = msgspec.json.Decoder(list[Sample]).decode
decode_full = msgspec.json.Decoder(FullSample).decode
decode_messages = msgspec.json.Decoder(list[Message]).decode
decode_hints = msgspec.json.Decoder(Hints).decode
decode_texts = msgspec.json.Decoder(list[str]).decode
decode_json_log = msgspec.json.Decoder(JsonLog).decode
decode_full_json_log = msgspec.json.Decoder(FullJsonLog).decode
