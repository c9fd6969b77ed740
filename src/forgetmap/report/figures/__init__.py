"""Figures of a map: SVG that stands alone, with a note on how to read it."""

from forgetmap.report.figures.alluvial import alluvial
from forgetmap.report.figures.canvas import Figure
from forgetmap.report.figures.causes import cause_bars
from forgetmap.report.figures.files import write_figures
from forgetmap.report.figures.forest import forest
from forgetmap.report.figures.heat import heat
from forgetmap.report.figures.quadrants import quadrants
from forgetmap.report.figures.radar import radar

__all__ = ["Figure", "alluvial", "cause_bars", "forest", "heat", "quadrants", "radar", "write_figures"]
