def expected(folder):
    """What is left of the changes."""
    rows = {}
    for k in range(300):
        key = k * 31 % 23
        if ("insert", "update", "delete")[k * 7919 % 101 % 3] == "delete":
            rows.pop(key, None)
        else:
            rows[key] = {"id": k, "k": key, "v": k / 8}
    assert 0 < len(rows) < 23, "some keys have a row and some have none"
    return {"rows": list(rows.values())}
