"""What is before each packet in its group, in event order."""

from support.oracle import events, grouped


def expected(folder):
    """A row for each packet."""
    rows = []
    for packets in grouped(events(), lambda p: p["g"]).values():
        for before, packet in zip([None, *packets], packets, strict=False):
            rows.append({**packet, "last": before and before["id"], "rise": before and packet["x"] - before["x"]})
    return {"rows": rows}
