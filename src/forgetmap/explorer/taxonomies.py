"""The taxonomies that can be switched to: those that come along, those given at the start, and the log's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forgetmap.errors import UsageError
from forgetmap.taxonomies import Taxonomy, load_taxonomy
from forgetmap.taxonomies.files import taxonomy_names

LOG = "log"  # the groups that the before-run's log names
_FIRST = "post_forget"


def offered(files: Sequence[Path] = ()) -> dict[str, Taxonomy | str]:
    """Return taxonomies by name, the one to show first on top; files are read now, never on request."""
    own: dict[str, Taxonomy | str] = {}
    for path in files:
        taxonomy = load_taxonomy(path)
        if taxonomy.name in own or taxonomy.name in (*taxonomy_names(), LOG):
            raise UsageError(f"{path}: a taxonomy called '{taxonomy.name}' is there already; give it another name")
        own[taxonomy.name] = taxonomy
    rest = [name for name in taxonomy_names() if name != _FIRST]
    return {**own, **{name: name for name in (_FIRST, *rest, LOG)}}
