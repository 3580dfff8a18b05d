"""Units of a plant."""

UNITS = {
    "C": (1.0, 0.0, "C"),
    "F": (5 / 9, -32.0, "C"),
    "bar": (100.0, 0.0, "kPa"),
    "psi": (6.894757293168, 0.0, "kPa"),
}


def to_si(value, unit):
    """The value in the unit that we calculate with, and that unit."""
    factor, offset, to = UNITS[unit]
    return round((value + offset) * factor, 3), to
