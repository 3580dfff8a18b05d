package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.packet.Type.Simple;
import io.despina.state.KeyedTable;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What a snapshot, or a chain of them, has of ranked packets: also when some have left, and while others come. */
class TopRowsTest {
    private static final Schema RANK = Schema.of(new Column("r", Simple.INT, false));
    private static final Schema PACKET = Schema.of(new Column("r", Simple.INT, false), new Column("v", Simple.BIGINT, false));
    private static final Comparator<List<Object>> BY_RANK = Comparator.<List<Object>>comparingInt(row -> (Integer) row.get(0))
            .thenComparingLong(row -> (Long) row.get(1));

    private final Packet key = Rows.packet(RANK, 1);
    private TopRows.RowsFormat format;
    private int most;
    private KeyedTable<TopRows> table;
    /** Of the table, in their order. */
    private final List<List<Object>> model = new ArrayList<>();
    private long came;

    private KeyedTable<TopRows> table() {
        return new KeyedTable<>("tested", RANK, 256, format);
    }

    private void begin(Random random) {
        most = random.nextBoolean() ? Top.ALL : 1 + random.nextInt(400);
        PacketRanks ranks = new PacketRanks(RANK, null, List.of(), List.of(new SortKey(0, false, false)));
        format = new TopRows.RowsFormat(ranks, PACKET, most, false);
        table = table();
        table.add(key, new TopRows());
        model.clear();
    }

    private void come(int rank) {
        TopRows rows = table.edit(table.find(key));
        Packet its = Rows.packet(RANK, rank);
        List<Object> row = Rows.row(rank, came++);
        if (rows.keeps(its, format)) {
            rows.offer(its, Rows.packet(PACKET, row.toArray()), format);
        }
        model.add(row);
        model.sort(BY_RANK);
        if (model.size() > most) {
            model.remove(most);
        }
    }

    private static List<Object> leave(TopRows rows, TopRows.RowsFormat format) {
        Packet first = new Packet(PACKET.layout());
        rows.first(first, format);
        List<Object> row = Rows.read(first, PACKET);
        rows.removeFirst(format);
        return row;
    }

    private void leave() {
        assertEquals(model.remove(0), leave(table.edit(table.find(key)), format));
    }

    private void change(Random random, boolean leaving, int times) {
        for (int k = 0; k < times; k++) {
            if (!leaving) {
                come(random.nextInt(50));
            } else if (!model.isEmpty()) {
                leave();
            }
        }
    }

    @Property(tries = 60)
    void areRestoredAsTheyWere(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        begin(random);
        List<Map<String, byte[]>> chain = new ArrayList<>();
        for (int epoch = 0; epoch < 7; epoch++) {
            boolean leaving = epoch > 4;
            change(random, leaving, random.nextInt(250));
            List<List<Object>> expected = List.copyOf(model);
            try (Snapshots snapshot = new Snapshots(List.of(table), 1 + random.nextInt(2_000), !chain.isEmpty())) {
                for (int slice = 0; !snapshot.write(); slice++) {
                    change(random, leaving, slice < 5 ? random.nextInt(9) : 0);
                }
                chain.add(snapshot.all());
            }
            KeyedTable<TopRows> restored = table();
            new Share(0, 1, 256).restore(List.of(restored), List.of(Snapshots.chain(chain)));
            assertEquals(expected, leaving(restored.get(restored.find(key))), "seed " + seed + ", epoch " + epoch + ", at most "
                    + most);
        }
    }

    /** All that have not left, which leave. */
    private List<List<Object>> leaving(TopRows rows) {
        List<List<Object>> found = new ArrayList<>();
        while (!rows.isEmpty()) {
            found.add(leave(rows, format));
        }
        return found;
    }

    /** As engines before wrote them, and as they are written where nobody takes parts. */
    @Test
    void manyInOneListAreRead() throws IOException {
        begin(new Random(1));
        change(new Random(2), false, 300);
        change(new Random(2), true, 70);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        format.write(table.get(table.find(key)), new DataOutputStream(bytes));
        assertEquals(model, leaving(format.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())))));
    }
}
