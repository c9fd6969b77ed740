r"""Formulas as answers: are two of them equal? (captrack.md 3.1, math equality)

Three rules, in turn: the same text once spelling is put aside; the same exact number; the same value at a few points, for
formulas of a small grammar (fractions, roots, powers, the usual functions, letters as unknowns). Tuples, sets, intervals and
lists agree part by part. What no rule can read is undecided, which is neither right nor wrong.

Nothing is handed to a parser that could run it, and no number grows beyond a float: 9^{9^{9^9}} is merely undecided.
"""

from __future__ import annotations

import cmath
import re
from fractions import Fraction

from forgetmap.answers import parse_number
from forgetmap.suites.scoring.expressions import LONGEST, Value, read

_POINTS = 5
_NEEDED = 2  # points at which both have a value
_TOLERANCE = 1e-9

_WRAPPED = re.compile(
    r"\\(?:text(?:bf|rm|it|normal)?|math(?:rm|bf|sf|it|bb)|mbox|operatorname|boxed|fbox)[ ]?\{([^{}]*+)\}"
)
_SPACES = re.compile(r"\\[,;:! ]|\\q?quad\b|~|\s+")
_NEEDLESS = re.compile(r"(?<![A-Za-z0-9])[ ]|[ ](?![A-Za-z0-9])")
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![A-Za-z])")
_MATH_MARKS = re.compile(r"\$+|\\[()\[\]]")
_UNITS = re.compile(r"\\(?:text|mbox|mathrm)[ ]?\{[^{}]*+\}(?:\^\{?\d\}?)?$")
_DEGREES = re.compile(r"\^\{?\\circ\}?|\\circ|°|\\degree")
_BARE_FRACTION = re.compile(r"\\frac[ ]?(\d)(\d)(?!\d)")
_BARE_ROOT = re.compile(r"\\sqrt[ ]?(\d|[A-Za-z](?![A-Za-z]))")
_PLAIN_FRACTION = re.compile(r"-?\\frac\{(-?\d{1,60})\}\{(-?\d{1,60})\}")
_SPACED_GROUPING = re.compile(r"(?<=\d)(?:\\[, ]|[ ])(?=\d{3}(?![\d.]))")
_MIXED = re.compile(r"(?<![\w.}^_])(\d{1,20})(\\frac\{\d{1,20}\}\{\d{1,20}\})")
_BRACED_GROUPING = re.compile(r"(?<=\d)\{,\}(?=\d{3})")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BRACKETED = re.compile(r"[(\[]|\\\{")
_NAMED = re.compile(r"[A-Za-z](?:_\{?\w{1,5}\}?)?(?:\([A-Za-z]\))?(?:=|\\in(?![A-Za-z]))")
_COUNTED = re.compile(r"([-+]?[\d.,/]*\d)[ ]+[A-Za-z]{2,}+[A-Za-z ]*+")
_WORDS = re.compile(r"[A-Za-z]{3,}")
_NAMES = {"\\cdot": "*", "\\times": "*", "\\div": "/", "\\ast": "*", "\\dfrac": "\\frac", "\\tfrac": "\\frac"}
_COMMANDS = re.compile("|".join(rf"{re.escape(name)}(?![A-Za-z])" for name in _NAMES))


def tidy(text: str) -> str:
    r"""An answer in one spelling: no dollar signs, sizes, units, degrees, blanks or grouping; \frac12 as \frac{1}{2}.

    >>> tidy(r"$x = \dfrac12 \text{ cm}$"), tidy(r"1{,}300"), tidy(r"\left( 3, 4 \right).")
    ('\\frac{1}{2}', '1300', '(3,4)')
    """
    text = _SIZES.sub("", _MATH_MARKS.sub("", text.strip()).strip().rstrip(".,;").strip())
    text = _COMMANDS.sub(lambda match: _NAMES[match[0]], text)
    counted = _COUNTED.fullmatch(text)
    if counted:  # "5 apples"
        text = counted[1]
    without = _UNITS.sub("", text).strip()
    text = without or text
    for _ in range(3):  # \text{\textbf{x}}
        text = _WRAPPED.sub(r"\1", text)
    # a comma groups digits, but not inside of brackets: (3,100) is a pair
    text = _BRACED_GROUPING.sub("", text)
    text = text if _BRACKETED.search(text) else _GROUPING.sub("", text)
    text = _SPACED_GROUPING.sub("", text)
    text = _spaced(_DEGREES.sub("", text).replace("−", "-").replace("\\%", "%").replace("\\$", ""))
    text = _BARE_ROOT.sub(r"\\sqrt{\1}", _BARE_FRACTION.sub(r"\\frac{\1}{\2}", text))
    text = _MIXED.sub(r"(\1+\2)", text)
    named = _NAMED.match(text)
    return text[named.end() :] if named and named.end() < len(text) and "=" not in text[named.end() :] else text


def _spaced(text: str) -> str:
    """The text with blanks only where letters or digits would run together: the one of \\pi r is needed."""
    return _NEEDLESS.sub("", _SPACES.sub(" ", text))


def equal(answer: str, gold: str) -> bool | None:
    r"""Whether two answers are equal; null where no rule can tell.

    >>> equal("0.5", r"\frac12"), equal(r"2\sqrt{3}", r"5\sqrt{3}"), equal("1+2x", "2x+1"), equal("x=5", "5")
    (True, False, True, True)
    >>> equal("(1, 2)", "(2, 1)"), equal("2, 1", "1, 2"), equal(r"\{1,2\}", r"\{2,1\}")
    (False, True, True)
    """
    if len(answer) > LONGEST or len(gold) > LONGEST:
        return True if answer.strip() == gold.strip() else None
    return _equal(tidy(answer), tidy(gold), 0)


def _equal(answer: str, gold: str, depth: int) -> bool | None:
    if not answer or not gold:
        return False
    if answer == gold or (_WORDS.search(gold) and answer.casefold() == gold.casefold()):
        return True
    numbers = exact(answer), exact(gold)
    if numbers[0] is not None and numbers[1] is not None:
        if numbers[0] == numbers[1]:
            return True
        # 50% may be written as 50 or as 0.5; without the sign neither stands for the other
        signs = answer.endswith("%"), gold.endswith("%")
        return signs[0] != signs[1] and (100 * numbers[0] == numbers[1] or numbers[0] == 100 * numbers[1])
    left, right = _parts(answer), _parts(gold)
    if depth < 3 and left and right:
        return _equal_parts(left, right, depth)
    if (left and (numbers[1] is not None or read(gold))) or (right and (numbers[0] is not None or read(answer))):
        return False  # several against one
    if (both := _same_equation(answer, gold)) is not None:
        return both
    values = read(answer), read(gold)
    if values[0] and values[1]:
        return _same_values(values[0], values[1])
    if values[1] and "\\" not in answer and _WORDS.search(answer):
        return False  # words where a formula is due
    plain = "\\" not in answer + gold and _WORDS.search(gold)
    return False if plain else None


def exact(text: str) -> Fraction | None:
    """The exact value of a number, a fraction of integers, a percentage (without its sign)."""
    fraction = _PLAIN_FRACTION.fullmatch(text)
    if fraction:
        value = Fraction(int(fraction[1]), int(fraction[2])) if int(fraction[2]) else None
        return -value if value is not None and text.startswith("-") else value
    bare = text.removesuffix("%")
    if not bare or bare[-1] not in "0123456789." or not re.fullmatch(r"[-+]?[\d./]+", bare):
        return None
    return parse_number(bare.rstrip("."))


def _parts(text: str) -> tuple[str, list[str]] | None:
    """What kind of collection a text is, and its parts: set, list (bare), or the brackets around a tuple or interval."""
    for opening, closing in (("\\{", "\\}"), ("{", "}"), ("(", ")"), ("[", "]"), ("(", "]"), ("[", ")")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) + len(closing):
            inner = _split(text[len(opening) : len(text) - len(closing)])
            if inner is not None and (len(inner) > 1 or opening == "\\{"):
                return ("set" if "{" in opening else opening + closing), inner
    bare = _split(text)
    return ("list", bare) if bare and len(bare) > 1 else None


def _split(text: str) -> list[str] | None:
    """The parts between commas outside of brackets; null where brackets do not match."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return None
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if depth == 0 else None


def _equal_parts(left: tuple[str, list[str]], right: tuple[str, list[str]], depth: int) -> bool | None:
    (kind, ours), (other, theirs) = left, right
    loose = {kind, other} <= {"set", "list"}
    if (kind != other and not loose) or len(ours) != len(theirs) or len(ours) > 20:
        return False
    if not loose:
        told = [_equal(one, two, depth + 1) for one, two in zip(ours, theirs, strict=True)]
        return False if False in told else None if None in told else True
    rest, unsure = list(theirs), False
    for one in ours:
        told = [_equal(one, two, depth + 1) for two in rest]
        if True in told:
            rest.pop(told.index(True))
        elif None in told:
            unsure = True
        else:
            return False
    return None if unsure else True


def _same_equation(answer: str, gold: str) -> bool | None:
    if answer.count("=") != 1 or gold.count("=") != 1:
        return None
    sides = [read(side) for text in (answer, gold) for side in text.split("=")]
    if not all(sides):
        return None
    a, b, c, d = (side for side in sides if side)
    return _same_values(lambda n: a(n) - b(n), lambda n: c(n) - d(n)) or _same_values(
        lambda n: a(n) - b(n), lambda n: d(n) - c(n)
    )


def _same_values(left: Value, right: Value) -> bool | None:
    known = 0
    for point in range(_POINTS):
        try:
            one, two = left(point), right(point)
        except (ArithmeticError, ValueError):
            continue
        if not (cmath.isfinite(one) and cmath.isfinite(two)):
            continue
        if abs(one - two) > _TOLERANCE * max(1e-3, abs(one), abs(two)):
            return False
        known += 1
    return True if known >= _NEEDED else None
