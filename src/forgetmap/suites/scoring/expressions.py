r"""Formulas of a small grammar as functions: fractions, roots, powers, the usual functions, letters as unknowns.

A formula is read by recursive descent, to a bounded depth, and computes floats only.
"""

from __future__ import annotations

import cmath
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

LONGEST = 400  # characters of a formula
_DEEPEST = 40

_WORDS = re.compile(r"[A-Za-z]{3,}")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|\.\d+|\\[A-Za-z]+|[A-Za-z]|[-+*/^_!=(){}\[\]|]")

_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "\\sin": cmath.sin, "\\cos": cmath.cos, "\\tan": cmath.tan, "\\exp": cmath.exp, "\\ln": cmath.log,
    "\\arcsin": cmath.asin, "\\arccos": cmath.acos, "\\arctan": cmath.atan, "\\sinh": cmath.sinh, "\\cosh": cmath.cosh,
    "\\cot": lambda x: 1 / cmath.tan(x), "\\sec": lambda x: 1 / cmath.cos(x), "\\csc": lambda x: 1 / cmath.sin(x),
    "\\log": cmath.log10,
}  # fmt: skip
_CONSTANTS = {"\\pi": cmath.pi, "e": cmath.e, "i": 1j, "\\infty": 1.7e308}
_PAIRS = {"(": ")", "[": "]", "{": "}"}

#: The value of a formula at a point, by the number of the point.
Value = Callable[[int], complex]


def read(text: str) -> Value | None:
    r"""A formula as a function of the point at which its letters have values; null where the grammar does not know it.

    >>> read(r"\frac{1+3}{2}")(0), read("2^{3}")(0), read("cat")
    ((2+0j), (8+0j), None)
    """
    if len(text) > LONGEST or _WORDS.search(re.sub(r"\\[A-Za-z]+", "", text)):
        return None
    tokens = _TOKEN.findall(text)
    if not tokens or sum(map(len, tokens)) != len(text) - text.count(" "):
        return None
    try:
        reader = _Reader(tokens)
        value = reader.sum()
        return value if reader.at == len(tokens) else None
    except _NoFormulaError:
        return None


class _NoFormulaError(Exception):
    """The text is no formula of the grammar."""


class _Reader:
    """Recursive descent over the tokens; what it returns computes floats only."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise _NoFormulaError
        self.at += 1
        return token

    def sum(self) -> Value:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _NoFormulaError
        total = self.product()
        while self.peek() in ("+", "-"):
            total = _joined(total, self.take(), self.product())
        self.depth -= 1
        return total

    def product(self) -> Value:
        value = self.signed()
        while (token := self.peek()) and token not in ("+", "-", ")", "]", "}", "|", "="):
            if token[0] in ".0123456789" and self.tokens[self.at - 1][-1].isdigit():
                raise _NoFormulaError  # "3 4": a list without its comma, or a slip
            sign = self.take() if token in "*/" else "*"
            value = _joined(value, sign, self.signed() if token in "*/" else self.power())
        return value

    def signed(self) -> Value:
        sign = 1
        while self.peek() in ("+", "-"):
            sign *= -1 if self.take() == "-" else 1
        value = self.power()
        return value if sign > 0 else lambda n: -value(n)

    def power(self) -> Value:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        exponent = self.argument()
        return lambda n: base(n) ** exponent(n)

    def argument(self) -> Value:
        """What a command or an exponent takes: a group, or the next atom with its sign."""
        if self.peek() == "-":
            self.take()
            value = self.atom()
            return lambda n: -value(n)
        return self.atom()

    def group(self, opening: str) -> Value:
        self.take(opening)
        value = self.sum()
        self.take(_PAIRS[opening])
        return value

    def atom(self) -> Value:
        token = self.peek()
        if token in _PAIRS:
            return self.group(token)
        token = self.take()
        if token == "|":
            inner = self.sum()
            self.take("|")
            return lambda n: complex(abs(inner(n)))
        if token[0].isdigit() or token[0] == ".":
            number = complex(float(token))
            return lambda n: number
        if token == "\\frac":
            top, bottom = self.group("{"), self.group("{")
            return lambda n: top(n) / bottom(n)
        if token == "\\sqrt":
            degree = self.group("[") if self.peek() == "[" else None
            inner = self.group("{")
            return _root(inner, degree)
        if token in _FUNCTIONS:
            return self.function(token)
        if token in _CONSTANTS:
            constant = complex(_CONSTANTS[token])
            return lambda n: constant
        if token.isalpha() or (token[0] == "\\" and token[1:] in _LETTERS):
            return self.letter(token)
        raise _NoFormulaError

    def function(self, name: str) -> Value:
        compute = _FUNCTIONS[name]
        if self.peek() == "_":
            self.take()
            base = self.argument()
            if name != "\\log":
                raise _NoFormulaError
            inner = self.power()
            return lambda n: cmath.log(inner(n)) / cmath.log(base(n))
        exponent: Value | None = None
        if self.peek() == "^":
            self.take()
            exponent = self.argument()
        inner = self.power()
        if exponent is None:
            return lambda n: compute(inner(n))
        raised = exponent
        return lambda n: compute(inner(n)) ** raised(n)

    def letter(self, name: str) -> Value:
        if self.peek() == "_":
            self.take()
            if self.peek() == "{":
                self.take()
                while self.peek() not in ("}", ""):
                    name += "_" + self.take()
                self.take("}")
            else:
                name += "_" + self.take()
        return lambda n: _at_point(name, n)


_LETTERS = frozenset(
    ("alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "omega")
)
_OPERATIONS: Mapping[str, Callable[[complex, complex], complex]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _joined(left: Value, sign: str, right: Value) -> Value:
    operation = _OPERATIONS[sign]
    return lambda n: operation(left(n), right(n))


def _root(inner: Value, degree: Value | None) -> Value:
    if degree is None:
        return lambda n: cmath.sqrt(inner(n))
    return lambda n: inner(n) ** (1 / degree(n))


def _at_point(name: str, point: int) -> complex:
    """The value of a letter at a point: the same on every machine, positive, and not a simple number."""
    digest = blake2b(f"{name}\n{point}".encode(), digest_size=6).digest()
    return complex(0.5 + int.from_bytes(digest, "big") / 2**47)
