"""Decides whether a figure stays flat, by a least-squares line through its samples."""

import dataclasses
import math

from rows import median


@dataclasses.dataclass
class Line:
    """A least-squares line: units per minute, and its standard error."""

    slope: float
    error: float


def line(points):
    """Returns the line through points of (seconds, value)."""
    count = len(points)
    middle_x, middle_y = (sum(point[at] for point in points) / count for at in (0, 1))
    across = sum((x - middle_x) ** 2 for x, _ in points)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / across
    rest = sum((y - middle_y - slope * (x - middle_x)) ** 2 for x, y in points)
    return Line(slope * 60, math.sqrt(rest / max(1, count - 2) / across) * 60)


def parts(points, seconds, choose):
    """Returns one point per stretch of `seconds`: its middle, and the result of `choose` for its values."""
    stretches = {}
    for at, value in points:
        stretches.setdefault(int(at // seconds), []).append(value)
    return [((number + 0.5) * seconds, choose(values)) for number, values in sorted(stretches.items())]


def told(name, points, most, unit, stretch):
    """Returns a sentence about the medians of stretches, and whether their line climbs at most `most` per minute. A
    climb below two standard errors may be chance and doesn't count."""
    found = line(parts(points, stretch, median))
    values = sorted(value for _, value in points)
    is_flat = found.slope <= most or found.slope <= 2 * found.error
    text = (
        f"{name:22} {values[0] / unit:8.1f} to {values[-1] / unit:.1f}, median {median(values) / unit:.1f}; "
        f"slope {found.slope:+,.1f} a minute, ± {found.error:,.1f} (at most {most:,.1f})"
    )
    return text + ("" if is_flat else "  NOT FLAT"), is_flat
