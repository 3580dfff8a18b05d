package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.BucketMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a snapshot costs when the packets are very many, and of one key. */
class ListedPacketsTest {
    private static final Schema SCHEMA = Schema.of(new Column("t", Simple.BIGINT, false), new Column("s", Simple.STRING, true));
    private static final Schema KEY = Schema.of(new Column("k", Simple.BIGINT, false));
    private static final int MANY = 50_000;
    private static final int SLICE = 1 << 10;
    /** The most that an entry and a note before it take here. */
    private static final int ENTRY = 100;

    private final Timeline timeline = timeline();

    private static Timeline timeline() {
        return new Timeline("tested", SCHEMA, 0, new Timeline.Keys(KEY, 256, any -> Rows.packet(KEY, 1L)));
    }

    private void add(long from, long to) {
        for (long t = from; t < to; t++) {
            timeline.add(Rows.packet(KEY, 1L), Rows.packet(SCHEMA, t, "text"));
        }
    }

    private void dropOldest(int count) {
        for (int k = 0; k < count; k++) {
            timeline.headList(Rows.packet(KEY, 1L));
            timeline.removeHead();
        }
    }

    /** Writes all, slice by slice, of which none is longer than its room and one packet. */
    private Map<String, byte[]> write(boolean changes, Runnable afterEach) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        List<byte[]> slices = new ArrayList<>();
        try (Frozen frozen = changes ? timeline.freezeChanges() : timeline.freeze()) {
            writer.begin(timeline, frozen.form());
            boolean done = false;
            while (!done) {
                done = frozen.write(writer);
                assertTrue(writer.size() < SLICE + ENTRY, "a slice of " + writer.size() + " bytes");
                if (done) {
                    writer.end();
                }
                slices.add(Arrays.copyOf(writer.bytes(), writer.size()));
                writer.replace(new byte[SLICE]);
                afterEach.run();
            }
        }
        byte[] all = new byte[slices.stream().mapToInt(each -> each.length).sum()];
        int at = 0;
        for (byte[] each : slices) {
            System.arraycopy(each, 0, all, at, each.length);
            at += each.length;
        }
        return Map.of("tested", all);
    }

    private static Timeline restored(List<Map<String, byte[]>> chain) throws IOException {
        Timeline restored = timeline();
        new Share(0, 1, 256).restore(List.of(restored), List.of(Snapshots.chain(chain)));
        return restored;
    }

    private static String contents(Timeline of) {
        TimedList list = of.of(Rows.packet(KEY, 1L));
        StringBuilder contents = new StringBuilder();
        Packet view = new Packet(SCHEMA.layout());
        for (int k = list.first(); k < list.end(); k++) {
            of.view(list.place(k), view);
            contents.append(view.getLong(0)).append(list.isMarked(k) ? "! " : " ");
        }
        return contents.toString();
    }

    @Test
    void aKeyWithVeryManyPacketsIsWrittenInSlices() throws IOException {
        add(0, MANY);
        String before = contents(timeline);
        long[] next = {MANY};
        Map<String, byte[]> base = write(false, () -> {
            add(next[0], ++next[0]);
            dropOldest(2);
        });
        assertEquals(before, contents(restored(List.of(base))));
        Map<String, byte[]> changes = write(true, () -> { });
        assertEquals(contents(timeline), contents(restored(List.of(base, changes))));
    }

    @Test
    void changesAreWhatWasAddedMarkedAndDropped() throws IOException {
        add(0, MANY);
        List<Map<String, byte[]>> chain = new ArrayList<>(List.of(write(false, () -> { })));
        for (int epoch = 0; epoch < 5; epoch++) {
            add(MANY + 10 * epoch, MANY + 10 * epoch + 10);
            dropOldest(10);
            timeline.mark(Rows.packet(KEY, 1L), timeline.of(Rows.packet(KEY, 1L)).first() + 1_000);
            Map<String, byte[]> changes = write(true, () -> { });
            assertTrue(changes.get("tested").length < 22 * ENTRY, "changes of " + changes.get("tested").length + " bytes");
            chain.add(changes);
            assertEquals(contents(timeline), contents(restored(chain)));
        }
    }

    @Test
    void memoryThatIsFreeIsNamedOnceAndNotPacketByPacket() throws IOException {
        add(0, MANY);
        List<Map<String, byte[]>> chain = List.of(write(false, () -> { }), writeAfterDropping(MANY - 1));
        assertTrue(chain.get(1).get("tested").length < 64 << 10, "changes of " + chain.get(1).get("tested").length + " bytes");
        assertEquals(MANY - 1 + " ", contents(restored(chain)));
    }

    private Map<String, byte[]> writeAfterDropping(int count) throws IOException {
        dropOldest(count);
        return write(true, () -> { });
    }

    @Test
    void thoseOfOneTimeKeepTheirOrderWhenAnEarlierOneIsMarkedLater() throws IOException {
        for (String text : List.of("a", "b", "c")) {
            timeline.add(Rows.packet(KEY, 1L), Rows.packet(SCHEMA, 7L, text));
        }
        List<Map<String, byte[]>> chain = new ArrayList<>(List.of(write(false, () -> { })));
        timeline.mark(Rows.packet(KEY, 1L), timeline.of(Rows.packet(KEY, 1L)).first());
        chain.add(write(true, () -> { }));
        Timeline restored = restored(chain);
        TimedList list = restored.of(Rows.packet(KEY, 1L));
        Packet view = new Packet(SCHEMA.layout());
        restored.view(list.place(list.first()), view);
        assertEquals("[7, a]", Rows.read(view, SCHEMA).toString());
        assertTrue(list.isMarked(list.first()));
        assertEquals("[7, a]", Rows.read(restored.head(), SCHEMA).toString());
    }

    private static Timeline byNumber() {
        return new Timeline("tested", SCHEMA, 0, new Timeline.Keys(KEY, 256, ListedPacketsTest::number));
    }

    private static Packet number(Packet packet) {
        return Rows.packet(KEY, packet.getLong(0) % 20);
    }

    private static Map<String, byte[]> written(Timeline of) throws IOException {
        try (Snapshots snapshot = new Snapshots(List.of(of), SLICE, true)) {
            return snapshot.all();
        }
    }

    private static Map<Long, List<String>> byKey(Timeline of) {
        Map<Long, List<String>> all = new TreeMap<>();
        Packet view = new Packet(SCHEMA.layout());
        for (long key = 0; key < 20; key++) {
            TimedList list = of.of(Rows.packet(KEY, key));
            for (int k = list == null ? 0 : list.first(); list != null && k < list.end(); k++) {
                of.view(list.place(k), view);
                all.computeIfAbsent(key, none -> new ArrayList<>()).add(Rows.read(view, SCHEMA) + " " + list.isMarked(k));
            }
        }
        return all;
    }

    private static void change(Timeline own, long t, String text) {
        Packet key = Rows.packet(KEY, t % 20);
        own.add(key, Rows.packet(SCHEMA, t, text));
        TimedList list = own.of(key);
        own.mark(key, list.first() + (int) (7 * t % (list.end() - list.first())));
        if (t % 3 == 0) {
            own.headList(number(own.head()));
            own.removeHead();
        }
    }

    /** Their ranks tell nothing of each other. */
    @Test
    void chainsOfTwoWritersGoToThree() throws IOException {
        List<Sections> chains = new ArrayList<>();
        Map<Long, List<String>> expected = new TreeMap<>();
        KeyBuckets buckets = new KeyBuckets(KEY, 256);
        for (int writer = 0; writer < 2; writer++) {
            Timeline own = byNumber();
            List<Map<String, byte[]>> chain = new ArrayList<>();
            for (long epoch = 0; epoch < 4; epoch++) {
                for (long t = 100 * epoch; t < 100 * epoch + 200; t++) {
                    if (BucketMap.owner(buckets.of(Rows.packet(KEY, t % 20)), 256, 2) == writer) {
                        change(own, t, "e" + epoch);
                    }
                }
                chain.add(written(own));
            }
            chains.add(Snapshots.chain(chain));
            expected.putAll(byKey(own));
        }
        Map<Long, List<String>> found = new TreeMap<>();
        for (int reader = 0; reader < 3; reader++) {
            Timeline restored = byNumber();
            new Share(reader, 3, 256).restore(List.of(restored), chains);
            found.putAll(byKey(restored));
        }
        assertEquals(expected, found);
    }

    @Test
    void aPacketOfATimelineMustSayWhetherItIsMarked() {
        SectionWriter writer = new SectionWriter(SLICE);
        SnapshotException refused = assertThrows(SnapshotException.class, () -> {
            writer.begin(timeline);
            writer.beginEntry(1).writeByte(0xff);
            writer.packet(Rows.packet(SCHEMA, 1L, "x"));
            writer.endEntry();
            writer.end();
            Snapshots.restore(timeline, Arrays.copyOf(writer.bytes(), writer.size()));
        });
        assertEquals("state `tested`: a packet that does not say whether it is marked", refused.getMessage());
    }
}
