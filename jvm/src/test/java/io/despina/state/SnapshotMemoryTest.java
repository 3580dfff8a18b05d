package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that a table of values of 24 bytes takes while a snapshot of it is written, counted in bytes. */
class SnapshotMemoryTest {
    private static final Schema KEY = Schema.of(new Column("k", Simple.BIGINT, false));
    private static final Schema VALUE = Schema.of(new Column("a", Simple.BIGINT, false), new Column("b", Simple.BIGINT, false),
            new Column("c", Simple.BIGINT, false));
    /** With {@code DESPINA_EVERY_CASE=1} there are as many as in the measurements, and the figures are told. */
    private static final int FEW = 50_000;
    private static final int KEYS = System.getenv("DESPINA_EVERY_CASE") == null ? FEW : 1_000_000;
    /** Of the table's own memory. */
    private static final double MOST = 1.25;
    private static final int SLICE = 1 << 16;

    private final KeyedPackets state = new KeyedPackets("tested", KEY, 256, VALUE);
    private final SplittableRandom random = new SplittableRandom(1);
    private final ScratchPacket key = new ScratchPacket(KEY.layout());
    private final ScratchPacket value = new ScratchPacket(VALUE.layout());

    private void update(long of) {
        PacketWriter k = key.begin();
        k.setLong(0, of);
        Packet its = key.commit();
        PacketWriter v = value.begin();
        for (int column = 0; column < 3; column++) {
            v.setLong(column, random.nextLong());
        }
        value.commit();
        state.put(state.find(its), its, value);
    }

    /** The most bytes at any time, in parts of those before. */
    private double most(int updates, boolean changes) throws IOException {
        long before = state.bytes();
        long bits = 2L * KEYS / Byte.SIZE;      // which rows have changed, and which are to be written: not in what it counts
        long most = before;
        SectionWriter writer = new SectionWriter(SLICE);
        try (Frozen frozen = changes ? state.freezeChanges() : state.freeze()) {
            writer.begin(state, frozen.form());
            while (!frozen.write(writer)) {
                writer.replace(writer.bytes());
                for (int k = 0; k < updates; k++) {
                    update(random.nextLong(KEYS));
                }
                most = Math.max(most, state.bytes() + bits);
            }
        }
        return (double) most / before;
    }

    /** @param updates while a slice of 64 KB is written, which has about 1,100 entries */
    @ParameterizedTest
    @ValueSource(ints = {300, 1_000, 3_000})
    void isLittleMoreThanThatOfTheTable(int updates) throws IOException {
        for (long k = 0; k < KEYS; k++) {
            update(k);
        }
        double ofWhole = most(updates, false);
        for (int k = 0; k < KEYS / 5; k++) {
            update(random.nextLong(KEYS));
        }
        double ofChanges = most(updates, true);
        assertTrue(ofWhole > 1 && ofWhole < MOST, "a whole snapshot: " + ofWhole);
        assertTrue(ofChanges > 1 && ofChanges < MOST, "one of changes: " + ofChanges);
        if (KEYS > FEW) {
            System.out.printf("%d updates a slice: %.3f of the table's memory, of changes %.3f%n", updates, ofWhole, ofChanges);
        }
    }
}
