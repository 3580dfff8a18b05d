"""The records as one line of JSON each; the rows by their numbers alone."""

from base64 import b64encode
from json import dumps


def expected(folder):
    """Of four packets."""
    return {"rows": [{"id": k, "v": k} for k in (0, 2)],
            "letters": [{"operator": "tried", "record": record(k)} for k in (1, 3)]}


def record(k):
    """As the engine writes it: times in UTC, spans in microseconds, bytes in base 64."""
    day, hour = {1: ("2024-02-29", "2023-11-14T23"), 3: ("2024-03-02", "2023-11-15T01")}[k]
    first = dumps({"id": k, "i8": k, "f32": k / 4, "f64": "NaN" if k == 1 else k / 4})
    last = dumps({"ts": f"{hour}:13:20.000001Z", "ntz": f"2023-11-14T22:13:20.00000{k}", "day": day,
                  "bin": b64encode(f"b{k}".encode()).decode(), "word": f'"{k}\né', "even": False, "some": None if k == 3 else k,
                  "st": {"a": k, "b": ["x", str(k)]}, "m": {"keys": ["k"], "values": [k]},
                  "span": (k * 86_400 + 3_723) * 1_000_000 + 500_000,
                  "holes": [{"keys": ["k"], "values": [None]}, None]}, ensure_ascii=False)
    return f'{first[:-1]}, "dec": {k * 1.25:.3f}, "wide": {k * 1.25:.2f}, {last[1:]}'
