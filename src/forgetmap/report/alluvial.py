"""An alluvial figure of a chain: columns are stages, bands are items that go from right or wrong to right or wrong.

Written as plain SVG, so that it needs no plotting library and stays sharp in a paper and on a page. Every item is drawn,
also those missing at some stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from forgetmap.chain import Chain
from forgetmap.errors import UsageError
from forgetmap.report.plain import number, visible
from forgetmap.storage import write_atomically

STATES = ("right", "wrong", "missing")
#: Bands by (state, next state); whatever leads to or from a gap is a gap.
_NAMES = {
    ("right", "right"): "kept",
    ("right", "wrong"): "lost",
    ("wrong", "right"): "gained",
    ("wrong", "wrong"): "never",
}
_BAND = {"kept": "#9fb1c3", "lost": "#c9412f", "gained": "#2f9a62", "never": "#cfcfcf", "missing": "#e9e4d4"}
_WORDS = {"kept": "kept", "lost": "lost", "gained": "gained", "never": "still wrong", "missing": "missing at a stage"}
_INK = {"lost": "#b23222", "gained": "#1d7547"}  # darker than the bands: text needs more contrast
_NODE = {"right": ("#34536e", "#ffffff"), "wrong": ("#6d7278", "#ffffff"), "missing": ("#f4f0e2", "#333333")}

_MARGIN, _TOP, _PLOT, _SPACE = 36, 112, 330, 22
_LETTER = 8.6  # width of a bold letter of 13 px in a wide font
_FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class _Node:
    state: str
    count: float
    top: float
    height: float


@dataclass(frozen=True)
class _Layout:
    """Where things stand."""

    columns: int
    items: float
    states: tuple[str, ...]  # missing only where something is

    @property
    def node(self) -> float:
        """Width of a node: its label stands in it."""
        return 104 if self.columns <= 4 else 92

    @property
    def gap(self) -> float:
        """Width of the bands between two nodes."""
        return 300 if self.columns == 2 else 170 if self.columns <= 4 else 120 if self.columns <= 6 else 92

    @property
    def inner(self) -> float:
        return self.columns * self.node + (self.columns - 1) * self.gap

    @property
    def width(self) -> float:
        """Two columns are narrow, and the title is not."""
        return max(self.inner + 2 * _MARGIN, 640)

    def left(self, column: int) -> float:
        """Left edge of a column."""
        return (self.width - self.inner) / 2 + column * (self.node + self.gap)

    def size(self, count: float) -> float:
        """Height of so many items."""
        return count / self.items * (_PLOT - _SPACE * (len(self.states) - 1))

    def nodes(self, counts: dict[str, float]) -> dict[str, _Node]:
        """Stack a column's nodes; a state may start higher up at a stage where others are small."""
        made, top = {}, float(_TOP)
        for state in self.states:
            height = self.size(counts[state])
            made[state] = _Node(state, counts[state], top, height)
            top += height + _SPACE
        return made


def alluvial_svg(chain: Chain) -> str:
    """Return the figure as SVG text."""
    flows = [chain.flows(place) for place in range(len(chain.stages) - 1)]
    counts = [{state: sum(n for (b, _), n in flow.items() if b == state) for state in STATES} for flow in flows]
    counts.append({state: sum(n for (_, a), n in flows[-1].items() if a == state) for state in STATES})
    any_missing = any(column["missing"] for column in counts)
    layout = _Layout(len(counts), sum(counts[0].values()), STATES if any_missing else STATES[:2])
    columns = [layout.nodes(column) for column in counts]
    parts = [_band(layout, chain, columns, place, flow) for place, flow in enumerate(flows)]
    parts += [_column(layout, chain, place, column) for place, column in enumerate(columns)]
    parts += [_step(layout, chain, place, flow) for place, flow in enumerate(flows)]
    parts.append(_legend(layout, any_missing))
    title, lines = _title(chain)
    heading = [_text(_MARGIN, 34, title, size=17, weight="600")]
    heading += [_text(_MARGIN, 56 + 17 * row, line, size=12, fill="#555555") for row, line in enumerate(lines)]
    height = _TOP + _PLOT + 118
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width:g} {height}" width="{layout.width:g}" '
        f'height="{height}" role="img" aria-labelledby="chain-title chain-desc" font-family="{_FONT}">\n'
        f'<title id="chain-title">{_safe(title)}</title>\n<desc id="chain-desc">{_safe(_described(chain, flows))}</desc>\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join([*parts, *heading]) + "\n</svg>\n"
    )


def write_alluvial(chain: Chain, path: Path) -> Path:
    """Write the figure, all or nothing."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"the figure's file is '{path}', but the figure is SVG; give it a name that ends in .svg")
    text = alluvial_svg(chain)
    write_atomically(path, lambda target: target.write_text(text, encoding="utf-8"))
    return path


def _safe(text: str) -> str:
    """Names of others in XML: no control characters, no markup."""
    return escape(visible(text).replace("\n", " "))


def _text(
    x: float, y: float, text: str, *, size: int, fill: str = "#222222", weight: str = "", anchor: str = ""
) -> str:
    more = (f' font-weight="{weight}"' if weight else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}"{more}>{_safe(text)}</text>'


def _count(n: float) -> str:
    """Whole items, though with repeats an item may count in parts; large numbers short enough for a node.

    >>> _count(12_345), _count(1_234_567)
    ('12,345', '1.23 M')
    """
    return f"{n:,.0f}" if n < 99_999.5 else f"{n / 1e3:,.0f} k" if n < 999_500 else f"{n / 1e6:,.2f} M"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _cut(text: str, most: int) -> str:
    """The end of a model's name tells more than its beginning, which is often the same at every stage."""
    return text if len(text) <= most else f"{text[: most // 3]}…{text[-(most - most // 3 - 1) :]}"


def _title(chain: Chain) -> tuple[str, list[str]]:
    shares = {name: share or 0.0 for name, share in chain.outcomes.select("outcome", "share").iter_rows()}
    first, last = (_cut(name.rsplit("/", 1)[-1], 30) for name in (chain.stages[0], chain.stages[-1]))
    words = {
        "lost_for_good": "lost for good",
        "recovered": "lost, then recovered",
        "gained_for_good": "gained for good",
    }
    if len(chain.stages) == 2:  # nothing can come back
        del words["recovered"]
    lines = [" · ".join(f"{100 * shares[name]:.1f} % {word}" for name, word in words.items())]
    if chain.incomplete:
        lines.append(
            f"{number(chain.incomplete, 'more item')} without a score at some stage: drawn, but in no share above"
        )
    return f"{number(chain.items, 'item')} from {first} to {last}", lines


def _band(
    layout: _Layout, chain: Chain, columns: list[dict[str, _Node]], place: int, flow: dict[tuple[str, str], float]
) -> str:
    """The bands of one step, each leaving and arriving in the order of the states."""
    x0, x1 = layout.left(place) + layout.node, layout.left(place + 1)
    middle = (x0 + x1) / 2
    leaves = {state: node.top for state, node in columns[place].items()}
    arrives = {state: node.top for state, node in columns[place + 1].items()}
    paths: dict[str, list[str]] = {}
    for before in layout.states:
        for after in layout.states:
            n = flow[before, after]
            if not n:
                continue
            name, height = _NAMES.get((before, after), "missing"), layout.size(n)
            y0, y1 = leaves[before], arrives[after]
            leaves[before] += height
            arrives[after] += height
            shape = (
                f"M{x0:.1f},{y0:.2f}C{middle:.1f},{y0:.2f} {middle:.1f},{y1:.2f} {x1:.1f},{y1:.2f}"
                f"V{y1 + height:.2f}C{middle:.1f},{y1 + height:.2f} {middle:.1f},{y0 + height:.2f} {x0:.1f},{y0 + height:.2f}Z"
            )
            tip = f"{chain.stages[place]}, {before} → {chain.stages[place + 1]}, {after}: {_count(n)} items"
            # A hair of outline keeps a band of few items visible.
            paths.setdefault(name, []).append(
                f'<path d="{shape}" fill="{_BAND[name]}" stroke="{_BAND[name]}" stroke-width="0.6" '
                f'fill-opacity="{0.9 if name in ("lost", "gained") else 0.75}"><title>{_safe(tip)}</title></path>'
            )
    order = ("missing", "never", "kept", "gained", "lost")  # what matters most is painted last
    return "\n".join(path for name in order for path in paths.get(name, []))


def _column(layout: _Layout, chain: Chain, place: int, nodes: dict[str, _Node]) -> str:
    left = layout.left(place)
    centre = left + layout.node / 2
    # Names must miss each other: the outer ones may have to start or end at the edge of their node.
    most = int(((layout.node + layout.gap + layout.node / 2) / 1.5 - 8) / _LETTER)
    name = _cut(chain.stages[place].rsplit("/", 1)[-1], most)
    half = len(name) * _LETTER / 2
    x, anchor = centre, "middle"
    if centre - half < 6:
        x, anchor = left, "start"
    elif centre + half > layout.width - 6:
        x, anchor = left + layout.node, "end"
    parts = [
        f"<g><title>{_safe(chain.stages[place])}</title>"
        + _text(x, _TOP - 12, name, size=13, weight="600", anchor=anchor)
        + "</g>"
    ]
    seen = nodes["right"].count + nodes["wrong"].count
    for node in nodes.values():
        if not node.count:
            continue
        fill, ink = _NODE[node.state]
        dashed = ' stroke="#b5ab8b" stroke-dasharray="3 2"' if node.state == "missing" else ""
        parts.append(
            f'<rect x="{left:.1f}" y="{node.top:.2f}" width="{layout.node:g}" height="{max(node.height, 1):.2f}" rx="2" '
            f'fill="{fill}"{dashed}/>'
        )
        share = f" · {_share(node.count, seen)}" if node.state != "missing" else " missing"
        middle = node.top + node.height / 2
        if node.height >= 34:
            parts.append(_text(centre, middle - 4, node.state, size=12, fill=ink, weight="600", anchor="middle"))
            below = _count(node.count) + (share if node.state != "missing" else "")
            parts.append(_text(centre, middle + 12, below, size=11, fill=ink, anchor="middle"))
        elif node.height >= 15:
            parts.append(_text(centre, middle + 4, _count(node.count) + share, size=11, fill=ink, anchor="middle"))
        else:  # too small to hold it: the space below is kept free for that
            parts.append(
                _text(centre, node.top + node.height + 13, _count(node.count) + share, size=11, anchor="middle")
            )
    return "\n".join(parts)


def _step(layout: _Layout, chain: Chain, place: int, flow: dict[tuple[str, str], float]) -> str:
    """Below each step: what was lost and gained in it, and how much of that guessing or noise would give."""
    x = layout.left(place) + layout.node + layout.gap / 2
    y = _TOP + _PLOT + 36
    both = sum(flow[key] for key in _NAMES)
    matrix = {row["transition"]: row for row in chain.matrix(place, place + 1).iter_rows(named=True)}
    parts = []
    for row, (name, key) in enumerate((("lost", ("right", "wrong")), ("gained", ("wrong", "right")))):
        said = f"{name} {_count(flow[key])} · {_share(flow[key], both)}"
        parts.append(_text(x, y + 16 * row, said, size=12, fill=_INK[name], weight="600", anchor="middle"))
    low, high = matrix["lost"]["expected_low"], matrix["lost"]["expected_high"]
    if low is not None and high is not None:
        ends = dict.fromkeys(f"{100 * end:.1f}" for end in (low, high))
        cause = "re-run noise" if chain.expected_from == "repeats" else "guessing"
        said = f"{cause} alone {'–'.join(ends)} %"  # the same both ways, where nothing changed
        parts.append(_text(x, y + 32, said, size=11, fill="#666666", anchor="middle"))
    return "\n".join(parts)


def _legend(layout: _Layout, any_missing: bool) -> str:
    x, y, parts = float(_MARGIN), _TOP + _PLOT + 98, []
    for name, word in _WORDS.items():
        if name == "missing" and not any_missing:
            continue
        parts.append(f'<rect x="{x:.1f}" y="{y - 10}" width="14" height="11" rx="2" fill="{_BAND[name]}"/>')
        parts.append(_text(x + 20, y, word, size=12, fill="#444444"))
        x += 40 + 6.8 * len(word)
    return "\n".join(parts)


def _described(chain: Chain, flows: list[dict[tuple[str, str], float]]) -> str:
    """The figure in words, for those who cannot see it."""
    said = [f"Stages: {', '.join(chain.stages)}."]
    for place, flow in enumerate(flows):
        parts = ", ".join(f"{_count(flow[key])} {_WORDS[name]}" for key, name in _NAMES.items())
        gone = sum(n for key, n in flow.items() if key not in _NAMES)
        said.append(
            f"{chain.stages[place]} to {chain.stages[place + 1]}: {parts}{f', {_count(gone)} missing' if gone else ''}."
        )
    return " ".join(said)
