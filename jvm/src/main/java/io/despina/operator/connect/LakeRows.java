package io.despina.operator.connect;

import io.despina.connect.LakeReader.GoneRows;
import io.despina.connect.LakeReader.VersionFile;
import io.despina.connect.LakeReader.VersionFiles;
import io.despina.expr.FileRows;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The rows of one file of a table, with what the table's log has of them. */
final class LakeRows implements Closeable {
    private final FileRows rows;
    /** Null if none is. */
    private final GoneRows gone;
    /** A row as the file has it. */
    private final ScratchPackets read;
    /** A row of the stream; null where that is the same. */
    private final ScratchPackets composed;
    /** The values of the partition columns. */
    private final Packet partitions;
    /** By column of the stream: the file's column; or -1 minus that of {@link #partitions}. */
    private final int[] origins;
    private long row;

    /** @param from how many rows to pass over */
    LakeRows(LakeSourceOptions options, VersionFiles version, VersionFile file, long from) throws IOException {
        Schema schema = options.schema();
        List<Column> own = new ArrayList<>();
        List<Column> given = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        origins = new int[schema.size()];
        for (int k = 0; k < origins.length; k++) {
            Column column = schema.column(k);
            if (version.partitions().contains(k)) {
                origins[k] = -1 - given.size();
                given.add(column);
                texts.add(file.values().get(k));
            } else {
                origins[k] = own.size();
                own.add(new Column(version.names().get(k), column.type(), true));
            }
        }
        Schema ofFile = new Schema(own);
        read = new ScratchPackets(ofFile);
        composed = given.isEmpty() ? null : new ScratchPackets(schema);
        partitions = given.isEmpty() ? null : PartitionTexts.packet(new Schema(given), texts);
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
                to.setColumn(k, partitions, -1 - origins[k]);
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
