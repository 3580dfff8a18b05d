package io.despina.python;

/** What a frame has; {@code despina_worker/frames.py} says more. */
enum FrameKind {
    OPEN(1), BATCH(2), KEYS(3), STATES(4), SLOTS(5), TIMERS(6), TIMES(7), PULL(8), SEEK(9), FLUSH(10), PREPARE(11),
    COMMIT(12), ABORT(13), ENDS(14), ALONE(15),
    HELLO(16), OPENED(17), REFUSED(18), ERRORS(19), PART(20), ANSWER(21), CHANGES(22), POSITION(24), ENDED(25),
    SETTLED(26), COUNTED(27), AHEAD(28);

    /** Of the first 4 bytes in which a kind is, those that it has itself. */
    static final int CODE = 0xff;
    private static final long UNIT_NANOS = 10_000;

    final int code;

    FrameKind(int code) {
        this.code = code;
    }

    /** What the other 3 bytes of an answer say: how long its process has worked on it, some minutes at most. */
    static long workedNanos(int head) {
        return (head >>> Byte.SIZE) * UNIT_NANOS;
    }

    /** @return null if there is none */
    static FrameKind of(int code) {
        for (FrameKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }
}
