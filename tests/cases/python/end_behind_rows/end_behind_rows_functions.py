class Open:
    def process(self, key, row, state):
        state.since = None if row.id % 7 == 6 else state.since if state.since is not None else row.id
        return ("closed", key, row.id) if row.id % 7 == 6 else None

    def end(self, key, state):
        yield "open", key, state.since
        if state.since > 35:
            yield "late", key, state.since
