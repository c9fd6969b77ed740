"""Colours by role. A figure is drawn in the light ones; `figures.css` holds both, and a page re-colours by class.

Every role that carries text or thin marks has a contrast of at least 4.5 to its paper, the others at least 3, save the
grid and the grounds, which may be missed without loss.
"""

from __future__ import annotations

LIGHT = {
    "ink": "#1d2126",
    "dim": "#5a6169",
    "grid": "#d8dbde",
    "paper": "#ffffff",
    "shade": "#f2f3f4",  # ground of a row, quieter than the grid
    "lost": "#b0341d",
    "gained": "#0b6e75",
    "kept": "#7189a0",
    "never": "#8c8a83",
    "missing": "#7d776a",
    "margin": "#6a4fa3",
    "floor": "#8b8166",
    "s0": "#1f5a96",
    "s1": "#b4520b",
    "s2": "#4a7a1c",
    "s3": "#8a3a86",
    "s4": "#0c7373",
    "s5": "#a32f4a",
    "s6": "#6b6212",
    "s7": "#55606b",
}
DARK = {
    "ink": "#e9ebed",
    "dim": "#a6adb5",
    "grid": "#3a4047",
    "paper": "#15181c",
    "shade": "#1d2126",
    "lost": "#f58a72",
    "gained": "#4fc3c4",
    "kept": "#7f98b0",
    "never": "#8f8d86",
    "missing": "#9a9384",
    "margin": "#b7a0ec",
    "floor": "#a89c7c",
    "s0": "#7db4ee",
    "s1": "#f0a05c",
    "s2": "#9fcf6b",
    "s3": "#dd9bd8",
    "s4": "#56c9c4",
    "s5": "#f08da2",
    "s6": "#d3c562",
    "s7": "#b3bcc6",
}
#: How many series a figure can tell apart.
SERIES = 8


def css_rules() -> str:
    """Return the rules of `figures.css`: variables of both themes, and a fill and a stroke class for each role."""

    def block(selector: str, colours: dict[str, str], indent: str = "") -> str:
        lines = "".join(f"{indent}  --fm-{role}: {colour};\n" for role, colour in colours.items())
        return f"{indent}{selector} {{\n{lines}{indent}}}\n"

    parts = [
        "/* Made by `python -m forgetmap.report.figures.palette`; the roles and their colours stand in palette.py. */\n",
        block(":root", LIGHT),
        "@media screen and (prefers-color-scheme: dark) {\n"
        + block(':root:not([data-theme="light"])', DARK, "  ")
        + "}\n"
        + block(':root[data-theme="dark"]', DARK),
        "/* Paper is white. */\n@media print {\n" + block(":root, :root[data-theme]", LIGHT, "  ") + "}\n",
        "".join(
            f".fm-{role} {{ fill: var(--fm-{role}); }}\n.fm-{role}-line {{ stroke: var(--fm-{role}); }}\n"
            for role in LIGHT
        ),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    from pathlib import Path

    Path(__file__).with_name("figures.css").write_text(css_rules(), encoding="utf-8")
