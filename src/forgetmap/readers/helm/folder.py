"""What one HELM run folder holds: specification, scores, and replies with their documents, whichever file has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from forgetmap.errors import FormatError
from forgetmap.readers.helm.records import (
    SEPARATE,
    Adapter,
    Completion,
    DisplayRequest,
    Instance,
    InstanceStats,
    Place,
    Prediction,
    RunSpec,
    ScenarioState,
    Token,
    describe,
)
from forgetmap.readers.source import load_json


@dataclass
class Reply:
    """One reply with its document, whichever file they stand in."""

    instance: Instance | None
    text: str | None = None
    mapped_output: str | None = None
    reference_index: int | None = None
    prompt: str | None = None
    error: str | None = None
    option_logprobs: dict[int, float | None] | None = None


def load_spec(folder: Path) -> RunSpec:
    """Return the run's specification."""
    return load_json(folder / "run_spec.json", msgspec.json.Decoder(RunSpec).decode)


def load_stats(folder: Path) -> list[InstanceStats]:
    """Return the scores of every instance, as logged."""
    return load_json(folder / "per_instance_stats.json", msgspec.json.Decoder(list[InstanceStats]).decode)


def load_replies(
    folder: Path, adapter: Adapter, predicted: dict[Place, float | None]
) -> tuple[dict[Place, Reply], list[str]]:
    """Return the replies of a run folder and the names of the files they were found in.

    `predicted` holds the stat `predicted_index`: of the requests of a separate-choice adapter, one per option, the one
    for that option is the reply.
    """
    separate = adapter.method in SEPARATE
    state = folder / "scenario_state.json"
    names = ["instances.json", "display_predictions.json"]
    if not all((folder / name).exists() for name in names):
        return (_from_state(state, adapter, predicted), [state.name]) if state.exists() else ({}, [])
    replies = _from_display(folder, predicted)
    if (folder / "display_requests.json").exists():
        names.append("display_requests.json")
        for request in _load(folder / names[-1], list[DisplayRequest]):
            if request.place in replies:
                replies[request.place].prompt = request.request.text
    if separate and state.exists():  # log-probabilities stand nowhere else
        names.append(state.name)
        for place, reply in _from_state(state, adapter, predicted).items():
            if place in replies:
                replies[place].option_logprobs = reply.option_logprobs
    return replies, names


def _load(file: Path, kind: Any) -> Any:
    return load_json(file, msgspec.json.Decoder(kind).decode)


def _from_display(folder: Path, predicted: dict[Place, float | None]) -> dict[Place, Reply]:
    documents = {(one.id, describe(one.perturbation)): one for one in _load(folder / "instances.json", list[Instance])}
    replies: dict[Place, Reply] = {}
    file = folder / "display_predictions.json"
    for position, row in enumerate(_load(file, list[Prediction])):
        place = row.place
        instance = documents.get(place[:2])
        if instance is None:
            raise FormatError(
                f"{file}: entry {position}: '{row.instance_id}' is not in instances.json; run helm-summarize again"
            )
        if place not in replies or row.reference_index == predicted.get(place):
            replies[place] = Reply(instance, row.predicted_text, row.mapped_output, row.reference_index)
    return replies


def _from_state(file: Path, adapter: Adapter, predicted: dict[Place, float | None]) -> dict[Place, Reply]:
    replies: dict[Place, Reply] = {}
    logprobs: dict[Place, dict[int, float | None]] = {}
    for row in _load(file, ScenarioState).request_states:
        if row.result is None or row.request_mode == "calibration":
            continue
        place = Place(row.instance.id, describe(row.instance.perturbation), row.train_trial_index)
        completion = row.result.completions[0] if row.result.completions else Completion()
        index = row.reference_index
        if index is not None and 0 <= index < len(row.instance.references):
            answer = row.instance.references[index].output.text
            logprobs.setdefault(place, {})[index] = _answer_logprob(completion.tokens, answer)
        if place not in replies or index == predicted.get(place):
            mapped = _mapped(file, completion.text, row.output_mapping, adapter.output_mapping_pattern)
            error = None if row.result.success else row.result.error or "the request failed"
            replies[place] = Reply(row.instance, completion.text, mapped, index, row.request.text, error)
    for place, found in logprobs.items():
        replies[place].option_logprobs = found
    return replies


def _mapped(file: Path, text: str, mapping: dict[str, str] | None, pattern: str | None) -> str | None:
    """Return the option that a reply names, by the rule with which helm-summarize shows it."""
    if mapping is None:
        return None
    said = text.strip()
    if pattern:
        try:
            match = re.search(pattern, said)
        except re.error as fault:
            raise FormatError(
                f"{file}: output_mapping_pattern '{pattern[:80]}' is no pattern ({fault}); run helm-summarize"
            ) from fault
        said = (match[1] if match.groups() else match[0]) if match else ""
    return mapping.get(said)


def _answer_logprob(tokens: list[Token], answer: str) -> float | None:
    """Return the log-probability of the tokens at the end of an echoed prompt that spell the answer."""
    total, text = 0.0, ""
    for token in reversed(tokens):
        if token.logprob is None:
            return None
        total += token.logprob
        text = token.text + text
        if len(text.strip()) >= len(answer.strip()):
            break
    return total if answer.strip() and text.strip() == answer.strip() else None
