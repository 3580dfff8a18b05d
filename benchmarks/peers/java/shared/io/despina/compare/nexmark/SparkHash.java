package io.despina.compare.nexmark;

/** Spark's {@code xxhash64(seed, number, k)}: XXH64 of two longs and an int, each hashed with the hash of the one before. */
public final class SparkHash {
    private static final long P1 = 0x9E3779B185EBCA87L;
    private static final long P2 = 0xC2B2AE3D27D4EB4FL;
    private static final long P3 = 0x165667B19E3779F9L;
    private static final long P4 = 0x85EBCA77C2B2AE63L;
    private static final long P5 = 0x27D4EB2F165667C5L;
    private static final long FIRST = 42;

    private SparkHash() {
    }

    /** Of the first two: all hashes of one event have it in common. */
    public static long begun(long seed, long number) {
        return ofLong(number, ofLong(seed, FIRST));
    }

    /** {@code pmod(xxhash64(seed, number, k), n)}. */
    public static long below(long n, long begun, int k) {
        return Math.floorMod(ofInt(k, begun), n);
    }

    private static long ofInt(int value, long seed) {
        long hash = seed + P5 + Integer.BYTES;
        hash ^= (value & 0xFFFFFFFFL) * P1;
        return mixed(Long.rotateLeft(hash, 23) * P2 + P3);
    }

    private static long ofLong(long value, long seed) {
        long hash = seed + P5 + Long.BYTES;
        hash ^= Long.rotateLeft(value * P2, 31) * P1;
        return mixed(Long.rotateLeft(hash, 27) * P1 + P4);
    }

    private static long mixed(long hash) {
        long found = (hash ^ hash >>> 33) * P2;
        found = (found ^ found >>> 29) * P3;
        return found ^ found >>> 32;
    }
}
