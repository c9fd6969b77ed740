"""Study files: YAML that people write, checked key by key, and every path looked for before anything is computed.

The models of the file stand beside what is said when one of them does not fit: hence the length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from forgetmap.chain.build import MOST_STAGES
from forgetmap.evidence import READINGS
from forgetmap.study.amounts import parse_amount, parse_size
from forgetmap.study.spec import ChainSpec, Options, PairSpec, RunSpec, Study, StudyError
from forgetmap.taxonomies import load_taxonomy, taxonomy_names
from forgetmap.yaml_files import check_fields, read_yaml


def load_study(path: str | Path) -> Study:
    """Return a study from its file; refuses what is misspelt, missing or doubtful before anything is read."""
    source = Path(path)
    try:
        return _study(read_yaml(source, StudyError), source)
    except StudyError as error:
        raise StudyError(f"{source}: {error}") from None


def _study(content: Any, source: Path) -> Study:
    if not isinstance(content, Mapping):
        raise StudyError("holds no keys; write at least 'pairs:', with a list of pairs")
    fields = check_fields(content, _models(), StudyError, unsaid=_BRANCHES)
    folder = source.absolute().parent
    options = _options(fields["defaults"], folder)
    aliases = {name: _run(name, given, folder) for name, given in fields["runs"].items()}

    def find(text: str) -> RunSpec:
        return aliases.get(text) or _run(text, text, folder)

    pairs = _pairs(fields["pairs"], find, aliases)
    chains = tuple(_chain(place, given, find) for place, given in enumerate(fields["chains"]))
    _check_names([chain.name for chain in chains], "chain")
    _check_paths(pairs, chains, aliases)
    return Study(fields["title"] or source.stem, pairs, chains, options, folder, str(source))


def _run(label: str, given: Any, folder: Path) -> RunSpec:
    parts: dict[str, Any] = {"path": given} if isinstance(given, str) else dict(given)
    columns = tuple(sorted((parts.get("columns") or {}).items()))
    path = str(folder / parts["path"])
    return RunSpec(label, path, parts["path"], parts.get("model"), parts.get("format"), columns)


def _options(given: dict[str, Any], folder: Path) -> Options:
    taxonomy = given["taxonomy"]
    if taxonomy and taxonomy not in (*taxonomy_names(), "log"):
        if (folder / taxonomy).is_file():
            taxonomy = str(folder / taxonomy)  # a file is named from where the study lies
        load_taxonomy(taxonomy)  # what is wrong with it is said now, not once per pair
    return Options(**{**given, "taxonomy": taxonomy, "columns": tuple(sorted(given["columns"].items()))})


def _pairs(given: list[dict[str, Any]], find: Any, aliases: Mapping[str, RunSpec]) -> tuple[PairSpec, ...]:
    afters = Counter(one["after"] for one in given)
    made = []
    for one in given:
        before, after = one.pop("before"), one.pop("after")
        name = one.pop("name") or (after if afters[after] == 1 else f"{before} → {after}")
        parent = aliases.get(one["parent"])
        made.append(PairSpec(name, find(before), find(after), **one, parent_path=parent.path if parent else None))
    _check_names([pair.name for pair in made], "pair")
    return tuple(made)


def _chain(place: int, given: Any, find: Any) -> ChainSpec:
    name, labels = (given["name"], given["runs"]) if isinstance(given, dict) else (None, given)
    if not 2 <= len(labels) <= MOST_STAGES or len(set(labels)) < len(labels):
        raise StudyError(
            f"key 'chains, entry {place + 1}': holds {', '.join(labels) or 'no runs'}, expected 2 to {MOST_STAGES} different "
            "runs in their order; correct it"
        )
    return ChainSpec(name or " → ".join(labels), tuple(find(label) for label in labels))


def _check_names(names: list[str], what: str) -> None:
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        said = f"name {twice[0]} occurs" if len(twice) == 1 else f"names {', '.join(twice)} occur"
        raise StudyError(f"{what} {said} more than once; give each {what} a 'name' of its own")


def _check_paths(pairs: tuple[PairSpec, ...], chains: tuple[ChainSpec, ...], aliases: Mapping[str, RunSpec]) -> None:
    """Look for every path of the file; name all that are missing, and who needs them."""
    users: dict[str, tuple[RunSpec, list[str]]] = {}
    for name, runs in [(pair.name, (pair.before, pair.after)) for pair in pairs] + [(c.name, c.runs) for c in chains]:
        for run in runs:
            users.setdefault(run.path, (run, []))[1].append(name)
    for run in aliases.values():
        users.setdefault(run.path, (run, []))
    missing = {path: (run, names) for path, (run, names) in users.items() if not run.place.exists()}
    if missing:
        named = "; ".join(f"{path} ({_needed(run, names, aliases)})" for path, (run, names) in missing.items())
        count = f"{len(missing)} of {len(users)} paths do" if len(missing) > 1 else f"1 of {len(users)} paths does"
        raise StudyError(f"{count} not exist: {named}; paths start at the study file's folder")


def _needed(run: RunSpec, names: list[str], aliases: Mapping[str, RunSpec]) -> str:
    import difflib

    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    needed = f"for {', '.join(dict.fromkeys(names[:3]))}{more}" if names else "used by no pair"
    # a word that is almost the name of a run is that name, misspelt
    near = difflib.get_close_matches(run.label, aliases, n=1, cutoff=0.7) if run.label not in aliases else []
    return f"{needed}; did you mean the run {near[0]!r}?" if near else needed


_BRANCHES = ("plain", "mapping")


@cache
def _models() -> dict[str, Any]:
    """Return the models of a study file by key; pydantic is slow to import, and only files need it."""
    from typing import Annotated, Literal

    from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

    text = Annotated[str, Field(min_length=1, strict=True)]
    parameters = Annotated[float, BeforeValidator(parse_size)]
    share = Annotated[float, Field(gt=0, lt=0.5, strict=True, allow_inf_nan=False)]
    figure = Annotated[float, Field(strict=True, allow_inf_nan=False)]
    flag = Annotated[bool, Field(strict=True)]
    # a seed is a label: 0 and "0" are one
    label = Annotated[str, BeforeValidator(lambda one: str(one) if type(one) is int else one), Field(min_length=1)]

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

    class DefaultsModel(Strict):
        reading: Literal[READINGS] = "auto"  # type: ignore[valid-type]
        margin: share | None = None
        taxonomy: text | None = None
        weight: Literal["tasks", "items", "categories"] | None = None
        tasks: Annotated[tuple[text, ...], BeforeValidator(lambda one: [one] if isinstance(one, str) else one)] = ()
        scorer: text | None = None
        metric: text | None = None
        threshold: figure | None = None
        scale: tuple[figure, figure] | None = None
        format: text | None = None
        columns: dict[text, text] = Field(default_factory=dict)
        force: flag = False
        skip_broken: flag = False

    class RunModel(Strict):
        path: text
        model: text | None = None
        format: text | None = None
        columns: dict[text, text] = Field(default_factory=dict)

    class PairModel(Strict):
        before: text
        after: text
        name: text | None = None
        group: text | None = None
        family: text | None = None
        size: parameters | None = None
        stage: text | None = None
        method: text | None = None
        data: float | None = None
        data_unit: text | None = None
        seed: label | None = None
        parent: text | None = None

        @model_validator(mode="before")
        @classmethod
        def _part_unit(cls, given: Any) -> Any:
            """`data: 2B tokens` is a number and a unit."""
            if not isinstance(given, dict) or given.get("data") is None:
                return given
            try:
                data, unit = parse_amount(given["data"])
            except ValueError as fault:
                raise ValueError(f"(data) {fault}") from None
            said = given.get("data_unit")
            if unit and said and unit != said:
                raise ValueError(f"(data) is in {unit}, but data_unit is {said!r}: say it once")
            return {**given, "data": data, "data_unit": unit or said}

    class ChainModel(Strict):
        name: text | None = None
        runs: list[text]

    def kind(given: Any) -> str:
        return "mapping" if isinstance(given, (dict, BaseModel)) else "plain"

    def either(plain: Any, mapping: Any) -> Any:
        # told apart by form, so that what is wrong is said of the form that was written
        return Annotated[Annotated[plain, Tag("plain")] | Annotated[mapping, Tag("mapping")], Discriminator(kind)]

    class StudyModel(Strict):
        title: text | None = None
        defaults: DefaultsModel = DefaultsModel()
        runs: dict[text, either(text, RunModel)] = Field(default_factory=dict)  # type: ignore[valid-type]
        pairs: Annotated[list[PairModel], Field(min_length=1)]
        chains: list[either(list[text], ChainModel)] = Field(default_factory=list)  # type: ignore[valid-type]

    return {"": StudyModel, "defaults": DefaultsModel, "runs": RunModel, "pairs": PairModel, "chains": ChainModel}
