"""A timer of d0 is called before each of its next packets, those of the others at the end."""


def expected(folder):
    """Device by device: the packets of one are three seconds apart."""
    rows = []
    for key in range(3):
        n, timer = 0, False
        for k in range(key, 40, 3):
            if timer and key == 0:
                n, timer = n + 100, False
                rows.append({"what": "timer", "device": "d0", "n": n})
            n += 1
            timer = timer or k < 30
        if timer:
            n = None if key == 1 else n + 100
            rows.append({"what": "timer", "device": f"d{key}", "n": n})
        if n is not None:
            rows.append({"what": "end", "device": f"d{key}", "n": n})
    return {"rows": rows}
