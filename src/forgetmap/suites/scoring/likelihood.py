"""Options ranked by their log-likelihood: as it is, per character, per byte.

The likeliest option is the choice. Where two are exactly as likely, the first one shown is: a tie in floating point is
an accident of one machine, and a rule that looked at the gold would not be blind. Characters and bytes are those of the
continuation without the blank that parts it from the context.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan

from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.protocols import Prompt, Ratings, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike

SCORER = "likelihood"
#: `normalise` of a task -> the metric that comes first.
FIRST = {"none": "acc", "length": "acc_norm", "bytes": "acc_bytes"}
METRICS = tuple(FIRST.values())


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Ratings) -> list[Scored]:
    """Return acc, acc_norm and acc_bytes, the one that the task names first."""
    texts, logprobs, options = rendered.continuations, answer.logprobs, item.options
    if not texts or not options or len(texts) != len(logprobs):
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: {len(logprobs)} log-likelihoods of {len(texts or ())} "
            f"continuations for {len(options or ())} options, expected one of each; the engine answered another request"
        )
    shown = rendered.shown if rendered.shown is not None else range(len(texts))
    names = sorted(METRICS, key=lambda metric: metric != FIRST.get(task.spec.scoring.normalise, "acc"))
    if any(isnan(one) or one == inf for one in logprobs) or all(one == -inf for one in logprobs):
        return alike(SCORER, names, None, "error", "log-likelihoods are not finite")
    bare = [text.lstrip() or text for text in texts]
    lengths = {
        "acc": [1] * len(bare),
        "acc_norm": [max(1, len(text)) for text in bare],
        "acc_bytes": [max(1, len(text.encode("utf-8", "surrogatepass"))) for text in bare],
    }
    found = []
    for metric in names:
        place = shown[_likeliest(logprobs, lengths[metric])]
        choice = options[place]
        found.append(Scored(SCORER, metric, float(choice in item.gold), choice, place))
    return found


def _likeliest(logprobs: Sequence[float], lengths: Sequence[int]) -> int:
    rates = [logprob / length for logprob, length in zip(logprobs, lengths, strict=True)]
    return rates.index(max(rates))
