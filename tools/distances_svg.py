#!/usr/bin/env python3
"""Draws how many positions are at each distance, for some tables, on a logarithmic scale: the picture of the README.

    for table in square1 cube21 phase2-exact phase1; do twistbase stats $table --json; done | tools/distances_svg.py > data/distances.svg

Standard input has an object of `twistbase stats --json` a line. The colours are readable on light and on dark pages, and the
background is transparent.
"""

import json
import math
import sys

WIDTH, HEIGHT = 880, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 214, 46, 46
GREY = "#7d8590"
COLOURS = ["#4493f8", "#db6d28", "#a371f7", "#2da44e", "#d1568a", "#1b9aaa"]
TITLES = {
    "square1": "Square-1",
    "cube21": "Cube21",
    "square1-corners": "Square-1, edges alike",
    "phase2-exact": "Rubik’s cube: all of H",
    "phase1": "Rubik’s cube: cosets of H",
    "huge": "Rubik’s cube: cosets, huge",
}
UNITS = {"twists": "twists", "htm": "moves", "qtm": "quarter turns"}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# The least that lies between the names of two curves.
LINE = 36


def text(x, y, words, anchor="start", colour=GREY, size=13, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}" font-weight="{weight}">{words}</text>'


def axes(farthest, decades, x, y):
    for decade in range(0, decades + 1, 2):
        yield f'<path d="M{LEFT} {y(10**decade):.1f}H{WIDTH - RIGHT}" stroke="{GREY}" stroke-opacity=".25"/>'
        label = "1" if decade == 0 else "10" + str(decade).translate(SUPERSCRIPTS)
        yield text(LEFT - 8, y(10**decade) + 4, label, "end")
    for distance in range(farthest + 1):
        yield text(x(distance), HEIGHT - BOTTOM + 20, distance, "middle")
    yield text(LEFT - 40, 20, "positions at each distance from solved", size=15, weight="bold")
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "distance", "middle")


def names_apart(ends):
    """Heights of the names, as near to the last points of their curves as names that do not overlap can be, from below."""
    heights, least = {}, -math.inf
    for height, name in sorted(ends, key=lambda end: end[0]):
        least = heights[name] = max(height, least + LINE)
    return heights


def main():
    tables = [json.loads(line) for line in sys.stdin if line.strip()]
    farthest = max(table["farthest"] for table in tables)
    most = max(level["positions"] for table in tables for level in table["levels"])
    decades = math.ceil(math.log10(most))

    def x(distance):
        return LEFT + 12 + (WIDTH - RIGHT - LEFT - 24) * distance / farthest

    def y(positions):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * math.log10(positions) / decades

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"')
    print('     font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif">')
    print("<title>Positions at each distance from solved, by table</title>")
    print("\n".join(axes(farthest, decades, x, y)))
    # Names stand right of the plot, by the height at which their curves are widest.
    peaks = [(y(max(level["positions"] for level in table["levels"])), table["table"]) for table in tables]
    heights = names_apart(peaks)
    for table, colour in zip(tables, COLOURS):
        points = [(x(level["distance"]), y(level["positions"])) for level in table["levels"] if level["positions"]]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        print(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"/>')
        print("".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in points))
        name = table["table"]
        print(text(WIDTH - RIGHT + 12, heights[name], TITLES.get(name, name), colour=colour, weight="bold"))
        print(text(WIDTH - RIGHT + 12, heights[name] + 15, f'{table["positions"]:,}, to {table["farthest"]} {UNITS[table["metric"]]}', size=12))
    print("</svg>")


if __name__ == "__main__":
    main()
