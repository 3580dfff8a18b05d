package io.despina.operator.source.file;

import io.despina.operator.FileAddress;
import io.despina.operator.HadoopFileSystem;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** Reads files of Hadoop's file systems. Loaded only where a source reads such files. */
final class HadoopFiles implements Closeable {
    private final FileSystem files;

    /**
     * @param uri     of a file, a folder or a glob there
     * @param options of the source; those whose names begin with {@code fs.} are Hadoop's, as on Spark
     */
    HadoopFiles(String uri, Map<String, String> options) throws IOException {
        files = HadoopFileSystem.open(uri, options);
    }

    private static org.apache.hadoop.fs.Path hadoop(String uri) {
        return new org.apache.hadoop.fs.Path(uri);
    }

    /**
     * The files of a file's, a folder's or a glob's URI, by path. Names that begin with {@code .} or {@code _} are skipped in
     * folders and globs.
     *
     * @throws FileNotFoundException if there is none, in words for the user
     */
    List<Path> list(String uri) throws IOException {
        List<Path> found = new ArrayList<>();
        for (FileStatus file : files(uri)) {
            found.add(Path.of(file.getPath().toString()));
        }
        found.sort(null);
        return found;
    }

    /** A text for each of them, which is another if the file has another size or time of modification. */
    List<String> marks(String uri) throws IOException {
        List<String> found = new ArrayList<>();
        for (FileStatus file : files(uri)) {
            found.add(file.getPath() + " " + file.getLen() + " " + file.getModificationTime());
        }
        found.sort(null);
        return found;
    }

    private List<FileStatus> files(String uri) throws IOException {
        FileStatus[] matches = files.exists(hadoop(uri)) ? new FileStatus[] {files.getFileStatus(hadoop(uri))}
                : files.globStatus(hadoop(uri), path -> counts(path.getName()));
        List<FileStatus> found = new ArrayList<>();
        for (FileStatus match : matches == null ? new FileStatus[0] : matches) {
            if (match.isFile()) {
                found.add(match);
                continue;
            }
            for (FileStatus entry : files.listStatus(match.getPath())) {
                if (entry.isFile() && counts(entry.getPath().getName())) {
                    found.add(entry);
                }
            }
        }
        if (found.isEmpty()) {
            throw new FileNotFoundException("no file at " + uri + "; check `path`");
        }
        return found;
    }

    private static boolean counts(String name) {
        return !name.startsWith(".") && !name.startsWith("_");
    }

    /** Opens a file that {@link #list} has found. */
    InputStream open(Path file) throws IOException {
        String uri = FileAddress.uri(file);
        try {
            return files.open(hadoop(uri));
        } catch (FileNotFoundException gone) {
            throw new FileNotFoundException("no such file: " + uri);
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
