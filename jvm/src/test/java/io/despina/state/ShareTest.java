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
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Instances go on from what others have written, and buckets have moved in between. */
class ShareTest {
    private static final Schema KEY = Schema.of(new Column("k", Simple.BIGINT, false));
    private static final int BUCKETS = 8;
    private static final long KEYS = 60;
    private static final KeyBuckets DEALING = new KeyBuckets(KEY, BUCKETS);
    private static final BucketMap START = BucketMap.even(BUCKETS, 2, 3);

    /** A text for each key, and one of the instance itself. */
    private static final class Kept {
        private final KeyedTable<String> byKey = new KeyedTable<>("by_key", KEY, BUCKETS, new Texts());
        private final NamedEntries own;

        Kept(String text) {
            own = new NamedEntries("own", () -> Map.of("is", text));
        }

        List<State> states() {
            return List.of(byKey, own);
        }

        TreeSet<Long> keys() {
            TreeSet<Long> keys = new TreeSet<>();
            for (long k = 0; k < KEYS; k++) {
                if (byKey.find(key(k)) != KeyedTable.NONE) {
                    keys.add(k);
                }
            }
            return keys;
        }
    }

    private static Packet key(long value) {
        return Rows.packet(KEY, value);
    }

    private static TreeSet<Long> keysOf(BucketMap map, int instance) {
        TreeSet<Long> keys = new TreeSet<>();
        for (long k = 0; k < KEYS; k++) {
            if (map.owner(DEALING.of(key(k))) == instance) {
                keys.add(k);
            }
        }
        return keys;
    }

    /** What all instances have written, where keys are as the map says. */
    private static List<Sections> written(BucketMap map) throws IOException {
        List<Sections> all = new ArrayList<>();
        for (int k = 0; k < map.instances(); k++) {
            Kept one = new Kept("i" + k);
            for (long key : keysOf(map, k)) {
                one.byKey.add(key(key), "v" + key);
            }
            try (Snapshots snapshot = new Snapshots(one.states(), 64)) {
                all.add(Snapshots.sections(snapshot.all()));
            }
        }
        return all;
    }

    @Test
    void eachTakesItsBucketsAndWhatIsItsOwn() throws IOException {
        BucketMap now = START.moved(Map.of(0, 2, 1, 1, 6, 0));
        for (BucketMap before : List.of(START, now)) {
            for (int k = 0; k < 3; k++) {
                Kept read = new Kept("");
                new Share(k, now, before).restore(read.states(), written(before));
                assertEquals(keysOf(now, k), read.keys(), "instance " + k + " of " + before);
                assertEquals(Map.of("is", "i" + k), read.own.restored().get(k));
                assertEquals(1, read.own.restored().stream().filter(each -> !each.isEmpty()).count(), "what others say");
            }
        }
    }

    @Test
    void whoBeganWithAllInstancesGoesOnWithSome() throws IOException {
        List<Sections> all = written(BucketMap.even(BUCKETS, 3));
        for (int k = 0; k < 3; k++) {
            Kept read = new Kept("");
            new Share(k, START, null).restore(read.states(), all);
            assertEquals(keysOf(START, k), read.keys());
        }
    }

    @Test
    void onlyThoseAreAskedThatGiveBuckets() throws IOException {
        BucketMap now = START.moved(Map.of(0, 2));
        List<Sections> all = new ArrayList<>(written(START));
        all.set(1, null);
        Kept read = new Kept("");
        try (Restoring restoring = new Share(2, now, START).begin(read.states(), all)) {
            int calls = 1;
            while (!restoring.some(1)) {
                calls++;
            }
            assertTrue(calls > keysOf(now, 2).size(), "one entry at a time");
        }
        assertEquals(keysOf(now, 2), read.keys());
    }

    @Test
    void nothingStaysOfASectionThatDoesNotFit() throws IOException {
        List<Sections> all = new ArrayList<>(written(START));
        KeyedTable<String> other = new KeyedTable<>("by_key", KEY, BUCKETS, new Texts());
        other.add(key(1), "v1");
        byte[] section = Snapshots.of(other);
        all.set(0, (state, piece) -> Snapshots.sections(Map.of("by_key", Arrays.copyOf(section, section.length - 3)))
                .section("by_key", 0));
        Kept read = new Kept("");
        assertThrows(SnapshotException.class, () -> new Share(0, START, START).restore(read.states(), all));
        assertEquals(0, read.byKey.size());
    }
}
