package io.despina.operator.source.file;

import io.despina.operator.source.csv.CsvDialect;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The lines of one file that are records. Skips CSV headers, comments and blank lines as Spark does. */
final class FileLines implements RecordView, Closeable {

    /**
     * How lines are found.
     *
     * @param dialect   null if every line is a record
     * @param separator null for LF, CR LF and CR
     * @param growth    whether the file may grow
     * @param header    reads a file's header if the dialect has one
     * @param byHeader  the header says how lines are read, so it is read first, wherever reading resumes
     */
    record Options(CsvDialect dialect, byte[] separator, LineBlocks.Growth growth, Header header, boolean byHeader) {
    }

    interface Header {
        /**
         * Refuses the header, the line found last, if it does not fit the schema.
         *
         * @return how the lines behind it are read
         */
        RecordReader reader(FileLines header) throws IOException;
    }

    /** A place between two lines, and whether the header is before it. */
    record Place(LineBlocks.Place line, boolean headerRead) {
        static final Place START = new Place(LineBlocks.Place.START, false);
    }

    private static final int HEADER_BYTES = 1 << 12;

    private final CsvDialect dialect;
    private final LineBlocks blocks;
    private final Header header;
    private boolean headerRead;
    private boolean headerReadBefore;
    /** Null before the header is read, and without a header. */
    private RecordReader reader;

    /** @param blockBytes how much is read at a time, at least */
    FileLines(Path path, Place from, Options options, int blockBytes) throws IOException {
        dialect = options.dialect;
        reader = from.headerRead && options.byHeader ? readerOf(path, options) : null;
        blocks = new LineBlocks(path, from.line, new LineBlocks.Options(options.separator, options.growth, blockBytes));
        header = options.header;
        headerRead = from.headerRead;
        headerReadBefore = headerRead;
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

    /** Finds the next record's line; false at the end of the file, which may be temporary if the file is followed. */
    boolean next() throws IOException {
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
        if (dialect.header() && !headerRead) {
            reader = header.reader(this);
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

    int length() {
        return blocks.end() - blocks.start();
    }

    @Override
    public String where() {
        return blocks.path() + ":" + blocks.line();
    }

    /** Before the line found last. */
    Place lineStart() {
        return new Place(blocks.lineStart(), headerReadBefore);
    }

    /** Before the next line. */
    Place place() {
        return new Place(blocks.place(), headerRead);
    }

    void rename(Path to) {
        blocks.rename(to);
    }

    /** The file grows no more: the text after its last line end is a line. */
    void leave() {
        blocks.leave();
    }

    /** Restarts a followed file at its first byte. */
    void restart() throws IOException {
        blocks.restart();
        headerRead = false;
        headerReadBefore = false;
    }

    /** Memory that it holds. */
    long heldBytes() {
        return blocks.heldBytes();
    }

    @Override
    public void close() throws IOException {
        blocks.close();
    }
}
