"""The report page: one self-contained HTML file that shows maps, figures and the items behind them."""

from forgetmap.report.page.build import build_page
from forgetmap.report.page.items import ItemSet

__all__ = ["ItemSet", "build_page"]
