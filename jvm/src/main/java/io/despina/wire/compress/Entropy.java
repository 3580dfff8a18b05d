package io.despina.wire.compress;

import java.util.Arrays;

/** The byte entropy of a region, from a sample of it (NEPTUNE III-B5). Reused; one thread. */
final class Entropy {
    private static final int RUNS = 16;
    private static final int RUN = 64;
    private static final int SAMPLE = RUNS * RUN;
    private static final double LN2 = Math.log(2);
    /** k log2 k. */
    private static final double[] K_LOG_K = new double[SAMPLE + 1];

    static {
        for (int k = 1; k <= SAMPLE; k++) {
            K_LOG_K[k] = k * Math.log(k) / LN2;
        }
    }

    private final int[] counts = new int[256];

    /** @return bits per byte, 0 to 8, of bytes[from, to) */
    double bits(byte[] bytes, int from, int to) {
        Arrays.fill(counts, 0);
        int size = to - from;
        int n = Math.min(size, SAMPLE);
        if (size <= SAMPLE) {
            count(bytes, from, to);
        } else {
            for (int k = 0; k < RUNS; k++) {
                int at = from + (int) ((long) k * (size - RUN) / (RUNS - 1));
                count(bytes, at, at + RUN);
            }
        }
        double sum = 0;
        for (int c : counts) {
            sum += K_LOG_K[c];
        }
        return n == 0 ? 0 : Math.log(n) / LN2 - sum / n;
    }

    private void count(byte[] bytes, int from, int to) {
        for (int k = from; k < to; k++) {
            counts[bytes[k] & 0xff]++;
        }
    }
}
