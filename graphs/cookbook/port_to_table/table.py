"""A table of SQLite."""

import sqlite3
from pathlib import Path


class Table:
    """Rows of one batch are one transaction."""

    def open(self, context):
        """Makes the table, if there is none."""
        self.database = sqlite3.connect(Path(__file__).with_name(context.options["path"]))
        self.database.execute("CREATE TABLE IF NOT EXISTS hot (machine TEXT, celsius REAL)")

    def write(self, batch):
        """A ``pyarrow.RecordBatch``, in the order of its columns."""
        with self.database:
            machines, degrees = (column.to_pylist() for column in batch.columns)
            self.database.executemany("INSERT INTO hot VALUES (?, ?)", zip(machines, degrees, strict=True))

    def close(self):
        """The job has ended."""
        self.database.close()
