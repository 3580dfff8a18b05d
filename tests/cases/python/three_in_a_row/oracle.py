"""Each row through the three, one after the other."""


def expected(folder):
    """Of two hundred packets, without those that one of the functions cannot take."""
    rows = []
    for k in range(200):
        if k % 13 == 4 or k % 17 == 3:
            continue
        shifted = k / 8 + 10 if k % 5 != 2 else -1.0
        rows += [{"id": k, "device": f"d{k % 3}", "shifted": shifted, "k": n} for n in range(k % 3)]
    return {"rows": rows}
