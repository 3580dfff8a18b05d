package io.despina.state;

import static io.despina.spec.Never.NEVER;

import io.despina.packet.Packet;

/** How the bits of a {@link KeyFilter} lie in one array of bytes, for as many keys as one array is to remember. */
final class FilterShape {
    static final int GENERATIONS = 8;
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private final int probes;
    private final int places;
    private final int generations;
    /** Microseconds of a generation. */
    private final long length;
    /** The length of an array. */
    final int bytes;

    /** @param arrays among which the keys are dealt out */
    FilterShape(KeyFilter.Options options, int arrays) {
        probes = options.probes();
        places = (int) options.places(arrays);
        generations = options.generations();
        length = generations == 1 ? NEVER : (options.within() + GENERATIONS - 2) / (GENERATIONS - 1);
        bytes = (int) (((long) places * generations + Byte.SIZE - 1) / Byte.SIZE);
    }

    /** For a state's schema: bits of another shape cannot be restored. */
    String text() {
        return places + " places, " + probes + " of a key" + (generations == 1 ? "" : ", generations of " + length + " us");
    }

    /** The generation of a time in microseconds. */
    long generation(long time) {
        return generations == 1 ? 0 : Math.floorDiv(time, length);
    }

    static long hash(Packet key) {
        return EntryRows.wideHash(key);
    }

    boolean contains(byte[] from, long hash) {
        int found = (1 << generations) - 1;
        for (int k = 1; k <= probes && found != 0; k++) {
            long at = place(hash + k * STEP) * generations;
            found &= (from[(int) (at >>> 3)] & 0xFF) >>> (at & 7);
        }
        return found != 0;
    }

    void add(byte[] to, long hash, long generation) {
        int lane = lane(generation);
        for (int k = 1; k <= probes; k++) {
            long at = place(hash + k * STEP) * generations;
            to[(int) (at >>> 3)] |= (byte) (lane << (at & 7));
        }
    }

    /** Makes room for the generations after {@code newest} up to {@code generation}: those that have passed are forgotten. */
    void advance(byte[] of, long newest, long generation) {
        long steps = Math.min(generation - newest, GENERATIONS);
        int kept = 0xFF;
        for (long k = 0; k < steps; k++) {
            kept &= ~lane(generation - k);
        }
        for (int k = 0; k < of.length; k++) {
            of[k] &= (byte) kept;
        }
    }

    /** A place for each seed, of SplitMix64: places that follow from each other by addition would coincide too often. */
    private long place(long seed) {
        long h = (seed ^ seed >>> 30) * 0xBF58476D1CE4E5B9L;
        h = (h ^ h >>> 27) * 0x94D049BB133111EBL;
        h ^= h >>> 31;
        return (h >>> Integer.SIZE) * places >>> Integer.SIZE;
    }

    /** The bit of a generation. */
    private int lane(long generation) {
        return 1 << Math.floorMod(generation, generations);
    }
}
