"""Taxonomy files: YAML that people may write themselves, checked key by key."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from forgetmap.errors import TaxonomyError
from forgetmap.taxonomies.taxonomy import Taxonomy
from forgetmap.yaml_files import check_fields, read_yaml

_HERE = Path(__file__).parent


def taxonomy_names() -> tuple[str, ...]:
    """Return the names of the taxonomies that come with forgetmap.

    >>> taxonomy_names()
    ('captrack', 'post_forget', 'post_forget_published')
    """
    return tuple(sorted(path.stem for path in _HERE.glob("*.yaml")))


def load_taxonomy(name_or_path: str | Path) -> Taxonomy:
    """Return a taxonomy by its name, or from a YAML file."""
    if isinstance(name_or_path, str) and name_or_path in taxonomy_names():
        return _shipped(name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        raise TaxonomyError(
            f"taxonomy {str(name_or_path)!r} is neither a file nor one of {', '.join(taxonomy_names())}; "
            "give one of these names or the path of a YAML file"
        )
    return _read(path)


@cache
def _shipped(name: str) -> Taxonomy:
    # Ours are checked by our tests: no need to import pydantic for them in every call.
    return Taxonomy(**{"name": name, **_parsed(_HERE / f"{name}.yaml")})


def _read(path: Path) -> Taxonomy:
    try:
        return Taxonomy(**_checked(_parsed(path), path))
    except TaxonomyError as error:
        raise TaxonomyError(f"{path}: {error}") from None


def _parsed(path: Path) -> dict[Any, Any]:
    data = read_yaml(path, TaxonomyError)
    if not isinstance(data, dict):
        raise TaxonomyError("holds no keys; write at least 'categories:', with a list of tasks for each")
    return data


def _checked(data: dict[Any, Any], path: Path) -> dict[str, Any]:
    """Return the fields of a taxonomy file, or say in one sentence what is wrong with the first bad one."""
    fields = check_fields(data, {"": _file_model()}, TaxonomyError)
    fields["name"] = fields["name"] or path.stem
    return fields


@cache
def _file_model() -> Any:
    """Return the model of a taxonomy file; pydantic is slow to import, and only files need it."""
    from typing import Annotated, Literal

    from pydantic import BaseModel, ConfigDict, Field

    text = Annotated[str, Field(min_length=1)]
    lists = dict[text, list[text]]

    class TaxonomyFile(BaseModel):
        model_config = ConfigDict(extra="forbid")

        name: text | None = None
        title: str | None = None
        source: str | None = None
        weight: Literal["tasks", "items", "categories"] = "tasks"
        categories: Annotated[lists, Field(min_length=1)]
        titles: dict[text, str] = {}
        groups: lists = {}
        hidden: list[text] = []
        options: dict[text, Annotated[int, Field(ge=2, strict=True)]] = {}
        notes: str | None = None

    return TaxonomyFile
