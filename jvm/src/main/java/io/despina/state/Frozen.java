package io.despina.state;

import java.io.IOException;

/** A state as it was at one instant, to be written in slices. */
public interface Frozen extends AutoCloseable {

    /**
     * Writes entries until all are written or {@code to} is full.
     *
     * @return false if more entries follow: call again when there is room
     */
    boolean write(SectionWriter to) throws IOException;

    /** Releases the memory that it holds. May be called before everything is written. */
    @Override
    default void close() {
    }
}
