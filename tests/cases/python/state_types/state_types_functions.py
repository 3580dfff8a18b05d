import datetime


def f(key, row, state):
    said = repr((state.word, state.words, state.st, state.m, state.dec, state.ts, state.day, state.even, state.f, state.b))
    if state.words is None:
        state.words, state.st, state.m, state.dec = [], {"a": 0, "b": []}, {}, row.dec
    else:
        state.dec += row.dec
    state.words.append(row.word)
    state.st["a"] += row.id
    state.st["b"].append(row.id)            # an int becomes a DOUBLE
    state.m[row.word] = row.id
    state.ts, state.word, state.day = row.ts, row.word, datetime.date(2026, 1, 1) + datetime.timedelta(row.id)
    state.even, state.f, state.b = row.id % 2 == 0, row.id + 0.5, row.word.encode()
    return row.id, said
