"""What a task file and a suite file may say. Unknown keys are refused; a message names key, value and remedy.

The models are the contract: a comment stands beside every field that does not explain itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from forgetmap.errors import SuiteError
from forgetmap.suites.formats import FORMATS
from forgetmap.yaml_files import check_fields

#: How an answer is scored. The first ranks options by log-likelihood, all others read what the model writes.
KINDS = (
    "likelihood", "letter", "exact", "number", "math", "code", "instructions", "json_schema", "call", "recall",
    "citation", "turns", "refusal", "open",
)  # fmt: skip
#: Kinds whose answer can follow a chain of thought.
REASONED_KINDS = ("letter", "exact", "number", "math", "open")
#: Prompt styles: few-shot text, chat without examples, and both again with a chain of thought.
STYLES = ("base", "chat", "base_cot", "chat_cot")
#: What one may ask for: a style for all tasks alike, or each task's own text or chat style, as its `protocol` says.
PROMPTS = ("own", "own_chat", *STYLES)

Text = Annotated[str, Field(min_length=1, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
#: A path with adapters ("answer | after:####"), a constant ("=yes"), or a list of these.
Expression = Text | Annotated[tuple[Text, ...], Field(min_length=1)]
# YAML reads 4 as a number and `yes` as true: options and answers of a demonstration are texts
Written = Annotated[str, BeforeValidator(lambda one: str(one) if type(one) in (int, float) else one)]


class Strict(BaseModel):
    """Refuses keys it does not know, and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def leads_outside(path: str) -> bool:
    """Whether a path leads out of the folder it is meant to be in: absolute, with a drive, or with steps upwards."""
    return PureWindowsPath(path).anchor != "" or ".." in PureWindowsPath(path).parts


class Source(Strict):
    """Where the rows of a task are."""

    packed: Text | None = None  # FILE/TASK: the lines of TASK in FILE.jsonl.zst of the suite folder
    hub: Text | None = None  # OWNER/NAME of a dataset
    file: Text | None = None  # files of the suite folder: data/*.parquet, .jsonl or .csv
    config: Text | None = None
    split: Text | None = None
    revision: Text | None = None
    files: Text | None = None  # path inside the hub's repository, where the layout does not tell it
    broken_rows: Count = 0  # at most so many rows may be left out for a fault; each is named

    @model_validator(mode="after")
    def _stays_inside(self) -> Source:
        for name in ("packed", "file", "config", "split", "files"):
            if leads_outside(getattr(self, name) or ""):
                raise ValueError(
                    f"{name} is {getattr(self, name)[:60]!r}, which leads out of its folder; write a path inside it"
                )
        return self

    @model_validator(mode="after")
    def _one_home(self) -> Source:
        homes = [name for name in ("packed", "hub", "file") if getattr(self, name)]
        if len(homes) != 1:
            raise ValueError(f"names {' and '.join(homes) or 'no place'}, expected one of packed, hub, file; keep one")
        if self.hub and (self.hub.count("/") != 1 or ".." in self.hub or not all(self.hub.split("/"))):
            raise ValueError(f"hub is {self.hub!r}, expected OWNER/NAME; correct it")
        if self.hub and not (self.split or self.files):
            raise ValueError("hub has no split; add 'split:'")
        stray = [name for name in ("config", "split", "revision", "files") if getattr(self, name) and not self.hub]
        if stray:
            raise ValueError(f"{stray[0]} is for hub datasets only; remove it")
        return self


class Fields(Strict):
    """Where a row of a hub dataset or a file keeps the content of an item."""

    question: Expression
    passage: Expression | None = None  # a null passage in a row is none
    options: Expression | None = None
    gold: Expression | None = None  # None: the task has no golds (a judge or a trait reads the replies)
    id: Expression | None = None
    cluster: Expression | None = None
    facts: dict[Text, Expression] = Field(default_factory=dict)
    shuffle: Flag = False  # the dataset has every gold in one place: options are mixed once, by content


class Scoring(Strict):
    """How an answer becomes a score."""

    kind: Literal[KINDS]  # type: ignore[valid-type]
    normalise: Literal["none", "length", "bytes"] = "none"  # of log-likelihoods: by characters or by UTF-8 bytes
    settings: dict[Text, Any] = Field(default_factory=dict)  # what one kind needs beside


class Answer(Strict):
    """How long an answer may be, and where it ends."""

    max_tokens: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 64
    stop: tuple[Text, ...] = ()  # for text prompts; a chat model ends its own turn


class Reasoning(Strict):
    """How a chain of thought is asked for."""

    max_tokens: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 1024
    instruction: Text | None = None  # for chat; None: the usual one of the scoring kind


class Shots(Strict):
    """Demonstrations before the question, in text prompts."""

    count: Count = 0
    style: Literal["plain"] = "plain"
    items: Literal["fixed"] = "fixed"  # drawn once, the same for every item and every model
    split: Text | None = None  # of the hub dataset; None: they are held out of the items that are scored


class Demonstration(Strict):
    """A demonstration written in the task file: not an item of any dataset."""

    question: Text
    answer: Written  # the text of the right option where options exist
    options: tuple[Written, ...] | None = None
    passage: Text | None = None
    reasoning: Text | None = None
    facts: dict[Text, Any] = Field(default_factory=dict)


class Protocol(Strict):
    """The style of a task's text prompts and of its chat prompts, when nobody names another."""

    base: Literal["base", "base_cot"] = "base"
    chat: Literal["chat", "chat_cot"] = "chat"


class Repeats(Strict):
    """In how many ways every item is asked, the plain one included, when nobody says how many."""

    kind: Literal["prompt", "order", "format"] = "prompt"
    count: Annotated[int, Field(ge=1, strict=True)] = 3


class TaskFile(Strict):
    """One task."""

    name: Text
    title: Text
    about: Text | None = None
    source: Source
    fields: Fields | None = None
    scoring: Scoring
    answer: Answer = Answer()
    wordings: Annotated[tuple[Text, ...], Field(min_length=1)]
    formats: tuple[Literal[tuple(FORMATS)], ...] = ()  # type: ignore[valid-type]
    shots: Shots = Shots()
    demonstrations: tuple[Demonstration, ...] = ()
    styles: Annotated[tuple[Literal["base", "chat", "cot"], ...], Field(min_length=1)] = ("base", "chat")
    protocol: Protocol = Protocol()
    cot: Reasoning = Reasoning()
    chat: str | None = None  # what a chat message adds to the wording; None: the usual of the scoring kind
    categories: dict[Text, Text] = Field(default_factory=dict)
    repeats: Repeats | None = None
    code: Flag = False
    containers: Flag = False  # items may show lists and dictionaries as code writes them


class SuiteFile(Strict):
    """What `suite.yaml` says of the whole."""

    name: Text
    title: Text
    about: Text | None = None
    taxonomy: Text | None = None  # by which its map is shown when nobody names another
    weight: Literal["tasks", "items", "categories"] | None = None


_PARTS: dict[str, Any] = {
    "": TaskFile,
    "source": Source,
    "fields": Fields,
    "scoring": Scoring,
    "answer": Answer,
    "shots": Shots,
    "demonstrations": Demonstration,
    "protocol": Protocol,
    "cot": Reasoning,
    "repeats": Repeats,
}
_UNSAID = ("str", "tuple[str, ...]", "tuple[constrained-str, ...]", "constrained-str")


def check_task(content: Mapping[Any, Any]) -> TaskFile:
    """Return a task as its file says it, or say in one sentence what is wrong with it."""
    check_fields(content, _PARTS, SuiteError, unsaid=_UNSAID, remedies={"kind": f"choose one of {', '.join(KINDS)}"})
    spec = TaskFile.model_validate(dict(content))
    _check_source(spec)
    _check_wordings(spec)
    _check_formats(spec)
    _check_styles(spec)
    return spec


def check_suite(content: Mapping[Any, Any]) -> SuiteFile:
    """Return a suite's own file, checked."""
    check_fields(content, {"": SuiteFile}, SuiteError)
    return SuiteFile.model_validate(dict(content))


def _check_source(spec: TaskFile) -> None:
    if bool(spec.source.packed) == bool(spec.fields):
        raise SuiteError(
            "key 'fields' is given for packed items, which need none; remove it"
            if spec.fields
            else "key 'fields' is missing; say where the rows keep question and gold"
        )
    if spec.shots.split and not spec.source.hub:
        raise SuiteError("key 'shots, split' is for hub datasets only; remove it")
    if spec.shots.split and leads_outside(spec.shots.split):
        raise SuiteError("key 'shots, split' leads out of the dataset; write the name of a split")
    if spec.scoring.kind == "code" and not spec.code:
        raise SuiteError("scoring kind 'code' runs what a model wrote, expected 'code: true' beside it; add it")


def _check_wordings(spec: TaskFile) -> None:
    if len(set(spec.wordings)) < len(spec.wordings):
        raise SuiteError("key 'wordings' holds one wording twice; keep one")
    for place, wording in enumerate(spec.wordings):
        if wording.count("{question}") != 1 or wording.count("{options}") > 1:
            raise SuiteError(
                f"key 'wordings, entry {place + 1}' is {wording[:60]!r}, expected {{question}} once and {{options}} at "
                "most once; correct it"
            )
    repeats = spec.repeats
    known = {"prompt": len(spec.wordings), "format": len(spec.formats)}
    if repeats and repeats.count > known.get(repeats.kind, repeats.count):
        raise SuiteError(
            f"key 'repeats' asks for {repeats.count} of kind {repeats.kind}, but the file has {known[repeats.kind]}; "
            "lower it or write more"
        )


def _check_formats(spec: TaskFile) -> None:
    if len(set(spec.formats)) < len(spec.formats):
        raise SuiteError("key 'formats' holds one format twice; keep one")
    if spec.scoring.kind == "letter" and "plain" in spec.formats:
        raise SuiteError("key 'formats' holds plain, but scoring kind 'letter' needs labels; remove it")


def _check_styles(spec: TaskFile) -> None:
    reasoned = [one for one in spec.demonstrations if one.reasoning]
    if spec.demonstrations and reasoned and len(reasoned) < len(spec.demonstrations):
        raise SuiteError("key 'demonstrations': some have a reasoning and some have none; write it for all")
    for place, one in enumerate(spec.demonstrations):
        if one.options and one.answer not in one.options:
            raise SuiteError(
                f"key 'demonstrations, entry {place + 1}': answer {one.answer!r} is none of its options; correct it"
            )
    if "cot" in spec.styles and spec.scoring.kind not in REASONED_KINDS:
        raise SuiteError(
            f"style 'cot' does not go with scoring kind {spec.scoring.kind!r}, expected one of "
            f"{', '.join(REASONED_KINDS)}; remove the style"
        )
    for kind, style in (("base", spec.protocol.base), ("chat", spec.protocol.chat)):
        if kind in spec.protocol.model_fields_set and kind not in spec.styles:
            raise SuiteError(
                f"key 'protocol, {kind}' is {style!r}, but 'styles' has no {kind}; add it or remove this one"
            )
        if kind in spec.styles and style not in styles_of(spec):
            raise SuiteError(f"key 'protocol, {kind}' is {style!r}, but the task has {', '.join(styles_of(spec))}")


def styles_of(spec: TaskFile) -> tuple[str, ...]:
    """Return the prompt styles a task can be asked in."""
    reasoned = bool(spec.demonstrations) and all(one.reasoning for one in spec.demonstrations)
    found: list[str] = [style for style in ("base", "chat") if style in spec.styles]
    if "cot" in spec.styles:
        found += ["base_cot"] * ("base" in spec.styles and reasoned) + ["chat_cot"] * ("chat" in spec.styles)
    return tuple(found)


def asked_style(spec: TaskFile, prompt: str) -> str | None:
    """Return the style that a task is asked in under one of PROMPTS; None where it has no such style."""
    style = {"own": spec.protocol.base, "own_chat": spec.protocol.chat}.get(prompt, prompt)
    return style if style in styles_of(spec) else None


def own_variants(spec: TaskFile) -> dict[str, int]:
    """Return what a task varies by itself, as `--variants` would say it: kind → how many."""
    return {spec.repeats.kind: spec.repeats.count} if spec.repeats and spec.repeats.count > 1 else {}


def formats_of(spec: TaskFile) -> tuple[str, ...]:
    """Return the answer formats of a task's options; those of its scoring kind when the file names none."""
    return tuple(spec.formats) or (("plain",) if spec.scoring.kind == "likelihood" else ("letters",))
