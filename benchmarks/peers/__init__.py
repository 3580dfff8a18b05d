"""Despina beside its peers: the same work on every engine, on one machine, in interleaved runs.

The contract of an engine is in :mod:`engine`, how a run is measured in :mod:`probe`, all runs in :mod:`session`; each engine has
a folder.
"""
