from support.oracle import texts

ROWS = [("t0", "hall", 1.5), ("t2", "roof", 2.0), ("t0", "cellar", None), (None, "nowhere", 9.0)]


def expected(folder):
    """A row for each device of that name; NULLs where there is none."""
    return {"rows": [{"ts": p["ts"], "id": p["id"], "t": p["t"], "room": room,
                      "scaled": None if factor is None else p["x"] * factor}
                     for p in texts()
                     for _, room, factor in [row for row in ROWS if row[0] == p["t"] and p["t"]] or [(None, None, None)]]}
