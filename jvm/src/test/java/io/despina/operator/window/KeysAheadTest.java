package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.state.EntryQueues;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Keys are read ahead of their use, and nothing else is changed. The operators' own tests look ahead from four entries on. */
class KeysAheadTest {
    private static final int PACKETS = 100;
    /** More than any core's caches are said to hold. */
    private static final int MANY = 1 << 16;
    private static final Schema KEY = Schema.of(Timed.SCHEMA.column(3));

    private final List<Long> looked = new ArrayList<>();

    /** Tells which packets it has read, and fails on one. */
    private Keys keys(long broken) {
        Compiled<Projection> reads = partition -> (inputs, out) -> {
            long v = inputs[0].getLong(3);
            if (v == broken) {
                throw new ArithmeticException("no key");
            }
            looked.add(v);
            out.setLong(0, v);
        };
        return new Keys(KEY, reads, 256);
    }

    private static OperatorContext context() {
        Class<?>[] asked = {OperatorContext.class};
        return (OperatorContext) Proxy.newProxyInstance(KeysAheadTest.class.getClassLoader(), asked,
                (proxy, method, arguments) -> method.getName().equals("input") ? Timed.SCHEMA : 0);
    }

    private static KeyedTable<Packet> table(int entries) {
        KeyedPackets made = new KeyedPackets("tested", KEY, 256, KEY);
        ScratchPacket key = new ScratchPacket(KEY.layout());
        for (long k = 0; k < entries; k++) {
            key.begin().setLong(0, k);
            Packet packet = key.commit();
            made.add(packet, packet);
        }
        return made.table();
    }

    private static PacketCursor packets() {
        byte[] bytes = Rows.encode(Timed.SCHEMA,
                LongStream.range(0, PACKETS).mapToObj(v -> Rows.row(v, 0, "k", v)).toList());
        PacketCursor cursor = PacketCursor.reusing(Timed.SCHEMA.layout());
        cursor.reset(bytes, 0, bytes.length);
        return cursor;
    }

    private static List<Long> take(KeysAhead ahead, PacketCursor packets, KeyedTable<?> table, int count) {
        List<Long> taken = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            taken.add(ahead.next(packets, table).getLong(3));
        }
        return taken;
    }

    private static List<Long> numbers(int to) {
        return LongStream.range(0, to).boxed().toList();
    }

    @Test
    void eachKeyIsReadOnceAndSomeBeforeTheirPacketIsTaken() {
        KeysAhead ahead = new KeysAhead(keys(-1), context());
        PacketCursor packets = packets();
        KeyedTable<Packet> table = table(MANY);
        assertEquals(List.of(0L), take(ahead, packets, table, 1));
        assertTrue(looked.size() > 1, looked::toString);
        assertEquals(numbers(PACKETS).subList(1, PACKETS), take(ahead, packets, table, PACKETS - 1));
        assertTrue(packets.isEmpty());
        assertEquals(numbers(PACKETS), looked);
    }

    @Test
    void aKeyThatCannotBeReadIsLeftToWhoTakesItsPacket() {
        KeysAhead ahead = new KeysAhead(keys(10), context());
        PacketCursor packets = packets();
        assertEquals(numbers(PACKETS), take(ahead, packets, table(MANY), PACKETS));
        assertEquals(numbers(10), looked.subList(0, 10));
        assertTrue(looked.contains(99L), looked::toString);
    }

    @Test
    void nothingIsReadForASmallTableOrNone() {
        KeysAhead ahead = new KeysAhead(keys(-1), context());
        PacketCursor packets = packets();
        take(ahead, packets, table(1), 1);
        take(ahead, packets, null, 1);
        assertEquals(List.of(), looked);
    }

    @Test
    void firstEntriesOfAQueueComeInItsOrder() {
        EntryQueues queues = new EntryQueues();
        int[] into = new int[3];
        assertEquals(0, queues.first(1, into));
        IntStream.of(7, 3, 5, 9).forEach(entry -> queues.add(1, entry));
        queues.add(0, 4);
        queues.remove(3);
        assertEquals(3, queues.first(1, into));
        assertArrayEquals(new int[] {7, 5, 9}, into);
        queues.remove(5);
        assertEquals(2, queues.first(1, into));
        assertArrayEquals(new int[] {7, 9}, Arrays.copyOf(into, 2));
    }
}
