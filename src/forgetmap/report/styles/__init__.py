"""Styles: the layouts in which tables of maps are set, the same in LaTeX, Markdown and the terminal."""

from forgetmap.report.styles.choose import MOST_MODELS, STYLES, styled_rows, styled_tables
from forgetmap.report.styles.table import StyledColumn, StyledRow, StyledTable
from forgetmap.report.styles.task_sets import TaskSet, task_sets

__all__ = [
    "MOST_MODELS",
    "STYLES",
    "StyledColumn",
    "StyledRow",
    "StyledTable",
    "TaskSet",
    "styled_rows",
    "styled_tables",
    "task_sets",
]
