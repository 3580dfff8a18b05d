from support.oracle import START_MS, stamp


def expected(folder):
    """Each group's packets sorted, and cut where the next is 700 ms later or more."""
    groups = {}
    for k in range(200):
        ms = START_MS + k // 12 * 4000 + k * 150 + k * 7919 % 900
        groups.setdefault(k * 31 % 5, []).append((ms, k * 7919 % 101 - 50))
    rows = []
    for g, packets in groups.items():
        sessions = []
        for ms, x in sorted(packets):
            if not sessions or ms - sessions[-1][-1][0] >= 700:
                sessions.append([])
            sessions[-1].append((ms, x))
        rows += [{"start": stamp(session[0][0]), "end": stamp(session[-1][0] + 700), "last": True, "g": g, "n": len(session),
                  "total": sum(x for _, x in session)} for session in sessions]
    return {"rows": rows}
