"""Work before anyone asks: one thread, out of everybody's way, the most likely first."""

from __future__ import annotations

import heapq
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from itertools import count

from forgetmap.errors import ForgetmapError


class Need(IntEnum):
    """How soon something is likely to be asked for."""

    NEXT = 0  # the first look at the items
    LIKELY = 1  # one of the slices that are shown
    PERHAPS = 2  # another reading
    LATER = 3  # what takes long, such as causes


#: Seconds of silence before anything is begun, and how long a busy server is waited for.
_SILENCE, _PATIENCE = 0.25, 10.0


class Ahead:
    """A queue of things to make, and the thread that makes them.

    Nothing here is waited for at the end: nothing is written that could be left half done.
    """

    def __init__(self) -> None:
        self._queue: list[tuple[int, int, Callable[[], object]]] = []
        self._number = count()
        self._lock = threading.Condition()
        self._asking = 0
        self._last = 0.0  # when somebody was answered last
        self._thread: threading.Thread | None = None
        self._busy = False

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Someone waits for an answer: what is made ahead makes way."""
        with self._lock:
            self._asking += 1
        try:
            yield
        finally:
            with self._lock:
                self._asking -= 1
                self._last = time.monotonic()
                self._lock.notify_all()

    def add(self, steps: list[Callable[[], object]], need: Need) -> None:
        """Make these, one after the other, when their turn comes."""
        with self._lock:
            for step in steps:
                heapq.heappush(self._queue, (need, next(self._number), step))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)
                self._thread.start()
            self._lock.notify_all()

    def drop(self, *needs: Need) -> None:
        """Forget what was not begun: someone looks at something else now."""
        with self._lock:
            self._queue = [one for one in self._queue if one[0] not in needs]
            heapq.heapify(self._queue)

    def join(self, seconds: float) -> bool:
        """Wait until all is made; return whether it is."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._queue and not self._busy, timeout=seconds)

    def _run(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: bool(self._queue))
            self._wait_for_silence()
            with self._lock:
                if not self._queue:
                    continue
                _, _, step = heapq.heappop(self._queue)
                self._busy = True
            try:
                step()
            except ForgetmapError:
                pass  # whoever asks for it is told; nobody has
            except Exception:
                traceback.print_exc()  # a fault of ours, but no reason to stop making the rest
            finally:
                with self._lock:
                    self._busy = False
                    self._lock.notify_all()

    def _wait_for_silence(self) -> None:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            with self._lock:
                silent = time.monotonic() - self._last
                if self._asking == 0 and silent >= _SILENCE:
                    return
            time.sleep(_SILENCE / 4)
