from support.oracle import devices, stamp


def moved(device, sums):
    """The rows whose value is more than 200 from that of the row before, for even and odd ids."""
    rows = []
    for half in range(2):
        last = None
        for k, value in sums:
            if k % 2 == half and (last is None or abs(value - last) > 200):
                rows.append({"id": k, "g": device, "sum": value, "previous": last})
                last = value
    return rows


def expected(folder):
    """Folds each device alone."""
    found = {"all_sums": [], "all_moves": [], "all_each": [], "all_threes": []}
    for device, packets in devices().items():
        value, sums = 0, []
        for n, (ms, k, x) in enumerate(packets, 1):
            value = (7 * value + x) % 1000
            sums.append((k, value))
            found["all_sums"].append({"id": k, "g": device, "ts": stamp(ms), "sum": value})
            found["all_each"].append({"id": k, "n": n, "x": x})
        found["all_moves"] += moved(device, sums)
        for k in range(0, len(packets) - 2, 3):
            three = packets[k:k + 3]
            found["all_threes"].append({"g": device, "start": stamp(three[0][0]), "first": three[0][1],
                                        "total": sum(x for _, _, x in three)})
    return found
