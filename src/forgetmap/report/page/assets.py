"""What a page is made of: templates, style, scripts, and the policy that lets only these scripts run."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from forgetmap.report.plain import number, percent, visible


def asset(name: str) -> str:
    """Return a file of this package: style.css, page.js, items.js."""
    return resources.files("forgetmap.report.page").joinpath(name).read_text(encoding="utf-8")


def figures_style() -> str:
    """Return the rules that colour figures by class, for both themes."""
    return resources.files("forgetmap.report.figures").joinpath("figures.css").read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Return the templates: everything escaped, control characters of names made visible, no silent gaps."""
    made = Environment(
        loader=PackageLoader("forgetmap.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_plain,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "percent": percent}
    return made


def _plain(value: Any) -> Any:
    # Names come from logs: what a terminal must not obey, a page must not either.
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(template: str, **values: Any) -> Markup:
    """Return a rendered template."""
    return Markup(environment().get_template(template).render(**values))


@cache
def plotly_packed() -> str | None:
    """Return the interactive library, compressed; None where it is not installed."""
    if find_spec("plotly") is None:
        return None
    library = resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return base64.b64encode(gzip.compress(library, 9, mtime=0)).decode("ascii")


def hash_source(script: str) -> str:
    """Return the policy's name for a script: only a script with this content runs."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode('utf-8')).digest()).decode('ascii')}'"


def policy(scripts: list[str]) -> str:
    """Return the content security policy of a page with these scripts.

    blob: is the interactive library, which the page inflates itself; it sets styles on what it draws.
    """
    return (
        "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
        f"script-src {' '.join(hash_source(script) for script in scripts)} blob:; base-uri 'none'; form-action 'none'"
    )
