"""What a study asks for: runs, pairs with what is known of them, chains, and how to read them all."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from forgetmap.errors import ForgetmapError


class StudyError(ForgetmapError):
    """A study file is malformed, or none of its pairs can be compared."""


@dataclass(frozen=True)
class RunSpec:
    """A run of a study: where it is, and what it must be."""

    label: str  # its alias, or the path as written
    path: str  # absolute; may end in ::NAME for one run of a table
    written: str = ""  # the path as the file has it: what others are shown
    model: str | None = None  # exact id that the log must show
    format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> Path:
        """The file or folder, without the name of a run inside it."""
        path, start = Path(self.path), self.path.find("::")
        while start >= 0 and not path.exists():
            if Path(self.path[:start]).exists():
                return Path(self.path[:start])
            start = self.path.find("::", start + 1)
        return path


#: What may be said of a pair beside its name; a study is grouped, ordered and pooled by these.
ATTRIBUTES = ("group", "family", "size", "stage", "method", "data", "data_unit", "seed", "parent")


@dataclass(frozen=True)
class PairSpec:
    """A pair of a study and its attributes; what is not said is None."""

    name: str
    before: RunSpec
    after: RunSpec
    group: str | None = None
    family: str | None = None
    size: float | None = None  # parameters
    stage: str | None = None
    method: str | None = None
    data: float | None = None  # examples or tokens
    data_unit: str | None = None
    seed: str | None = None  # of training
    parent: str | None = None  # what the after-model was really trained from: a model's id, or one of the runs
    parent_path: str | None = None  # where that run is, if it is one

    def attributes(self) -> dict[str, Any]:
        """Return what is said of the pair, by name."""
        return {name: getattr(self, name) for name in ATTRIBUTES}

    @property
    def recipe(self) -> tuple[Any, ...]:
        """What pairs have in common that differ in nothing but the training seed."""
        return (self.before.path, *(value for name, value in self.attributes().items() if name != "seed"))


@dataclass(frozen=True)
class ChainSpec:
    """Stages to follow item by item."""

    name: str
    runs: tuple[RunSpec, ...]


@dataclass(frozen=True)
class Options:
    """How every pair is read; the options of `forgetmap compare`."""

    reading: str = "auto"
    margin: float | None = None
    taxonomy: str | None = None
    weight: str | None = None
    tasks: tuple[str, ...] = ()
    scorer: str | None = None
    metric: str | None = None
    threshold: float | None = None
    scale: tuple[float, float] | None = None
    format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    force: bool = False
    skip_broken: bool = False

    def comparing(self) -> dict[str, Any]:
        """Return the options of `compare`."""
        names = ("reading", "margin", "taxonomy", "weight", "scorer", "metric", "threshold", "scale", "force")
        return {**{name: getattr(self, name) for name in names}, "tasks": ",".join(self.tasks) or None}

    def chaining(self) -> dict[str, Any]:
        """Return the options of `chain_runs`."""
        return {name: self.comparing()[name] for name in ("scorer", "metric", "threshold", "force", "tasks")}

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON shows them."""
        return {**asdict(self), "columns": dict(self.columns)}


@dataclass(frozen=True)
class Study:
    """A study as its file says it. Make one with `load_study`."""

    title: str
    pairs: tuple[PairSpec, ...]
    chains: tuple[ChainSpec, ...] = ()
    options: Options = field(default_factory=Options)
    folder: Path = Path()  # where the file lies: paths start there, and so does the cache
    source: str = "study"

    @property
    def groups(self) -> dict[str | None, list[PairSpec]]:
        """The pairs by group, in the order of the file; pairs without one come under None."""
        made: dict[str | None, list[PairSpec]] = {}
        for pair in self.pairs:
            made.setdefault(pair.group, []).append(pair)
        return made
