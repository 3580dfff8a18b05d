package io.despina.operator.source.file;

import io.despina.descriptor.Place;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordReader;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.record.csv.CsvDialect;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.nio.file.Path;

/** The lines of one file that are records. Skips CSV headers, comments and blank lines as Spark does. */
final class FileLines implements FileRecords, RecordView {

    /**
     * How lines are found.
     *
     * @param dialect   null if every line is a record
     * @param separator null for LF, CR LF and CR
     * @param growth    whether the file may grow
     * @param bytes     opens the file
     * @param decoder   reads headers and lines
     * @param byHeader  the header says how lines are read, so it is read first, wherever reading resumes
     */
    record Options(CsvDialect dialect, byte[] separator, LineBlocks.Growth growth, FileInput.Opener bytes, RecordDecoder decoder,
            boolean byHeader) {
    }

    private static final int HEADER_BYTES = 1 << 12;

    private final CsvDialect dialect;
    private final LineBlocks blocks;
    private final RecordDecoder decoder;
    private boolean headerRead;
    private boolean headerReadBefore;
    /** Whether a header or a record was found, and whether the line found last is the first of these. */
    private boolean parsed;
    private boolean first;
    /** Null before the header is read, and without a header. */
    private RecordReader reader;

    /** @param blockBytes how much is read at a time, at least */
    FileLines(Path path, Place from, Options options, int blockBytes) throws IOException {
        dialect = options.dialect;
        reader = from.headerRead() && options.byHeader ? readerOf(path, options) : null;
        blocks = new LineBlocks(path, from.line(),
                new LineBlocks.Options(options.separator, options.growth, options.bytes, blockBytes));
        decoder = options.decoder;
        headerRead = from.headerRead();
        headerReadBefore = headerRead;
        parsed = from.line().offset() > 0;
    }

    /** For a file that is not read from its beginning. */
    private static RecordReader readerOf(Path path, Options options) throws IOException {
        try (FileLines fromStart = new FileLines(path, Place.START, options, HEADER_BYTES)) {
            fromStart.next();
            return fromStart.reader;
        }
    }

    /** Of the line found last; null if it does not depend on a header. */
    @Override
    public RecordReader reader() {
        return reader;
    }

    @Override
    public boolean next() throws IOException {
        while (blocks.next()) {
            headerReadBefore = headerRead;
            if (isRecord()) {
                return true;
            }
        }
        return false;
    }

    private boolean isRecord() throws IOException {
        if (dialect == null) {
            return true;
        }
        if (dialect.skips(blocks.bytes(), blocks.start(), blocks.end())) {
            return false;
        }
        first = !parsed;
        parsed = true;
        if (dialect.header() && !headerRead) {
            reader = decoder.reader(this);
            headerRead = true;
            return false;
        }
        return true;
    }

    @Override
    public byte[] bytes() {
        return blocks.bytes();
    }

    @Override
    public int start() {
        return blocks.start();
    }

    @Override
    public int end() {
        return blocks.end();
    }

    @Override
    public boolean isFirst() {
        return first;
    }

    @Override
    public int length() {
        return blocks.end() - blocks.start();
    }

    @Override
    public String where() {
        return FileAddress.text(blocks.path()) + ":" + blocks.line();
    }

    @Override
    public Place lineStart() {
        return new Place(blocks.lineStart(), headerReadBefore);
    }

    @Override
    public Place place() {
        return new Place(blocks.place(), headerRead);
    }

    @Override
    public boolean isRead() {
        return blocks.isRead();
    }

    @Override
    public void rename(Path to) {
        blocks.rename(to);
    }

    @Override
    public void leave() {
        blocks.leave();
    }

    @Override
    public void restart() throws IOException {
        blocks.restart();
        headerRead = false;
        headerReadBefore = false;
        parsed = false;
    }

    @Override
    public long heldBytes() {
        return blocks.heldBytes();
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        return decoder.decodeInto(this, out, watermarks);
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        decoder.decode(this, scratch);
    }

    @Override
    public void close() throws IOException {
        blocks.close();
    }
}
