"""Forty packets of three devices."""


def expected(folder):
    """One row for each of them."""
    mine = {k: [j / 4 for j in range(40) if j % 3 == k] for k in range(3)}
    return {"rows": [{"device": f"d{k}", "n": len(found), "total": sum(found)} for k, found in mine.items()]}
