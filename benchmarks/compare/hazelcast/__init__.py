"""Hazelcast's stream engine (Jet)."""
