"""Quarters fit two digits, eighths do not."""

from decimal import Decimal


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "v": (Decimal(k) / 4).quantize(Decimal("0.01"))}
                     for k in range(0, 10, 2)]}
