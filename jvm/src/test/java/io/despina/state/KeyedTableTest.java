package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class KeyedTableTest {
    private static final int SLICE = 1 << 16;
    private static final Schema KEY = Schema.of(new Column("a", Simple.STRING, true), new Column("b", Simple.INT, false));

    private static final class Texts implements ValueFormat<StringBuilder> {
        @Override
        public String schema() {
            return "text";
        }

        @Override
        public void write(StringBuilder value, DataOutput out) throws IOException {
            out.writeUTF(value.toString());
        }

        @Override
        public StringBuilder read(DataInput in) throws IOException {
            return new StringBuilder(in.readUTF());
        }

        @Override
        public long bytes(StringBuilder value) {
            return value.length();
        }
    }

    private static KeyedTable<StringBuilder> table(Schema key) {
        return new KeyedTable<>("tested", key, 256, new Texts());
    }

    private static Packet key(Object... values) {
        Packet packet = new Packet(KEY.layout());
        byte[] bytes = Rows.encode(KEY, List.of(Rows.row(values)));
        packet.wrap(bytes, 0, bytes.length);
        return packet;
    }

    private static byte[] snapshot(State state) throws IOException {
        return Snapshots.of(state);
    }

    private static void restore(State state, byte[] bytes) throws IOException {
        Snapshots.restore(state, bytes);
    }

    @Property(tries = 200)
    void asAMap(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        KeyedTable<StringBuilder> table = table(KEY);
        Map<List<Object>, String> expected = new HashMap<>();
        int keys = 1 + random.nextInt(200);
        for (int k = 0; k < 600; k++) {
            List<Object> row = Rows.row(random.nextInt(9) == 0 ? null : "k" + random.nextInt(keys), random.nextInt(3));
            Packet key = key(row.toArray());
            int entry = table.find(key);
            assertEquals(expected.get(row), entry == KeyedTable.NONE ? null : table.get(entry).toString());
            if (entry == KeyedTable.NONE) {
                table.add(key, new StringBuilder("v" + k));
                expected.put(row, "v" + k);
            } else if (random.nextBoolean()) {
                table.remove(entry);
                expected.remove(row);
                assertNull(table.get(entry));
            } else {
                table.edit(entry).append(k);
                table.recount(entry);
                expected.merge(row, "" + k, String::concat);
            }
            if (random.nextInt(100) == 0) {
                byte[] bytes = snapshot(table);
                table = table(KEY);
                restore(table, bytes);
            }
        }
        assertEquals(expected, contents(table));
        int held = expected.values().stream().mapToInt(String::length).sum();
        long before = table.bytes();
        for (int entry = 0; entry < table.limit(); entry++) {
            if (table.get(entry) != null) {
                table.remove(entry);
            }
        }
        assertEquals(Map.of(), contents(table));
        assertEquals(0, table.size());
        assertTrue(before - table.bytes() + 4096 >= held);
    }

    private static final class Counters implements ValueFormat.Flat<long[]> {
        @Override
        public String schema() {
            return "counter";
        }

        @Override
        public int width() {
            return Long.BYTES + 1;
        }

        @Override
        public long[] view() {
            return new long[1];
        }

        @Override
        public void move(long[] view, byte[] bytes, int at) {
            view[0] = Bytes.getLong(bytes, at);
            assertEquals((byte) view[0], bytes[at + Long.BYTES]);
        }

        @Override
        public void put(long[] value, byte[] bytes, int at) {
            Bytes.putLong(bytes, at, value[0]);
            bytes[at + Long.BYTES] = (byte) value[0];
        }

        @Override
        public void write(long[] value, DataOutput out) throws IOException {
            out.writeLong(value[0]);
        }

        @Override
        public long[] read(DataInput in) throws IOException {
            return new long[] {in.readLong()};
        }
    }

    /** Around those at which a packet's length takes another byte, or no longer fits into a row. */
    private static final int[] LENGTHS = {0, 5, 10, 11, 12, 13, 14, 120, 123, 125, 128, 16_380, 40};

    /** Keys of every width, some padded, some in the arena; enough of them that rows take several chunks. */
    private static Schema keyOf(int kind) {
        Column flag = new Column("flag", Simple.BOOLEAN, false);
        return switch (kind) {
            case 0 -> Schema.of(flag);
            case 1 -> Schema.of(flag, new Column("n", Simple.INT, false));
            case 2 -> Schema.of(new Column("n", Simple.BIGINT, false));
            case 3 -> Schema.of(new Column("n", Simple.BIGINT, true));
            case 4 -> Schema.of(flag, new Column("n", Simple.BIGINT, true), new Column("m", Simple.DOUBLE, true));
            case 5 -> new Schema(IntStream.range(0, 20).mapToObj(k -> new Column("n" + k, Simple.BIGINT, true)).toList());
            case 6 -> Schema.of(new Column("s", Simple.STRING, true), new Column("n", Simple.INT, false));
            default -> Schema.of(new Column("long", Simple.STRING, true));
        };
    }

    private static Object value(Column column, int n) {
        if (column.nullable() && n % 7 == 0) {
            return null;
        }
        return switch ((Simple) column.type()) {
            case BOOLEAN -> n % 2 == 0;
            case INT -> n;
            case BIGINT -> (long) n << 20;
            case DOUBLE -> n / 3.0;
            default -> (column.name().equals("long") ? "s".repeat(LENGTHS[n % LENGTHS.length]) : "s".repeat(n % 12)) + n;
        };
    }

    @Property(tries = 120)
    void flatValuesAsAMap(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        Schema schema = keyOf(random.nextInt(8));
        KeyedTable<long[]> table = new KeyedTable<>("tested", schema, 256, new Counters());
        Map<List<Object>, Long> expected = new HashMap<>();
        int keys = 1 << random.nextInt(13);
        boolean removes = random.nextBoolean();
        for (int k = 0; k < 3 * keys; k++) {
            int n = random.nextInt(keys);
            List<Object> row = schema.columns().stream().map(c -> value(c, n)).collect(Collectors.toList());
            byte[] bytes = Rows.encode(schema, List.of(row));
            Packet key = new Packet(schema.layout());
            key.wrap(bytes, 0, bytes.length);
            int entry = table.find(key);
            assertEquals(expected.get(row), entry == KeyedTable.NONE ? null : (Long) table.get(entry)[0]);
            if (entry == KeyedTable.NONE) {
                table.add(key, new long[] {k});
                expected.put(row, (long) k);
            } else if (removes && random.nextInt(3) == 0) {
                table.remove(entry);
                expected.remove(row);
                assertNull(table.get(entry));
            } else {
                table.set(entry, new long[] {-k});
                expected.put(row, (long) -k);
            }
        }
        assertEquals(expected, flatContents(table, schema));
        KeyedTable<long[]> restored = new KeyedTable<>("tested", schema, 256, new Counters());
        restore(restored, snapshot(table));
        assertEquals(expected, flatContents(restored, schema));
        restored.clear();
        assertEquals(Map.of(), flatContents(restored, schema));
        restore(restored, snapshot(table));
        assertEquals(expected, flatContents(restored, schema));
    }

    private static Map<List<Object>, Long> flatContents(KeyedTable<long[]> table, Schema schema) {
        Map<List<Object>, Long> contents = new HashMap<>();
        Packet view = new Packet(schema.layout());
        for (int entry = 0; entry < table.limit(); entry++) {
            if (table.get(entry) != null) {
                table.key(entry, view);
                contents.put(Rows.read(view, schema), table.get(entry)[0]);
            }
        }
        assertEquals(contents.size(), table.size());
        return contents;
    }

    private static Map<List<Object>, String> contents(KeyedTable<StringBuilder> table) {
        Map<List<Object>, String> contents = new HashMap<>();
        Packet view = new Packet(KEY.layout());
        for (int entry = 0; entry < table.limit(); entry++) {
            if (table.get(entry) != null) {
                table.key(entry, view);
                contents.put(Rows.read(view, KEY), table.get(entry).toString());
            }
        }
        assertEquals(contents.size(), table.size());
        return contents;
    }

    @Test
    void entriesAreNumberedAsTheirKeysCome() throws IOException {
        KeyedTable<StringBuilder> table = table(KEY);
        for (int k = 0; k < 100; k++) {
            assertEquals(k, table.add(key("k" + k, k), new StringBuilder()));
        }
        KeyedTable<StringBuilder> restored = table(KEY);
        restore(restored, snapshot(table));
        assertEquals(57, restored.find(key("k57", 57)));
        restored.clear();
        assertEquals(KeyedTable.NONE, restored.find(key("k57", 57)));
        assertEquals(0, restored.add(key("x", 1), new StringBuilder()));
    }

    /** A key whose length takes more bytes than it needs: equal keys would differ. */
    @Test
    void aKeyWithALongLengthIsRefused() throws IOException {
        Packet key = key("k", 1);
        KeyedTable<StringBuilder> table = table(KEY);
        table.add(key, new StringBuilder());
        byte[] before = snapshot(table);
        int at = 0;
        while (!Arrays.equals(key.copy(), Arrays.copyOfRange(before, at, at + key.size()))) {
            at++;
        }
        byte[] longer = new byte[before.length + 1];
        System.arraycopy(before, 0, longer, 0, at);
        System.arraycopy(before, at + 1, longer, at + 2, before.length - at - 1);
        longer[at - 1]++;                           // how many bytes the packet takes
        longer[at - 5]++;                           // and the entry
        longer[at] = (byte) (before[at] | 0x80);    // and then 0: the same length
        assertEquals("state `tested`: a key of 8 bytes",
                assertThrows(SnapshotException.class, () -> restore(table(KEY), longer)).getMessage());
    }

    @Test
    void anotherSchemaIsRefused() throws IOException {
        byte[] bytes = snapshot(table(KEY));
        Schema other = Schema.of(new Column("a", Simple.STRING, true), new Column("b", Simple.BIGINT, false));
        SnapshotException refused = assertThrows(SnapshotException.class, () -> restore(table(other), bytes));
        assertEquals("state `tested`: its schema in the snapshot is `a STRING, b INT NOT NULL -> text`, in the graph "
                + "`a STRING, b BIGINT NOT NULL -> text`", refused.getMessage());
        bytes[5]++;
        assertEquals("state `tested`: version=4; this engine reads 2 and 3",
                assertThrows(SnapshotException.class, () -> restore(table(KEY), bytes)).getMessage());
    }

    @Test
    void aLargePacketThatGrowsIsNotCopied() {
        Schema text = Schema.of(new Column("s", Simple.STRING, false));
        KeyedPackets packets = new KeyedPackets("tested", KEY, 256, text);
        ScratchPacket scratch = new ScratchPacket(text.layout());
        Packet key = key("k", 1);
        Packet view = new Packet(text.layout());
        for (int k = 1; k < 40; k++) {
            byte[] value = new byte[1_000 * k];
            Arrays.fill(value, (byte) k);
            scratch.begin().setBytes(0, value, 0, value.length);
            Packet written = scratch.commit();
            byte[] memory = written.bytes();
            packets.put(packets.find(key), key, scratch);
            packets.view(packets.find(key), view);
            assertArrayEquals(value, view.copyOfValue(0));
            assertEquals(k > 4 && memory.length <= 2 * written.size(), memory == view.bytes());
            assertTrue(packets.bytes() >= view.bytes().length);
        }
    }

    @Test
    void aLongPacketIsWrittenPieceByPieceAndNotCopiedWhenItChanges() throws IOException {
        Schema text = Schema.of(new Column("s", Simple.STRING, false));
        KeyedPackets packets = new KeyedPackets("tested", KEY, 256, text);
        ScratchPacket scratch = new ScratchPacket(text.layout());
        Packet view = new Packet(text.layout());
        for (int k = 0; k < 3; k++) {
            put(packets, scratch, k, (byte) k);
        }
        ByteArrayOutputStream section = new ByteArrayOutputStream();
        SectionWriter writer = new SectionWriter(SLICE);
        Frozen frozen = packets.freeze();
        writer.begin(packets, frozen.form());
        boolean done = false;
        for (int slice = 0; !done; slice++) {
            done = frozen.write(writer);
            assertTrue(writer.size() < SLICE + SLICE / 8, "a slice of " + writer.size() + " bytes");
            if (slice == 1 || slice == 4) {     // a packet that is written in part, and one that is not
                packets.view(packets.find(key("k", slice / 2)), view);
                byte[] before = view.bytes();
                put(packets, scratch, slice / 2, (byte) 9);
                packets.view(packets.find(key("k", slice / 2)), view);
                assertNotSame(before, view.bytes());
            }
            if (done) {
                writer.end();
            }
            section.write(writer.bytes(), 0, writer.size());
            writer.replace(new byte[SLICE]);
        }
        frozen.close();
        KeyedPackets restored = new KeyedPackets("tested", KEY, 256, text);
        restore(restored, section.toByteArray());
        for (int k = 0; k < 3; k++) {
            restored.view(restored.find(key("k", k)), view);
            assertArrayEquals(filled((byte) k), view.copyOfValue(0));
        }
    }

    private static byte[] filled(byte of) {
        byte[] value = new byte[3 * SLICE];
        Arrays.fill(value, of);
        return value;
    }

    private static void put(KeyedPackets packets, ScratchPacket scratch, int key, byte of) {
        byte[] value = filled(of);
        scratch.begin().setBytes(0, value, 0, value.length);
        scratch.commit();
        packets.put(packets.find(key("k", key)), key("k", key), scratch);
    }

    @Test
    void aScratchPacketHasItsLimit() {
        Schema text = Schema.of(new Column("s", Simple.STRING, false));
        ScratchPacket scratch = new ScratchPacket(text.layout(), 1_000);
        for (int length : List.of(600, 700, 990)) {
            scratch.begin().setBytes(0, new byte[length], 0, length);
            scratch.commit();
        }
        assertEquals("a state of at least 1052 bytes; max_packet_bytes=1000", assertThrows(IllegalArgumentException.class,
                () -> scratch.begin().setBytes(0, new byte[1_050], 0, 1_050)).getMessage());
    }

    @Property(tries = 300)
    void damagedSnapshotsAreRefusedOrRead(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        KeyedPackets packets = new KeyedPackets("tested", KEY, 256, KEY);
        Schema timed = Schema.of(new Column("t", Simple.BIGINT, false), new Column("s", Simple.STRING, false));
        EventBuffer events = new EventBuffer("tested", timed, EventOrder.by(0), any -> 0);
        for (int k = 0; k < 5; k++) {
            Packet key = key("k" + k, k);
            packets.put(packets.find(key), key, key);
            Packet event = new Packet(timed.layout());
            byte[] bytes = Rows.encode(timed, List.of(Rows.row((long) k, "some text")));
            event.wrap(bytes, 0, bytes.length);
            events.add(event);
        }
        for (State state : List.of(packets, events)) {
            byte[] bytes = snapshot(state);
            byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            assertThrows(IOException.class, () -> restore(state, cut));
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                restore(state, bytes);
            } catch (IOException refused) {
                continue;
            }
            assertEquals(bytes.length, snapshot(state).length);
        }
    }
}
