package io.despina.operator.sink.file;

import io.despina.expr.Expressions;
import io.despina.expr.StoredFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A file that is made of those of several epochs. What follows each other is one text, also if it is packed; of parquet files the
 * groups of rows are copied as they are.
 */
final class JoinedFile {
    private static final int COPY_BYTES = 1 << 16;

    private final OutputDisk disk;
    private final boolean isText;

    JoinedFile(OutputOptions options) {
        disk = options.disk();
        isText = options.isText();
    }

    void write(List<Path> pieces, Path whole) throws IOException {
        OutputDisk.Writing file = disk.create(whole);
        Appending out = new Appending(file);
        try {
            if (isText) {
                for (Path piece : pieces) {
                    copy(piece, out);
                }
            } else {
                Expressions.joinParquet(pieces.stream().map(this::stored).toList(), out);
            }
        } finally {
            file.close(out.written);
        }
    }

    private void copy(Path piece, OutputStream out) throws IOException {
        byte[] block = new byte[COPY_BYTES];
        try (InputStream in = disk.open(piece)) {
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
