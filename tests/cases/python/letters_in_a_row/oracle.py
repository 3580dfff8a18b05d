"""What each can take, and what it cannot."""


def expected(folder):
    """Of sixty packets."""
    good = [k for k in range(60) if k % 7 != 6]
    letters = [{"operator": "one", "record": f'{{"id": {k}}}'} for k in range(60) if k % 7 == 6]
    letters.append({"operator": "two", "record": '{"id": 10, "n": 20}'})
    return {"rows": [{"id": k, "n": 2 * k, "m": 3 * k} for k in good if k != 10], "letters": letters}
