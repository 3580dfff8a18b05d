package io.despina.expr.catalyst.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Makes one parquet file of several. Groups of rows are copied as they are, and nothing is unpacked. */
public final class ParquetJoin {
    private ParquetJoin() {
    }

    /**
     * All have one schema, which is the first one's.
     *
     * @param out gets the bytes; it stays open
     */
    public static void join(List<byte[]> files, OutputStream out) throws IOException {
        FileMetaData first;
        try (ParquetFileReader reader = ParquetFileReader.open(new Content(files.get(0)))) {
            first = reader.getFileMetaData();
        }
        ParquetFileWriter writer = new ParquetFileWriter(new ForwardFile(out), first.getSchema(), ParquetFileWriter.Mode.CREATE,
                ParquetWriter.DEFAULT_BLOCK_SIZE, 0, null, ParquetProperties.builder().build());
        writer.start();
        for (byte[] file : files) {
            writer.appendFile(new Content(file));
        }
        writer.end(first.getKeyValueMetaData());
    }

    /** A file in memory. */
    private record Content(byte[] bytes) implements InputFile {
        @Override
        public long getLength() {
            return bytes.length;
        }

        @Override
        public SeekableInputStream newStream() {
            return new Position(ByteBuffer.wrap(bytes));
        }
    }

    private static final class Position extends DelegatingSeekableInputStream {
        private final ByteBuffer bytes;

        Position(ByteBuffer bytes) {
            super(new InputStream() {
                @Override
                public int read() {
                    return bytes.hasRemaining() ? bytes.get() & 0xFF : -1;
                }

                @Override
                public int read(byte[] to, int from, int most) {
                    int length = Math.min(most, bytes.remaining());
                    bytes.get(to, from, length);
                    return length == 0 && most > 0 ? -1 : length;
                }
            });
            this.bytes = bytes;
        }

        @Override
        public long getPos() {
            return bytes.position();
        }

        @Override
        public void seek(long position) {
            bytes.position((int) position);
        }
    }
}
