"""What a command can write beside its table: page, tables, workbook, LaTeX, Markdown, figures. Shared by several commands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from forgetmap.chain import Chain
from forgetmap.cli import options as opt
from forgetmap.errors import UsageError
from forgetmap.map import ForgettingMap
from forgetmap.recipe import Recipe
from forgetmap.report.plain import plain
from forgetmap.report.sheet import Sheet
from forgetmap.storage import write_atomically

Page = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write a page to look at: map, quadrants, causes, items."),
]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="DIR", help="Write tidy tables into this folder.")]
Xlsx = Annotated[Path | None, typer.Option("--xlsx", metavar="FILE", help="Write the same as one workbook.")]
Latex = Annotated[Path | None, typer.Option("--latex", metavar="FILE", help="Write tables for a paper (booktabs).")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write summary and table.")]
Figures = Annotated[
    Path | None,
    typer.Option(
        "--figures", metavar="DIR", help="Write every figure as SVG, PNG and PDF (extra: forgetmap[figures])."
    ),
]
Style = Annotated[
    str,
    typer.Option(
        help="Layout of tables: forgetmap (value, interval, verdict), paper (mean ± sd (ceiling) of arXiv 2510.17776) or "
        "captrack (relative change by CAN, WILL, HOW; needs --taxonomy captrack)."
    ),
]


@dataclass(frozen=True)
class Outputs:
    """The files and folders asked for; checked before anything is computed."""

    report: Path | None = None
    csv: Path | None = None
    xlsx: Path | None = None
    latex: Path | None = None
    markdown: Path | None = None
    figures: Path | None = None
    style: str = "forgetmap"

    def check(self) -> None:
        """Refuse what cannot be written, in words."""
        from forgetmap.report.styles import STYLES

        opt.one_of(self.style, STYLES, "--style")
        for name, ends in (("report", (".html", ".htm")), ("xlsx", (".xlsx",)), ("latex", ()), ("markdown", ())):
            path: Path | None = getattr(self, name)
            if path is not None:
                opt.check_target(path, f"--{name}")
                if ends and path.suffix.lower() not in ends:
                    raise UsageError(f"--{name} is '{path}'; give it a name that ends in {ends[0]}")
        for name in ("csv", "figures"):
            path = getattr(self, name)
            if path is not None and path.exists() and not path.is_dir():
                raise UsageError(f"--{name} is '{path}', which is a file; name a folder")

    def write(
        self,
        sheets: Sequence[Sheet],
        *,
        level: str,
        reading: str,
        maps: Sequence[ForgettingMap] = (),
        chain: Chain | None = None,
        recipe: Recipe | None = None,
        items: int | None = None,
    ) -> list[str]:
        """Write all that was asked for and return a line about each."""
        from forgetmap.report import exports

        shown: dict[str, Any] = {"level": level, "reading": reading}
        said = []
        if self.report:
            from forgetmap.report.page.files import write_page

            command = shlex.join(["forgetmap", *sys.argv[1:]])
            write_page(
                self.report, maps, sheets=sheets, items=items, chain=chain, recipe=recipe, command=command, **shown
            )
            said.append(f"wrote {self.report} ({self.report.stat().st_size / 1e6:.1f} MB)")
        if self.csv:
            said.append(f"wrote {len(exports.write_csv(sheets, self.csv))} tables to {self.csv}")
        if self.xlsx:
            exports.write_workbook(sheets, self.xlsx, **shown)
            said.append(f"wrote {self.xlsx}")
        for path, make in ((self.latex, exports.latex_text), (self.markdown, exports.markdown_text)):
            if path:
                _write_text(path, make(sheets, style=self.style, **shown))
                said.append(f"wrote {path}")
        if self.figures:
            from forgetmap.report.figures import write_figures
            from forgetmap.report.gallery import all_figures

            drawn = all_figures(sheets, chain=chain, **shown)
            said.append(f"wrote {len(write_figures(drawn, self.figures))} files to {self.figures}")
        return said


def say(lines: Sequence[str]) -> None:
    """Tell what was written."""
    for line in lines:
        opt.console().print(plain(line, "dim"))


def _write_text(path: Path, text: str) -> None:
    write_atomically(path, lambda target: target.write_text(text, encoding="utf-8"))
