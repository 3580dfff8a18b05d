"""Packets of a group in event order; five seconds after the first the count begins anew."""

from datetime import timedelta

from support.oracle import events, grouped


def expected(folder):
    """Each packet with its number."""
    rows = []
    for packets in grouped(events(), lambda p: p["g"]).values():
        until = None
        for packet in packets:
            if until is None or packet["ts"] > until:
                until, n = packet["ts"] + timedelta(seconds=5), 0
            n += 1
            rows.append({**packet, "n": n})
    return {"rows": rows}
