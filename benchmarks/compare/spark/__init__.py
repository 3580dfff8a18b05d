"""Spark Structured Streaming."""
