"""Exports: maps as tidy tables, workbook, LaTeX and Markdown, all made of sheets."""

from forgetmap.report.exports.latex import latex_text
from forgetmap.report.exports.markdown import markdown_text
from forgetmap.report.exports.tidy import tidy_tables, write_csv, write_recipe
from forgetmap.report.exports.workbook import write_workbook

__all__ = ["latex_text", "markdown_text", "tidy_tables", "write_csv", "write_recipe", "write_workbook"]
