from datetime import timedelta

from support.oracle import floor, timed_texts

NAMES = {0: "zero", 2: "two"}


def expected(folder):
    """Packets by window and name."""
    counts = {}
    for p in timed_texts():
        group = floor(p["ts"], timedelta(seconds=4)), NAMES.get(p["id"] % 3)
        counts[group] = counts.get(group, 0) + 1
    return {"rows": [{"since": since, "name": name, "n": n} for (since, name), n in counts.items()]}
