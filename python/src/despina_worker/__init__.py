"""The process in which the Python functions of a graph run.

The engine starts it (``python despina_worker.zip``), and tells it by the first line of standard input where its socket is. It
imports the standard library, pyarrow and what the function itself imports; never the package ``despina``, which need not be
installed there. Python 3.10 or newer.
"""
