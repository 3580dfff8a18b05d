"""Despina beside its peers: the same work on every engine, on one machine, in interleaved runs.

The contract of an engine is in :mod:`engine`, one run in :mod:`runs`, all runs in :mod:`session`; each engine has a folder.
"""
