"""The module of the reference's example of ``python_sink``."""


class Table:
    """Writes nothing: it is checked alone."""

    def write(self, batch):
        pass
