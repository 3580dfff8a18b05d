"""None, one or two."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"n": n, "device": f"d{k % 3}"} for k in range(10) for n in [(), (k,), (k, -k)][k % 3]]}
