"""The bare relay: no engine, the ceiling."""
