from support.oracle import far_from_order, of_devices, stamp


def expected(folder):
    """Every packet leaves once: none is late by its device's clock."""
    each, minutes = [], {}
    for device, ms, k, x in of_devices(far_from_order):
        end = ms // 6000 * 6000 + 6000
        each.append({"six": stamp(end, -1), "id": k, "device": device, "x": x})
        minutes.setdefault(((end - 1) // 60_000 * 60_000, device), []).append(x)
    return {"each": each, "all": [{"id": row["id"], "x": row["x"]} for row in each], "each_minute": [
        {"finish": stamp(start + 60_000), "device": device, "n": len(values), "most": max(values)}
        for (start, device), values in minutes.items()]}
