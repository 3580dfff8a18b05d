from support.oracle import events


def expected(folder):
    """The first of all with a key; and all, since the values of x come back after more than a millisecond."""
    firsts = {}
    for packet in events():
        firsts.setdefault(packet["x"], packet)
    return {"rows": list(firsts.values()), "few": events()}
