"""The lines of a samples file: typed, so that the parser skips what nobody asked for.

A 5-shot MMLU line repeats its prompt once per option, 13 kB in all; question, gold and log-likelihoods are a tenth of
it. Metric values stand at the top level under names that differ by task, so the type is made per set of names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.readers.source import decode_json, load_json, records, sniff

#: Top-level keys that are not metrics; versions before 0.4.7 do not list the metrics.
FIXED = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
     "target_hash", "scores_per_repeat"}
)  # fmt: skip


class Argument(msgspec.Struct):
    """One request: its context and its continuation, or its generation settings."""

    arg_0: Any = None
    arg_1: Any = None


class Continuation(msgspec.Struct):
    """One request without its context, which is the long part."""

    arg_1: Any = None


class Nothing(msgspec.Struct):
    """No request at all: prompts come by hash, options by document."""


_FIELDS: tuple[Any, ...] = (
    ("doc_id", Any),
    ("doc", msgspec.Raw),  # decoded once, whatever number of filters and logs show it
    ("target", msgspec.Raw, msgspec.Raw(b"null")),
    ("resps", list[Any], msgspec.field(default_factory=list)),
    ("filtered_resps", msgspec.Raw, msgspec.Raw(b"null")),  # wanted of generated replies only
    ("filter", str, "none"),
    ("metrics", list[str] | None, None),
    ("doc_hash", str | None, None),
    ("prompt_hash", str | None, None),
    ("target_hash", str | None, None),
    ("scores_per_repeat", dict[str, list[Any]] | None, None),
)


def line_decoder(metrics: tuple[str, ...], arguments: Any) -> Callable[[bytes], Any]:
    """Return a decoder of lines with these metrics; `arguments` is the type that says how much of them to read.

    Metric values land in fields m0, m1, … because a metric's name need not be a Python name.
    """
    values = [(f"m{position}", Any, msgspec.UNSET) for position in range(len(metrics))]
    line = msgspec.defstruct(
        "Line",
        [*_FIELDS, ("arguments", arguments, None), *values],
        rename={f"m{position}": name for position, name in enumerate(metrics)},
    )
    return msgspec.json.Decoder(line).decode


def metric_names(line: dict[str, Any]) -> tuple[str, ...]:
    """Return the metrics of a line as parsed into a dictionary."""
    named = line.get("metrics")
    return tuple(named) if named is not None else tuple(name for name in line if name not in FIXED)


def first_line(path: Path) -> dict[str, Any]:
    """Return the first line of a samples file."""
    sniffed = sniff(path)
    return dict(sniffed.first)


def read_lines(
    path: Path, metrics: tuple[str, ...], arguments: Any, *, skip_broken: bool, count: Callable[[str], None] | None
) -> Iterator[tuple[int, tuple[str, ...], Any]]:
    """Yield (line number, metric names, line). Lines with other metrics than the first get a decoder of their own."""
    decoders: dict[tuple[str, ...], Callable[[bytes], Any]] = {metrics: line_decoder(metrics, arguments)}
    if sniff(path).kind == "list":  # one JSON list, as early versions wrote
        rows: list[dict[str, Any]] = load_json(path)
        for number, row in enumerate(rows, start=1):
            names = metric_names(row)
            if names not in decoders:
                decoders[names] = line_decoder(names, arguments)
            yield number, names, decoders[names](msgspec.json.encode(row))
        return
    has_names = "metrics" in first_line(path)
    listed = list(metrics)

    def decode(content: bytes) -> tuple[tuple[str, ...], Any]:
        line = decoders[metrics](content)
        if line.metrics == listed:
            return metrics, line
        names = tuple(line.metrics) if line.metrics is not None else metrics if has_names else None
        if names == metrics:
            return metrics, line
        names = metric_names(decode_json(content)) if names is None else names
        if names not in decoders:
            decoders[names] = line_decoder(names, arguments)
        return names, decoders[names](content)

    for number, (names, line) in records(path, decode, skip_broken=skip_broken, count=count):
        yield number, names, line
