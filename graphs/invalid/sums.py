"""Functions of python_state.graph.json and spark_python_state.graph.json."""


class Mean:
    """The mean of a device so far."""

    def process(self, key, row, state):
        """A key, a row and the state of the key."""
        return state.n


class Timed:
    """With timers."""

    def process(self, key, row, state):
        """A key, a row and the state of the key."""
        return state.n

    def timer(self, key, when, state):
        """A key, its time and its state."""


def two(key, row):
    """Without the state."""
    return row


async def waits(key, row, state):
    """One that waits."""
    return row
