package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import java.io.IOException;
import java.util.Map;

/** Where the packets of an {@link InputSource} come from: a bounded queue that the user's program fills. */
public interface InputRows {

    /** Takes whole packets, one after the other, off the queue; null if none wait. Never blocks. */
    byte[] next() throws IOException;

    /** Whether nothing follows what {@link #next} gave: asked after it gave null. */
    boolean hasEnded();

    /**
     * The source is open, or restored. May block for a disk.
     *
     * @param sent   how many rows it had sent in the epoch from which it goes on
     * @param origin as {@link #origin} had answered then; empty in a job that begins anew
     * @return the number of the row that {@link #next} gives first; at most {@code sent}
     */
    default long open(OperatorContext context, long sent, Map<String, String> origin) throws IOException {
        return 0;
    }

    /** What the place of the source has besides the number of rows: whose rows they are. */
    default Map<String, String> origin() {
        return Map.of();
    }

    /** A barrier goes by, behind so many rows. */
    default void barrier(long epoch, long sent) {
    }

    /** The snapshot of that epoch is complete. */
    default void acknowledge(long epoch) {
    }

    default void close() throws IOException {
    }
}
