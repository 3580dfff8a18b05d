def expected(folder):
    """Each row three times."""
    return {"rows": [{"id": k} for k in range(100) for _ in range(3)]}
