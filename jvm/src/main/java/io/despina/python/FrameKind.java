package io.despina.python;

/** What a frame has; {@code despina_worker/frames.py} says more. */
enum FrameKind {
    OPEN(1), BATCH(2), HELLO(16), OPENED(17), REFUSED(18), ERRORS(19), PART(20), ANSWER(21);

    final int code;

    FrameKind(int code) {
        this.code = code;
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
