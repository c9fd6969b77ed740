"""Items answered several times, each answer drawn from the item's own distribution: seeds, or wordings of the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from worlds import Population, finish

from forgetmap.pairing.ties import TIES


@dataclass(frozen=True)
class Kind:
    """A kind of item by how it is answered: shares of the options (golds first) and, last, of no answer."""

    share: float
    before: Sequence[float]
    after: Sequence[float]


@dataclass(frozen=True)
class Answers:
    """Items answered several times; each answer is drawn from its item's own distribution.

    Draws are seeds where decoding samples, and wordings where it does not: a wording is as good as a draw. `shared` is
    the probability that the two models, asked with the same wording, give the before-model's answer to it.
    """

    kinds: Sequence[Kind]
    golds: int = 1
    repeats: tuple[int, int] = (2, 2)
    shared: float = 0.0

    @staticmethod
    def known(population: Population, repeats: tuple[int, int]) -> Answers:
        """The population of known items and guesses, asked several times: guesses come back to one with √persistence."""
        ((k, g),) = population.options
        sure, sticky = np.eye(k)[0], np.sqrt(population.persistence)
        kinds = []
        for state, share in enumerate(population.states):
            for favourite in np.eye(k):
                guess = sticky * favourite + (1 - sticky) / k
                sides = [
                    [*sure, 0.0] if knows else [*((1 - a) * guess), a]
                    for knows, a in zip((state in (0, 1), state in (0, 2)), population.abstain, strict=True)
                ]
                kinds.append(Kind(share / k, *sides))
        return Answers(kinds, g, repeats)

    @property
    def truth(self) -> dict[str, float]:
        """What the noise reading is meant to find (statistics.md 2.1)."""
        shares = np.array([kind.share for kind in self.kinds])
        before, after = (np.array([getattr(kind, side) for kind in self.kinds]) for side in ("before", "after"))
        after = self.shared * before + (1 - self.shared) * after
        b, a = (answers[:, : self.golds].sum(axis=1) for answers in (before, after))
        d = b - a
        excess = self._value(before, after) - (self._value(before, before) + self._value(after, after)) / 2
        return {
            "noise": float(shares @ (d**2 + d)) / 2,
            "noise_gained": float(shares @ (d**2 - d)) / 2,
            "at_least": float(shares @ (b * (1 - a) * d)),
            "gross": float(shares @ np.maximum(d, 0)),
            "at_most": float(np.sqrt(shares @ d**2) + shares @ d) / 2,
            "observed": float(shares @ (b * (1 - a))),
            "noise_chance": float(shares @ excess),
        }

    def _value(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Expected chance value of an answer of one distribution and one of another, pair of options by pair."""
        k, g = one.shape[1] - 1, self.golds
        q = g / k
        wrong, none = other[:, g:k].sum(axis=1), other[:, k]
        first_right, first_wrong = one[:, :g].sum(axis=1), one[:, g:k].sum(axis=1)
        differ = first_wrong * wrong - (one[:, g:k] * other[:, g:k]).sum(axis=1)
        value: np.ndarray = (first_right * wrong - differ * g / (k - g - 1)) / (1 - q) + first_right * none
        return value - first_wrong * none * q / (1 - q)

    def draw(self, tasks: int, n: int, rng: np.random.Generator) -> pl.DataFrame:
        """Return the patterns of so many tasks of n items."""
        shares = np.array([kind.share for kind in self.kinds])
        kind = rng.choice(len(shares), size=tasks * n, p=shares / shares.sum())
        answers = []
        for side, times in zip(("before", "after"), self.repeats, strict=True):
            upto = np.cumsum([getattr(one, side) for one in self.kinds], axis=1)[:, :-1]
            drawn = rng.random((tasks * n, times))
            answers.append((drawn[:, :, None] >= upto[kind][:, None, :]).sum(axis=2, dtype=np.int8))
        if self.shared:
            answers[1] = np.where(rng.random(answers[0].shape) < self.shared, *answers)
        k = len(self.kinds[0].before) - 1
        counts = [
            np.stack([(of_side == option).sum(axis=1, dtype=np.int64) for option in range(k + 1)], axis=1)
            for of_side in answers
        ]
        if self.shared:
            number = np.repeat(np.arange(tasks), n)
            every = [of_side.astype(float) for of_side in counts]
            return self._patterns(number, np.ones_like(number), every, self._ties(*answers))
        # items of one task with the same counts are one pattern
        key = np.repeat(np.arange(tasks), n)
        for column in np.concatenate(counts, axis=1).T:
            key = key * (max(self.repeats) + 1) + column
        _, first, times = np.unique(key, return_index=True, return_counts=True)
        return self._patterns(first // n, times, [of_side[first].astype(float) for of_side in counts])

    def _ties(self, before: np.ndarray, after: np.ndarray) -> dict[str, np.ndarray]:
        """How much more frequent pairs of answers are among all than among those to different wordings, pair by pair."""
        k, g, size = len(self.kinds[0].before) - 1, self.golds, before.shape[1]
        totals = {name: np.zeros((2, len(before))) for name in TIES[:-1]}
        for i, j in product(range(size), repeat=2):
            b, a = before[:, i], after[:, j]
            right, right_after, wrong, wrong_after = b < g, a < g, (b >= g) & (b < k), (a >= g) & (a < k)
            seen = (right & right_after, right & wrong_after, wrong & right_after, wrong & wrong_after)
            for name, pairs in zip(TIES, (*seen, wrong & wrong_after & (a != b)), strict=False):
                totals[name] += np.outer([1 / size**2, (i != j) / (size * (size - 1))], pairs)
        return {name: every - free for name, (every, free) in totals.items()} | {"shared": np.full(len(before), size)}

    def _patterns(
        self, task: np.ndarray, times: np.ndarray, counts: list[np.ndarray], ties: dict[str, np.ndarray] | None = None
    ) -> pl.DataFrame:
        """The columns of patterns, given how often each side gave each answer."""
        k, g, one = counts[0].shape[1] - 1, self.golds, np.ones(len(task))
        columns = {"number": task, "n": times}
        wrong = [of_side[:, g:k] for of_side in counts]
        for of_side, repeats, side in zip(counts, self.repeats, ("", "_after"), strict=True):
            right, both = of_side[:, :g].sum(axis=1), of_side[:, g:k].sum(axis=1)
            columns[f"right{side}"] = right / repeats
            columns[f"none{side}"] = of_side[:, k] / repeats
            columns[f"repeats{side}"] = repeats * one
            if repeats > 1:
                orders = repeats * (repeats - 1)
                columns[f"floor{side}"] = right * (repeats - right) / orders
                columns[f"differ_within{side}"] = (both**2 - (of_side[:, g:k] ** 2).sum(axis=1)) / orders
                columns[f"unseen_within{side}"] = 0 * one
        unlike = wrong[0].sum(axis=1) * wrong[1].sum(axis=1) - (wrong[0] * wrong[1]).sum(axis=1)
        columns |= {"differ": unlike / (self.repeats[0] * self.repeats[1]), "unseen": 0 * one}
        columns |= ties or {}
        columns |= {"n_options": k * one, "n_gold": g * one, "chance": g / k * one}
        return finish(columns, repeats=max(self.repeats) > 1)


def spread_out(right: float, *, options: int = 4, favourite: float = 0.5, none: float = 0.05) -> list[float]:
    """An answer that is right with a given probability; of the wrong options one is the favourite."""
    wrong = (1 - right) * (1 - none)
    others = [wrong * (1 - favourite) / (options - 2)] * (options - 2)
    return [right, wrong * favourite, *others, (1 - right) * none]


def difficulties(moved: float = 0.0) -> list[Kind]:
    """Items from hopeless to certain; a share of each moves to other probabilities, up or down."""
    kinds = []
    for right, share in ((0.02, 0.2), (0.25, 0.15), (0.5, 0.1), (0.8, 0.2), (0.98, 0.35)):
        kinds.append(Kind(share * (1 - moved), spread_out(right), spread_out(right)))
        if moved:
            kinds += [Kind(share * moved / 3, spread_out(right), spread_out(other)) for other in (0.05, 0.4, 0.9)]
    return kinds
