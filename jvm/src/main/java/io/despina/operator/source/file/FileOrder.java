package io.despina.operator.source.file;

import io.despina.operator.Source;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order in which a source instance reads its files. A file has its turn until another file's packet comes next, or until its
 * end.
 */
interface FileOrder extends Closeable {

    /** All files of the instance. */
    List<SourceFile> files();

    /** The open file whose turn it is; null when all files are at their end, which may be temporary if they are followed. */
    SourceFile current() throws IOException;

    /** The current file's packets with at most this event time, or with none, may be sent now. */
    default long limit() {
        return Long.MAX_VALUE;
    }

    /** The current file's next packet, with this event time, comes after another file's packet: the turn passes to that file. */
    default void passTurn(long micros) throws IOException {
        throw new IllegalStateException("no packet waits for another file's");
    }

    /** The current file has no further line, perhaps only for now if it is followed. */
    void atEnd() throws IOException;

    /**
     * All files are at their end: gives each another turn, if they grow.
     *
     * @return when, unless the source is woken earlier; {@link Source#ENDED} if they do not grow
     */
    default long rest(long now) {
        return Source.ENDED;
    }

    /** Memory that the open files hold, if more than one can be open. */
    default long heldBytes() {
        return 0;
    }

    /** Closes all files and starts again with the first one that is not done. */
    void restart();

    /**
     * Resumes at the files' marks. A file without a mark is new, and is read from its beginning.
     *
     * @throws IOException if a file that is not done does not exist
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
