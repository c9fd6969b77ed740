"""Text of others in LaTeX: every sign printed, none obeyed, in plain ASCII that any engine and font encoding takes.

What the default fonts of pdfTeX lack (Chinese, emoji, …) goes through one macro: the sign itself where the font has it,
else its number in brackets, which is ugly and never wrong.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

from forgetmap.report.plain import visible

#: Prints a sign by its number; pdfTeX fonts hold 256 signs, so only XeTeX and LuaTeX can ask the font.
#: Protected: captions travel through other files before they are printed.
STAND_IN = r"""\ifdefined\Umathcode
  \protected\def\forgetmapsign#1{\iffontchar\font"#1 \char"#1 \else\texttt{[U+#1]}\fi}
\else
  \protected\def\forgetmapsign#1{\texttt{[U+#1]}}
\fi"""

# Braces around [, ] and *: after the end of a row these would be read as its options. < > | " are other signs in OT1.
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"{\ttfamily\char34}", "`": r"\`{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "\u00a0": "~", "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "÷": r"$\div$", "·": r"$\cdot$", "≤": r"$\leq$", "≥": r"$\geq$",
    "≠": r"$\neq$", "≈": r"$\approx$", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "↔": r"$\leftrightarrow$",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "⇒": r"$\Rightarrow$", "∞": r"$\infty$", "∈": r"$\in$", "∑": r"$\sum$",
    "√": r"$\surd$", "°": r"$^{\circ}$", "²": "$^{2}$", "³": "$^{3}$", "µ": r"$\mu$", "¬": r"$\neg$", "•": r"$\bullet$",
    "†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "¶": r"\P{}", "©": r"\copyright{}", "£": r"\pounds{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}",
    "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "¿": "?`{}", "¡": "!`{}",
}  # fmt: skip
_GREEK_NAMES = (
    "αalpha βbeta γgamma δdelta εepsilon ζzeta ηeta θtheta ιiota κkappa λlambda μmu νnu ξxi πpi ρrho σsigma τtau "
    "υupsilon φphi χchi ψpsi ωomega ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΥUpsilon ΦPhi ΨPsi ΩOmega"
)
_GREEK = {name[0]: rf"$\{name[1:]}$" for name in _GREEK_NAMES.split()}
_LIGATURES = (("-–—", "-–—"), ("'’”", "'’”"), ("‘“?!", "‘“"), (",", ","))
#: Combining marks that have an accent in every text encoding.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0331": "b",
}  # fmt: skip


def tex(text: str) -> str:
    """Return text that LaTeX prints as it is, on one line.

    >>> print(tex("50% of é → [x]"))
    50\\% of \\'{e} $\\rightarrow$ {[}x{]}
    """
    flat = " ".join(unicodedata.normalize("NFC", visible(text)).split())
    pairs = zip_longest(flat, flat[1:], fillvalue=" ")
    return "".join(_sign(sign) + ("{}" if _joins(sign, after) else "") for sign, after in pairs)


def breakable(text: str) -> str:
    """Return escaped text that may also break after the signs that join the words of a name, and inside long ones."""
    apart = re.sub(r"(\\_|-|:|/|\.)(?=[A-Za-z0-9])", r"\1\\allowbreak{}", tex(text))
    return re.sub(r"(?<![\\A-Za-z0-9])([A-Za-z0-9]{24,})", _broken, apart)


def _broken(word: re.Match[str]) -> str:
    return r"\allowbreak{}".join(word[0][start : start + 16] for start in range(0, len(word[0]), 16))


def comment(text: str) -> str:
    """Return text for a comment: one line of ASCII."""
    flat = " ".join(visible(text).split())
    return flat.encode("ascii", "backslashreplace").decode()


def has_stand_in(escaped: str) -> bool:
    """Whether escaped text needs the macro."""
    return r"\forgetmapsign" in escaped


def _joins(sign: str, after: str) -> bool:
    """Whether two signs in a row would become another one: -- is a dash, '' a quote, ?` a turned question mark."""
    return any(sign in firsts and after in seconds for firsts, seconds in _LIGATURES)


def _sign(sign: str) -> str:
    made = _SIGNS.get(sign) or _GREEK.get(sign)
    if made is not None:
        return made
    if sign.isascii():
        return sign
    parts = unicodedata.normalize("NFD", sign)
    base, accent = parts[0], _ACCENTS.get(parts[1:])
    if accent is not None and base.isascii() and base.isalpha():
        under = rf"\{base}{{}}" if base in "ij" else base  # without its dot
        return rf"\{accent}{{{under}}}"
    return rf"\forgetmapsign{{{ord(sign):04X}}}"
