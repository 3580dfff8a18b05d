"""The module of the reference's example of ``python_source``."""


class Lines:
    """Has no rows: it is checked alone."""

    def rows(self):
        return []
