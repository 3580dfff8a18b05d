package io.despina.operator.disk;

import java.io.FileNotFoundException;
import java.nio.file.Path;

/** The file or folder that a source reads does not exist. */
public final class MissingFileException extends FileNotFoundException {
    private static final long serialVersionUID = 1L;
    private final transient Path path;

    /** @param advice what follows the path in the message */
    public MissingFileException(Path path, String advice) {
        super("no such file or folder: " + path + advice);
        this.path = path;
    }

    public Path path() {
        return path;
    }
}
