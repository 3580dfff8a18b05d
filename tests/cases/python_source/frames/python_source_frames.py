import pandas as pd
import polars as pl


def rows():
    yield pd.DataFrame({"id": [0, 1], "text": ["a", "b"]})
    yield pl.DataFrame({"id": [2, 3], "text": ["c", None]})
