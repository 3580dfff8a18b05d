"""As if those had not come which raise."""

from datetime import UTC, datetime, timedelta


def expected(folder):
    """Of sixty packets."""
    rows = []
    of = {0: [], 1: [], 2: []}
    for k in range(60):
        if k % 11 == 10:
            of[k % 3] = []
        elif k % 5 == 3:
            continue
        else:
            of[k % 3].append(k)
        mine = of[k % 3]
        ts = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)
        rows.append({"id": k, "ts": ts, "device": f"d{k % 3}", "mean": sum(mine[-3:]) / len(mine[-3:]) if mine else None,
                     "kinds": len({each % 4 for each in mine}) if mine else None, "never": None})
    return {"rows": rows}
