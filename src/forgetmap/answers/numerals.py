"""Numbers as people write them: signs, grouping, decimal marks, scripts (captrack.md 3.1, numeric accuracy).

Values are exact fractions, so that large integers do not melt together in floating point.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from forgetmap.answers.cleaning import clean_reply

# Languages that write 1.234,5; all others are read as 1,234.5.
_COMMA_DECIMAL = frozenset({"de", "es", "fr", "it", "pt", "nl", "ru", "uk", "pl", "cs", "tr", "sv", "id", "vi"})
_LAKH_GROUPING = frozenset({"bn", "hi", "te", "ta", "mr", "gu", "ur", "pa", "ne"})  # 12,34,567
_DIGITS_READ = 400  # a longer run of digits is noise, and converting it would be slow
_RUN_READ = 2000
_TOLERANCE = Fraction(1, 10**6)

_MARKS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u2011": "-", "\u066b": ".", "\u066c": ","})
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_CURRENCY = "$\u20ac\u00a3\u00a5\u20b9\u0e3f\u09f3\u20a9\u20bd\u20ba\u20ab\u20b1\u20a6\u20aa\u00a2"
# A run of digits with marks between them; what stands before it is judged in `numerals`, for the few that count.
RUN = re.compile(
    r"(?P<run>[0-9]++(?:[.,'][0-9]++|[ ][0-9]{3}(?![0-9]))*+)(?P<exponent>[eE][-+]?[0-9]{1,2}(?![0-9A-Za-z.]))?"
)
_LETTER = re.compile(r"[A-Za-z_]")
_WORD = re.compile(r"[A-Za-z0-9_.)\]}%]")  # what a sign or a leading point cannot follow
_CURRENCY_WORDS = ("Rs", "sh", "Sh", "USD", "EUR", "GBP", "KES", "TZS", "THB", "BDT", "INR")
_SEPARATOR = re.compile(r"[.,' ]")


class Numeral(NamedTuple):
    """One number found in a text: its canonical form and where it stood."""

    text: str  # e.g. "-1300.5"
    start: int
    end: int


def fold_digits(text: str) -> str:
    """Digits of any script as 0-9, minus signs and Arabic separators as ASCII."""
    if text.isascii():
        return text
    return _FOREIGN_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text.translate(_MARKS))


def _in_threes(groups: list[str]) -> bool:
    head = groups[0]
    return 1 <= len(head) <= 3 and head[0] != "0" and all(len(group) == 3 for group in groups[1:])


def _in_lakhs(groups: list[str]) -> bool:
    head, tail = groups[0], groups[-1]
    return 1 <= len(head) <= 2 and head[0] != "0" and len(tail) == 3 and all(len(g) == 2 for g in groups[1:-1])


def _one_number(run: str, language: str) -> str | None:
    """The run as one number in plain notation, or null when its marks only make sense between numbers."""
    groups, marks = _SEPARATOR.split(run), _SEPARATOR.findall(run)
    if not marks:
        return run
    decimal, last, kinds = "," if language in _COMMA_DECIMAL else ".", marks[-1], set(marks)
    grouped = _in_threes(groups)
    if len(kinds) == 1 and "," in kinds and language in _LAKH_GROUPING:
        grouped = grouped or _in_lakhs(groups)
    if len(marks) == 1 and last in ".,":
        # "1.300" is 1.3 in English and 1300 in German; "12,50" cannot be grouping in any language.
        return "".join(groups) if grouped and last != decimal else f"{groups[0]}.{groups[1]}"
    if len(kinds) == 1:
        return "".join(groups) if grouped else None
    if len(kinds) == 2 and last in ".," and marks.count(last) == 1:
        whole = groups[:-1]
        lakhs = language in _LAKH_GROUPING and marks[0] == "," and _in_lakhs(whole)
        if _in_threes(whole) or lakhs:
            return f"{''.join(whole)}.{groups[-1]}"
    return None


def _runs(run: str, language: str) -> list[str]:
    """The numbers of a run of digits and separators: usually one; a list such as "1,2,3" is three."""
    one = _one_number(run, language)
    if one is not None:
        return [one]
    decimal = "," if language in _COMMA_DECIMAL else "."
    found: list[str] = []
    for piece in re.split(f"[^0-9{decimal}]", run):
        one = _one_number(piece, language)
        found.extend([one] if one is not None else _SEPARATOR.split(piece))
    return found


def _canonical(sign: str, digits: str, exponent: str) -> str | None:
    if len(digits) > _DIGITS_READ:
        return None
    plain = format(Decimal(f"{digits}{exponent}"), "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    plain = plain.lstrip("0") or "0"
    if plain.startswith("."):
        plain = "0" + plain
    return f"-{plain}" if sign == "-" and plain != "0" else plain


def base_language(language: str) -> str:
    """The bare language code: "de" for "de-DE" or "DE_at"."""
    return re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0]


def numerals(match: re.Match[str], language: str) -> list[Numeral]:
    """The numbers one `RUN` match stands for, left to right; none for the digits of a word ("CO2", "x1")."""
    text, start, run = match.string, match.start(), match["run"]
    if start and _LETTER.match(text, start - 1) and not text.endswith(_CURRENCY_WORDS, 0, start):
        return []
    if text.endswith(".", 0, start) and not (start > 1 and _WORD.match(text, start - 2)):
        run, start = f"0.{run}", start - 1  # ".5"
    if start and text[start - 1] in _CURRENCY:
        start -= 1
    sign = ""
    if text.endswith(("-", "+"), 0, start) and not (start > 1 and _WORD.match(text, start - 2)):
        start -= 1  # a minus, and not the dash of "10-3"
        sign = text[start]
    if len(run) > _RUN_READ:  # a list of many numbers; its end is what a reply ends on
        run = run[-_RUN_READ:].lstrip(".,' ")
    found = []
    pieces = _runs(run, language)
    for place, digits in enumerate(pieces):
        exponent = (match["exponent"] or "") if place == len(pieces) - 1 else ""
        canonical = _canonical(sign if place == 0 else "", digits, exponent)
        if canonical is not None:
            found.append(Numeral(canonical, start, match.end()))
    return found


def ratio_text(numerator: str, denominator: str) -> str:
    """Canonical text of a fraction of integers: decimal where it is finite, else "1/3".

    >>> ratio_text("3", "4"), ratio_text("-2", "6")
    ('0.75', '-1/3')
    """
    if "." in numerator or int(denominator) == 0:
        return numerator
    value = Fraction(int(numerator), int(denominator))
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole, decimals = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return f"{'-' if value < 0 else ''}{whole}{decimals}"


_AROUND_LEFT = re.compile(rf"\s*(?:[A-Z]{{0,3}}|Rs\.?|K?[Ss]h\.?)\s?[{_CURRENCY}]?\s*")
_AROUND_RIGHT = re.compile(rf"\s*(?:%|[{_CURRENCY}]|[A-Z]{{3}}|percent)?[\s.]*")
_RATIO = re.compile(r"\s*([-+]?[0-9]{1,100})\s*/\s*([0-9]{1,100})\s*")


def parse_number(text: str, language: str = "en") -> Fraction | None:
    """The exact value of a text that is one number, or null.

    >>> parse_number("$1,300.50"), parse_number("1.300,50 €", "de"), parse_number("B2")
    (Fraction(2601, 2), Fraction(2601, 2), None)
    >>> parse_number("১,২০,০০০", "bn")
    Fraction(120000, 1)
    """
    if len(text) > 2 * _DIGITS_READ:
        return None
    folded = fold_digits(clean_reply(text))
    ratio = _RATIO.fullmatch(folded)
    if ratio:
        return Fraction(int(ratio[1]), int(ratio[2])) if int(ratio[2]) else None
    match = RUN.search(folded)
    found = numerals(match, base_language(language)) if match else []
    if len(found) != 1 or not _AROUND_RIGHT.fullmatch(folded, found[0].end):
        return None
    return Fraction(found[0].text) if _AROUND_LEFT.fullmatch(folded, 0, found[0].start) else None


def _value(number: Fraction | int | float | Decimal | str | None) -> Fraction | None:
    if number is None or isinstance(number, bool):
        return None
    if isinstance(number, str):
        return parse_number(number)
    if isinstance(number, (float, Decimal)) and not math.isfinite(number):
        return None
    return Fraction(number)


def numbers_equal(
    answer: Fraction | int | float | Decimal | str | None, gold: Fraction | int | float | Decimal | str | None
) -> bool:
    """Whether two numbers agree within 1e-6 x max(1, |gold|); a missing one agrees with nothing.

    Texts are read in canonical (English) form, as `extract_number` returns them.

    >>> numbers_equal("1300", "1,300"), numbers_equal("1300", 1200), numbers_equal(None, 0)
    (True, False, False)
    """
    left, right = _value(answer), _value(gold)
    if left is None or right is None:
        return False
    return abs(left - right) <= _TOLERANCE * max(Fraction(1), abs(right))


def gold_number(gold: object) -> Fraction | None:
    """The number of a gold: what follows the last "####", else the whole text; numbers as they are.

    >>> gold_number("8 + 10 = 18\\n#### 1,018"), gold_number(18.0), gold_number("eighteen")
    (Fraction(1018, 1), Fraction(18, 1), None)
    """
    if isinstance(gold, str):
        return parse_number(gold.rpartition("####")[2])
    if isinstance(gold, (int, float, Decimal, Fraction)):
        return _value(gold)
    item = getattr(gold, "item", None)  # a numpy scalar
    return _value(item()) if callable(item) else None
