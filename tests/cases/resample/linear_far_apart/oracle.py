import math
import struct
from datetime import datetime, timedelta


def expected(folder):
    """Worked out by hand."""
    (most,) = struct.unpack("f", struct.pack("f", 3.4e38))
    inf, nan, none = math.inf, math.nan, None
    rows = [
        (1.7e308, most, 2.0**63, 1e38),
        (0.0, 0.0, 0.0, 0.0),
        (-1.7e308, -most, -(2.0**63), -1e38),
        (inf, inf, -(2.0**62), -5e37),
        (inf, inf, 0.0, 0.0),
        (inf, inf, 1.0, 1.0),
        (5.0, 5.0, 2.0, 2.0),
        (nan, -inf, none, 2.5),
        (nan, -inf, none, 3.0),
    ]
    start = datetime(2024, 1, 1)
    return {"rows": [{"ts": start + timedelta(seconds=k), **dict(zip("dfbm", row, strict=True))} for k, row in enumerate(rows)]}
