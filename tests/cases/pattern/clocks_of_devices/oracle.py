from support.oracle import devices


def expected(folder):
    """The first high value in the 4 seconds before a low one; what lies between them begins nothing."""
    rows = []
    for device, packets in devices().items():
        runs = []
        for ms, number, x in packets:
            runs = [(began, high) for began, high in runs if ms - began <= 4000]
            if x < -20 and runs:
                rows.append({"g": device, "high": runs[0][1], "low": number})
                runs = []
            elif x > 30:
                runs.append((ms, number))
    return {"rows": rows}
