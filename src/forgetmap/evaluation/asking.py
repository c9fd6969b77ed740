"""Asking: in which style and how often each task is asked. What nobody names is the task's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from forgetmap.errors import UsageError
from forgetmap.evaluation.settings import Asked, Settings
from forgetmap.suites import Suite
from forgetmap.suites.spec import PROMPTS, asked_style, own_variants
from forgetmap.suites.variants import VARIED, variants_of
from forgetmap.tasks import fits

_WORDS = {"prompt": "wordings", "order": "orders of options", "format": "answer formats"}


def chosen_tasks(suite: Suite, tasks: str | Sequence[str] | None, prompt: str) -> tuple[str, ...]:
    """Return the tasks that are asked for, or all that have the prompt."""
    if prompt not in PROMPTS:
        raise UsageError(f"--prompt is '{prompt}'; it must be one of {', '.join(PROMPTS)}")
    names = [task.name for task in suite.tasks]
    having = [task.name for task in suite.tasks if asked_style(task.spec, prompt) is not None]
    if tasks is None:
        if not having:
            raise UsageError(f"no task of suite {suite.name} has style {prompt}; choose another --prompt")
        return tuple(having)
    wanted = [tasks] if isinstance(tasks, str) else list(tasks)
    stray = [one for one in wanted if not any(fits(name, one) for name in names)]
    if stray or not wanted:
        asked = "".join(stray[:1])
        near = [name for name in names if name.endswith(f":{asked}")] or get_close_matches(asked, names, n=3)
        listed = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        remedy = f"did you mean {' or '.join(near)}?" if near else f"it has {listed}"
        raise UsageError(f"no task of suite {suite.name} is called '{asked}'; {remedy}")
    chosen = [name for name in names if any(fits(name, one) for one in wanted)]
    for name in chosen:
        if name not in having:
            styles = ", ".join(suite.task(name).styles)
            raise UsageError(f"task {name} has no style {prompt}, only {styles}; choose another --prompt or --tasks")
    return tuple(chosen)


def how_asked(suite: Suite, tasks: Sequence[str], prompt: str, variants: Mapping[str, int] | None) -> dict[str, Asked]:
    """Return how each task is asked.

    Parameters
    ----------
    prompt : one of PROMPTS that all the tasks have.
    variants : for all tasks; None for each task's own.
    """
    found: dict[str, Asked] = {}
    for name in tasks:
        spec = suite.task(name).spec
        style = asked_style(spec, prompt)
        assert style is not None  # or it would not be among the chosen tasks
        wanted = own_variants(spec) if variants is None else variants
        found[name] = Asked(style, {kind: count for kind, count in wanted.items() if count > 1})
    return found


def as_settings(asked: Mapping[str, Asked], prompt: str) -> dict[str, object]:
    """Return the fields of Settings that say how tasks are asked: the same for the same, however it was asked for."""
    ways = {(one.style, tuple(sorted(one.variants.items()))) for one in asked.values()}
    if len(ways) == 1:
        ((style, variants),) = ways
        return {"style": style, "variants": dict(variants)}
    styles = {one.style for one in asked.values()}
    return {"style": prompt if len(styles) > 1 else styles.pop(), "by_task": dict(asked)}


def check_variants(suite: Suite, tasks: Sequence[str], variants: Mapping[str, int]) -> None:
    """Refuse more variants than any of the tasks has; where some have as many, the others go through those they have."""
    for kind, count in variants.items():
        if kind not in VARIED or count < 2:
            continue  # the first is for the settings to refuse
        most = max(len(variants_of(suite.task(name), kind, count)) for name in tasks)
        if most < count:
            say = f"ask for {kind}={most}" if most > 1 else "leave it out"
            raise UsageError(
                f"--variants says {kind}={count}, but no task here has more than {most} {_WORDS[kind]}; {say}"
            )


def overridden(suite: Suite, settings: Settings) -> dict[str, list[str]]:
    """Return the tasks that are asked otherwise than their own files say: their protocol, their repeats."""
    found: dict[str, list[str]] = {"protocol": [], "repeats": []}
    for name in settings.tasks:
        spec, asked = suite.task(name).spec, settings.of(name)
        if asked.style not in (spec.protocol.base, spec.protocol.chat):
            found["protocol"].append(name)
        own = own_variants(spec)
        if own and asked.variants != own:
            found["repeats"].append(name)
    return {what: names for what, names in found.items() if names}


def notes(suite: Suite, settings: Settings) -> list[str]:
    """Return what a user should know before time is spent: what tasks ask for themselves, and what they do not get."""
    found = []
    against = overridden(suite, settings)
    if settings.style in ("own", "own_chat"):
        styles = Counter(settings.of(name).style for name in settings.tasks)
        told = ", ".join(f"{count} in {style}" for style, count in styles.items())
        found.append(f"tasks are asked in the styles of their own files: {told}; --prompt names one for all")
    if "protocol" in against:
        some = _some(against["protocol"])
        found.append(f"{some}: asked in {settings.style}, which is not the style of the task's own file (--prompt own)")
    varied = {name: settings.of(name).variants for name in settings.tasks}
    own = [name for name, asked in varied.items() if asked and asked == own_variants(suite.task(name).spec)]
    if own:
        ways = ", ".join(sorted({_ways(varied[name]) for name in own}))
        found.append(f"{_some(own)}: every item is asked in {ways}, as the tasks say; --repeats 1 asks once")
    if "repeats" in against:
        own_ways = ", ".join(sorted({_ways(own_variants(suite.task(name).spec)) for name in against["repeats"]}))
        found.append(
            f"{_some(against['repeats'])}: asked as the command says, instead of in {own_ways} as the tasks say"
        )
    return found


def _some(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} tasks"


def _ways(variants: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {_WORDS[kind]}" for kind, count in variants.items())
