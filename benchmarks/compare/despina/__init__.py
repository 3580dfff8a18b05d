"""Despina, as its users start it."""
