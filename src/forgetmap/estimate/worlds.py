"""Planning worlds: what is assumed about items and models, as the distribution of one item's value.

An item is known or not. Unknown ones are guessed (statistics.md 2.2), and some flip like a coin from one re-run to the
next (2.1). Every other value is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forgetmap.errors import UsageError
from forgetmap.estimate.reruns import flipping, guessed_anew

#: More repeats than these nobody runs.
MOST_REPEATS = 64
#: Share of items whose wrong choices must tell luck from knowledge, for repeats to be read with luck removed.
_TOLD = 0.95

Points = list[tuple[float, float]]  # (value, probability or mass)


@dataclass(frozen=True)
class Stratum:
    """Items that are averaged alike: the values they can have when not 0, and what they weigh."""

    values: Points
    atoms: Points  # prior atoms (statistics.md 3)
    share: float = 1.0  # of the cell's items
    weight: float = 1.0  # in the cell's mean


@dataclass(frozen=True)
class World:
    """What is assumed about items of one kind and about both models.

    Parameters
    ----------
    known : share of items known before. Nothing is gained: it would not change how the loss is spread.
    options, golds : options per item and how many of them are right; 0 options are open-ended.
    persistence : probability that the after-model repeats the before-model's guess.
    no_answer_before, no_answer_after : share of the unknown items that are left unanswered.
    floor : share of items that go from right to wrong between two re-runs of one model. What guesses drawn anew do not
        explain comes from items that flip like a coin, taken from the known ones up to half of these. One deterministic
        answer per item cannot measure it: a larger margin stands for it then, and the plan leaves it out.
    repeats : answers per item, on both sides.
    sampled : whether answers are drawn at random; without repeats only the net change can then be told.
    redrawn : share of the unknown items that every answer guesses anew, at most 1 − persistence; the others have one guess
        per model. Default: all that do not persist where answers are sampled, else none.
    """

    known: float = 0.6
    options: int = 4
    golds: int = 1
    persistence: float = 0.3
    no_answer_before: float = 0.0
    no_answer_after: float = 0.0
    floor: float = 0.02
    repeats: int = 1
    sampled: bool = False
    redrawn: float | None = None

    def __post_init__(self) -> None:
        for name in ("known", "persistence", "no_answer_before", "no_answer_after"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name):g}; it must be a share from 0 to 1")
        if not 0 <= self.floor < 0.25:
            raise UsageError(
                f"floor is {self.floor:g}; it must be a share from 0 to below 0.25: even where every item flips like a coin, a "
                "quarter of them goes from right to wrong"
            )
        if self.options < 0 or self.golds < 1 or 0 < self.options <= self.golds:
            raise UsageError(
                f"{self.options} options with {self.golds} right; some must be wrong, and open-ended items have 0 options"
            )
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise UsageError(f"repeats is {self.repeats}; it must be a whole number from 1 to {MOST_REPEATS}")
        if not 0 <= self.anew <= 1 - self.persistence + 1e-9:
            raise UsageError(
                f"redrawn is {self.anew:g}; it must be a share from 0 to {1 - self.persistence:g}: guesses that persist are not "
                "drawn anew"
            )

    @property
    def anew(self) -> float:
        """Share of the unknown items that every answer guesses anew."""
        return self.redrawn if self.redrawn is not None else 1 - self.persistence if self.sampled else 0.0

    @property
    def moved(self) -> float:
        """Share of items that a re-run moves from right to wrong: the floor, or what guesses drawn anew make of it."""
        return max(self.floor, self._moved_by_luck)

    @property
    def _moved_by_luck(self) -> float:
        return (1 - self.known) * (1 - self.no_answer_before) * self.anew * self.chance * (1 - self.chance)

    @property
    def chance(self) -> float:
        """Probability that a guess is right."""
        return self.golds / self.options if self.options else 0.0

    @property
    def tells(self) -> bool:
        """Whether wrong choices tell how many flips are luck: two wrong options, or nothing to guess from."""
        return not self.options or self.options - self.golds >= 2

    @property
    def reading(self) -> str:
        """The reading that decides: noise with repeats, chance without, net where single answers are sampled."""
        return "noise" if self.repeats > 1 else "net" if self.sampled else "chance"

    @property
    def form(self) -> str:
        """What that reading counts: knowledge lost (chance, known), flips beyond noise (flips), or the net change (net)."""
        return self.reading if self.repeats == 1 else "known" if self.tells else "flips"

    @property
    def most(self) -> float:
        """The largest loss there can be."""
        return 1 - self._coins - self._unknown

    @property
    def _coins(self) -> float:
        """Share of items that flip like a coin: each adds a quarter to the floor."""
        return 0.0 if self.reading == "chance" else 4 * (self.moved - self._moved_by_luck)

    @property
    def _unknown(self) -> float:
        """Share of items known by neither model; more noise must not mean less luck, unless nothing else is left."""
        rest = 1 - self.known - max(self._coins - self.known / 2, 0.0)
        return max(min(rest, 1 - self._coins), 0.0)

    @property
    def _luck(self) -> float:
        """What a pair of wrong choices takes off the estimate, for the lucky flips that go with it."""
        q = self.chance
        if self.tells:
            return self.golds / ((self.options - self.golds - 1) * (1 - q)) if q else 0.0
        fresh = (1 - self.persistence) * q
        return fresh / (1 - fresh) / (1 - q)

    def values(self, loss: float, form: str) -> Points:
        """Return the values of an item other than 0, with their probabilities."""
        worth = 1 / (1 - self.chance) if form in ("chance", "known") else 1.0
        coins = flipping(form, self.repeats) if self._coins else ()
        return [
            *((value, loss * p) for value, p in self._lost(form, worth)),
            *((value, self._unknown * p) for value, p in self._guesses(form)),
            *((worth * value, self._coins * p) for value, p in coins),
        ]

    def _lost(self, form: str, worth: float) -> Points:
        """Of an item known before only: unanswered, guessed wrong, or still right by luck."""
        silent, q = self.no_answer_after, self.chance
        if not self._averages:
            return [(1.0, silent), (worth, (1 - silent) * (1 - q))]
        settled, anew = (1 - silent) * (1 - self.anew), (1 - silent) * self.anew
        _, guessed = guessed_anew(form, self.options, self.golds, self.repeats)
        return [(1.0, silent), (worth, settled * (1 - q)), *((value, anew * p) for value, p in guessed)]

    def _guesses(self, form: str) -> Points:
        """Of an item known by neither model."""
        q = self.chance
        if not q:
            return []
        answers, answers_after = 1 - self.no_answer_before, 1 - self.no_answer_after
        both, stops, starts = answers * answers_after, answers * (1 - answers_after), (1 - answers) * answers_after
        anew: Points = []
        fresh = 1 - self.persistence
        if self._averages:
            fresh -= self.anew
            guessed, _ = guessed_anew(form, self.options, self.golds, self.repeats)
            anew = [(value, both * self.anew * p) for value, p in guessed]
        # What helps to show a loss that is none is not counted on: one-off lucky flips, answers no longer given.
        if form == "flips":
            return anew
        flips = both * fresh * q * (1 - q)
        if form == "net":
            return [(1.0, flips + min(stops, starts) * q), (-1.0, flips + starts * q)]
        # where wrong choices tell, only differing ones count; else every pair of them does
        counted = fresh * (1 - q - 1 / self.options) if self.tells else 1 - fresh * q
        return [
            *anew,
            (1 / (1 - q), flips),
            (1.0, stops * q),
            (-q / (1 - q), stops * (1 - q)),
            (-self._luck, both * (1 - q) * counted),
        ]

    @property
    def _averages(self) -> bool:
        """Whether repeats average over guesses."""
        return bool(self.repeats > 1 and self.anew and self.options)

    def atoms(self, form: str) -> Points:
        """Return the prior atoms of the reading (statistics.md 3)."""
        top = 1 / (1 - self.chance) if form in ("chance", "known") else 1.0
        if form == "chance":
            return [(top, 0.5), (-self._luck, 0.5 if self.options else 0.0), (0.0, 1.5)]
        return [(top, 0.5), (-top, 0.5), (0.0, 1.0)]

    def strata(self, loss: float) -> list[Stratum]:
        """Return the distribution of the values under a loss."""
        return [Stratum(self.values(loss, self.form), self.atoms(self.form))]


@dataclass(frozen=True)
class Mixture:
    """The items of one task, of several kinds."""

    parts: tuple[tuple[World, float], ...]  # with their shares of the task's items
    share: float = 1.0  # of the cell's items
    weight: float = 1.0  # in the cell's mean


@dataclass(frozen=True)
class CellWorld:
    """The world of a cell: a mean over tasks, each of which loses the same share of what can be lost in it."""

    tasks: tuple[Mixture, ...]

    def __post_init__(self) -> None:
        if len({(world.repeats, world.sampled) for _, world in self._worlds()}) != 1:
            raise UsageError("items with different repeats or decoding cannot be planned as one cell; plan them apart")

    def _worlds(self) -> list[tuple[float, World]]:
        """Every kind of item with its weight in the mean."""
        return [(task.weight * share, world) for task in self.tasks for world, share in task.parts]

    @property
    def repeats(self) -> int:
        """Answers per item."""
        return self._worlds()[0][1].repeats

    @property
    def reading(self) -> str:
        """The reading that decides."""
        return self._worlds()[0][1].reading

    @property
    def form(self) -> str:
        """What that reading counts."""
        told = sum(task.share * share for task in self.tasks for world, share in task.parts if world.tells)
        return self.reading if self.repeats == 1 else "known" if told >= _TOLD else "flips"

    @property
    def known(self) -> float:
        """Share known before."""
        return sum(weight * world.known for weight, world in self._worlds())

    @property
    def most(self) -> float:
        """The largest loss there can be."""
        return sum(weight * world.most for weight, world in self._worlds())

    def strata(self, loss: float) -> list[Stratum]:
        """Return the distribution of the values of every task under a loss."""
        lost, form = loss / self.most, self.form
        made = []
        for task in self.tasks:
            values = [(v, share * p) for world, share in task.parts for v, p in world.values(lost * world.most, form)]
            atoms = [[(v, mass, share) for v, mass in world.atoms(form)] for world, share in task.parts]
            made.append(Stratum(values, [_merged(same) for same in zip(*atoms, strict=True)], task.share, task.weight))
        return made


def _merged(atoms: Iterable[tuple[float, float, float]]) -> tuple[float, float]:
    """The mean place and mass of an atom of several worlds."""
    placed = [(value, share * mass) for value, mass, share in atoms]
    whole = sum(mass for _, mass in placed)
    return (sum(value * mass for value, mass in placed) / whole if whole else 0.0, whole)
