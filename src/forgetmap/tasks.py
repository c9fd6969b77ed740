"""The one table of what is known about known tasks: their names, and where their documents keep the content.

One benchmark has another name in every evaluation tool, and one name can mean another protocol. `tasks.yaml`
says which names are one task (they may be paired) and which only ask the same questions in another way (they
share a category, nothing else). A name that is not in the table stays as it is: a wrong pairing costs more
than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

#: lighteval's suites, 0.3 to 0.13: the first part of "leaderboard|mmlu:anatomy|5|0".
SUITES = (
    "bigbench", "community", "custom", "extended", "harness", "helm", "leaderboard", "lighteval",
    "multilingual", "original", "test",
)  # fmt: skip

_SUITE = re.compile(rf"(?:(?:{'|'.join(SUITES)})\||inspect_evals/)(?=.)", re.IGNORECASE)
_SHOTS = re.compile(r"(.+?)(?:\|\d+){1,2}", re.DOTALL)  # |5 in lighteval from 0.11, |5|0 before
_SEPARATORS = re.compile(r"[\s:/._-]+")
_OPTIONS_LINE = re.compile(r"(?:^|\n)[ \t]*Options:[ \t]*\n")
_OPTION = re.compile(r"^[ \t]*(?:\([A-Z]\)|-)[ \t]*(.*\S)", re.MULTILINE)
_NUMBER = re.compile(r"\$?(-?\d[\d,]*(?:\.\d+)?)")


class Content(NamedTuple):
    """What identifies an item, read from a document of known shape."""

    question: str  # its parts in order, one under the other
    options: tuple[str, ...] | None  # in the document's order; None where open-ended or not told
    gold: tuple[str, ...] | None  # option texts where options exist; None where no gold is usable
    gold_index: tuple[int, ...]  # positions of the golds among the options; empty where there are none


@dataclass(frozen=True, slots=True)
class Document:
    """Where a dataset's document keeps its content. Paths go down by dots: "choices.text"."""

    question: tuple[str, ...]  # paths of the parts in order: passage first, then question
    options: tuple[str, ...] = ()  # one path to a list, or one path per option
    fixed_options: tuple[str, ...] = ()  # options that no document repeats, such as no and yes
    options_in_question: bool = False  # lines "(A) ..." or "- ..." under "Options:" at its end
    labels: str | None = None  # path to the list of option labels that `gold` refers to
    gold: str | None = None  # path
    coded: str = "text"  # how the gold is written: one of CODES

    def content(self, document: Mapping[str, Any]) -> Content | None:
        """Return question, options and gold, or None if the document is of another shape than said here.

        >>> piqa = Document(("goal",), ("sol1", "sol2"), gold="label", coded="index")
        >>> piqa.content({"goal": "Open it", "sol1": "pull", "sol2": "push", "label": 1})
        Content(question='Open it', options=('pull', 'push'), gold=('push',), gold_index=(1,))
        """
        parts = [_text(_at(document, path)) for path in self.question]
        if None in parts:
            return None
        question = "\n".join([part for part in parts if part and not part.isspace()])
        options: Sequence[str] | None = self.fixed_options
        if self.options_in_question:
            question, options = _split_options(question)
        elif len(self.options) == 1:
            options = _texts(_at(document, self.options[0]))
        elif self.options:
            single = [_text(_at(document, path)) for path in self.options]
            options = [option for option in single if option is not None]
            options = options if len(options) == len(single) else None
        if options is None or not question:
            return None
        gold: Sequence[str] = ()
        positions: Sequence[int] = ()
        value = _at(document, self.gold) if self.gold else None
        if value is not None:
            labels = _texts(_at(document, self.labels)) if self.labels else None
            gold, positions = _CODES[self.coded](value, options, labels)
        return Content(question, tuple(options) or None, tuple(gold) or None, tuple(positions))


@dataclass(frozen=True, slots=True)
class TaskProfile:
    """A known task. A variant has a `name` of its own and shares the category, no more, of `canonical`."""

    name: str  # what the task is called in a run
    canonical: str  # the task whose questions these are: `name` itself, unless a variant
    document: Document | None = None  # None: nothing known, key the document by its text leaves
    aliases: tuple[str, ...] = ()

    @property
    def is_variant(self) -> bool:
        """Tell whether this is another task's questions under another protocol."""
        return self.name != self.canonical


@cache
def canonical_task(name: str) -> str:
    """Return the name a task goes by in runs; an unknown name only loses suite prefix and shot suffix.

    >>> canonical_task("leaderboard|mmlu:anatomy|5|0"), canonical_task("hendrycksTest-anatomy")
    ('mmlu:anatomy', 'mmlu:anatomy')
    >>> canonical_task("bbh_cot_fewshot_navigate"), canonical_task("custom|my_task|0")
    ('bbh_cot_fewshot_navigate', 'my_task')
    """
    profile = known_task(name)
    return profile.name if profile else _without_suite(_without_shots(name))


@cache
def known_task(name: str) -> TaskProfile | None:
    """Return what is known about a task, or a variant of one, under any spelling; None if nothing is.

    >>> profile = known_task("leaderboard_gpqa_diamond")
    >>> profile.name, profile.canonical, profile.is_variant
    ('leaderboard_gpqa_diamond', 'gpqa:diamond', True)
    """
    table = _table()
    name = _without_shots(name)
    # with its suite first: "bigbench|social_iqa" is not the Social IQa that every other suite means
    return table.get(_fold(name)) or table.get(_fold(_without_suite(name)))


@cache
def known_tasks() -> tuple[TaskProfile, ...]:
    """Return every canonical task of the table, in its order."""
    return tuple(dict.fromkeys(profile for profile in _table().values() if not profile.is_variant))


def _without_shots(name: str) -> str:
    name = name.strip()
    found = _SHOTS.fullmatch(name)
    return found[1] if found else name


def _without_suite(name: str) -> str:
    return _SUITE.sub("", name, count=1) if _SUITE.match(name) else name


def _fold(name: str) -> str:
    return _SEPARATORS.sub("_", name.casefold())


@cache
def _table() -> dict[str, TaskProfile]:
    """Return every spelling, folded, with the profile it stands for."""
    from pathlib import Path

    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is seven times faster, and optional
    text = Path(__file__).with_name("tasks.yaml").read_text(encoding="utf-8")
    table: dict[str, TaskProfile] = {}
    for entry in yaml.load(text, loader):
        for spelling, profile in _profiles(**entry):
            other = table.setdefault(_fold(spelling), profile)
            if other != profile:
                raise ValueError(f"tasks.yaml: {spelling!r} is {profile.name!r} and {other.name!r}; keep one")
    return table


def _profiles(
    task: str,
    subjects: Mapping[str, Sequence[str]] | Sequence[str] = ("",),
    aliases: Sequence[str] = (),
    variants: Sequence[str] = (),
    variant_of: str | None = None,
    document: Mapping[str, Any] | None = None,
    documents: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[tuple[str, TaskProfile]]:
    """Expand one entry of the table into (spelling, profile)."""
    shape = _document(document)
    shapes = {subject: _document(fields) for subject, fields in (documents or {}).items()}
    others = subjects if isinstance(subjects, Mapping) else dict.fromkeys(subjects, ())
    for subject, spellings in others.items():
        known_as = [_fill(pattern, one) for one in (subject, *spellings) for pattern in (task, *aliases)]
        canonical = _fill(variant_of or task, subject)
        profile = TaskProfile(known_as[0], canonical, shapes.get(subject, shape), tuple(known_as[1:]))
        for spelling in known_as:
            yield spelling, profile
        for spelling in [_fill(pattern, one) for one in (subject, *spellings) for pattern in variants]:
            yield spelling, TaskProfile(spelling, canonical, profile.document)


def _fill(pattern: str, subject: str) -> str:
    return pattern.replace("{subject}", subject)


def _document(fields: Mapping[str, Any] | None) -> Document | None:
    if fields is None:
        return None
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
    return Document(**values)


def _at(document: Any, path: str) -> Any:
    """Return the value at a path, None where there is none."""
    if "." not in path:  # as most are
        return document.get(path) if isinstance(document, dict) else None
    for step in path.split("."):
        if not isinstance(document, Mapping) or step not in document:
            return None
        document = document[step]
    return document


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, Mapping):
        return None
    return str(value)


def _texts(value: Any) -> list[str] | None:
    """Return a list of texts from whatever holds one: list, array, or the text of a Python list (MuSR)."""
    if isinstance(value, list):
        pass
    elif isinstance(value, str):
        import ast

        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return None
    return [one if isinstance(one, str) else str(one) for one in value]


def _split_options(question: str) -> tuple[str, list[str]]:
    """Cut the option lines off a question that carries them."""
    lines = list(_OPTIONS_LINE.finditer(question))
    if not lines:
        return question, []
    options = _OPTION.findall(question, lines[-1].end())
    return (question[: lines[-1].start()], options) if options else (question, [])


def _position(value: Any) -> int | None:
    if type(value) is int:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    digits = str(int(value) if isinstance(value, bool) else value).strip()
    return int(digits) if digits.isdecimal() else None  # "" and -1 mark items without a public label


def _of_options(position: int | None, options: Sequence[str]) -> tuple[list[str], list[int]]:
    if position is None or not 0 <= position < len(options):
        return [], []
    return [options[position]], [position]


def _index(value: Any, options: Sequence[str], _: Sequence[str] | None) -> tuple[list[str], list[int]]:
    return _of_options(_position(value), options)


def _index1(value: Any, options: Sequence[str], _: Sequence[str] | None) -> tuple[list[str], list[int]]:
    position = _position(value)
    return _of_options(None if position is None else position - 1, options)


def _letter(value: Any, options: Sequence[str], _: Sequence[str] | None) -> tuple[list[str], list[int]]:
    letter = str(value).strip().strip("().").upper()
    return _of_options(ord(letter) - ord("A") if len(letter) == 1 and letter.isascii() else None, options)


def _label(value: Any, options: Sequence[str], labels: Sequence[str] | None) -> tuple[list[str], list[int]]:
    label = str(value).strip()  # OpenBookQA has " A"
    return _of_options(labels.index(label) if labels and label in labels else None, options)


def _mask(value: Any, options: Sequence[str], _: Sequence[str] | None) -> tuple[list[str], list[int]]:
    flags = _texts(value) or []
    if len(flags) != len(options):
        return [], []
    positions = [place for place, flag in enumerate(flags) if flag in ("1", "True", "1.0")]
    return [options[place] for place in positions], positions


def _written(value: Any, options: Sequence[str], _: Sequence[str] | None) -> tuple[list[str], list[int]]:
    texts = [value] if isinstance(value, str) else _texts(value) or [str(value)]
    if not options:
        return [text for text in texts if text.strip()], []
    folded = [option.strip().casefold() for option in options]
    positions = [folded.index(text.strip().casefold()) for text in texts if text.strip().casefold() in folded]
    return [options[place] for place in positions], positions


def _hash4(value: Any, _: Sequence[str], __: Sequence[str] | None) -> tuple[list[str], list[int]]:
    # "...steps... #### 1,200"; data sets made from GSM8K keep the number alone
    number = _NUMBER.fullmatch(str(value).rpartition("####")[2].strip())
    return ([number[1].replace(",", "")] if number else []), []


#: How a gold is written in a document.
_CODES = {
    "index": _index,  # 0-based position, as number or text
    "index1": _index1,  # 1-based position
    "letter": _letter,  # A, or (A)
    "label": _label,  # one of the document's own labels: ARC has A-E and 1-5
    "mask": _mask,  # a list with 1 at each gold
    "text": _written,  # the text of the answer, or a list of such
    "hash4": _hash4,  # the number after ####
}
CODES = tuple(_CODES)


def fits(name: str, pattern: str) -> bool:
    """Tell whether a name fits a glob, or one of several parted by commas.

    >>> fits("mmlu:anatomy", "arc*, mmlu:*")
    True
    """
    return any(fnmatchcase(name, part.strip()) for part in (pattern, *pattern.split(",")))
