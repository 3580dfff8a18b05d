package io.despina.expr;

import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** The rows of one file that holds columns, or elements, as Spark reads them. One thread. */
public interface FileRows extends Closeable {

    /**
     * Which rows are read, and how.
     *
     * @param schema   every column may be NULL
     * @param options  Spark's reader options
     * @param unread   ordinals of columns to leave NULL
     * @param timeZone of the job
     * @param ansi     as in the graph's settings
     */
    record Options(Schema schema, Map<String, String> options, Set<Integer> unread, String timeZone, boolean ansi) {
        public Options {
            options = Map.copyOf(options);
            unread = Set.copyOf(unread);
        }
    }

    /**
     * Finds the next row; false at the end of the file.
     *
     * @throws DamagedFileException if the file is damaged, in words for the user
     * @throws IOException          if it has a column of another type, or cannot be read just now, likewise
     */
    boolean next() throws IOException;

    /** Why the row found last is none; null if it is one. */
    default String problem() {
        return null;
    }

    /** Writes the row found last. */
    void write(PacketWriter out);

    /** Memory that it holds, about. */
    long heldBytes();
}
