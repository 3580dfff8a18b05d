import polars as pl


def repeated(frame):
    return frame.select(pl.col("id"), pl.int_ranges(0, pl.col("id") % 3).alias("n")).explode("n").drop_nulls()
