package io.despina.state;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class KeyFilterTest {
    private static final int BUCKETS = 256;
    private static final Schema KEY = Schema.of(new Column("k", Type.Simple.BIGINT, false));

    private final ScratchPacket scratch = new ScratchPacket(KEY.layout());

    private static KeyFilter filter(KeyFilter.Options options) {
        return new KeyFilter("seen", KEY, BUCKETS, options);
    }

    private Packet key(long of) {
        scratch.begin().setLong(0, of);
        return scratch.commit();
    }

    @Test
    void noMoreNewKeysAreFoundByChanceThanStated() {
        for (int bits : new int[] {4, 8, 12, 16}) {
            for (int keys : new int[] {100, 3_000, 100_000}) {
                KeyFilter.Options options = new KeyFilter.Options(keys, bits, NEVER);
                double found = found(filter(options), keys, 100_000, keys);
                assertTrue(found <= options.rate(), bits + " bits, " + keys + " keys: " + found + " > " + options.rate());
                // Far fewer would mean that the memory is not used.
                assertTrue(keys < 100_000 || bits > 12 || found > options.rate() / 4, bits + " bits: " + found);
            }
        }
    }

    /** Which part of keys that were never added is found in a filter of so many; each is tried in a filter that keeps it out. */
    private double found(KeyFilter filter, int keys, int tries, int seed) {
        Random random = new Random(seed);
        for (int k = 0; k < keys; k++) {
            filter.add(key(random.nextLong()), 0);
        }
        int found = 0;
        int added = 0;
        // What is added in trying fills the filter: after a tenth of its keys the count would be of a fuller one.
        for (int k = 0; k < tries && added < Math.max(10, keys / 10); k++) {
            if (filter.add(key(random.nextLong()), 0)) {
                added++;
            } else {
                found++;
            }
        }
        return (double) found / (found + added);
    }

    @Test
    void theRateHoldsWhileKeysComeAndAreForgotten() {
        int keys = 20_000;
        KeyFilter.Options options = new KeyFilter.Options(keys, 16, 700_000);
        KeyFilter filter = filter(options);
        Random random = new Random(7);
        int dropped = 0;
        int tries = 10 * keys;
        for (int k = 0; k < tries; k++) {
            dropped += filter.add(key(random.nextLong()), k * 700_000L / keys) ? 0 : 1;
        }
        assertTrue(dropped <= options.rate() * tries, dropped + " of " + tries);
    }

    @Property(tries = 200)
    void aKeyIsFoundWithinItsTimeAndForgottenASeventhAfter(@ForAll long seed) {
        Random random = new Random(seed);
        long within = 7 * (1 + random.nextInt(20));
        KeyFilter filter = filter(new KeyFilter.Options(50, 40, within));
        Map<Long, Long> since = new HashMap<>();
        long time = random.nextBoolean() ? -500 : Long.MAX_VALUE - 1_000_000;
        for (int k = 0; k < 300; k++) {
            time += random.nextInt(5) == 0 ? random.nextInt(2 * (int) within) : random.nextInt(3);
            long key = random.nextInt(30);
            Long began = since.get(key);
            boolean added = filter.add(key(key), time);
            if (began == null || time - began >= within + within / 7) {
                assertTrue(added, "forgotten");
            } else if (time - began < within) {
                assertFalse(added, "remembered");
            }
            if (added) {
                since.put(key, time);
            }
        }
    }

    @Test
    void memoryIsTakenByBucketsThatHaveKeysAndCounted() {
        KeyFilter.Options options = new KeyFilter.Options(1_000_000, 16, NEVER);
        KeyFilter filter = filter(options);
        assertTrue(filter.bytes() < 10_000);
        filter.add(key(1), 0);
        assertEquals(options.bucketBytes(KEY, BUCKETS), filter.bytes() - filter(options).bytes(), 1);
        Random random = new Random(1);
        for (int k = 0; k < 10_000; k++) {
            filter.add(key(random.nextLong()), 0);
        }
        assertEquals(2_000_000, filter.bytes(), 150_000);
        filter.clear();
        assertTrue(filter.bytes() < 10_000);
    }

    @Test
    void whatASnapshotKeepsIsCountedUntilItIsWritten() throws Exception {
        KeyFilter filter = filter(new KeyFilter.Options(100_000, 16, NEVER));
        for (int k = 0; k < 2_000; k++) {
            filter.add(key(k), 0);
        }
        long held = filter.bytes();
        try (Frozen frozen = filter.freeze()) {
            for (int k = 2_000; k < 4_000; k++) {
                filter.add(key(k), 0);
            }
            assertEquals(2.0, (double) filter.bytes() / held, 0.1);
            SectionWriter writer = new SectionWriter(1 << 12);
            while (!frozen.write(writer)) {
                writer.replace(new byte[1 << 12]);
            }
            assertEquals(held, filter.bytes());
        }
    }

    @Test
    void anotherSizeOrADamagedPlaceIsRefused() throws Exception {
        KeyFilter filter = filter(new KeyFilter.Options(100, 16, NEVER));
        filter.add(key(1), 0);
        Sections sections = Snapshots.sections(Map.of("seen", Snapshots.of(filter)));
        Share share = new Share(0, 1, BUCKETS);
        KeyFilter other = filter(new KeyFilter.Options(100_000, 16, NEVER));
        SnapshotException refused = assertThrows(SnapshotException.class, () -> share.restore(List.of(other), List.of(sections)));
        assertTrue(refused.getMessage().contains("places, 11 of a key`, in the graph `"), refused.getMessage());
        KeyFilter same = filter(new KeyFilter.Options(100, 16, NEVER));
        share.restore(List.of(same), List.of(sections));
        assertFalse(same.add(key(1), 0));
    }
}
