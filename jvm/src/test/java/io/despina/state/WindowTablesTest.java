package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Held to a plain map, in what it gives and in what it counts. */
class WindowTablesTest {
    private static final Schema KEY = Schema.of(new Column("k", Simple.INT, false));
    private static final int FIRST_CAPACITY = 4;
    private static final int BYTES_PER_WINDOW = 4 * Long.BYTES;

    private WindowTables<String> tables;
    private TreeMap<Long, Map<Integer, String>> model;
    private KeyedTable<String> spare;
    private int capacity;

    private static WindowTables<String> empty() {
        return new WindowTables<>("tested", KEY, 256, new Texts());
    }

    private static Packet key(int k) {
        return Rows.packet(KEY, k);
    }

    private void set(long start, int key, String value) {
        if (!model.containsKey(start)) {
            spare = null;
            capacity = model.size() == capacity ? 2 * capacity : capacity;
        }
        model.computeIfAbsent(start, s -> new HashMap<>()).put(key, value);
        KeyedTable<String> table = tables.at(start);
        int entry = table.find(key(key));
        if (entry == KeyedTable.NONE) {
            table.add(key(key), value);
        } else {
            table.set(entry, value);
        }
    }

    private void removeFirst() {
        KeyedTable<String> done = tables.table(0);
        spare = spare == null ? done : spare;
        tables.removeFirst();
        model.pollFirstEntry();
    }

    private static void same(TreeMap<Long, Map<Integer, String>> model, WindowTables<String> tables) {
        assertEquals(model.size(), tables.size());
        assertEquals(model.isEmpty(), tables.isEmpty());
        int k = 0;
        for (var window : model.entrySet()) {
            assertEquals(window.getKey(), tables.start(k));
            KeyedTable<String> table = tables.table(k++);
            assertEquals(window.getValue().size(), table.size());
            window.getValue().forEach((key, value) -> assertEquals(value, table.get(table.find(key(key)))));
        }
    }

    private long bytes() {
        long bytes = spare == null ? 0 : spare.bytes();
        for (int k = 0; k < tables.size(); k++) {
            bytes += tables.table(k).bytes();
        }
        return bytes + (long) BYTES_PER_WINDOW * capacity;
    }

    @Property(tries = 300)
    void isAMapByStartThatKnowsItsSize(@ForAll long seed) throws IOException {
        tables = empty();
        model = new TreeMap<>();
        spare = null;
        capacity = FIRST_CAPACITY;
        Random random = new Random(seed);
        int spread = 1 + random.nextInt(60);
        long base = random.nextInt(10) == 0 ? Long.MIN_VALUE : -500;
        int drift = random.nextInt(4);
        for (int step = 0; step < 300; step++) {
            if (!model.isEmpty() && random.nextInt(5) == 0) {
                removeFirst();
            } else {
                set(base + (long) step * drift + random.nextInt(spread), random.nextInt(40), "x".repeat(random.nextInt(50)));
            }
            if (random.nextInt(3) == 0) {
                same(model, tables);
            }
            if (random.nextBoolean()) {
                assertEquals(bytes(), tables.bytes());
            }
        }
        restores();
        while (!model.isEmpty()) {
            removeFirst();
            assertEquals(bytes(), tables.bytes());
        }
        assertTrue(tables.isEmpty());
    }

    private void restores() throws IOException {
        byte[] bytes = Snapshots.of(tables);
        WindowTables<String> restored = empty();
        restored.at(3).add(key(1), "gone");
        Snapshots.restore(restored, bytes);
        same(model, restored);
        assertEquals(bytes.length, Snapshots.of(restored).length);
        long counted = restored.bytes();
        restored.at(Long.MAX_VALUE).add(key(1), "new");
        assertTrue(restored.bytes() > counted);
    }
}
