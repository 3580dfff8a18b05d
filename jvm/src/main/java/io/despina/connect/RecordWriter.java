package io.despina.connect;

import java.io.Closeable;
import java.io.IOException;

/**
 * Writes records to a server, for one instance of a sink. Calls come from one thread at a time, which may block.
 *
 * <p>A writer that keeps markers writes each epoch in a transaction, and a marker of the epoch in the same transaction:
 * {@link #begin} begins it, {@link #flush} ends it. All others write at once.
 */
public interface RecordWriter extends Closeable {

    /** A transaction may have ended or not, or has been undone as a whole: its marker is asked for, and the epoch comes again. */
    class RepeatException extends IOException {
        private static final long serialVersionUID = 1L;

        public RepeatException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Called once, before anything else.
     *
     * @param later whether nothing leaves before an epoch is complete: then it does not wait for its server
     */
    void open(boolean later) throws Exception;

    /**
     * What follows up to the next {@link #flush} is of that epoch.
     *
     * @param outbox a name that no other sink has, and that stays over all attempts of the job: visible ASCII characters
     */
    default void begin(String outbox, long epoch) throws Exception {
        // nothing depends on the epoch
    }

    /** Sends a record; perhaps not at once. A record that the server refuses goes to {@link WriterHost#refused}. */
    void write(Outgoing record) throws Exception;

    /** Everything written so far has been acknowledged by the server, or refused; a transaction is complete. */
    void flush() throws Exception;

    /** From another thread: the job ends, and what the writer waits for at its server is of no use any more. */
    default void cut() {
        // an interrupt ends what most wait for
    }

    /** Asks for an epoch's marker, see {@link #begin}. The answer is for good: a transaction that was under way has ended. */
    default Marker marker(String outbox, long epoch) throws Exception {
        throw new UnsupportedOperationException("this writer keeps no markers");
    }
}
