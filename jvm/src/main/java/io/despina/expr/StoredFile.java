package io.despina.expr;

import java.io.IOException;
import java.io.InputStream;

/** A file that is read piece by piece, wherever it lies. */
public interface StoredFile {

    long length() throws IOException;

    /** Its bytes from the first on. A skip moves on without reading, where the file system can. */
    InputStream open() throws IOException;
}
