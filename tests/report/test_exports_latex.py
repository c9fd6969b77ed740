"""LaTeX tables: they compile with booktabs alone, whatever names say, and print what the map holds."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import exported
import pytest

from forgetmap.report.exports import latex_text
from forgetmap.report.exports.tex_signs import STAND_IN, comment, tex
from forgetmap.report.sheet import Sheet
from forgetmap.report.styles import STYLES, styled_rows

DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\listoftables
\end{document}
"""


def needed(tool: str, package: str) -> str:
    found = shutil.which(tool)
    assert found, f"{tool} is missing; install it with: apt-get install {package}"
    return found


def compiled(text: str, folder: Path, engine: str = "pdflatex") -> tuple[str, str]:
    """Compile twice, as captions come back through the list of tables; return the printed text and the log."""
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    (folder / "page.tex").write_text(DOCUMENT % r"\input{tables.tex}")
    command = [needed(engine, "texlive-latex-recommended"), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]  # fmt: skip
    for _ in range(2):
        done = subprocess.run([*command, "page.tex"], cwd=folder, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-3000:]
    printed = subprocess.run(
        [needed("pdftotext", "poppler-utils"), "-layout", "page.pdf", "-"], cwd=folder, capture_output=True, check=True
    ).stdout.decode()
    return printed, (folder / "page.log").read_text(errors="replace")


def maps(style: str) -> Sequence[Sheet]:
    return exported.capabilities(2) if style == "captrack" else exported.several(2)


@pytest.mark.parametrize("style", STYLES)
def test_every_style_compiles_and_prints_its_figures(style: str, tmp_path: Path) -> None:
    printed, _ = compiled(latex_text(maps(style), style=style), tmp_path)
    flat = re.sub(r"\s+", " ", printed)
    for row in styled_rows(maps(style), style).rows:
        if row.kind != "section":
            for text in row.texts:
                # the underscore of the default fonts is a rule, which is no text
                assert text.replace("_", " ") in flat, text
    assert "items in 5 tasks" in flat and "%" in flat


@pytest.mark.parametrize("style", ["forgetmap", "paper"])
def test_hostile_names_compile_and_are_printed(style: str, tmp_path: Path) -> None:
    text = latex_text([exported.hostile()], style=style)
    assert text.isascii()
    printed, log = compiled(text, tmp_path)
    flat = re.sub(r"\s+", "", printed).replace("-", "")
    for name in (
        "=cmd|'/Ccalc'!A0",
        "<script>alert(1)</script>",
        "\\input{/etc/passwd}$xˆ2$%&#˜{}",
        "≥",
        "quoted",
        "[x]*",
    ):
        assert re.sub(r"\s+", "", name).replace("-", "").replace("'", "’") in flat, name
    assert "[U+6A21]" in flat and "[U+20AC]" in flat  # what the font lacks is visible
    assert "\\x1b[31mred\\x00" in flat
    assert "Missing character" not in log and "root:x" not in printed


def test_hostile_names_under_groups(tmp_path: Path) -> None:
    sheets = exported.several(2, ("gsm8k", *exported.HOSTILE), taxonomy="captrack")
    printed, _ = compiled(latex_text(sheets, style="captrack", level="task"), tmp_path)
    assert "CAN" in printed and "without a group" in printed


def test_another_engine_prints_the_same(tmp_path: Path) -> None:
    printed, _ = compiled(latex_text([exported.hostile()]), tmp_path, "lualatex")
    assert "[U+6A21]" in re.sub(r"\s+", "", printed)


def test_many_rows_and_models_compile(tmp_path: Path) -> None:
    """More tables than LaTeX keeps waiting, and more rows than a page has."""
    names = tuple(f"task_{place:03d}_with_a_longish_name" for place in range(95))
    text = latex_text(exported.several(9, names), level="task")
    assert "(part 3 of 3)" in text
    floats = re.findall(r"\\begin\{tabular\}\{@\{\}l(r+)@\{\}\}", text)
    assert {len(columns) for columns in floats} == {3}
    printed, log = compiled(text, tmp_path)
    assert "Too many unprocessed floats" not in log
    assert "Float too large" not in log
    assert all(name.replace("_", " ") in printed for name in names)


def test_what_the_file_needs_is_said_first() -> None:
    text = latex_text([exported.sheet()])
    assert text.splitlines()[0].endswith(r"\usepackage{booktabs}")
    assert r"\forgetmapsign" not in text  # no stand-in where none is needed
    assert r"\forgetmapsign" in latex_text([exported.hostile()])
    assert r"\toprule" in text and r"\caption{Lost and gained, \% of items: planted-before $" in text


def test_the_tasks_behind_each_row_are_named() -> None:
    text = latex_text([exported.sheet()]).replace(r"\allowbreak{}", "")
    assert "Tasks behind each row" in text
    assert r"Math & \raggedright mmlu:abstract\_algebra, mmlu:college\_mathematics (2 tasks)" in text
    assert "Tasks behind each row" not in latex_text([exported.sheet()], level="task")


def test_marks_have_their_notes() -> None:
    found = exported.open_ended()
    text = latex_text([found])
    assert "a \\ldots{} b: a range" in text and "\\ldots{}" in text.split(r"\bottomrule")[0]
    for mark, sign in (("†", r"\dag{}"), ("‡", r"\ddag{}"), ("§", r"\S{}")):
        table = styled_rows([found])
        has = any(mark in text for row in table.rows for text in row.texts)
        assert (sign in text) == has


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("--'',,", r"-{}-'{}',{},"),
        ("– —", "-- ---"),
        ("é ç ñ ö Å ő č ī", r"\'{e} \c{c} \~{n} \"{o} \r{A} \H{o} \v{c} \={\i{}}"),
        ("e\u0301", r"\'{e}"),  # the same sign, composed otherwise
        ("\\\\[3cm]*", r"\textbackslash{}\textbackslash{}{[}3cm{]}{*}"),
        ("a\nb\tc", "a b c"),
        ("中", r"\forgetmapsign{4E2D}"),
        ("\u202eabc", r"\textbackslash{}u202eabc"),
    ],
)
def test_escapes(given: str, made: str) -> None:
    assert tex(given) == made


def test_every_sign_compiles(tmp_path: Path) -> None:
    """All of Latin, Greek, Cyrillic, symbols, arrows, boxes: printed or replaced, and never an error."""
    signs = [chr(code) for code in range(0x20, 0x2C00)]
    lines = ["".join(signs[start : start + 64]) for start in range(0, len(signs), 64)]
    _, log = compiled(STAND_IN + "\n\n" + "\n\n".join(map(tex, lines)), tmp_path)
    assert "Missing character" not in log


def test_notes_stand_once() -> None:
    text = latex_text(exported.several(2))
    assert text.count("with lucky guesses removed") == 1
    assert text.count(r"notes as under Table~\ref{tab:forgetmap-model-0-1}") == 2


def test_a_comment_stays_a_comment() -> None:
    assert comment("a\n\\evil é") == "a \\evil \\xe9"
    text = latex_text([exported.hostile()])
    assert all(line.isprintable() for line in text.splitlines())
