"""The comparisons as one picture: how many times faster, on a logarithmic axis, with the targets."""

import math
from html import escape

WIDTH, LEFT, RIGHT, ROW, TOP = 860, 400, 800, 22, 62
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #333 }
  .title { font-size: 15px; font-weight: 600 }
  .grid { stroke: #ddd }
  .one { stroke: #888 }
  .faster { fill: #2f6fab }
  .slower { fill: #b5533c }
  .target { stroke: #111; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #1b1b1b } text { fill: #ddd } .grid { stroke: #333 } .target { stroke: #fff }
  }
"""


def draw(rows):
    shown = [row for row in rows if row.ratio_is == "x" and row.ratio]
    values = [row.ratio for row in shown] + [row.target for row in shown if row.target]
    lowest = math.floor(math.log10(min([*values, 1.0])))
    highest = math.ceil(math.log10(max([*values, 10.0])))

    def place(value):
        return LEFT + (RIGHT - LEFT) * (math.log10(value) - lowest) / (highest - lowest)

    bottom = TOP + ROW * len(shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 30}" role="img">',
        "<title>How many times faster caucus is, by comparison</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" fill="#fff" width="{WIDTH}" height="{bottom + 30}"/>',
        '<text class="title" x="12" y="22">How many times faster caucus is</text>',
        '<text x="12" y="40">time per example; the black mark is the target</text>',
    ]
    for power in range(lowest, highest + 1):
        x, look = place(10.0**power), "one" if power == 0 else "grid"
        parts.append(
            f'<line class="{look}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{bottom}"/>'
        )
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{10.0**power:g}x</text>'
        )
    for number, row in enumerate(shown):
        parts += _bar(row, TOP + ROW * number, place)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(row, y, place):
    left, right = sorted((place(1.0), place(row.ratio)))
    look = "faster" if row.ratio >= 1 else "slower"
    name = escape(f"{row.label} against {row.against}")
    yield f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{_shortened(name)}</text>'
    yield (
        f'<rect class="{look}" x="{left:.1f}" y="{y + 3}" width="{max(right - left, 1):.1f}" '
        f'height="{ROW - 8}"><title>{name}: {row.ratio:.3g}x</title></rect>'
    )
    if row.target:
        x = place(row.target)
        yield f'<line class="target" x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + ROW - 3}"/>'
    yield f'<text x="{right + 5:.1f}" y="{y + 14}">{row.ratio:.3g}</text>'


def _shortened(text, most=62):
    return text if len(text) <= most else text[: most - 1] + "…"
