package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Type.Simple;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PacketOrderTest {
    private static final List<Type> TYPES = List.of(Simple.BOOLEAN, Simple.TINYINT, Simple.SMALLINT, Simple.INT,
            Simple.BIGINT, Simple.FLOAT, Simple.DOUBLE, Simple.DATE, Simple.TIMESTAMP, Simple.STRING, Simple.BINARY,
            new Type.Decimal(10, 2), new Type.Decimal(38, 5));
    private static final Schema SCHEMA = new Schema(
            IntStream.range(0, TYPES.size()).mapToObj(k -> new Column("c" + k, TYPES.get(k), true)).toList());
    /** The same columns elsewhere in a packet. */
    private static final Schema OTHER = new Schema(
            IntStream.range(0, TYPES.size()).mapToObj(k -> new Column("c" + k, TYPES.get(TYPES.size() - 1 - k), true))
                    .toList());

    private static Packet packet(Schema schema, List<Object> row) {
        byte[] bytes = Rows.encode(schema, List.of(row));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        return packet;
    }

    private static List<Object> row(Random random) {
        int small = random.nextInt(5) - 2;
        List<Double> doubles = List.of(0.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, 1.5, -1.5);
        String[] texts = {"", "a", "ab", "b", "é", "\uD834\uDD1E", "\uFFFD", "zz"};
        BigDecimal decimal = new BigDecimal(random.nextInt(2000) - 1000).movePointLeft(2);
        BigDecimal large = decimal.movePointRight(random.nextInt(20)).setScale(5);
        Object[] values = {random.nextBoolean(), (byte) small, (short) (small * 300), small * 100_000,
            small * 10_000_000_000L, doubles.get(random.nextInt(6)).floatValue(), doubles.get(random.nextInt(6)), small,
            (long) small, texts[random.nextInt(8)], new byte[] {(byte) (small * 60), 1}, decimal, large};
        for (int k = 0; k < values.length; k++) {
            values[k] = random.nextInt(6) == 0 ? null : values[k];
        }
        return Rows.row(values);
    }

    private static int expected(Object a, Object b) {
        if (a == null || b == null) {
            return Boolean.compare(b == null, a == null);
        }
        if (a instanceof String text) {
            return Arrays.compareUnsigned(text.getBytes(StandardCharsets.UTF_8),
                    ((String) b).getBytes(StandardCharsets.UTF_8));
        }
        if (a instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) b);
        }
        if (a instanceof Double || a instanceof Float) {
            return Double.compare(((Number) a).doubleValue() + 0.0, ((Number) b).doubleValue() + 0.0);
        }
        return compare(a, b);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Comparable<T>> int compare(Object a, Object b) {
        return ((T) a).compareTo((T) b);
    }

    @Property(tries = 1000)
    void everyTypeAsSparkOrdersIt(@ForAll long seed) {
        Random random = new Random(seed);
        List<Object> a = row(random);
        List<Object> b = row(random);
        for (int k = 0; k < TYPES.size(); k++) {
            PacketOrder order = new PacketOrder(SCHEMA.layout(), List.of(k));
            int wanted = Integer.signum(expected(a.get(k), b.get(k)));
            assertEquals(wanted, Integer.signum(order.compare(packet(SCHEMA, a), packet(SCHEMA, b))), TYPES.get(k).sql());
            List<Object> reversed = Arrays.asList(b.toArray());
            Collections.reverse(reversed);
            PacketOrder between = PacketOrder.between(SCHEMA.layout(), List.of(k), OTHER.layout(),
                    List.of(TYPES.size() - 1 - k));
            assertEquals(wanted, Integer.signum(between.compare(packet(SCHEMA, a), packet(OTHER, reversed))));
        }
    }

    @Property(tries = 300)
    void theFirstColumnThatDiffersDecides(@ForAll long seed) {
        Random random = new Random(seed);
        List<Object> a = row(random);
        List<Object> b = row(random);
        List<Integer> columns = random.ints(3, 0, TYPES.size()).boxed().toList();
        int wanted = columns.stream().map(k -> expected(a.get(k), b.get(k))).filter(c -> c != 0).findFirst().orElse(0);
        assertEquals(Integer.signum(wanted),
                Integer.signum(new PacketOrder(SCHEMA.layout(), columns).compare(packet(SCHEMA, a), packet(SCHEMA, b))));
    }

    @Property(tries = 1000)
    void aPrefixNeverSaysOtherwise(@ForAll long seed) {
        Random random = new Random(seed);
        Packet a = packet(SCHEMA, row(random));
        Packet b = packet(SCHEMA, row(random));
        for (int k = 0; k < TYPES.size(); k++) {
            PacketOrder order = PacketOrder.by(SCHEMA.layout(), List.of(new SortKey(k, random.nextBoolean(),
                    random.nextBoolean())));
            int prefix = Long.compare(order.prefix(a), order.prefix(b));
            int whole = Integer.signum(order.compare(a, b));
            assertTrue(prefix == 0 || prefix == whole, TYPES.get(k).sql() + ": " + prefix + " and " + whole);
            assertTrue(prefix == whole || TYPES.get(k) instanceof Type.Decimal || a.isNull(k) || b.isNull(k),
                    TYPES.get(k).sql() + " is short enough for a prefix to know");
        }
    }

    @Test
    void nestedTypesAreRefused() {
        Schema nested = Schema.of(new Column("a", new Type.Array(Simple.INT, true), true));
        assertEquals("cannot order by ARRAY<INT>", assertThrows(IllegalArgumentException.class,
                () -> new PacketOrder(nested.layout(), List.of(0))).getMessage());
        assertThrows(IllegalArgumentException.class,
                () -> PacketOrder.between(SCHEMA.layout(), List.of(0), SCHEMA.layout(), List.of(1)));
        assertThrows(IllegalArgumentException.class,
                () -> PacketOrder.between(SCHEMA.layout(), List.of(0), SCHEMA.layout(), List.of()));
    }
}
