package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class EventBufferTest {
    private static final Schema SCHEMA = Schema.of(new Column("text", Simple.STRING, true),
            new Column("ts", Simple.TIMESTAMP, false), new Column("arrival", Simple.BIGINT, false));
    private static final Comparator<List<Object>> ORDER = Comparator.<List<Object>, Long>comparing(row -> (Long) row.get(1))
            .thenComparing(row -> (String) row.get(0), Comparator.nullsFirst(Comparator.naturalOrder()));

    private static EventBuffer buffer() {
        return new EventBuffer("tested", SCHEMA, EventOrder.by(1, 0), any -> 0);
    }

    private static void add(EventBuffer buffer, List<Object> row) {
        byte[] bytes = Rows.encode(SCHEMA, List.of(row));
        Packet packet = new Packet(SCHEMA.layout());
        packet.wrap(bytes, 0, bytes.length);
        buffer.add(packet);
    }

    @Test
    void whatIsAheadBecomesTheHead() {
        EventBuffer buffer = buffer();
        Packet ahead = new Packet(SCHEMA.layout());
        assertFalse(buffer.ahead(0, ahead));
        List<List<Object>> rows = List.of(Rows.row("a", 1L, 0L), Rows.row("b", 1L, 1L), Rows.row("a", 2L, 2L));
        rows.forEach(row -> add(buffer, row));
        buffer.dropHead();
        assertTrue(buffer.ahead(1, ahead));
        assertEquals(rows.get(2), Rows.read(ahead, SCHEMA));
        assertFalse(buffer.ahead(2, ahead));
        assertEquals(rows.get(1), Rows.read(buffer.head(), SCHEMA));
    }

    private static List<Object> first(List<List<Object>> waiting) {
        return waiting.stream().min(ORDER).orElseThrow();
    }

    @Property(tries = 300)
    void givesBackInEventOrder(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        EventBuffer buffer = buffer();
        List<List<Object>> waiting = new ArrayList<>();
        List<List<Object>> taken = new ArrayList<>();
        int disorder = 1 + random.nextInt(60);
        int longest = random.nextInt(50) == 0 ? 100_000 : 50;
        for (long k = 0; k < 400; k++) {
            if (random.nextInt(3) > 0 || waiting.isEmpty()) {
                List<Object> row = Rows.row(random.nextInt(5) == 0 ? null : "x".repeat(random.nextInt(longest)),
                        k / 4 - random.nextInt(disorder), k);
                add(buffer, row);
                waiting.add(row);
            } else {
                List<Object> row = first(waiting);
                assertEquals(row.get(1), buffer.headTime());
                assertEquals(row, Rows.read(buffer.head(), SCHEMA));
                waiting.remove(row);
                if (random.nextBoolean()) {
                    buffer.dropHead();
                } else {
                    assertEquals(row, Rows.read(buffer.take(), SCHEMA));
                    taken.add(row);
                }
            }
            while (!taken.isEmpty() && random.nextBoolean()) {
                Packet view = new Packet(SCHEMA.layout());
                buffer.view(buffer.takenPlace(), view);
                assertEquals(taken.remove(0), Rows.read(view, SCHEMA));
                buffer.drop();
            }
            if (random.nextInt(80) == 0) {
                buffer = restored(buffer);
                waiting.addAll(0, taken);
                taken.clear();
            }
        }
        assertEquals(taken.size(), buffer.taken());
    }

    private static EventBuffer restored(EventBuffer buffer) throws IOException {
        EventBuffer fresh = buffer();
        Snapshots.restore(fresh, Snapshots.of(buffer));
        return fresh;
    }

    @Test
    void readyWhenTheWatermarkHasPassed() {
        EventBuffer buffer = buffer();
        add(buffer, Rows.row("a", 5L, 0L));
        assertTrue(!buffer.isReady(5));
        assertTrue(buffer.isReady(6));
        buffer.take();
        buffer.dropLast();
        assertTrue(!buffer.isReady(Long.MAX_VALUE));
        add(buffer, Rows.row("a", Long.MAX_VALUE, 0L));
        assertTrue(buffer.isReady(Long.MAX_VALUE));
    }

    @Test
    void memoryStaysFlatAndIsGivenBack() {
        EventBuffer buffer = buffer();
        long most = 0;
        for (long k = 0; k < 200_000; k++) {
            add(buffer, Rows.row("some text that takes a few bytes", k - k % 3, k));
            if (k >= 1000) {
                buffer.take();
                buffer.drop();
            }
            most = Math.max(most, buffer.bytes());
        }
        assertTrue(most < 500_000, most + " bytes for 1000 packets of 60 bytes");
        while (!buffer.isEmpty()) {
            buffer.take();
            buffer.drop();
        }
        assertTrue(buffer.bytes() < 200_000, buffer.bytes() + " bytes for nothing");
    }
}
