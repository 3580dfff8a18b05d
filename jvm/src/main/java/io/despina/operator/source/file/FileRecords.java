package io.despina.operator.source.file;

import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The records of one file: its lines, or its rows. */
interface FileRecords extends Closeable {

    /** A place between two records, and whether the header is before it. */
    record Place(LineBlocks.Place line, boolean headerRead) {
        static final Place START = new Place(LineBlocks.Place.START, false);
    }

    /** Opens a file. */
    interface Opener {
        /** @param blockBytes how much is read at a time, at least */
        FileRecords open(Path path, Place from, int blockBytes) throws IOException;
    }

    /** Finds the next record; false at the end of the file, which may be temporary if the file is followed. */
    boolean next() throws IOException;

    /** Writes the record found last to an output, if that is quick and the record may be sent now. */
    boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception;

    /** Writes the packets of the record found last, if any; or hands it to {@code on_error}. */
    void decode(ScratchPackets scratch) throws Exception;

    /** The bytes of the record found last, about. */
    int length();

    /** The record found last as {@code file:line}. */
    String where();

    /** Before the record found last. */
    Place lineStart();

    /** Before the next record. */
    Place place();

    /** Whether all records were found and none can follow. */
    boolean isRead();

    void rename(Path to);

    /** The file grows no more: the text after its last line end is a line. One that never grows ends where it ends. */
    default void leave() {
    }

    /** Restarts a followed file at its first byte. Only one that grows is followed. */
    default void restart() throws IOException {
        throw new IllegalStateException("such a file does not grow");
    }

    /** Memory that it holds. */
    long heldBytes();
}
