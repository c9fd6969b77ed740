"""From Inspect logs to a run.

A log holds one task. A mapping-valued score gives one metric per key. Letters are resolved through the sample's options
as logged: `shuffle_choices` moves them. Ids are 1..N where the data set has none, so items are keyed by content.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forgetmap import items
from forgetmap.assembly import assemble
from forgetmap.errors import FormatError
from forgetmap.readers.inspect.archive import Log, is_log
from forgetmap.readers.inspect.documents import NOWHERE, PLACES, category, describe, letters, shown_text
from forgetmap.readers.inspect.headers import latest, settings, subset, with_repeats
from forgetmap.readers.inspect.records import FullSample, Sample, Score
from forgetmap.readers.inspect.scores import SCALAR, answer_state, number, value_of, values
from forgetmap.readers.inspect.table import PlainChoice, Reply, SampleTable
from forgetmap.readers.source import ReadOptions, split_files
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task

#: inspect_evals runs all 57 subjects of MMLU as one task and names the subject in the metadata.
_ALL_SUBJECTS = re.compile(r"(?:inspect_evals/)?(mmlu)(?:_\d_shot)?")
_CUT_ANSWER = 1024  # summaries cut answers here


def detects(path: Path) -> bool:
    """Accept an `.eval` archive or a `.json` log."""
    return path.is_file() and is_log(path)


def read(path: Path, options: ReadOptions) -> Run:
    """Return the run of a log, or of all logs of one model below a folder."""
    files, others = split_files(path, detects)
    warnings: list[str] = []
    logs = latest([Log(file) for file in files], warnings)
    models = sorted({str(log.spec.get("model")) for log in logs})
    if len(models) > 1:
        named = ", ".join(models[:3])
        raise FormatError(f"{path}: logs of {len(models)} models ({named}); name the log or folder of one model")
    table = SampleTable(texts=options.texts)
    counts: dict[str, int] = {}
    task_names: dict[str, str] = {}
    task_settings: dict[str, dict[str, Any]] = {}
    headlines: set[tuple[str, str, str]] = set()
    for log, repeat in with_repeats(logs):
        with _collector_at_rest():
            tasks = _LogReader(log, repeat, table, warnings, counts).read(options.texts)
        for task in tasks:
            task_names[task] = log.task
            task_settings[task] = settings(log)
            headline = log.get("results", "headline") or {}
            scorer, score = str(headline.get("scorer")), headline.get("score")
            headlines.add((task, scorer, SCALAR if score in (None, scorer) else str(score)))
    if not len(table):
        raise FormatError(f"{path}: no samples in it; check that the evaluation logged its samples")
    first = logs[0]
    info = RunInfo(
        model=first.spec.get("model"),
        tool="inspect_ai",
        tool_version=(first.spec.get("packages") or {}).get("inspect_ai"),
        date=first.spec.get("created"),
        task_settings=task_settings,
        task_names=task_names,
        subset=subset(logs),
        files=[log.path.name for log in logs],
        other_files=[file.name for file in (*others, *files) if file not in {log.path for log in logs}],
        warnings=list(dict.fromkeys(warnings)),
        complete=all(log.finished for log in logs),
    )
    return assemble(
        table.samples(),
        info,
        source=str(path),
        texts=table.texts() if options.texts else lambda: read(path, options.with_texts()).texts(),
        metrics=lambda task, scorer, metric: {"default": (task, scorer, metric) in headlines},
        counts=counts,
    )


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keep the garbage collector from walking a growing heap that has no cycles: a fifth of the time otherwise."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _LogReader:
    """Puts the samples of one log into the table."""

    def __init__(self, log: Log, repeat: int, table: SampleTable, warnings: list[str], counts: dict[str, int]) -> None:
        self.log = log
        self.repeat = repeat
        self.table = table
        self.warnings = warnings
        self.counts = counts
        self.model = str(log.spec.get("model"))

    def read(self, texts: bool) -> list[str]:
        """Add the samples; return the tasks they belong to."""
        log = self.log
        samples = log.samples(texts)
        if not log.finished:
            planned = (log.get("eval", "dataset", "samples") or 0) * (log.get("eval", "config", "epochs") or 1)
            of = f" of {planned}" if planned else ""
            self.warnings.append(
                f"{log.path.name}: the evaluation did not finish ({len(samples)}{of} samples are in the log)"
            )
        pairs = self._scorers(samples)
        first = self.table.reserve(len(samples))
        odd: Iterable[tuple[int, Sample]] = enumerate(samples, start=first)
        family = _ALL_SUBJECTS.fullmatch(log.task)
        # Ordinary questions go to the table by the hundred; texts, several scores and anything odd go one by one.
        if len(pairs) == 1 and pairs[0][1] == SCALAR and not texts and not family:
            plain, odd = self._ordinary(samples, pairs[0][0], first)
            if plain:
                self.table.add_choices(plain, canonical_task(log.task), *pairs[0])
        profiles = {} if family else {log.task: (canonical_task(log.task), known_task(log.task))}
        made: dict[tuple[str, Any], int] = {}  # epochs of one sample share the item
        for text_row, sample in odd:
            try:
                subject = sample.metadata.subject if family and sample.metadata else None
                name = f"{family[1]}:{subject}" if family and isinstance(subject, str) else log.task
                if name not in profiles:
                    profiles[name] = canonical_task(name), known_task(name)
                task, profile = profiles[name]
                item = made.get((task, sample.id))
                if item is None:
                    document = describe(sample, profile, sample.scores is not None and "choice" in sample.scores)
                    item = made[task, sample.id] = self.table.item(task, sample.id, document)
                self._add(item, sample, pairs, text_row)
            except (AttributeError, TypeError, KeyError, ValueError) as fault:
                raise FormatError(
                    f"{log.path}: sample {text_row - first + 1} (id {sample.id!r}) is not a sample of Inspect "
                    f"({type(fault).__name__}: {fault}); check the file"
                ) from fault
        return [task for task, _ in profiles.values()]

    def _ordinary(
        self, samples: Sequence[Sample], scorer: str, first: int
    ) -> tuple[list[PlainChoice], list[tuple[int, Sample]]]:
        """Part the samples with one right letter, answered by one letter that an option has, from all others.

        One long loop without calls: it sees every sample of the largest logs.
        """
        plain: list[PlainChoice] = []
        odd: list[tuple[int, Sample]] = []
        repeat, model = self.repeat - 1, self.model
        for text_row, sample in enumerate(samples, start=first):
            options, target = sample.choices, sample.target
            score = sample.scores.get(scorer) if sample.scores else None
            if options and score is not None and type(target) is str and type(sample.input) is str:
                answer, value = score.answer, score.value
                gold = PLACES.get(target, NOWHERE)
                choice = PLACES.get(answer, NOWHERE) if type(answer) is str else NOWHERE
                unusual = score.reason or score.metadata or sample.error or sample.limit or sample.invalidation
                usage = sample.model_usage.get(model)
                known = len(options)
                if gold < known and choice < known and (value == "C" or value == "I") and not unusual and usage:
                    about = sample.metadata
                    plain.append(
                        (sample.input, options, gold, None if about is None else category(about), sample.id, text_row,
                         repeat + sample.epoch, usage.output_tokens, float(value == "C"), choice)
                    )  # fmt: skip
                    continue
            odd.append((text_row, sample))
        return plain, odd

    def _scorers(self, samples: Sequence[Sample]) -> list[tuple[str, str]]:
        """Every (scorer, metric) of the log: a sample that lacks one is not observed under it, which must be said."""
        found: dict[tuple[str, str], None] = {}
        edits = 0
        for sample in samples:
            if sample.scores is None and sample.score is not None:
                sample.scores = {"score": sample.score}
            for scorer, score in (sample.scores or {}).items():
                edits += len(score.history) > 1
                if not isinstance(score.value, (dict, list)):
                    found[scorer, SCALAR] = None
                else:
                    found.update(((scorer, metric), None) for metric, _ in values(score))
        if edits:
            self.counts["edited_scores"] = self.counts.get("edited_scores", 0) + edits
            said = "1 score was" if edits == 1 else f"{edits} scores were"
            self.warnings.append(f"{self.log.path.name}: {said} edited after the run; the edited values are used")
        if found:
            return list(found)
        named = [str(scorer.get("name")) for scorer in self.log.spec.get("scorers") or []]
        return [(name, SCALAR) for name in named] or [("none", SCALAR)]

    def _add(self, item: int, sample: Sample, pairs: list[tuple[str, str]], text_row: int) -> None:
        table = self.table
        options = table.documents[item].options
        scores = sample.scores or {}
        usage = sample.model_usage.get(self.model)
        tokens = usage.output_tokens if usage is not None else _all_tokens(sample)
        failed, error = None, None
        stop = None if sample.limit is None else _named(sample.limit, "type")
        if sample.error is not None:
            failed, error = "error", _named(sample.error, "message")
        elif sample.invalidation is not None:
            failed = "unscored"
            error = f"invalidated: {_named(sample.invalidation, 'reason') or 'no reason given'}"
        repeat = self.repeat + sample.epoch - 1
        if isinstance(sample, FullSample) and table.keeps_texts:
            prompt, response, ended = _texts(sample)
            prompt_key = items.text_hash(prompt) if prompt is not None else None
            first = next(iter(scores.values()), None)
            choice = None if first is None else _chosen(options, first)[1]
            table.reply(
                item, Reply(text_row, repeat, tokens, stop or ended, error, prompt_key), choice, prompt, response
            )
        else:
            table.reply(item, Reply(text_row, repeat, tokens, stop, error), None, None, None)
        for scorer, metric in pairs:
            score = scores.get(scorer)
            if failed is not None or score is None:
                table.score(scorer, metric, None, failed or "unscored")
                continue
            value = value_of(score, metric)
            graded = number(value)
            state = answer_state(sample, score, value, graded)
            if graded is None:
                if isinstance(value, str):
                    self.warnings.append(
                        f"task '{self.log.task}': scorer '{scorer}' gives texts such as '{value[:40]}', which are no "
                        "scores: they count as not observed"
                    )
                table.score(scorer, metric, None, state)
                continue
            index, choice = _chosen(options, score)
            if choice is None and options and state == "answered":
                state = "no_answer"  # a letter that no option has
            table.score(scorer, metric, graded, state, index, choice)


def _chosen(options: Sequence[str] | None, score: Score) -> tuple[int | None, str | None]:
    """Return the option chosen, by position and text; for open questions the answer, unless it is the whole reply."""
    answer = score.answer
    if not isinstance(answer, str) or not answer.strip():
        return None, None
    if options:
        places = letters(answer, len(options))
        if not places:
            return None, None
        if len(places) == 1:
            return places[0], options[places[0]]
        return None, "\n".join(sorted(options[place] for place in places))
    text = " ".join(answer.split())
    # A summary ends a long answer with dots. Both ways of reading a log must see the same, so neither takes these.
    return (None, None) if len(text) > _CUT_ANSWER or text.endswith("...") else (None, text)


def _named(value: Any, name: str) -> str | None:
    """A summary has the error and the limit as text, a full sample as an object."""
    if isinstance(value, dict):
        value = value.get(name)
    return None if value is None else str(value)


def _all_tokens(sample: Sample) -> int | None:
    """The tokens of all models, where the evaluated one is not among them by name."""
    counted = [one.output_tokens for one in sample.model_usage.values() if one.output_tokens is not None]
    return sum(counted) if counted else None


def _texts(sample: FullSample) -> tuple[str | None, str | None, str | None]:
    """Return prompt, reply and stop reason. The prompt is the conversation up to the last reply."""
    reply = sample.output.choices[0] if sample.output and sample.output.choices else None
    response = shown_text(reply.message.content) if reply and reply.message else None
    said = sample.messages
    while said and said[-1].role == "assistant":
        said = said[:-1]
    if not said:
        return None, response, reply.stop_reason if reply else None
    if len(said) == 1 and said[0].role == "user":
        prompt = shown_text(said[0].content)
    else:
        prompt = "\n\n".join(f"[{message.role}]\n{shown_text(message.content)}" for message in said)
    return prompt, response, reply.stop_reason if reply else None
