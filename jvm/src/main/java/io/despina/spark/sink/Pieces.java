package io.despina.spark.sink;

import io.despina.expr.catalyst.row.RowPackets;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;

/** Spark's rows as packets, in pieces of about 256 KB; a larger packet is a piece of its own. One thread. */
final class Pieces implements PacketWriter.Regions {
    private static final int PIECE_BYTES = 1 << 18;

    private final RowPackets rows;
    private final PacketWriter writer;
    private int open;
    /** Null while no piece is full. */
    private byte[] full;
    private int inFull;

    /** @param ordinals by column of the packets, that of the rows */
    Pieces(Schema packets, int[] ordinals) {
        rows = new RowPackets(packets, ordinals);
        writer = new PacketWriter(packets.layout(), this);
    }

    /** @return whether a piece is full, which is to be taken before the next row */
    boolean add(InternalRow row) {
        rows.write(row, writer);
        open++;
        return full != null;
    }

    /** Makes a piece of the rows so far. */
    boolean cut() {
        if (writer.position() > 0) {
            full = Arrays.copyOf(writer.bytes(), writer.position());
            inFull = open;
            open = 0;
            writer.open(writer.bytes(), 0, writer.bytes().length);
        }
        return full != null;
    }

    /** Whether there are rows behind the full piece. */
    boolean isOpen() {
        return open > 0;
    }

    /** The number of rows in the full piece. */
    int rows() {
        return inFull;
    }

    /** The full piece. */
    byte[] take() {
        byte[] taken = full;
        full = null;
        return taken;
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        byte[] old = w.bytes();
        int finished = w.position();
        int size = Math.max(PIECE_BYTES, needed);
        w.move(new byte[size], 0, size);
        if (finished > 0) {
            full = Arrays.copyOf(old, finished);
            inFull = open;
            open = 0;
        }
    }
}
