package io.despina.connect;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Says which files are in the versions of a table of files. The engine reads them. Calls come from one thread at a time, and may
 * block. They throw a {@link RefusedException} if the table cannot be read, or its columns are not those of the stream, and a
 * {@link LostException} if another try may help.
 */
public interface LakeReader extends Closeable {

    /**
     * Files of a version, in an order that is the same whenever it is asked.
     *
     * @param changes whether rows of earlier versions are gone, or have changed
     */
    record VersionFiles(List<VersionFile> files, boolean changes) {
        public VersionFiles {
            files = List.copyOf(files);
        }
    }

    /**
     * A file.
     *
     * @param path   on this machine
     * @param names  of the stream's columns in it
     * @param values of columns that it does not have, by ordinal, as texts; none is NULL
     * @param gone   loads which of its rows are gone; null if none is
     */
    record VersionFile(String path, Names names, Map<Integer, String> values, GoneRows.Stored gone) {
        public VersionFile {
            values = Collections.unmodifiableMap(new HashMap<>(values));
        }
    }

    /** Names of the stream's columns in a file. */
    interface Names {
        /**
         * One for each column; null if the file does not have it.
         *
         * @throws java.io.FileNotFoundException if the file is gone
         */
        List<String> load() throws IOException;
    }

    /** Rows of a file that its version does not have any more. */
    interface GoneRows {
        /** @param row from 0 */
        boolean has(long row);

        /** Reads which they are. */
        interface Stored {
            GoneRows load() throws IOException;
        }
    }

    /** The version with which a job begins: the one that the settings name, else the newest. */
    long first() throws IOException;

    /** Which table it is, as the last answer knew it: one that was dropped and made again under its name is another. */
    String identity();

    /** All files of a version. */
    VersionFiles all(long version) throws IOException;

    /** The files that a version has added to those of the one before; null if there is no such version yet. */
    VersionFiles added(long version) throws IOException;
}
