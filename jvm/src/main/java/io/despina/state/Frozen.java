package io.despina.state;

import java.io.IOException;

/** A state as it was at one instant, to be written in slices. */
public interface Frozen extends AutoCloseable {

    /** What is written. Who wants all entries without numbers writes a {@link SectionForm#WHOLE} as if it were plain. */
    default SectionForm form() {
        return SectionForm.PLAIN;
    }

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
