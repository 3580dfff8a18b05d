package io.despina.delta;

import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes versions of tables of this machine. Hadoop looks whether a version is there, and renames then; of two processes that do
 * so at once, one would lose its version. A link is made by one of them.
 */
final class LocalJson implements JsonHandler {
    private final JsonHandler others;

    LocalJson(JsonHandler others) {
        this.others = others;
    }

    @Override
    public ColumnarBatch parseJson(ColumnVector text, StructType schema, Optional<ColumnVector> selected) {
        return others.parseJson(text, schema, selected);
    }

    @Override
    public CloseableIterator<ColumnarBatch> readJsonFiles(CloseableIterator<FileStatus> files, StructType schema,
            Optional<Predicate> predicate) throws IOException {
        return others.readJsonFiles(files, schema, predicate);
    }

    @Override
    public void writeJsonFileAtomically(String file, CloseableIterator<Row> rows, boolean overwrite) throws IOException {
        if (overwrite) {
            others.writeJsonFileAtomically(file, rows, true);
            return;
        }
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
