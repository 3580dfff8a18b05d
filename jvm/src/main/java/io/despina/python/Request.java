package io.despina.python;

/** What a process is asked to do once, and answers when it is done. */
public enum Request {
    /** A source begins behind a position, which is the payload. */
    SEEK(FrameKind.SEEK),
    /** A sink sends on what it has gathered. */
    FLUSH(FrameKind.FLUSH),
    /** A sink makes what it has taken durable as an epoch, which nobody sees yet. */
    PREPARE(FrameKind.PREPARE),
    /** A sink shows an epoch. */
    COMMIT(FrameKind.COMMIT),
    /** A sink drops what it has taken and prepared behind an epoch. */
    ABORT(FrameKind.ABORT);

    final FrameKind frame;

    Request(FrameKind frame) {
        this.frame = frame;
    }
}
