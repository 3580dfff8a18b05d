"""Tests beside graphs, ``*.test.json``: read (``file``), made into graphs (``stubs``), run and compared (``runs``)."""
