package io.despina.operator.source.file;

import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The rows of a parquet file. A place in it is the number of rows before it. The file does not grow. */
final class RowRecords implements FileRecords {

    private static final int BYTES_PER_COLUMN = 8;

    private Path path;
    private final int length;
    /** Open to the end, so that no other file gets this one's identity while it is followed; null if it cannot be followed. */
    private final FileChannel kept;
    /** Null when all rows are read. */
    private FileRows rows;
    private long row;

    RowRecords(Path path, long from, FileRows.Options options) throws IOException {
        this.path = path;
        length = BYTES_PER_COLUMN * options.schema().size();
        InputFiles.refuseSpecial(path);
        rows = Expressions.parquet(FileAddress.uri(path), options, from);
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
        rows.write(out);
        return true;
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        rows.write(scratch.writer());
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
    public void leave() {
        // it ends where it ends, followed or not
    }

    @Override
    public void restart() {
        throw new IllegalStateException("a file of rows does not grow");
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
