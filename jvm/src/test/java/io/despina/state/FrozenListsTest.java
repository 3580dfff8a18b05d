package io.despina.state;

import static io.despina.state.ListSubjects.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.spec.BucketMap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a snapshot costs when the list of one key is very long. */
class FrozenListsTest {
    private static final int MANY = 100_000;
    private static final int SLICE = 1 << 10;
    /** The most that a part, or a value without its parts, takes here. */
    private static final int PART = 64 * 9 + 60;

    private final KeyedTable<ListSubjects.GrowingLists> table = table();

    private static KeyedTable<ListSubjects.GrowingLists> table() {
        return new KeyedTable<>("tested", ListSubjects.KEY, 256, new ListSubjects.GrowingFormat());
    }

    private List<String> begin() {
        ListSubjects.GrowingLists value = new ListSubjects.GrowingLists();
        List<String> list = new ArrayList<>(IntStream.range(0, MANY).mapToObj(k -> "e" + k).toList());
        value.all.add(list);
        table.add(key(1), value);
        return list;
    }

    /** A packet more, as an operator adds it. */
    private void add(String element) {
        table.edit(table.find(key(1))).all.get(0).add(element);
    }

    private static byte[] write(State state, boolean changes, Runnable afterEach) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Frozen frozen = changes ? state.freezeChanges() : state.freeze()) {
            writer.begin(state, frozen.form());
            boolean done = false;
            while (!done) {
                done = frozen.write(writer);
                assertTrue(writer.size() < SLICE + PART, "a slice of " + writer.size() + " bytes");
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

    private static KeyedTable<ListSubjects.GrowingLists> restored(List<byte[]> chain) throws IOException {
        return restored(new Share(0, 1, 256), chain);
    }

    private static KeyedTable<ListSubjects.GrowingLists> restored(Share share, List<byte[]> chain) throws IOException {
        KeyedTable<ListSubjects.GrowingLists> into = table();
        share.restore(List.of(into), List.of(sections(chain)));
        return into;
    }

    private static Sections sections(List<byte[]> chain) {
        return Snapshots.chain(chain.stream().map(each -> Map.of("tested", each)).toList());
    }

    private static List<List<String>> lists(KeyedTable<ListSubjects.GrowingLists> of) {
        return of.get(of.find(key(1))).all;
    }

    @Test
    void aLongListIsWrittenInSlicesWhileItGrowsAndEvenWhenItsValueHasLeft() throws IOException {
        List<String> expected = List.copyOf(begin());
        int[] slices = {0};
        byte[] base = write(table, false, () -> {
            if (slices[0]++ == 20) {
                table.remove(table.find(key(1)));
            } else if (slices[0] < 20) {
                add("more");
            }
        });
        assertTrue(slices[0] > 500, slices[0] + " slices");
        assertEquals(List.of(expected), lists(restored(List.of(base))));
        byte[] gone = write(table, true, () -> { });
        assertEquals(KeyedTable.NONE, restored(List.of(base, gone)).find(key(1)));
    }

    @Test
    void changesAreWhatHasComeToTheList() throws IOException {
        begin();
        List<byte[]> chain = new ArrayList<>(List.of(write(table, false, () -> { })));
        for (int epoch = 1; epoch <= 20; epoch++) {
            for (int k = 0; k < 10; k++) {
                add("n" + epoch + k);
            }
            chain.add(write(table, true, () -> { }));
            assertTrue(chain.get(epoch).length < 2 * PART + 100, "changes of " + chain.get(epoch).length + " bytes");
            assertEquals(lists(table), lists(restored(chain)));
        }
    }

    @Test
    void aListGoesWithItsKeyAndIntoASavepoint() throws IOException {
        begin();
        List<byte[]> chain = new ArrayList<>(List.of(write(table, false, () -> { })));
        add("more");
        chain.add(write(table, true, () -> { }));
        int owner = BucketMap.owner(table.buckets().of(key(1)), 256, 3);
        for (int reader = 0; reader < 3; reader++) {
            KeyedTable<ListSubjects.GrowingLists> restored = restored(new Share(reader, 3, 256), chain);
            assertEquals(reader == owner ? 1 : 0, restored.size());
            assertTrue(reader != owner || lists(table).equals(lists(restored)));
        }
        ByteArrayOutputStream savepoint = new ByteArrayOutputStream();
        SectionMerge.write("tested", sections(chain), (bytes, size) -> savepoint.write(bytes, 0, size));
        assertEquals(lists(table), lists(restored(List.of(savepoint.toByteArray()))));
    }

    @Test
    void aListThatTakesThePlaceOfAnotherIsWrittenWhole() throws IOException {
        begin();
        List<byte[]> chain = new ArrayList<>(List.of(write(table, false, () -> { })));
        ListSubjects.GrowingLists value = table.edit(table.find(key(1)));
        value.all.set(0, new ArrayList<>(value.all.get(0).subList(0, 1_000)));
        chain.add(write(table, true, () -> { }));
        value = table.edit(table.find(key(1)));
        value.all.add(0, new ArrayList<>(List.of("first")));
        chain.add(write(table, true, () -> { }));
        assertTrue(chain.get(2).length < 2 * PART, "changes of " + chain.get(2).length + " bytes");
        assertEquals(lists(table), lists(restored(chain)));
    }

    private static byte[] section(int parts, int elements) throws IOException {
        SectionWriter writer = new SectionWriter(SLICE);
        writer.begin(table());
        for (int part = 0; part < parts; part++) {
            writer.beginEntry(StateFormat.flagged(3, StateFormat.PART));
            writer.packet(key(1));
            writer.data().writeInt(7);
            writer.data().writeInt(1);
            writer.data().writeUTF("x");
            writer.endEntry();
        }
        if (elements >= 0) {
            writer.beginEntry(StateFormat.flagged(3, StateFormat.CUT));
            writer.packet(key(1));
            for (int each : new int[] {1, -1, 7, elements, 0}) {
                writer.data().writeInt(each);
            }
            writer.endEntry();
        }
        writer.end();
        return Arrays.copyOf(writer.bytes(), writer.size());
    }

    private static String refused(byte[] section) {
        return assertThrows(SnapshotException.class, () -> Snapshots.restore(table(), section)).getMessage();
    }

    @Test
    void partsThatDoNotFitTheirValuesAreRefused() throws IOException {
        Snapshots.restore(table(), section(2, 2));
        assertEquals("state `tested`: a list has 2 elements apart, not 3", refused(section(2, 3)));
        assertEquals("state `tested`: a list has 0 elements apart, not 3", refused(section(0, 3)));
        assertEquals("state `tested`: elements of a list that no value has", refused(section(2, -1)));
    }
}
