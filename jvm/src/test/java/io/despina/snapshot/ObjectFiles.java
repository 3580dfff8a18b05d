package io.despina.snapshot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Files of this machine as S3's client shows objects: {@code objects://bucket/folder}. One is there when its stream is closed.
 * A plain create looks first whether there is one, and overwrites then what has come meanwhile; one with the condition does not.
 */
public final class ObjectFiles extends RawLocalFileSystem {
    public static final String ADDRESS = "objects://bucket";
    private static final URI BUCKET = URI.create(ADDRESS);
    private static final String OPTION = "fs.option.create.conditional.overwrite";

    /** What the store does about conditions. */
    public enum Condition {
        KEPT, IGNORED, UNKNOWN
    }

    /** What others do before a file is there. */
    public interface Others {
        void act(Path file) throws IOException;
    }

    /** Of all, since Hadoop makes them. Of one test at a time. */
    private static volatile Condition condition = Condition.KEPT;
    private static volatile Others others = file -> { };
    /** How many bytes of an object there is room for. */
    private static volatile int room = Integer.MAX_VALUE;

    /** The name tells it, as that of S3's client does. */
    private static final class RemoteFileChangedException extends PathIOException {
        private static final long serialVersionUID = 1L;

        RemoteFileChangedException(Path file) {
            super(file.toString(), "412");
        }
    }

    public static void are(Condition kept, Others meanwhile) {
        condition = kept;
        others = meanwhile;
    }

    /** Of the next objects, until {@link Integer#MAX_VALUE} is said. */
    public static void haveRoomFor(int bytes) {
        room = bytes;
    }

    @Override
    public String getScheme() {
        return BUCKET.getScheme();
    }

    @Override
    public URI getUri() {
        return BUCKET;
    }

    @Override
    public void initialize(URI uri, Configuration settings) throws IOException {
        super.initialize(BUCKET, settings);
    }

    /** Without what only files of this machine have. */
    private FileStatus plain(FileStatus of) {
        return new FileStatus(of.getLen(), of.isDirectory(), 1, of.getBlockSize(), of.getModificationTime(), of.getPath());
    }

    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
        return plain(super.getFileStatus(file));
    }

    @Override
    public FileStatus[] listStatus(Path folder) throws IOException {
        return Stream.of(super.listStatus(folder)).map(this::plain).toArray(FileStatus[]::new);
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        return capability.equals(OPTION) ? condition != Condition.UNKNOWN : super.hasPathCapability(path, capability);
    }

    @Override
    public FSDataOutputStream create(Path file, FsPermission permission, boolean overwrite, int buffer, short replication,
            long block, Progressable progress) throws IOException {
        if (!overwrite && exists(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        return written(file, false);
    }

    @Override
    public FSDataOutputStreamBuilder<?, ?> createFile(Path file) {
        return new Builder(file);
    }

    private final class Builder extends FSDataOutputStreamBuilder<FSDataOutputStream, Builder> {
        Builder(Path file) {
            super(ObjectFiles.this, file);
        }

        @Override
        public Builder getThisBuilder() {
            return this;
        }

        @Override
        public FSDataOutputStream build() throws IOException {
            return written(getPath(), getMandatoryKeys().contains(OPTION));
        }
    }

    private FSDataOutputStream written(Path file, boolean conditional) {
        return new FSDataOutputStream(new Written(file, conditional), null);
    }

    private final class Written extends ByteArrayOutputStream implements Abortable {
        private final Path file;
        private final boolean conditional;
        private boolean closed;

        Written(Path file, boolean conditional) {
            this.file = file;
            this.conditional = conditional;
        }

        /** Takes as much as there is room for. It throws no checked exceptions in a stream of bytes. */
        @Override
        public void write(byte[] from, int start, int length) {
            int taken = Math.min(length, room - size());
            super.write(from, start, taken);
            if (taken < length) {
                throw new UncheckedIOException(new IOException("no room"));
            }
        }

        @Override
        public AbortableResult abort() {
            closed = true;
            return null;
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            others.act(file);
            if (conditional && condition == Condition.KEPT && exists(file)) {
                throw new RemoteFileChangedException(file);
            }
            java.nio.file.Path path = pathToFile(file).toPath();
            Files.createDirectories(path.getParent());
            Files.write(path, toByteArray());
        }
    }
}
