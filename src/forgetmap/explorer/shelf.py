"""A shelf: results kept while there is room, each made once however many ask for it at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Slot(Generic[Value]):
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.value: Value
        self.size = 0


class Shelf(Generic[Key, Value]):
    """Keeps what was used last; `size` tells how much room a value takes, 1 by default.

    >>> shelf = Shelf[str, int](2)
    >>> [shelf.get(key, lambda: len(key)) for key in ("a", "bb", "ccc")], "a" in shelf, "ccc" in shelf
    ([1, 2, 3], False, True)
    """

    def __init__(self, room: int, size: Callable[[Value], int] = lambda value: 1) -> None:
        self._room, self._size = room, size
        self._slots: OrderedDict[Key, _Slot[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made now if it is not there; others who ask for it wait for the one who makes it.

        A failure is not kept: who asks next tries again.
        """
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
        with slot.lock:
            if not slot.made:
                try:
                    slot.value = make()
                except BaseException:
                    with self._lock:
                        if self._slots.get(key) is slot:
                            del self._slots[key]
                    raise
                slot.size, slot.made = self._size(slot.value), True
                self._trim(key)
            return slot.value

    def peek(self, key: Key) -> Value | None:
        """Return the value of a key if it is made; never waits."""
        with self._lock:
            slot = self._slots.get(key)
            return slot.value if slot is not None and slot.made else None

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._slots and self._slots[key].made

    def _trim(self, newest: Key) -> None:
        with self._lock:
            used = sum(slot.size for slot in self._slots.values())
            for key in list(self._slots):
                if used <= self._room:
                    return
                if key != newest and self._slots[key].made:
                    used -= self._slots.pop(key).size
