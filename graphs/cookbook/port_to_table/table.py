"""A table of SQLite that has each row once, also if the job is killed and goes on from its state."""

import sqlite3
from pathlib import Path


class Table:
    """Rows are on the disk when their epoch ends (``prepare``), and in the table when it is complete everywhere (``commit``)."""

    def open(self, context):
        """Makes the tables, if there are none. Instances of a parallel sink share them, so each marks its own rows."""
        self.instance = context.instance
        self.rows = []
        self.database = sqlite3.connect(Path(__file__).with_name(context.options["path"]))
        self.database.execute("CREATE TABLE IF NOT EXISTS hot (machine TEXT, celsius REAL)")
        self.database.execute("CREATE TABLE IF NOT EXISTS prepared (instance INT, epoch INT, machine TEXT, celsius REAL)")

    def write(self, batch):
        """A ``pyarrow.RecordBatch``, in the order of its columns. Its rows wait in memory for the end of their epoch."""
        machines, degrees = (column.to_pylist() for column in batch.columns)
        self.rows += zip(machines, degrees, strict=True)

    def prepare(self, epoch):
        """The epoch has ended here: its rows are written where nobody looks."""
        with self.database:
            self.database.executemany("INSERT INTO prepared VALUES (?, ?, ?, ?)",
                                      [(self.instance, epoch, *row) for row in self.rows])
        self.rows = []

    def commit(self, epoch):
        """The epoch is complete: its rows move, in one transaction. Asked for again, it finds none that could move twice."""
        with self.database:
            complete = "FROM prepared WHERE instance = ? AND epoch <= ?"
            self.database.execute(f"INSERT INTO hot SELECT machine, celsius {complete} ORDER BY rowid", (self.instance, epoch))
            self.database.execute(f"DELETE {complete}", (self.instance, epoch))

    def abort(self, epoch):
        """The job goes on behind that epoch, so what was prepared later comes again."""
        self.rows = []
        with self.database:
            self.database.execute("DELETE FROM prepared WHERE instance = ? AND epoch > ?", (self.instance, epoch))

    def close(self):
        """The job has ended."""
        self.database.close()
