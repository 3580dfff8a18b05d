package io.despina.operator.connect;

import io.despina.connect.LakeTable;
import io.despina.connect.LakeTable.DataFile;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.record.NewestRows;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.ScratchPacket;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Writes blocks of packets into files of a table. With keys only the newest packet of each key is written, and a second file has
 * the keys, whose earlier rows are to go.
 */
final class LakeFiles {
    /** So many have their numbers in memory. */
    static final int MOST_ROWS = 1 << 19;
    /** Of what tells which of them are the newest. */
    static final long NEWEST_BYTES = 16L * MOST_ROWS;

    private final LakeTable table;
    private final LakeSinkOptions.Files files;
    private final Schema in;
    private final List<Integer> columns;
    private final List<Integer> keys;
    /** Null without keys. */
    private final NewestRows newest;

    /** @param columns ordinals of those that are written */
    LakeFiles(LakeTable table, LakeSinkOptions options, Schema in, List<Integer> columns) {
        this.table = table;
        this.in = in;
        this.columns = columns;
        files = options.files();
        keys = options.keys();
        newest = keys.isEmpty() ? null : new NewestRows(keys.stream().mapToInt(Integer::intValue).toArray());
    }

    /** @param of values of its partition */
    List<DataFile> write(PacketBlock block, List<String> of) throws IOException {
        if (newest == null) {
            return List.of(file(block, columns, of));
        }
        newest.find(new Starts(in, block), 0, block.packets());
        return List.of(file(block, columns, of), file(block, keys, of).removing());
    }

    private DataFile file(PacketBlock block, List<Integer> written, List<String> of) throws IOException {
        Schema schema = new Schema(written.stream().map(in::column).toList());
        ScratchPacket selected = written.size() == in.size() ? null : new ScratchPacket(schema.layout());
        PacketCursor packets = PacketCursor.reusing(in.layout());
        packets.reset(block.bytes(), 0, block.length());
        try (LakeTable.TableFile file = table.create("part-" + UUID.randomUUID() + ".snappy.parquet")) {
            FileRowsWriter to = files.writer(file.out(), schema);
            long rows = 0;
            int number = 0;
            for (Packet packet = packets.next(); packet != null; packet = packets.next(), number++) {
                if (newest == null || newest.isNewest(number)) {
                    to.write(selected == null ? packet : select(packet, written, selected));
                    rows++;
                }
            }
            to.finish();
            return file.end(rows, of);
        }
    }

    private static Packet select(Packet packet, List<Integer> columns, ScratchPacket into) {
        PacketWriter to = into.begin();
        for (int k = 0; k < columns.size(); k++) {
            to.setColumn(k, packet, columns.get(k));
        }
        return into.commit();
    }

    /** The packets of a block by their number. */
    private static final class Starts implements NewestRows.Numbered {
        private final PacketBlock block;
        private final Packet view;
        private final int[] starts;

        Starts(Schema in, PacketBlock block) {
            this.block = block;
            view = new Packet(in.layout());
            starts = new int[block.packets()];
            for (int k = 1; k < starts.length; k++) {
                starts[k] = view.wrap(block.bytes(), starts[k - 1], block.length());
            }
        }

        @Override
        public Packet row(int k) {
            view.wrap(block.bytes(), starts[k], block.length());
            return view;
        }
    }
}
