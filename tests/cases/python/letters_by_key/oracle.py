"""What raises changes no state. Timers are due long before the last packets, so a stream calls them all too."""

import json
from datetime import timedelta

from support.oracle import events, grouped


def expected(folder):
    """Each packet with its number, which begins anew where the group is even; and what raised."""
    rows, letters = [], []
    for g, packets in grouped(events(), lambda p: p["g"]).items():
        n, timer = 0, None
        for packet in packets:
            if timer is not None and packet["ts"] > timer:
                if g is None or g % 2:
                    letters.append(f"timer of {g!r} at {timer.isoformat()}")
                else:
                    n = 0
                timer = None
            if packet["id"] % 11 == 5:
                letters.append(json.dumps({**packet, "ts": written(packet["ts"])}))
                continue
            n += 1
            if packet["id"] < 14:
                timer = packet["ts"] + timedelta(seconds=2)
            rows.append({**packet, "n": n})
    return {"rows": rows, "letters": [{"operator": "tried", "record": letter} for letter in letters]}


def written(time):
    """Without a fraction of zeros."""
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds").removesuffix(".000") + "Z"
