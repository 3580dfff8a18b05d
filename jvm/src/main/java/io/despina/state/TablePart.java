package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What a table is written as.
 *
 * @param owners  of the keys; null if the entries have no bucket
 * @param belongs writes the beginning of each entry's content
 * @param group   of its rows; that of what its lists have apart is the next
 */
record TablePart(KeyBuckets owners, Prefix belongs, SectionForm form, int group) {

    /** Writes what distinguishes one part of a state from the others. */
    @FunctionalInterface
    interface Prefix {
        void write(DataOutput out) throws IOException;
    }

    /** The table is the whole state, or its first part. */
    static TablePart whole(KeyBuckets owners, SectionForm form) {
        return new TablePart(owners, out -> { }, form, 0);
    }

    /** The bucket of a key, or {@link SectionWriter#NO_BUCKET}. */
    int bucket(Packet key) {
        return owners == null ? SectionWriter.NO_BUCKET : owners.of(key);
    }
}
