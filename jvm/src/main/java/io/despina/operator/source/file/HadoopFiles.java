package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.HadoopFileSystem;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/** Finds and reads files of Hadoop's file systems. Loaded only where a source reads such files. */
public final class HadoopFiles implements FileTree<FileStatus>, Closeable {
    private final FileSystem files;

    /**
     * @param uri     of a file, a folder or a glob there
     * @param options of the source; those whose names begin with {@code fs.} are Hadoop's, as on Spark
     */
    HadoopFiles(String uri, Map<String, String> options) throws IOException {
        this(HadoopFileSystem.open(uri, options));
    }

    /** @param files {@link #close} closes it */
    public HadoopFiles(FileSystem files) {
        this.files = files;
    }

    private static org.apache.hadoop.fs.Path hadoop(String uri) {
        return new org.apache.hadoop.fs.Path(uri);
    }

    @Override
    public String name(FileStatus file) {
        return file.getPath().getName();
    }

    @Override
    public boolean isFile(FileStatus file) {
        return file.isFile();
    }

    @Override
    public boolean isFolder(FileStatus file) {
        return file.isDirectory();
    }

    @Override
    public void entries(FileStatus folder, Taker<FileStatus> taker) throws IOException {
        RemoteIterator<LocatedFileStatus> entries = files.listLocatedStatus(folder.getPath());
        while (entries.hasNext()) {
            taker.take(entries.next());
        }
    }

    /** The files of a file's, a folder's or a glob's URI, by path, as {@link #found} finds them. */
    List<Path> list(String uri) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (FileStatus file : found(uri)) {
            paths.add(Path.of(file.getPath().toString()));
        }
        paths.sort(null);
        return paths;
    }

    /** A text for each of them, which is another if the file has another size or time of modification. */
    List<String> marks(String uri) throws IOException {
        List<String> marks = new ArrayList<>();
        for (FileStatus file : found(uri)) {
            marks.add(file.getPath() + " " + file.getLen() + " " + file.getModificationTime());
        }
        marks.sort(null);
        return marks;
    }

    /**
     * The files of a file's, a folder's or a glob's URI. A path that exists is no glob. {@link FileTree} says which files of a
     * folder they are.
     *
     * @throws FileNotFoundException if there is none, in words for the user
     */
    public Collection<FileStatus> found(String uri) throws IOException {
        Map<org.apache.hadoop.fs.Path, FileStatus> found = new LinkedHashMap<>();
        Taker<FileStatus> taker = file -> found.put(file.getPath(), file);
        if (files.exists(hadoop(uri))) {
            FileStatus named = files.getFileStatus(hadoop(uri));
            if (named.isDirectory()) {
                ofFolder(named, taker);
            } else {
                taker.take(named);
            }
        } else {
            FileStatus[] matches = files.globStatus(hadoop(uri));
            for (FileStatus match : matches == null ? new FileStatus[0] : matches) {
                ofMatch(match, taker);
            }
        }
        if (found.isEmpty()) {
            throw new FileNotFoundException("no file at " + uri + "; check `path`");
        }
        return found.values();
    }

    /** The folder of a path, or for a glob the last one before the pattern. Folders below it may give their files columns. */
    public Path base(String uri) throws IOException {
        if (!files.exists(hadoop(uri))) {
            return InputFiles.fixed(uri);
        }
        Path path = Path.of(uri);
        return files.getFileStatus(hadoop(uri)).isDirectory() ? path : path.getParent();
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
