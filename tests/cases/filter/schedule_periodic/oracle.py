def expected(folder):
    """The numbers that leave 3 by 7."""
    return {"rows": [{"id": k, "ts": moment(k), "t": f"t{k % 3}"} for k in range(300) if k % 7 == 3]}


def moment(k):
    """50 ms later with each number."""
    ms = 20_000 + k * 50    # of 2023-11-14T22:13
    return f"2023-11-14T22:13:{ms // 1000:02}.{ms % 1000:03}000"
