"""Of the fourteen first packets each group has two: a timer waits behind the second of them in event order, or the first."""

from datetime import timedelta

from support.oracle import events, grouped


def expected(folder):
    """Each packet with its number, which begins anew where the group is even."""
    rows = []
    for g, packets in grouped(events(), lambda p: p["g"]).items():
        n, timer = 0, None
        for packet in packets:
            if timer is not None and packet["ts"] > timer:
                timer = None
                n = 0 if g is not None and g % 2 == 0 else n
            n += 1
            if packet["id"] < 14:
                timer = packet["ts"] + timedelta(seconds=2)
            rows.append({**packet, "n": n})
    return {"rows": rows}
