from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def expected(folder):
    """Every packet leaves once: none is late by its device's clock."""
    each, minutes = [], {}
    for k in range(400):
        device, x = k * 31 % 5, k * 7919 % 101 - 50
        end = (1_700_000_000_000 + k * 250 + k * 7581 % 2500 - device * 3_600_000) // 6000 * 6000 + 6000
        each.append({"six": stamp(end, -1), "id": k, "device": device, "x": x})
        minutes.setdefault(((end - 1) // 60_000 * 60_000, device), []).append(x)
    return {"each": each, "all": [{"id": row["id"], "x": row["x"]} for row in each], "each_minute": [
        {"finish": stamp(start + 60_000), "device": device, "n": len(values), "most": max(values)}
        for (start, device), values in minutes.items()]}
