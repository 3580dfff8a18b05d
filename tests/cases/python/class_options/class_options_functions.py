class Table:
    def open(self, context):
        self.names = context.options["names"].split(",")

    def process(self, id):
        return self.names[id % len(self.names)]
