from decimal import Decimal


def expected(folder):
    """Worked out by hand: 1 is not more than the tolerance of the first, nor than the way back of the second."""
    most = 10**38 - 1
    moves = [(0, most, None), (1, -most, most), (3, -most + 2, -most), (5, most, -most + 2)]
    return {sink: [{"id": k, "m": Decimal(m), "previous": None if before is None else Decimal(before)}
                   for k, m, before in moves] for sink in ("moves", "turns")}
