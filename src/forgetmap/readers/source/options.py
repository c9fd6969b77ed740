"""What the caller wants of a read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class ReadOptions:
    """What the caller wants of a read."""

    texts: bool = False
    skip_broken: bool = False
    columns: dict[str, str] = field(default_factory=dict)
    model: str | None = None

    def with_texts(self) -> ReadOptions:
        """Return the same options, texts included."""
        return replace(self, texts=True)
