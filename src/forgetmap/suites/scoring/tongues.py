"""The language of a reply for an instruction that names one: by our own rules, else by lingua where it is installed."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from forgetmap import traits

_READ = 2_000  # characters that lingua reads
_LEAST = 20  # characters: below, lingua guesses


def language_of(text: str) -> str | None:
    """The code of the language of a text, or null where nobody can tell with confidence."""
    found = traits.language_of(text)
    if found is not None or len(text.strip()) < _LEAST:
        return found
    detector = _lingua()
    if detector is None:
        return None
    seen = detector.detect_language_of(text[:_READ].encode(errors="replace").decode())
    return str(seen.iso_code_639_1.name).lower() if seen is not None else None


@lru_cache(maxsize=1)
def _lingua() -> Any:
    """lingua's detector, or null where the extra `traits` is not installed."""
    try:
        lingua: Any = import_module("lingua")
    except ImportError:
        return None
    builder = lingua.LanguageDetectorBuilder.from_all_languages()
    return builder.with_low_accuracy_mode().with_minimum_relative_distance(0.1).build()
