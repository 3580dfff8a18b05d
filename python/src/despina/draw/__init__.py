"""Pictures of a graph: what to show (``drawing``), where to put it (``layout``), and two ways to write it."""
