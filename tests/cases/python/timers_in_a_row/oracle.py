"""Packets of a group in event order, cut where two seconds go by without one; each cut with a name, and an answer to it."""

from datetime import timedelta

from support.oracle import events, grouped

SILENCE = timedelta(seconds=2)


def expected(folder):
    """A row for each cut, and for what is open at the end."""
    rows = []
    for g, packets in grouped(events(), lambda p: p["g"]).items():
        run = []
        for packet in [*packets, None]:
            if run and (packet is None or packet["ts"] > run[-1]["ts"] + SILENCE):
                name = "g?" if g is None else f"g{g}"
                rows.append({"ts": run[-1]["ts"] + SILENCE, "g": g, "packets": len(run), "name": name,
                             "answer": len(run) * len(name)})
                run = []
            run.append(packet)
    return {"rows": rows}
