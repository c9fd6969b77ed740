"""Retries: which faults of a server pass by themselves, and how long to wait for that."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

#: Besides everything from 500: time run out, a lock, too many requests.
_PASSING = frozenset({408, 409, 429})
#: Sent with 429, but waiting does not help: the account is empty.
_LASTING = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 60.0
#: A server that asks for more is as good as gone; the run is resumed later.
LONGEST_WAIT = 600.0


class Refused(Exception):  # noqa: N818
    """The server will never answer this request."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said


class Passing(Exception):  # noqa: N818
    """The same request may be answered later."""

    def __init__(self, said: str, after: float | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.after = after  # seconds the server asks for


def passes(status: int, code: str | None) -> bool:
    """Return whether the same request may be answered later.

    >>> passes(429, None), passes(503, None), passes(429, "insufficient_quota"), passes(401, None)
    (True, True, False, False)
    """
    return (status in _PASSING or status >= 500) and code not in _LASTING


def wait_before(attempt: int, fault: Passing) -> float:
    """Return seconds to wait before trying again: what the server asks for, or twice as long every time.

    The half of it is drawn, lest requests that failed together come back together.
    """
    longest = min(_FIRST_WAIT * 2.0**attempt, _LONGEST_BACKOFF)
    backoff = longest * (0.5 + random.random() / 2)
    return backoff if fault.after is None else max(fault.after, 0.0) + backoff / 4


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a reply asks to wait; None where it does not say.

    >>> [asked_wait(one) for one in ({"retry-after": "7"}, {"retry-after-ms": "250"}, {}, {"retry-after": "soon"})]
    [7.0, 0.25, None, None]
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        told = headers.get(name)
        if told is None:
            continue
        try:
            return float(told) / unit
        except ValueError:
            pass
        try:
            then = parsedate_to_datetime(told)
        except ValueError:
            continue
        return (then - datetime.now(then.tzinfo)).total_seconds()
    return None


def sentence(body: Any, otherwise: str) -> str:
    """Return what a server says in the body of an error; servers put it under different names.

    >>> sentence({"message": "no such model"}, ""), sentence({"detail": "too long"}, ""), sentence(None, "Not Found")
    ('no such model', 'too long', 'Not Found')
    """
    if isinstance(body, dict):
        for name in ("message", "detail", "error", "error_msg"):
            if body.get(name):
                return sentence(body[name], otherwise)
    said = body if isinstance(body, str) and body.strip() else otherwise
    one_line = " ".join(said.split())
    return one_line if len(one_line) <= 400 else f"{one_line[:400]}…"
