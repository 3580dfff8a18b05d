package io.despina.operator.source.file;

import io.despina.operator.Source;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The order of a source instance's files: one has its turn, until its next packet is another file's or it is at its end. */
interface FileOrder extends Closeable {

    /** All files of the instance. */
    List<SourceFile> files();

    /** The file whose turn it is, open; null when all are at their end, for now if they are followed. */
    SourceFile current() throws IOException;

    /** Packets of the current file go now if their event time is at most this, or if they have none. */
    default long limit() {
        return Long.MAX_VALUE;
    }

    /** The current file's next packet, of this event time, comes after another file's: that one has its turn. */
    default void passTurn(long micros) throws IOException {
        throw new IllegalStateException("no packet waits for another file's");
    }

    /** The current file has no further line, for now if it is followed. */
    void atEnd() throws IOException;

    /**
     * All files are at their end: gives each a turn again, if they grow.
     *
     * @return when, if the source is not woken before; {@link Source#ENDED} if they do not grow
     */
    default long rest(long now) {
        return Source.ENDED;
    }

    /** Memory that the open files hold, if more than one can be open. */
    default long heldBytes() {
        return 0;
    }

    /** Begins again with the first file that is not done; all are closed. */
    void restart();

    /**
     * Goes on from where the files stood; one without a mark has come since, and is read from its beginning.
     *
     * @throws IOException if a file is not there that is not done
     */
    default void seek(List<FileMark> marks) throws IOException {
        Map<Path, SourceFile> byPath = new HashMap<>();
        files().forEach(file -> byPath.put(file.path(), file));
        for (FileMark mark : marks) {
            SourceFile file = byPath.get(mark.path());
            if (file != null) {
                file.seek(mark);
            } else if (!mark.done()) {
                throw new IOException("cannot go on with a file that does not exist: " + mark.path());
            }
        }
        restart();
    }

    @Override
    default void close() throws IOException {
        for (SourceFile file : files()) {
            file.close();
        }
    }
}
