"""Work made ahead: in order of need, never while someone waits, and no fault ends it."""

from __future__ import annotations

import threading
import time

import pytest

from forgetmap.errors import UsageError
from forgetmap.explorer.ahead import Ahead, Need
from forgetmap.explorer.shelf import Shelf


def test_the_most_likely_first_and_nothing_while_someone_waits() -> None:
    ahead, done = Ahead(), []
    with ahead.asked():
        for need in reversed(Need):
            ahead.add([lambda need=need, n=n: done.append((need, n)) for n in (1, 2)], need)  # type: ignore[misc]
        time.sleep(0.6)
        assert done == []
        assert not ahead.join(0.05)
    assert ahead.join(20)
    assert done == [(need, n) for need in Need for n in (1, 2)]


def test_what_is_dropped_is_not_made() -> None:
    ahead, done = Ahead(), []
    with ahead.asked():
        ahead.add([lambda: done.append("perhaps")], Need.PERHAPS)
        ahead.add([lambda: done.append("likely")], Need.LIKELY)
        ahead.add([lambda: done.append("later")], Need.LATER)
        ahead.drop(Need.PERHAPS, Need.LIKELY)
    assert ahead.join(20)
    assert done == ["later"]


def test_a_fault_is_told_and_the_rest_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    ahead, done = Ahead(), []

    def refuse() -> None:
        raise UsageError("nobody asked")

    def fail() -> None:
        raise KeyError("a fault of ours")

    ahead.add([refuse, fail, lambda: done.append("rest")], Need.NEXT)
    assert ahead.join(20)
    assert done == ["rest"]
    said = capsys.readouterr().err
    assert "a fault of ours" in said
    assert "nobody asked" not in said


def test_a_value_is_made_once_for_all_who_ask() -> None:
    shelf: Shelf[str, int] = Shelf(4)
    made, started = [], threading.Barrier(5)

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return len(made)

    found: list[int] = []

    def ask() -> None:
        started.wait()
        found.append(shelf.get("key", make))

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 5


def test_a_failure_is_not_kept() -> None:
    shelf: Shelf[str, int] = Shelf(4)

    def fail() -> int:
        raise UsageError("not yet")

    with pytest.raises(UsageError):
        shelf.get("key", fail)
    assert "key" not in shelf
    assert shelf.peek("key") is None
    assert shelf.get("key", lambda: 7) == 7 == shelf.peek("key")


def test_room_is_counted_by_size_and_the_newest_stays() -> None:
    shelf: Shelf[str, str] = Shelf(10, len)
    for key in ("aaaa", "bbbb", "cc"):
        shelf.get(key, lambda key=key: key)  # type: ignore[misc]
    shelf.get("aaaa", lambda: "never made again")
    shelf.get("dddd", lambda: "dddd")
    assert [key in shelf for key in ("aaaa", "bbbb", "cc", "dddd")] == [True, False, True, True]
    shelf.get("huge", lambda: "x" * 99)
    assert "huge" in shelf
    assert "aaaa" not in shelf
