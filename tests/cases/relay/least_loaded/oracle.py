def expected(folder):
    """Every id once."""
    return {"rows": [{"id": k} for k in range(1000)]}
