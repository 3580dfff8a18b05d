package io.despina.connect;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;

/**
 * A table of files, with a log that says which are in it. The engine writes the files; a version of the table takes some in at
 * once. Calls come from one thread at a time, and may block.
 */
public interface LakeTable extends Closeable {

    /**
     * What the table wants of its files.
     *
     * @param partitions what has one value in a file, which stands in the log
     * @param inFiles    whether the files have the columns of the partitions too
     * @param required   columns in which there is no NULL
     */
    record Shape(List<Partition> partitions, boolean inFiles, Set<String> required) {
        public Shape {
            partitions = List.copyOf(partitions);
            required = Set.copyOf(required);
        }
    }

    /**
     * What divides a table.
     *
     * @param transform what is made of the column's value, in words of the table's; null for the value itself
     */
    record Partition(String column, String transform) {
    }

    /**
     * A file that is not in the table yet.
     *
     * @param path       as the table knows it
     * @param modified   in milliseconds since 1970
     * @param partitions values of the partition columns as texts; null for NULL
     * @param removes    whether it has no rows of the table, but the keys of those whose place the file before it in a list
     *                   takes
     */
    record DataFile(String path, long bytes, long modified, long rows, List<String> partitions, boolean removes) {
        public DataFile(String path, long bytes, long modified, long rows, List<String> partitions) {
            this(path, bytes, modified, rows, partitions, false);
        }

        /** The same file, which has keys. */
        public DataFile removing() {
            return new DataFile(path, bytes, modified, rows, partitions, true);
        }
    }

    /** A file that is being written. Closing it before {@link #end} removes it. */
    interface TableFile extends Closeable {
        OutputStream out();

        /** Ends it: its bytes are as safe as its file system makes them. */
        DataFile end(long rows, List<String> partitions) throws IOException;
    }

    /**
     * Looks at the newest version. A table that is not there is made by the first {@link #append}.
     *
     * @throws RefusedException if its columns are others, or it is of a kind that cannot be written to
     * @throws LostException    if another try may help
     */
    Shape open() throws IOException;

    /** Whether the table has an epoch of an outbox. */
    Marker marker(String outbox, long epoch) throws IOException;

    /**
     * What a partition with a transform makes of a value of its column, as a text.
     *
     * @param partition of the last {@link #open}
     * @param value     Boolean, Integer (also days since 1970), Long (also microseconds since 1970), String or byte[]
     */
    default String transformed(int partition, Object value) {
        throw new UnsupportedOperationException("this table has values of columns alone");
    }

    /** A new file for it. @param name that no other file has */
    TableFile create(String name) throws IOException;

    /** These files will not be taken in. What is kept of them elsewhere than in the table may go. */
    default void drop(List<DataFile> files) {
        // a file that no version names is nothing to readers
    }

    /**
     * Takes files in, in one version, with the epoch's marker.
     *
     * @param outbox null for files without a marker
     * @throws LostException    if nobody knows whether they are in; the marker tells. Without one, they may be in
     * @throws RefusedException as of {@link #open}
     */
    void append(String outbox, long epoch, List<DataFile> files) throws IOException;
}
