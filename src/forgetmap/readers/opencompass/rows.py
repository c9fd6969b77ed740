"""The replies of one OpenCompass data set: each prediction with what the results' details say of it.

Details come in two shapes. From 0.4 on they are a list with one entry per item, whose fields are lists over replicas;
replicas themselves (n > 1) are stacked in blocks in the predictions: entry j is item j mod N, repeat j div N. Before,
and where the evaluator gives none, they are a dict by position, with a `type` among the positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.readers.opencompass.layout import Logged, is_label
from forgetmap.readers.source import load_json

_NUMBER = re.compile(r".*_([0-9]{1,9})", re.DOTALL)  # example_abbr: data set, split, number
_EXTRACTED = ("pred", "predictions")
_GOLD = ("answer", "references", "refr", "reference")


@dataclass
class Row:
    """One reply."""

    place: str  # for messages
    position: int  # of the item in the data set
    repeat: int
    native_id: str
    entry: dict[str, Any]  # of the predictions; empty where only list-form results are there
    detail: dict[str, Any]  # of the results; empty where there are none

    @property
    def question(self) -> str:
        """The prompt that identifies the item, demonstrations removed where the log does it."""
        return _asked(self.entry)

    @property
    def prompt(self) -> str:
        """What the model saw; for perplexity tasks the prompt of the first option."""
        return _joined(self._rendered())

    @property
    def prompt_key(self) -> int | None:
        """Hash of the prompt as logged: a text and a list of roles are rendered differently, even with the same words."""
        logged = self._rendered()
        if not logged:
            return None
        return items.text_hash(logged if isinstance(logged, str) else msgspec.json.encode(logged).decode())

    def _rendered(self) -> Any:
        first = _first_label(self.entry)
        return (self.entry if first is None else first).get("prompt") or self.entry.get("origin_prompt")

    @property
    def response(self) -> str | None:
        """The reply; null where only the results are there."""
        said = self.entry.get("prediction")
        if isinstance(said, dict):
            said = said.get("prediction")
        return None if said is None else _joined(said)

    @property
    def extracted(self) -> str | None:
        """What the evaluator found in the reply; null where the details do not say."""
        rule = self.detail.get("rule_evaluation")
        for detail in (self.detail, rule if isinstance(rule, dict) else {}):
            for name in _EXTRACTED:
                if name in detail:
                    return "" if detail[name] is None else _joined(detail[name])
        return None

    @property
    def gold(self) -> list[str] | None:
        """The right answers. A gold of 0 or "" is left out of predictions; the details may have it."""
        rule = self.detail.get("rule_evaluation")
        found = self.entry.get("gold")
        for detail in (self.detail, rule if isinstance(rule, dict) else {}):
            for name in _GOLD:
                found = detail.get(name) if found is None else found
        texts = [_joined(one) for one in (found if isinstance(found, list) else [found]) if one is not None]
        return [text for text in texts if text.strip()] or None

    @property
    def output_tokens(self) -> int | None:
        """Length of the reply, where it was counted."""
        length = self.entry.get("res_length")
        return length if isinstance(length, int) and 0 <= length < 1 << 32 else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts that stands in the prediction, an empty one if it does not."""
        value = self.entry.get(name)
        return [str(one) for one in value] if isinstance(value, list) else []


def _first_label(entry: dict[str, Any]) -> dict[str, Any] | None:
    return next((value for name, value in entry.items() if is_label(name)), None)


def _asked(entry: dict[str, Any]) -> str:
    """Return what was asked. Perplexity tasks before 0.4 have no `origin_prompt`: it is the first option's input."""
    inputs = (entry.get("origin_prompt"), (_first_label(entry) or {}).get("testing input"), entry.get("testing input"))
    return _joined(next((value for value in inputs if value), None))


def _joined(value: Any) -> str:
    """Return a prompt or reply as one text: roles one under the other, as the tool renders them without a template."""
    parts: list[str] = []
    waiting = [value]  # a stack of our own: nesting in a hostile file may be deeper than Python's
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            waiting.append(next((one[name] for name in ("prompt", "content", "text") if name in one), None))
        elif one is not None and one != "":
            parts.append(str(one))
    return "\n".join(parts)


def load_rows(logged: Logged) -> Iterator[Row]:
    """Yield the replies of a data set, item by item in each block of replicas."""
    entries = [entry for file in logged.predictions for entry in _entries(file, load_json(file))]
    content: Any = load_json(logged.results) if logged.results else {}
    details = _details(logged.results, content.get("details") if isinstance(content, dict) else None)
    grouped = bool(details) and all("example_abbr" in detail for detail in details)
    if grouped:
        size = len(details)
        repeats = len(entries) // size or max(map(_replicas, details))
        shares = [_replica(detail, repeat, repeats) for repeat in range(repeats) for detail in details]
    else:
        shares = details
    if not entries:
        repeated = [_entry_of(share) for share in shares]
        entries = repeated if all(repeated) else []
    if not grouped:
        size = _period([_asked(entry) for entry in entries]) or len(shares)
        repeats = max(len(entries), len(shares)) // size if size else 0
    if shares and entries and len(shares) != len(entries):
        raise FormatError(
            f"{logged.results}: details of {len(details)} items for {len(entries)} predictions; evaluate them again"
        )
    file = logged.predictions[0] if logged.predictions else logged.results
    for repeat in range(repeats):
        for position in range(size):
            number = repeat * size + position
            native = details[position].get("example_abbr") if grouped else None
            yield Row(
                f"{file}: entry {number}",
                position,
                repeat,
                native if isinstance(native, str) else str(position),
                entries[number] if entries else {},
                shares[number] if shares else {},
            )


def _entries(file: Path, content: Any) -> list[dict[str, Any]]:
    if not isinstance(content, dict):
        raise FormatError(
            f"{file}: a JSON {type(content).__name__}, expected an object with the entries 0, 1, …; run again"
        )
    for number in range(len(content)):
        entry = content.get(str(number))
        if not isinstance(entry, dict):
            found = "is missing" if entry is None else f"is {type(entry).__name__}, not an object"
            raise FormatError(f"{file}: entry {number} of {len(content)} {found}; run the inference again")
        asked = entry.get("origin_prompt", "")
        if not isinstance(asked, (str, list)):
            raise FormatError(
                f"{file}: entry {number}: origin_prompt is {type(asked).__name__}, expected a text or roles; run the "
                "inference again"
            )
        for name, value in entry.items():
            if is_label(name) and not isinstance(value, dict):
                raise FormatError(
                    f"{file}: entry {number}: '{name[:60]}' is no object with a prompt and its PPL; run again"
                )
    return [content[str(number)] for number in range(len(content))]


def _details(file: Path | None, content: Any) -> list[dict[str, Any]]:
    if isinstance(content, dict):
        numbered = {int(name): row for name, row in content.items() if name.isdecimal() and len(name) < 10}
        rows = [numbered[number] for number in sorted(numbered)]
    else:
        rows = content if isinstance(content, list) else []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise FormatError(
                f"{file}: details of item {number} are {type(row).__name__}, expected an object; evaluate again"
            )
    found = [_NUMBER.fullmatch(str(row.get("example_abbr"))) for row in rows]
    order = [int(match[1]) for match in found if match]
    # other numbers mean a range of the data set, or several splits: then the file's order counts
    if sorted(order) == list(range(len(rows))):
        rows = [row for _, row in sorted(zip(order, rows, strict=True), key=lambda pair: pair[0])]
    return rows


def _replicas(detail: dict[str, Any]) -> int:
    return max((len(value) for value in detail.values() if isinstance(value, list)), default=1)


def _replica(detail: dict[str, Any], repeat: int, repeats: int) -> dict[str, Any]:
    """Return one replica's share of an item's details.

    A field that only some replicas have is a shorter list, and nothing says whose values it holds: it is left out.
    """
    listed = {name: value for name, value in detail.items() if isinstance(value, list) and len(value) == repeats}
    return {name: value[repeat] for name, value in listed.items()}


def _entry_of(detail: dict[str, Any]) -> dict[str, Any]:
    """Return the prediction that a dict-form detail repeats; nothing for the list form, which repeats none."""
    said = detail.get("origin_prediction")
    if isinstance(said, dict):  # perplexity: options under their bare labels
        plain = {name: value for name, value in said.items() if not isinstance(value, dict)}
        labels = {f"label: {name}": value for name, value in said.items() if isinstance(value, dict)}
        return {**plain, **labels, "prediction": detail.get("predictions")}
    if "prompt" in detail:
        return {"origin_prompt": detail["prompt"], "prediction": said}
    return {}


def _period(prompts: list[str]) -> int:
    """Return after how many entries the prompts start again: the number of items, where replicas are stacked."""
    total = len(prompts)
    if not any(prompts):
        return total
    for size in (place for place in range(1, total // 2 + 1) if prompts[place] == prompts[0]):
        if total % size == 0 and all(prompts[n] == prompts[n - size] for n in range(size, total)):
            return size
    return total
