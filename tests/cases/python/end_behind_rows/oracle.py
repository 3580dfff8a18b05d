"""Every seventh packet forgets its key."""


def expected(folder):
    """Of forty packets, and of the keys that are left."""
    rows, since = [], {}
    for k in range(40):
        if k % 7 == 6:
            since.pop(k % 3, None)
            rows.append({"what": "closed", "device": f"d{k % 3}", "at": k})
        else:
            since.setdefault(k % 3, k)
    for key, at in since.items():
        rows += [{"what": what, "device": f"d{key}", "at": at} for what in ("open", "late") if what == "open" or at > 35]
    return {"rows": rows}
