package io.despina.state;

import java.io.IOException;

/** A state as it was at one instant, to be written in slices. */
public interface Frozen extends AutoCloseable {

    /**
     * Writes entries until all are written or {@code to} has no room.
     *
     * @return false if more entries follow: call again when there is room
     */
    boolean write(SectionWriter to) throws IOException;

    /** Releases what was held for it. May be called before all is written. */
    @Override
    default void close() {
    }
}
