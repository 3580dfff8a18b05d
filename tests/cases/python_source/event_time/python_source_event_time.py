import datetime


def rows():
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    for k in range(25):
        yield start + datetime.timedelta(seconds=k), k
