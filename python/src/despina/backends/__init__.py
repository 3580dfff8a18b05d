"""Where a graph runs other than on the local engine."""
