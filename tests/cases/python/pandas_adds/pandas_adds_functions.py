def hot(frame):
    return frame["celsius"] > 2
