package io.despina.connect;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A file of this machine that is being written for a table. */
public final class LocalTableFile implements LakeTable.TableFile {
    private final Path file;
    private final String name;
    private final Words words;
    private final FileChannel channel;
    private final OutputStream out;
    private boolean ended;

    /** What has gone wrong, in words that name the table. */
    public interface Words {
        IOException of(IOException why);
    }

    /**
     * Makes the file, and the folders above it.
     *
     * @param name as the table knows it
     */
    public LocalTableFile(Path file, String name, Words words) throws IOException {
        this.file = file;
        this.name = name;
        this.words = words;
        try {
            Files.createDirectories(file.getParent());
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException why) {
            throw words.of(why);
        }
        out = new Telling(Channels.newOutputStream(channel));
    }

    @Override
    public OutputStream out() {
        return out;
    }

    @Override
    public LakeTable.DataFile end(long rows, List<String> partitions) throws IOException {
        try {
            channel.force(true);
            channel.close();
            ended = true;
            return new LakeTable.DataFile(name, Files.size(file), Files.getLastModifiedTime(file).toMillis(), rows, partitions);
        } catch (IOException why) {
            throw words.of(why);
        }
    }

    @Override
    public void close() throws IOException {
        if (!ended) {
            channel.close();
            Files.deleteIfExists(file);
        }
    }

    /** Says which table cannot be written to. */
    private final class Telling extends OutputStream {
        private final OutputStream to;

        Telling(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                to.write(bytes, from, length);
            } catch (IOException why) {
                throw words.of(why);
            }
        }
    }
}
