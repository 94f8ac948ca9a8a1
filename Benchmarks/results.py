"""Writes tables for people (Markdown) and figures for programs (JSON) into Benchmarks/results/."""

import datetime
import json
import os

import environment

FOLDER = os.path.join(environment.ROOT, "Benchmarks", "results")


def table(columns, rows):
    """Returns a Markdown table. The first column is text, the others are figures."""
    cells = [list(map(str, columns))] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]

    def line(row):
        first, *others = (cell.ljust(w) if not at else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths)))
        return "| " + " | ".join([first, *others]) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2)] + ["-" * (w + 1) + ":" for w in widths[1:]]) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])


def mebibytes(count):
    return f"{count / 1048576:.0f} MiB"


def checks(list_of_checks):
    """Returns (what, figure, bound, whether it holds) as a table."""
    rows = [(what, figure, bound, "yes" if holds else "**no**") for what, figure, bound, holds in list_of_checks]
    return table(("what it must show", "found", "bound", "holds"), rows)


def stamp(load):
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return f"{today}, {environment.machine()}; load before: {load:.1f}; at {environment.commit()}."


def header(title, load, notes):
    return "\n".join([f"# {title}", "", stamp(load), "", *(f"* {note}" for note in notes), ""])


def write(name, text, figures, keep=True):
    print(text)
    if not keep:
        return
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, name + ".md"), "w") as file:
        file.write(text.rstrip() + "\n")
    with open(os.path.join(FOLDER, name + ".json"), "w") as file:
        json.dump(figures, file, indent=1)
        file.write("\n")
    print(f"\nWritten: Benchmarks/results/{name}.md and .json")
