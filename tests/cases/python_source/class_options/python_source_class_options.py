class Counted:
    def open(self, context):
        self.count = int(context.options["count"])

    def rows(self):
        return ((k, k * k) for k in range(self.count))
