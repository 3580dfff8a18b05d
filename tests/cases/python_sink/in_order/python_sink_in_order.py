class Ordered:
    def open(self, context):
        self.due = 0

    def write(self, id):
        if id != self.due:
            raise ValueError(f"row {id} in place of {self.due}")
        self.due += 1

    def flush(self):
        if self.due != 5_000:
            raise ValueError(f"{self.due} rows at the end")
