"""Limits: so many requests, or tokens, a minute and no more."""

from __future__ import annotations

import asyncio
import time

#: What may be spent at once after a pause, in seconds of the allowance. A whole minute's worth would let twice the limit
#: through in the first minute.
_BURST = 5.0


class Bucket:
    """An allowance that fills steadily; who takes more than is in it waits."""

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60
        self._room = max(self._rate * _BURST, 1.0)
        self._level = self._room
        self._seen = time.monotonic()
        self._turn = asyncio.Lock()  # first come, first served

    async def take(self, amount: float) -> None:
        """Wait until there is enough. One request larger than the bucket waits for a full one and leaves a debt."""
        async with self._turn:
            lack = min(amount, self._room) - self._fill()
            if lack > 0:
                await asyncio.sleep(lack / self._rate)
                self._fill()
            self._level -= amount

    def settle(self, taken: float, used: float) -> None:
        """Correct a guess, now that the true amount is known."""
        self._level = min(self._fill() + taken - used, self._room)

    def _fill(self) -> float:
        now = time.monotonic()
        self._level = min(self._level + (now - self._seen) * self._rate, self._room)
        self._seen = now
        return self._level
