package io.despina.delta;

import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.utils.CloseableIterator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Writes versions of tables of this machine. Hadoop looks whether a version is there, and renames then; of two processes that do
 * so at once, one would lose its version. A link is made by one of them.
 */
final class LocalJson extends VersionJson {
    LocalJson(JsonHandler others) {
        super(others);
    }

    @Override
    void write(String file, CloseableIterator<Row> rows) throws IOException {
        Path target = local(file);
        Path written = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(written, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE); rows) {
                while (rows.hasNext()) {
                    byte[] line = (JsonUtils.rowToJson(rows.next()) + "\n").getBytes(StandardCharsets.UTF_8);
                    ByteBuffer bytes = ByteBuffer.wrap(line);
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                }
                channel.force(true);
            }
            Files.createLink(target, written);
            force(target.getParent().getParent());      // names of files and folders are kept by the folders above
            force(target.getParent());
        } finally {
            Files.deleteIfExists(written);
        }
    }

    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The file of this machine that a path of the kernel's names. */
    static Path local(String file) {
        return Path.of(new org.apache.hadoop.fs.Path(file).toUri().getPath());
    }
}
