package io.despina.iceberg;

import io.despina.connect.RefusedException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/** Files of this machine. What is written is on the disk when it is closed. */
final class LocalFiles implements FileIO {
    private static final long serialVersionUID = 1L;
    private static final Pattern LOCAL = Pattern.compile("(?:file:)?(?://(?=/))?(/.*)");

    /** The file that a table names. */
    static Path path(String location) {
        Matcher local = LOCAL.matcher(location);
        if (!local.matches()) {
            throw new UncheckedIOException(new RefusedException("its file " + location + " is not on this machine: that is not "
                    + "read yet", null));
        }
        return Path.of(local.group(1));
    }

    @Override
    public InputFile newInputFile(String location) {
        return org.apache.iceberg.Files.localInput(path(location).toFile());
    }

    @Override
    public OutputFile newOutputFile(String location) {
        return new Forced(location);
    }

    @Override
    public void deleteFile(String location) {
        try {
            Files.deleteIfExists(path(location));
        } catch (IOException why) {
            throw new RuntimeIOException(why);
        }
    }

    /** Names of files are kept by the folder above them. */
    static void force(Path fileOrFolder) throws IOException {
        try (FileChannel channel = FileChannel.open(fileOrFolder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private record Forced(String location) implements OutputFile {

        @Override
        public PositionOutputStream create() {
            return open(StandardOpenOption.CREATE_NEW);
        }

        @Override
        public PositionOutputStream createOrOverwrite() {
            return open(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
        }

        private PositionOutputStream open(StandardOpenOption... how) {
            Path file = path(location);
            try {
                createFolder(file.getParent());
                StandardOpenOption[] options = Arrays.copyOf(how, how.length + 1);
                options[how.length] = StandardOpenOption.WRITE;
                return new ForcedStream(file.getParent(), FileChannel.open(file, options));
            } catch (IOException why) {
                throw new RuntimeIOException(why);
            }
        }

        private static void createFolder(Path folder) throws IOException {
            Path there = folder;
            while (!Files.isDirectory(there)) {
                there = there.getParent();
            }
            Files.createDirectories(folder);
            for (Path each = folder; !each.equals(there); each = each.getParent()) {
                force(each.getParent());
            }
        }

        @Override
        public InputFile toInputFile() {
            return org.apache.iceberg.Files.localInput(path(location).toFile());
        }
    }

    private static final class ForcedStream extends PositionOutputStream {
        private final Path folder;
        private final FileChannel channel;
        private final OutputStream out;
        private long written;

        ForcedStream(Path folder, FileChannel channel) {
            this.folder = folder;
            this.channel = channel;
            out = new BufferedOutputStream(Channels.newOutputStream(channel));
        }

        @Override
        public long getPos() {
            return written;
        }

        @Override
        public void write(int one) throws IOException {
            out.write(one);
            written++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            written += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (channel.isOpen()) {
                try (channel) {
                    out.flush();
                    channel.force(true);
                }
                LocalFiles.force(folder);
            }
        }
    }
}
