"""The records of HELM's files, declared with the fields that are needed.

Null fields are left out of HELM's files, so every optional field has a default.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec

JOINT = ("multiple_choice_joint", "multiple_choice_joint_chain_of_thought", "multiple_choice_joint_multimodal")
SEPARATE = ("multiple_choice_separate_original", "multiple_choice_separate_calibrated")


_encode = msgspec.json.Encoder(order="deterministic").encode


def describe(perturbation: dict[str, Any] | None) -> bytes:
    """Return a perturbation as bytes that tell it from all others."""
    return _encode(perturbation)


_Trial = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]


class Place(NamedTuple):
    """What HELM's entries are joined on."""

    instance_id: str
    perturbation: bytes  # the whole description as JSON; b"null" for the original
    trial: int


class _Placed(msgspec.Struct, kw_only=True):
    instance_id: str
    perturbation: dict[str, Any] | None = None
    train_trial_index: _Trial = 0

    @property
    def place(self) -> Place:
        """The entry's key."""
        return Place(self.instance_id, describe(self.perturbation), self.train_trial_index)


class Adapter(msgspec.Struct):
    """How instances became requests; decoding settings included."""

    method: str = ""
    model: str = ""
    model_deployment: str = ""
    global_prefix: str = ""
    instructions: str = ""
    input_prefix: str = ""
    output_prefix: str = ""
    max_train_instances: int | None = None
    max_eval_instances: int | None = None
    num_train_trials: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    stop_sequences: list[str] = []
    random: str | None = None
    multi_label: bool = False
    output_mapping_pattern: str | None = None


class RunSpec(msgspec.Struct):
    """`run_spec.json`."""

    name: str
    adapter_spec: Adapter
    groups: list[str] = []


class _Media(msgspec.Struct):
    text: str | None = None
    location: str | None = None


class _Multimedia(msgspec.Struct):
    media_objects: list[_Media] = []


class _Message(msgspec.Struct):
    content: Any = None


class Text(msgspec.Struct):
    """An input or an output: text, chat messages, or text mixed with pictures."""

    text: str = ""
    messages: list[_Message] | None = None
    multimedia_content: _Multimedia | None = None

    @property
    def content(self) -> str:
        """All of it as one text; a picture is known by its file's name, since its folder differs between machines."""
        media = self.multimedia_content.media_objects if self.multimedia_content else []
        parts = [self.text, *(str(message.content) for message in self.messages or [])]
        parts += [one.text or (one.location or "").rpartition("/")[2] for one in media]
        return "\n".join(part for part in parts if part)


class Reference(msgspec.Struct):
    """A possible output of an instance: an option, or one of several right answers."""

    output: Text
    tags: list[str] = []


class Instance(msgspec.Struct):
    """One document."""

    input: Text
    id: str
    references: list[Reference] = []
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class _StatName(msgspec.Struct):
    name: str


class _Stat(msgspec.Struct):
    name: _StatName
    mean: float | None = None  # left out where nothing was counted


class InstanceStats(_Placed, kw_only=True):
    """An entry of `per_instance_stats.json`: one per instance and metric class."""

    stats: list[_Stat]


class Prediction(_Placed, kw_only=True):
    """An entry of `display_predictions.json`."""

    predicted_text: str | None = None
    mapped_output: str | None = None
    reference_index: int | None = None


class _Request(msgspec.Struct):
    prompt: str = ""
    messages: list[_Message] | None = None
    multimodal_prompt: _Multimedia | None = None

    @property
    def text(self) -> str | None:
        """What the model saw, null where nothing of it was logged."""
        return Text(self.prompt, self.messages, self.multimodal_prompt).content or None


class DisplayRequest(_Placed, kw_only=True):
    """An entry of `display_requests.json`."""

    request: _Request


class Token(msgspec.Struct):
    """One token of a completion, of the echoed prompt too."""

    text: str
    logprob: float | None = None


class Completion(msgspec.Struct):
    """What the model wrote."""

    text: str = ""
    tokens: list[Token] = []


class _Result(msgspec.Struct):
    success: bool = True
    completions: list[Completion] = []
    error: str | None = None


class _RequestState(msgspec.Struct):
    instance: Instance
    request: _Request
    train_trial_index: _Trial = 0
    reference_index: int | None = None
    request_mode: str | None = None  # "calibration": the options without their question
    output_mapping: dict[str, str] | None = None
    result: _Result | None = None


class ScenarioState(msgspec.Struct):
    """`scenario_state.json`."""

    request_states: list[_RequestState]
