"""What a command can write beside its table: page, tables, workbook, LaTeX, Markdown, figures. Shared by several commands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
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
from forgetmap.storage import write_text

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
        "--figures", metavar="DIR", help="Write every figure as SVG, PNG and PDF (PNG and PDF: the extra \\[figures])."
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
    page_option: str = "--report"  # what the page's file is called on the command line

    def check(self) -> None:
        """Refuse what cannot be written, in words."""
        from forgetmap.report.styles import STYLES

        opt.one_of(self.style, STYLES, "--style")
        files = [path.absolute() for path in (self.report, self.xlsx, self.latex, self.markdown) if path is not None]
        if len(set(files)) < len(files):
            raise UsageError("two outputs have the same file name; give each its own")
        for name, ends in (("report", (".html", ".htm")), ("xlsx", (".xlsx",)), ("latex", ()), ("markdown", ())):
            path: Path | None = getattr(self, name)
            if path is not None:
                option = self.page_option if name == "report" else f"--{name}"
                opt.check_target(path, option)
                if ends and path.suffix.lower() not in ends:
                    raise UsageError(f"{option} is '{path}'; give it a name that ends in {ends[0]}")
        for name in ("csv", "figures"):
            path = getattr(self, name)
            if path is not None and path.exists() and not path.is_dir():
                raise UsageError(f"--{name} is '{path}', which is a file; name a folder")
            if path is not None:
                opt.check_folder(path, f"--{name}")
        if self.figures is not None and find_spec("vl_convert") is None:
            raise UsageError("--figures needs a package that is not installed; pip install 'forgetmap[figures]'")

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
        """Write all that was asked for and return a line about each; nothing is written before all of it is made."""
        from forgetmap.report import exports

        shown: dict[str, Any] = {"level": level, "reading": reading}
        texts: dict[Path, str] = {}
        if self.report:
            from forgetmap.report.page.files import page_text

            command = shlex.join(["forgetmap", *sys.argv[1:]])
            texts[self.report] = page_text(
                maps, sheets=sheets, items=items, chain=chain, recipe=recipe, command=command, **shown
            )
        for path, make in ((self.latex, exports.latex_text), (self.markdown, exports.markdown_text)):
            if path:
                texts[path] = make(sheets, style=self.style, **shown)
        drawn = None
        if self.figures:
            from forgetmap.report.figures.files import renew_figures
            from forgetmap.report.gallery import all_figures

            drawn = all_figures(sheets, chain=chain, **shown)
        said = []
        for path, text in texts.items():
            write_text(path, text)
            said.append(
                f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)" if path == self.report else f"wrote {path}"
            )
        if self.csv:
            tables = exports.write_csv(sheets, self.csv)
            if recipe:
                tables.append(exports.write_recipe(recipe, self.csv))
            said.append(f"wrote {len(tables)} tables to {self.csv}")
        if self.xlsx:
            exports.write_workbook(sheets, self.xlsx, **shown)
            said.append(f"wrote {self.xlsx}")
        if self.figures and drawn is not None:
            said.append(f"wrote {len(renew_figures(drawn, self.figures))} files to {self.figures}")
        return said


def check_shown(sheets: Sequence[Sheet], *, level: str, reading: str, style: str) -> None:
    """Refuse what the maps cannot show, before anything is printed or written."""
    from forgetmap.report.styles import styled_rows

    if reading not in ("auto", "observed") and all(cell.block(reading) is None for one in sheets for cell in one.cells):
        raise UsageError(f"no {reading} reading in what is compared; choose another --reading")
    if level == "group" and not any(sheet.at("group") for sheet in sheets):
        raise UsageError(f"taxonomy {sheets[0].taxonomy} has no groups; choose --by task, category or total")
    if style != "forgetmap":
        styled_rows(sheets, style, level, reading)


def say(lines: Sequence[str]) -> None:
    """Tell what was written."""
    for line in lines:
        opt.console().print(plain(line, "dim"))
