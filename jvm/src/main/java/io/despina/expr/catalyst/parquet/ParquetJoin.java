package io.despina.expr.catalyst.parquet;

import io.despina.expr.StoredFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
    public static void join(List<StoredFile> files, OutputStream out) throws IOException {
        FileMetaData first;
        try (ParquetFileReader reader = ParquetFileReader.open(new Content(files.get(0)))) {
            first = reader.getFileMetaData();
        }
        ParquetFileWriter writer = new ParquetFileWriter(new ForwardFile(out), first.getSchema(), ParquetFileWriter.Mode.CREATE,
                ParquetWriter.DEFAULT_BLOCK_SIZE, 0, null, ParquetProperties.builder().build());
        writer.start();
        for (StoredFile file : files) {
            writer.appendFile(new Content(file));
        }
        writer.end(first.getKeyValueMetaData());
    }

    private record Content(StoredFile file) implements InputFile {
        @Override
        public long getLength() throws IOException {
            return file.length();
        }

        @Override
        public SeekableInputStream newStream() {
            return new Position(new Reading(file));
        }
    }

    private static final class Position extends DelegatingSeekableInputStream {
        private final Reading reading;

        Position(Reading reading) {
            super(reading);
            this.reading = reading;
        }

        @Override
        public long getPos() {
            return reading.at;
        }

        @Override
        public void seek(long position) throws IOException {
            reading.seek(position);
        }
    }

    /** Opens the file again to go back, which happens a few times for each. */
    private static final class Reading extends InputStream {
        private final StoredFile file;
        /** Null before it is opened. */
        private InputStream in;
        private long at;

        Reading(StoredFile file) {
            this.file = file;
        }

        private InputStream in() throws IOException {
            if (in == null) {
                in = file.open();
                at = 0;
            }
            return in;
        }

        void seek(long position) throws IOException {
            if (position < at) {
                close();
            }
            in().skipNBytes(position - at);
            at = position;
        }

        @Override
        public int read() throws IOException {
            int one = in().read();
            at += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public int read(byte[] to, int from, int most) throws IOException {
            int length = in().read(to, from, most);
            at += Math.max(0, length);
            return length;
        }

        @Override
        public void close() throws IOException {
            if (in != null) {
                in.close();
                in = null;
                at = 0;
            }
        }
    }
}
