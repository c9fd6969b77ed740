"""An alluvial figure of a chain: columns are stages, bands are items that go from right or wrong to right or wrong.

Every item is drawn, also those missing at some stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forgetmap.chain import Chain
from forgetmap.errors import UsageError
from forgetmap.report.figures.canvas import Canvas, Figure, box, element, fill, fit, label, text_width
from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.figures.words import short_name
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
_WORDS = {"kept": "kept", "lost": "lost", "gained": "gained", "never": "still wrong", "missing": "missing at a stage"}
_OPACITY = {"kept": 0.55, "lost": 0.9, "gained": 0.9, "never": 0.4, "missing": 0.3}
#: Roles of a node and of the text on it.
_NODE = {"right": ("ink", "paper"), "wrong": ("dim", "paper"), "missing": ("paper", "ink")}

_MARGIN, _TOP, _PLOT, _SPACE = 36, 112, 330, 22


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


def alluvial(chain: Chain) -> Figure:
    """Return the figure of a chain: what became of every item from stage to stage."""
    flows = [chain.flows(place) for place in range(len(chain.stages) - 1)]
    counts = [{state: sum(n for (b, _), n in flow.items() if b == state) for state in STATES} for flow in flows]
    counts.append({state: sum(n for (_, a), n in flows[-1].items() if a == state) for state in STATES})
    any_missing = any(column["missing"] for column in counts)
    layout = _Layout(len(counts), sum(counts[0].values()), STATES if any_missing else STATES[:2])
    columns = [layout.nodes(column) for column in counts]
    title, lines = _title(chain)
    canvas = Canvas("alluvial", title, layout.width)
    for place, flow in enumerate(flows):
        canvas.add(*_bands(layout, chain, columns, place, flow))
    for place, column in enumerate(columns):
        canvas.add(*_column(layout, chain, place, column))
    for place, flow in enumerate(flows):
        canvas.add(*_step(layout, chain, place, flow))
    canvas.add(*_legend(any_missing))
    canvas.add(label(_MARGIN, 34, title, size=17, bold=True))
    canvas.add(*(label(_MARGIN, 56 + 17 * row, text, role="dim") for row, text in enumerate(lines)))
    svg = canvas.svg(_TOP + _PLOT + 118, _described(chain, flows))
    return Figure("alluvial", title, svg, _note(chain))


def alluvial_svg(chain: Chain) -> str:
    """Return the figure as SVG text."""
    return alluvial(chain).svg


def write_alluvial(chain: Chain, path: Path) -> Path:
    """Write the figure, all or nothing."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"the figure's file is '{path}', but the figure is SVG; give it a name that ends in .svg")
    text = alluvial_svg(chain)
    write_atomically(path, lambda target: target.write_text(text, encoding="utf-8"))
    return path


def _count(n: float) -> str:
    """Whole items, though with repeats an item may count in parts; large numbers short enough for a node.

    >>> _count(12_345), _count(1_234_567)
    ('12,345', '1.23 M')
    """
    return f"{n:,.0f}" if n < 99_999.5 else f"{n / 1e3:,.0f} k" if n < 999_500 else f"{n / 1e6:,.2f} M"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _fitted(name: str, room: float) -> str:
    """The end of a model's name tells more than its beginning, which is often the same at every stage."""
    return fit(name, room, 13, bold=True, middle=True)


def _title(chain: Chain) -> tuple[str, list[str]]:
    shares = {name: share or 0.0 for name, share in chain.outcomes.select("outcome", "share").iter_rows()}
    first, last = (fit(short_name(name), 200, 13, middle=True) for name in (chain.stages[0], chain.stages[-1]))
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


def _bands(
    layout: _Layout, chain: Chain, columns: list[dict[str, _Node]], place: int, flow: dict[tuple[str, str], float]
) -> list[str]:
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
            look = {**fill(name, _OPACITY[name]), "class_": f"fm-{name} fm-{name}-line", "stroke": LIGHT[name]}
            # A hair of outline keeps a band of few items visible.
            drawn = element("path", d=shape, tip=tip, stroke_width=0.6, stroke_opacity=_OPACITY[name], **look)
            paths.setdefault(name, []).append(drawn)
    order = ("missing", "never", "kept", "gained", "lost")  # what matters most is painted last
    return [path for name in order for path in paths.get(name, [])]


def _column(layout: _Layout, chain: Chain, place: int, nodes: dict[str, _Node]) -> list[str]:
    left = layout.left(place)
    centre = left + layout.node / 2
    # Names must miss each other: the outer ones may have to start or end at the edge of their node.
    room = (layout.node + layout.gap + layout.node / 2) / 1.5 - 8
    name = _fitted(short_name(chain.stages[place]), room)
    half = text_width(name, 13, bold=True) / 2
    x, anchor = centre, "middle"
    if centre - half < 6:
        x, anchor = left, "start"
    elif centre + half > layout.width - 6:
        x, anchor = left + layout.node, "end"
    parts = [
        element("g", label(x, _TOP - 12, name, size=13, bold=True, anchor=anchor), tip=visible(chain.stages[place]))
    ]
    seen = nodes["right"].count + nodes["wrong"].count
    for node in nodes.values():
        if not node.count:
            continue
        ground, ink = _NODE[node.state]
        look = fill(ground)
        if node.state == "missing":
            look |= {"class_": "fm-paper fm-missing-line", "stroke": LIGHT["missing"], "stroke_dasharray": "3 2"}
        parts.append(box(left, node.top, layout.node, max(node.height, 1), rx=2, **look))
        share = f" · {_share(node.count, seen)}" if node.state != "missing" else " missing"
        middle = node.top + node.height / 2
        if node.height >= 34:
            parts.append(label(centre, middle - 4, node.state, role=ink, bold=True, anchor="middle"))
            below = _count(node.count) + (share if node.state != "missing" else "")
            parts.append(label(centre, middle + 12, below, size=11, role=ink, anchor="middle"))
        elif node.height >= 15:
            parts.append(label(centre, middle + 4, _count(node.count) + share, size=11, role=ink, anchor="middle"))
        else:  # too small to hold it: the space below is kept free for that
            at = node.top + node.height + 13
            parts.append(label(centre, at, _count(node.count) + share, size=11, anchor="middle"))
    return parts


def _step(layout: _Layout, chain: Chain, place: int, flow: dict[tuple[str, str], float]) -> list[str]:
    """Below each step: what was lost and gained in it, and how much of that guessing or noise would give."""
    x = layout.left(place) + layout.node + layout.gap / 2
    y = _TOP + _PLOT + 36
    both = sum(flow[key] for key in _NAMES)
    matrix = {row["transition"]: row for row in chain.matrix(place, place + 1).iter_rows(named=True)}
    parts = []
    for row, (name, key) in enumerate((("lost", ("right", "wrong")), ("gained", ("wrong", "right")))):
        said = f"{name} {_count(flow[key])} · {_share(flow[key], both)}"
        parts.append(label(x, y + 16 * row, said, role=name, bold=True, anchor="middle"))
    low, high = matrix["lost"]["expected_low"], matrix["lost"]["expected_high"]
    if low is not None and high is not None:
        ends = dict.fromkeys(f"{100 * end:.1f}" for end in (low, high))
        said = f"{_expected_from(chain)} alone {'–'.join(ends)} %"  # the same both ways, where nothing changed
        parts.append(label(x, y + 32, said, size=11, role="dim", anchor="middle"))
    return parts


def _expected_from(chain: Chain) -> str:
    return "re-run noise" if chain.expected_from == "repeats" else "guessing"


def _legend(any_missing: bool) -> list[str]:
    x, y, parts = float(_MARGIN), _TOP + _PLOT + 98, []
    for name, word in _WORDS.items():
        if name == "missing" and not any_missing:
            continue
        parts.append(box(x, y - 10, 14, 11, rx=2, **fill(name, _OPACITY[name])))
        parts.append(label(x + 20, y, word))
        x += 40 + text_width(word, 12)
    return parts


def _note(chain: Chain) -> str:
    said = [
        f"Columns are stages, bands are items on their way from right or wrong to right or wrong: {number(chain.items, 'item')} "
        f"with a score at every stage. Below each step stands what {_expected_from(chain)} alone would flip."
    ]
    if chain.incomplete:
        said.append(f"{number(chain.incomplete, 'more item')} without a score at some stage: drawn, but in no share.")
    return " ".join(said)


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
