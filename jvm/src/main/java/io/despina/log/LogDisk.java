package io.despina.log;

import java.io.IOException;
import java.util.List;

/** The folder of one log. What is created or deleted here lasts from {@link #force} on; what a file has, from its own. */
public interface LogDisk {

    /** Names of all files in it, in any order. */
    List<String> names() throws IOException;

    /** A new file. @throws java.nio.file.FileAlreadyExistsException if the name is taken */
    LogFile create(String name) throws IOException;

    /** A file that is there, to be read and forced. */
    LogFile open(String name) throws IOException;

    /** Gives a file another name, at once; a file that had it is gone. */
    void rename(String name, String to) throws IOException;

    /** Deletes a file, if it is there. */
    void delete(String name) throws IOException;

    /** Makes all names durable. */
    void force() throws IOException;

    /** Where a file is, for messages. */
    String place(String name);
}
