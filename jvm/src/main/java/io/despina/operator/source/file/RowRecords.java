package io.despina.operator.source.file;

import io.despina.expr.FileRows;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The rows of a file of parquet or XML. A place in it is the number of rows before it. The file does not grow. */
final class RowRecords implements FileRecords {

    /** Opens a file. */
    interface RowsOpener {
        /** @param from how many rows to pass over */
        FileRows open(Path path, long from) throws IOException;
    }

    /** @param bad takes what is no row, without its bytes */
    record Options(int columns, RowsOpener rows, RecordDecoder.BadRecords bad) {
    }

    private static final int BYTES_PER_COLUMN = 8;

    private Path path;
    private final int length;
    private final RecordDecoder.BadRecords bad;
    /** Open to the end, so that no other file gets this one's identity while it is followed; null if it cannot be followed. */
    private final FileChannel kept;
    /** Null when all rows are read. */
    private FileRows rows;
    private long row;

    RowRecords(Path path, long from, Options options) throws IOException {
        this.path = path;
        length = BYTES_PER_COLUMN * options.columns();
        bad = options.bad();
        InputFiles.refuseSpecial(path);
        rows = options.rows().open(path, from);
        row = from;
        kept = FileAddress.isHadoops(path) ? null : FileChannel.open(path);
    }

    @Override
    public boolean next() throws IOException {
        if (rows == null) {
            return false;
        }
        if (rows.next()) {
            row++;
            return true;
        }
        rows.close();
        rows = null;
        return false;
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        if (watermarks != null) {
            return false;
        }
        write(out);
        return true;
    }

    private void write(PacketWriter out) throws Exception {
        String problem = rows.problem();
        if (problem == null) {
            rows.write(out);
        } else {
            bad.take(where() + ": " + problem, "");
        }
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        write(scratch.writer());
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public String where() {
        return FileAddress.text(path) + ":" + row;
    }

    @Override
    public FileRecords.Place lineStart() {
        return place(row - 1);
    }

    @Override
    public FileRecords.Place place() {
        return place(row);
    }

    private static FileRecords.Place place(long row) {
        return new FileRecords.Place(new LineBlocks.Place(row, row), false);
    }

    @Override
    public boolean isRead() {
        return rows == null;
    }

    @Override
    public void rename(Path to) {
        path = to;
    }

    @Override
    public long heldBytes() {
        return rows == null ? 0 : rows.heldBytes();
    }

    @Override
    public void close() throws IOException {
        try (kept) {
            if (rows != null) {
                rows.close();
            }
        }
    }
}
