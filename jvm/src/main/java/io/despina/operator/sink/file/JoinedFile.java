package io.despina.operator.sink.file;

import io.despina.expr.Expressions;
import io.despina.expr.StoredFile;
import io.despina.operator.record.avro.AvroContainer;
import io.despina.operator.record.avro.AvroException;
import io.despina.spec.FileFormat;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A file that is made of those of several epochs. What follows each other is one text, also if it is packed; of parquet files the
 * groups of rows are copied as they are, of avro files the blocks, and documents get one root.
 */
final class JoinedFile {
    private static final int COPY_BYTES = 1 << 16;

    private final OutputDisk disk;
    private final OutputOptions options;

    JoinedFile(OutputOptions options) {
        disk = options.disk();
        this.options = options;
    }

    void write(List<Path> pieces, Path whole) throws IOException {
        OutputDisk.Writing file = disk.create(whole);
        Appending out = new Appending(file);
        try {
            if (options.is(FileFormat.PARQUET)) {
                Expressions.joinParquet(pieces.stream().map(this::stored).toList(), out);
            } else if (options.is(FileFormat.XML)) {
                joinDocuments(pieces, out);
            } else {
                AvroContainer first = options.is(FileFormat.AVRO) ? container(pieces.get(0)) : null;
                for (Path piece : pieces) {
                    copy(piece, first == null || piece == pieces.get(0) ? 0 : head(piece, first), out);
                }
            }
        } finally {
            file.close(out.written);
        }
    }

    /** Packed ones are unpacked, and packed again. */
    private void joinDocuments(List<Path> pieces, OutputStream out) throws IOException {
        OutputStream whole = options.codec() == null ? out
                : options.codec().packer(new BufferedOutputStream(out, COPY_BYTES));    // some write single bytes
        JoinedDocuments joined = new JoinedDocuments(whole);
        for (Path piece : pieces) {
            try (InputStream in = disk.open(piece);
                    InputStream text = options.codec() == null ? in : options.codec().unpacked(in, COPY_BYTES)) {
                joined.add(text, piece == pieces.get(pieces.size() - 1));
            } catch (IOException why) {
                throw why instanceof FileSystemException ? why : new IOException(disk.text(piece) + ": " + why.getMessage(), why);
            }
        }
        if (options.codec() != null) {
            whole.close();
        }
    }

    /** The bytes before the first block, which may stand in the file of another piece. */
    private int head(Path piece, AvroContainer first) throws IOException {
        AvroContainer container = container(piece);
        if (!first.takesBlocksOf(container)) {
            throw new IOException(disk.text(piece) + " has records of another schema than the epochs before it, or they are"
                    + " packed otherwise, so they cannot be one file");
        }
        return container.length();
    }

    private AvroContainer container(Path piece) throws IOException {
        try {
            return AvroContainer.read(count -> {
                try (InputStream in = disk.open(piece)) {
                    return in.readNBytes(count);
                }
            });
        } catch (AvroException why) {
            throw new IOException(disk.text(piece) + ": " + why.getMessage(), why);
        }
    }

    private void copy(Path piece, int from, OutputStream out) throws IOException {
        byte[] block = new byte[COPY_BYTES];
        try (InputStream in = disk.open(piece)) {
            in.skipNBytes(from);
            for (int read = in.read(block); read > 0; read = in.read(block)) {
                out.write(block, 0, read);
            }
        }
    }

    /** The piece that ends a file has all rows of its epoch, which may be more than the memory holds. */
    private StoredFile stored(Path piece) {
        return new StoredFile() {
            @Override
            public long length() throws IOException {
                return disk.size(piece);
            }

            @Override
            public InputStream open() throws IOException {
                return disk.open(piece);
            }
        };
    }

    private static final class Appending extends OutputStream {
        private final OutputDisk.Writing file;
        private long written;

        Appending(OutputDisk.Writing file) {
            this.file = file;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            byte[] whole = from == 0 ? bytes : Arrays.copyOfRange(bytes, from, from + length);
            file.write(whole, length, written);
            written += length;
        }
    }
}
