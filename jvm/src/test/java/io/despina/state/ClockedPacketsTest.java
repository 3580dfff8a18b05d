package io.despina.state;

import static io.despina.state.ClockedSubjects.BUCKETS;
import static io.despina.state.ClockedSubjects.KEY;
import static io.despina.state.ClockedSubjects.SCHEMA;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Packet;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a snapshot costs when very many packets wait for the clock of one key. */
class ClockedPacketsTest {
    private static final int MANY = 50_000;
    private static final int SLICE = 1 << 10;
    /** The most that an entry and a note before it take here. */
    private static final int ENTRY = 100;
    private static final String TEXT = "a text of some length";

    private final ClockedPackets clocks = clocks();
    private final PairedPackets pairs = pairs();

    private static Packet key(Packet packet) {
        return Rows.packet(KEY, 1L);
    }

    private static ClockedPackets clocks() {
        return new ClockedPackets("clocks", new ClockedPackets.Key(KEY, BUCKETS, greatest -> greatest - 10,
                ClockedPacketsTest::key), SCHEMA, EventOrder.by(0));
    }

    private static PairedPackets pairs() {
        return new PairedPackets(KEY, BUCKETS, stream(), stream());
    }

    private static PairedPackets.Stream stream() {
        return new PairedPackets.Stream(SCHEMA, EventOrder.by(0), 10, Long.MAX_VALUE, ClockedPacketsTest::key, packet -> 7);
    }

    private ClockedPackets.KeyClock clock() {
        return clocks.clock(Rows.packet(KEY, 1L));
    }

    private PairClock pair() {
        return pairs.clock(Rows.packet(KEY, 1L));
    }

    private void add(long from, long to) {
        for (long t = from; t < to; t++) {
            clocks.add(clock(), t, Rows.packet(SCHEMA, t, TEXT));
            pairs.add(pair(), t % 2 == 0, Rows.packet(SCHEMA, t, TEXT), 7);
            pairs.advance(pair(), t % 2 == 0, t);
        }
    }

    private void drop(int count) {
        for (int k = 0; k < count; k++) {
            clocks.dropHead(clock());
            pairs.dropFirst(pair(), k % 2 == 0);
        }
    }

    /** Writes all, slice by slice, of which none is longer than its room and one packet. */
    private static byte[] write(State state, boolean changes, Runnable afterEach) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Frozen frozen = changes ? state.freezeChanges() : state.freeze()) {
            writer.begin(state, frozen.form());
            boolean done = false;
            while (!done) {
                done = frozen.write(writer);
                assertTrue(writer.size() < SLICE + ENTRY, "a slice of " + writer.size() + " bytes");
                if (done) {
                    writer.end();
                }
                all.write(writer.bytes(), 0, writer.size());
                writer.replace(new byte[SLICE]);
                afterEach.run();
            }
        }
        return all.toByteArray();
    }

    private static <S extends State> S restored(S into, List<byte[]> chain) throws IOException {
        List<Map<String, byte[]>> sections = chain.stream().map(each -> Map.of(into.name(), each)).toList();
        new Share(0, 1, 256).restore(List.of(into), List.of(Snapshots.chain(sections)));
        return into;
    }

    /** Takes out what waits. */
    private static String times(ClockedPackets of) {
        of.restored(0);
        ClockedPackets.KeyClock clock = of.stop(of.find(Rows.packet(KEY, 1L)));
        StringBuilder times = new StringBuilder();
        while (clock.isReady()) {
            times.append(of.head(clock).getLong(0)).append(' ');
            of.dropHead(clock);
        }
        return times.toString();
    }

    private static String contents(PairedPackets of) {
        StringBuilder contents = new StringBuilder();
        Packet view = new Packet(SCHEMA.layout());
        for (boolean ofLeft : new boolean[] {true, false}) {
            PairClock clock = of.clock(Rows.packet(KEY, 1L));
            ClockedLine line = ofLeft ? clock.left() : clock.right();
            for (int k = line.first(); k < line.end(); k++) {
                of.view(line, ofLeft, k, view);
                contents.append(view.getLong(0)).append(line.isMarked(k) ? "! " : " ");
            }
        }
        return contents.toString();
    }

    private static String range(long from, long to) {
        StringBuilder times = new StringBuilder();
        for (long t = from; t < to; t++) {
            times.append(t).append(' ');
        }
        return times.toString();
    }

    @Test
    void aKeyWithVeryManyPacketsIsWrittenInSlices() throws IOException {
        add(0, MANY);
        String before = contents(pairs);
        long[] next = {MANY};
        Runnable change = () -> {
            add(next[0], ++next[0]);
            drop(1);
        };
        byte[] ofClocks = write(clocks, false, change);
        assertEquals(range(0, MANY), times(restored(clocks(), List.of(ofClocks))));
        String between = contents(pairs);
        byte[] ofPairs = write(pairs, false, change);
        assertEquals(between, contents(restored(pairs(), List.of(ofPairs))));
        assertNotEquals(before, between);
        assertEquals(contents(pairs), contents(restored(pairs(), List.of(ofPairs, write(pairs, true, () -> { })))));
    }

    @Test
    void changesAreWhatHasComeWasMarkedAndHasGone() throws IOException {
        add(0, MANY);
        List<byte[]> ofClocks = new ArrayList<>(List.of(write(clocks, false, () -> { })));
        List<byte[]> ofPairs = new ArrayList<>(List.of(write(pairs, false, () -> { })));
        for (int epoch = 1; epoch <= 5; epoch++) {
            add(MANY + 10 * epoch - 10, MANY + 10 * epoch);
            drop(10);
            pairs.mark(pair(), true, pair().left().first() + 1_000);
            ofClocks.add(write(clocks, true, () -> { }));
            ofPairs.add(write(pairs, true, () -> { }));
            assertTrue(ofClocks.get(epoch).length < 22 * ENTRY, "changes of " + ofClocks.get(epoch).length + " bytes");
            assertTrue(ofPairs.get(epoch).length < 24 * ENTRY, "changes of " + ofPairs.get(epoch).length + " bytes");
            assertEquals(range(10 * epoch, MANY + 10 * epoch), times(restored(clocks(), ofClocks)));
            assertEquals(contents(pairs), contents(restored(pairs(), ofPairs)));
        }
    }

    /** The packets that were dropped lie between those that stay. */
    @Test
    void packetsMoveWhenMostOfTheMemoryIsFreeAndSnapshotsFollow() throws IOException {
        for (long t = 0; t < MANY; t++) {
            Packet of = Rows.packet(KEY, t % 50 == 0 ? 1L : 2L);
            clocks.add(clocks.clock(of), t, Rows.packet(SCHEMA, t, TEXT));
            pairs.add(pairs.clock(of), true, Rows.packet(SCHEMA, t, TEXT), 7);
        }
        pairs.mark(pair(), true, 3);
        PairClock leaving = pairs.clock(Rows.packet(KEY, 2L));
        List<byte[]> chain = new ArrayList<>(List.of(write(pairs, false, () -> { })));
        while (leaving.left().first() < leaving.left().end()) {
            clocks.dropHead(clocks.clock(Rows.packet(KEY, 2L)));
            pairs.dropFirst(leaving, true);
        }
        long before = pairs.bytes() + clocks.bytes();
        String expected = contents(pairs);
        chain.add(write(pairs, true, () -> {
            clocks.compact();
            pairs.compact();
        }));
        assertEquals(expected, contents(pairs));
        assertEquals(expected, contents(restored(pairs(), chain)));
        long after = pairs.bytes() + clocks.bytes();
        assertTrue(after < before - (2 << 20), "from " + before + " to " + after + " bytes");
        chain.add(write(pairs, true, () -> { }));
        assertEquals(expected, contents(restored(pairs(), chain)));
    }

    private static byte[] section(State of, int kind) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        writer.begin(of);
        writer.beginEntry(1).writeByte(kind);
        if (kind != 0xff) {
            writer.data().writeLong(0);
        }
        writer.packet(Rows.packet(SCHEMA, 1L, TEXT));
        writer.endEntry();
        writer.end();
        return Arrays.copyOf(writer.bytes(), writer.size());
    }

    @Test
    void aPacketWithoutAClockIsRefused() {
        assertEquals("state `clocks`: a packet whose key has no clock", assertThrows(SnapshotException.class,
                () -> Snapshots.restore(clocks, section(clocks, 0xff))).getMessage());
        assertEquals("state `clocks`: a packet whose key has no clock", assertThrows(SnapshotException.class,
                () -> Snapshots.restore(pairs, section(pairs, 0xfb))).getMessage());
        assertEquals("state `clocks`: a packet that says whether it is marked", assertThrows(SnapshotException.class,
                () -> Snapshots.restore(clocks, section(clocks, 0xfe))).getMessage());
    }

    /** In formats up to 4 each clock has its packets. */
    @Test
    void packetsOfOneTimeInAnOlderSnapshotAreAllThere() throws IOException {
        PairedPackets ordered = new PairedPackets(KEY, BUCKETS, inOrder(), inOrder());
        SectionWriter writer = new SectionWriter(SLICE);
        writer.begin(ordered);
        DataOutput content = writer.beginEntry(1);
        writer.packet(Rows.packet(KEY, 1L));
        content.writeLong(3);
        for (String[] texts : List.of(new String[] {"a", "b", "c"}, new String[] {"d", "e"})) {
            content.writeLong(9);
            content.writeBoolean(false);
            content.writeInt(0);
            content.writeInt(texts.length);
            for (String text : texts) {
                content.writeBoolean(text.equals("b"));
                writer.packet(Rows.packet(SCHEMA, 5L, text));
            }
        }
        writer.endEntry();
        writer.end();
        Snapshots.restore(ordered, Arrays.copyOf(writer.bytes(), writer.size()));
        assertEquals("[5, a]false [5, b]true [5, c]false ", rows(ordered, true));
        assertEquals("[5, d]false [5, e]false ", rows(ordered, false));
    }

    private static PairedPackets.Stream inOrder() {
        return new PairedPackets.Stream(SCHEMA, EventOrder.by(0, 1), 10, Long.MAX_VALUE, ClockedPacketsTest::key, packet -> 7);
    }

    private static String rows(PairedPackets of, boolean ofLeft) {
        PairClock clock = of.clock(Rows.packet(KEY, 1L));
        ClockedLine line = ofLeft ? clock.left() : clock.right();
        Packet view = new Packet(SCHEMA.layout());
        StringBuilder rows = new StringBuilder();
        for (int k = line.first(); k < line.end(); k++) {
            of.view(line, ofLeft, k, view);
            rows.append(Rows.read(view, SCHEMA)).append(line.isMarked(k)).append(' ');
        }
        return rows.toString();
    }
}
