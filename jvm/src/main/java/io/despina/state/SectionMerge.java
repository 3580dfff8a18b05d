package io.despina.state;

import java.io.IOException;

/** Writes what one instance has of a state as one section that needs no other: of a chain, each entry as it was last. */
public final class SectionMerge {
    private static final int SLICE = 1 << 16;

    private SectionMerge() {
    }

    /** Takes the section, piece by piece; it may not keep the array. */
    @FunctionalInterface
    public interface Slices {
        void write(byte[] bytes, int size) throws IOException;
    }

    /** @throws SnapshotException if what was written is damaged, or nothing that this engine reads */
    public static void write(String state, Sections from, Slices to) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        try (SectionReader reader = SectionReader.unknown(state, from)) {
            writer.begin(reader.described());
            while (reader.next()) {
                reader.copy(writer);
                if (!writer.hasRoom()) {
                    to.write(writer.bytes(), writer.size());
                    writer.replace(writer.bytes());
                }
            }
        }
        writer.end();
        to.write(writer.bytes(), writer.size());
    }
}
