package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ColumnRunsTest {
    private static final List<Simple> TYPES = List.of(Simple.BIGINT, Simple.BIGINT, Simple.INT, Simple.SMALLINT, Simple.TINYINT,
            Simple.DOUBLE, Simple.STRING);
    private static final Schema PAIR = Schema.of(new Column("a", Simple.BIGINT, true), new Column("b", Simple.INT, true));

    private static Object value(Simple type, Random random) {
        return switch (type) {
            case BIGINT -> random.nextLong();
            case INT -> random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case TINYINT -> (byte) random.nextInt();
            case DOUBLE -> random.nextGaussian();
            default -> "x".repeat(random.nextInt(30));
        };
    }

    private static byte[] written(PacketWriter out) {
        out.commit();
        return Arrays.copyOf(out.bytes(), out.position());
    }

    /** Columns in any order, some of them twice and some not at all, into columns of which more are nullable. */
    @Property(tries = 500)
    void asEachColumnByItself(@ForAll long seed) {
        Random random = new Random(seed);
        List<Column> columns = new ArrayList<>();
        List<Object> row = new ArrayList<>();
        int width = 1 + random.nextInt(12);
        for (int k = 0; k < width; k++) {
            Simple type = TYPES.get(random.nextInt(TYPES.size()));
            columns.add(new Column("c" + k, type, random.nextBoolean()));
            row.add(columns.get(k).nullable() && random.nextInt(6) == 0 ? null : value(type, random));
        }
        int first = random.nextInt(width);
        int[] origins = random.ints(1 + random.nextInt(6), 0, columns.size()).toArray();
        if (random.nextBoolean()) {
            Arrays.setAll(origins, k -> (first + k) % columns.size());      // side by side
        }
        Schema from = new Schema(columns);
        List<Column> results = new ArrayList<>();
        for (int origin : origins) {
            results.add(new Column("r" + results.size(), columns.get(origin).type(),
                    columns.get(origin).nullable() || random.nextBoolean()));
        }
        Schema to = new Schema(results);
        Packet packet = new Packet(from.layout());
        byte[] bytes = Rows.encode(from, List.of(row));
        packet.wrap(bytes, 0, bytes.length);
        PacketWriter one = Rows.growing(to);
        PacketWriter other = Rows.growing(to);
        other.begin();
        for (int k = 0; k < origins.length; k++) {
            other.setColumn(k, packet, origins[k]);
        }
        boolean copied = new ColumnRuns(origins).copy(packet, one.begin());
        assertEquals(Arrays.stream(origins).allMatch(origin -> row.get(origin) != null), copied);
        if (copied) {
            assertArrayEquals(written(other), written(one));
        }
    }

    @Test
    void anotherLayoutIsMeasuredAnew() {
        ColumnRuns runs = new ColumnRuns(new int[] {1, 0});
        Schema narrow = Schema.of(new Column("a", Simple.INT, false), new Column("b", Simple.INT, false));
        for (Schema schema : List.of(PAIR, narrow, PAIR)) {
            byte[] bytes = Rows.encode(schema, List.of(schema == PAIR ? Rows.row(7L, 8) : Rows.row(5, 6)));
            Packet packet = new Packet(schema.layout());
            packet.wrap(bytes, 0, bytes.length);
            Schema turned = Schema.of(schema.column(1), schema.column(0));
            PacketWriter out = Rows.growing(turned);
            assertTrue(runs.copy(packet, out.begin()));
            byte[] copy = written(out);
            Packet found = new Packet(turned.layout());
            found.wrap(copy, 0, copy.length);
            assertEquals(schema == PAIR ? Rows.row(8, 7L) : Rows.row(6, 5), Rows.read(found, turned));
        }
    }

    @Test
    void onlyANullOfItsOwnColumnsKeepsItFromCopying() {
        Packet packet = Rows.packet(PAIR, null, 8);
        Schema ofB = Schema.of(PAIR.column(1));
        Schema ofA = Schema.of(PAIR.column(0));
        assertTrue(new ColumnRuns(new int[] {1}).copy(packet, Rows.growing(ofB).begin()));
        assertFalse(new ColumnRuns(new int[] {0}).copy(packet, Rows.growing(ofA).begin()));
    }
}
