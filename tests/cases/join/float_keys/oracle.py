TEXTS = ["0.0", "-0.0", "NaN", "NaN", "1.5", None]
OTHERS = ["-0.0", "0.0", "NaN", "NaN", "1.5", None]


def expected(folder):
    """Each packet meets the one of its time, except where the key is NULL."""
    pairs = [{"id": k, "left": TEXTS[k % 6], "right": OTHERS[k % 6]} for k in range(24)]
    return {
        "within_rows": [pair for pair in pairs if pair["left"] is not None],
        "latest_rows": pairs,
    }
