package io.despina.operator.connect;

import io.despina.connect.LakeReader.GoneRows;
import io.despina.connect.LakeReader.VersionFile;
import io.despina.expr.FileRows;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The rows of one file of a table, with what the table's log has of them. */
final class LakeRows implements Closeable {
    /** Of a file that has no column of the stream, rows are counted by one that is not there. */
    private static final Column NONE = new Column("despina_none", Simple.INT, true);

    private final FileRows rows;
    /** Null if none is. */
    private final GoneRows gone;
    /** A row as the file has it. */
    private final ScratchPackets read;
    /** A row of the stream; null where that is the same. */
    private final ScratchPackets composed;
    /** The values of columns that the file does not have. */
    private final Packet given;
    /** By column of the stream: the file's column; or -1 minus that of {@link #given}. */
    private final int[] origins;
    private long row;

    /** @param from how many rows to pass over */
    LakeRows(LakeSourceOptions options, VersionFile file, long from) throws IOException {
        Schema schema = options.schema();
        List<Column> own = new ArrayList<>();
        List<Column> absent = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        List<String> names = file.names().load();
        origins = new int[schema.size()];
        for (int k = 0; k < origins.length; k++) {
            Column column = schema.column(k);
            if (names.get(k) == null) {
                origins[k] = -1 - absent.size();
                absent.add(column);
                texts.add(file.values().get(k));
            } else {
                origins[k] = own.size();
                own.add(new Column(names.get(k), column.type(), true));
            }
        }
        if (own.isEmpty()) {
            own.add(NONE);
        }
        Schema ofFile = new Schema(own);
        read = new ScratchPackets(ofFile);
        composed = absent.isEmpty() ? null : new ScratchPackets(schema);
        given = absent.isEmpty() ? null : PartitionTexts.packet(new Schema(absent), texts);
        gone = file.gone() == null ? null : file.gone().load();
        rows = options.files().open(Path.of(file.path()), ofFile, from);
        row = from;
    }

    /** Goes to the next row of the file; false at its end. */
    boolean next() throws IOException {
        boolean found = rows.next();
        row += found ? 1 : 0;
        return found;
    }

    /** How many rows of the file have been passed. */
    long row() {
        return row;
    }

    /** The row, until the next call; null if it is gone. */
    Packet packet() {
        if (gone != null && gone.has(row - 1)) {
            return null;
        }
        read.clear();
        rows.write(read.writer());
        Packet found = read.next();
        return composed == null ? found : compose(found);
    }

    private Packet compose(Packet found) {
        composed.clear();
        PacketWriter to = composed.writer().begin();
        for (int k = 0; k < origins.length; k++) {
            if (origins[k] < 0) {
                to.setColumn(k, given, -1 - origins[k]);
            } else {
                to.setColumn(k, found, origins[k]);
            }
        }
        to.commit();
        return composed.next();
    }

    long heldBytes() {
        return rows.heldBytes() + read.bytes() + (composed == null ? 0 : composed.bytes());
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
