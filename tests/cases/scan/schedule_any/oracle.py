def expected(folder):
    """Each number with the one of its group before it, which is 3 less."""
    return {"rows": [{"id": k, "last": k - 3 if k >= 3 else -1} for k in range(300)]}
