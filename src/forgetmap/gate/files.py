"""Policy files: YAML that people write, checked key by key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from forgetmap.gate.policy import MEASURES, Allow, Limit, Policy, PolicyError, Stopping
from forgetmap.taxonomies import taxonomy_names
from forgetmap.yaml_files import check_fields, read_yaml

PolicyLike = Policy | Mapping[str, Any] | str | Path


def load_policy(policy: PolicyLike) -> Policy:
    """Return a policy from a YAML file, or from the mapping that such a file holds; a policy is returned as it is.

    >>> load_policy({"limits": [{"level": "total", "lost": 0.05}]}).limits
    (Limit(level='total', name='*', lost=0.05, gained=None, net=None, gained_at_least=None),)
    """
    if isinstance(policy, Policy):
        return policy
    source = "policy" if isinstance(policy, Mapping) else str(policy)
    try:
        if isinstance(policy, Mapping):
            return _policy(policy, source)
        return _policy(read_yaml(Path(policy), PolicyError), source, Path(policy).parent)
    except PolicyError as error:
        raise PolicyError(f"{source}: {error}") from None


def _policy(content: Any, source: str, folder: Path | None = None) -> Policy:
    if not isinstance(content, Mapping):
        raise PolicyError("holds no keys; write at least 'limits:', with a list of limits")
    fields = check_fields(content, _models(), PolicyError, remedies=_REMEDIES)
    taxonomy = fields["taxonomy"]
    if taxonomy and folder and taxonomy not in (*taxonomy_names(), "log") and (folder / taxonomy).is_file():
        fields["taxonomy"] = str(folder / taxonomy)  # a file is named from where the policy lies
    limits = tuple(Limit(**limit) for limit in fields.pop("limits"))
    allow, sequential = Allow(**fields.pop("allow")), Stopping(**fields.pop("sequential"))
    return Policy(limits, **fields, allow=allow, sequential=sequential, source=source)


#: People write 5 % in many ways.
_REMEDIES = dict.fromkeys(
    (*MEASURES, "coverage", "null_scores", "margin", "alpha"), "write a share such as 0.05 for 5 %"
)


@cache
def _models() -> dict[str, Any]:
    """Return the models of a policy file by key; pydantic is slow to import, and only policies need it."""
    from typing import Annotated, Literal

    from pydantic import BaseModel, ConfigDict, Field, model_validator

    text = Annotated[str, Field(min_length=1, strict=True)]
    # Numbers only: YAML takes 5% and "0.05" for text, and nobody should have to guess what was meant.
    share = Annotated[float, Field(gt=0, lt=1, strict=True, allow_inf_nan=False)]
    closed_share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

    class LimitModel(Strict):
        level: Literal["task", "category", "group", "total"]
        name: text = "*"
        lost: share | None = None
        gained: share | None = None
        net: share | None = None
        gained_at_least: share | None = None

        @model_validator(mode="after")
        def _says_something(self) -> LimitModel:
            if all(getattr(self, name) is None for name in MEASURES):
                raise ValueError(f"sets no limit; give at least one of {', '.join(MEASURES)}")
            if self.level == "total" and self.name != "*":
                raise ValueError("the total has no name; remove it, or choose another level")
            return self

    class AllowModel(Strict):
        settings: tuple[text, ...] = ()
        missing_tasks: tuple[text, ...] = ()
        prompt_changed: Annotated[bool, Field(strict=True)] = False

    class StoppingModel(Strict):
        alpha: Annotated[float, Field(gt=0, lt=0.5, strict=True, allow_inf_nan=False)] = 0.05
        seed: Annotated[int, Field(ge=0, lt=1 << 64, strict=True)] = 0
        until: Literal["gate", "limits"] = "gate"

    class PolicyModel(Strict):
        limits: Annotated[list[LimitModel], Field(min_length=1)]
        reading: Literal["auto", "observed", "noise", "chance"] = "auto"
        margin: Annotated[float, Field(gt=0, lt=0.5, strict=True, allow_inf_nan=False)] | None = None
        taxonomy: text | None = None
        weight: Literal["tasks", "items", "categories"] | None = None
        tasks: tuple[text, ...] = ()
        coverage: closed_share = 0.95
        null_scores: closed_share = 0.01
        required_tasks: tuple[text, ...] = ()
        allow: AllowModel = AllowModel()
        sequential: StoppingModel = StoppingModel()

    return {"": PolicyModel, "limits": LimitModel, "allow": AllowModel, "sequential": StoppingModel}
