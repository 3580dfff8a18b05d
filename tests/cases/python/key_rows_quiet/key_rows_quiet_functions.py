from datetime import timedelta


class Quiet:
    def process(self, key, rows, state):
        for row in rows:
            state.first = state.first or row.ts
            state.packets = (state.packets or 0) + 1
            state.x = row.x
            state.set_timer(row.ts + timedelta(seconds=2))

    def timer(self, key, when, state):
        row = {"ts": when, "g": key, "first": state.first, "packets": state.packets, "x": state.x}
        state.clear()
        return row
