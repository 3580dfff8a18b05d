"""Without the key that fails."""


def expected(folder):
    """Of forty packets of three devices."""
    return {"rows": [{"device": f"d{k}", "n": len(range(k, 40, 3))} for k in (0, 2)]}
