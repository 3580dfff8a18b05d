package io.despina.control.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import io.despina.placement.Loops;
import java.util.zip.CRC32C;

/** Measures how long this machine takes for the loops of {@link Loops}, in less than a second. */
public final class LoopMeter {
    private static final long WARM_UP_NANOS = 60_000_000;
    private static final long NANOS = 150_000_000;
    /** Of a call, which is short, so that some calls are never held up by others that use the machine. */
    private static final int STEPS = 1 << 10;
    /**
     * Of int, 64 MB: twice the last cache of many processors. In less of it a read would be one of a cache. A resource takes them
     * as it joins, before its tasks have any memory, and only for so long.
     */
    private static final int PLACES = 1 << 24;
    private static final int BLOCK = 1024;
    private static final int BLOCKS = 64;
    private static final long FACTOR = 6_364_136_223_846_793_005L;
    private static final long SUMMAND = 1_442_695_040_888_963_407L;

    /** What loops have worked out, so that no compiler leaves them out. */
    private long sink;

    private LoopMeter() {
    }

    /** See {@code Gateway.machine}. */
    public static ObjectNode ofThisMachine() {
        Loops loops = loops();
        ObjectNode answer = Json.object().put("cpus", Runtime.getRuntime().availableProcessors());
        answer.putObject("loops_ns").put("arithmetic", rounded(loops.arithmetic()))
                .put("memory", rounded(loops.memory())).put("bytes", rounded(loops.bytes()));
        return answer;
    }

    /** Of this machine, as it is now. */
    static Loops loops() {
        return new LoopMeter().measure();
    }

    private Loops measure() {
        double arithmetic = nanos(this::multiply) / STEPS;
        int[] places = new int[PLACES];
        double memory = nanos(() -> read(places)) / STEPS;
        byte[] from = new byte[BLOCK * BLOCKS];
        byte[] to = new byte[BLOCK * BLOCKS];
        double bytes = nanos(() -> copy(from, to)) / BLOCKS;
        return new Loops(arithmetic, memory, bytes);
    }

    /** Of the fastest call within some time: others may use the machine beside it. */
    private double nanos(Runnable loop) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WARM_UP_NANOS) {
            loop.run();
        }
        long fastest = Long.MAX_VALUE;
        for (long now = System.nanoTime(), end = now + NANOS; now < end;) {
            loop.run();
            long then = System.nanoTime();
            fastest = Math.min(fastest, then - now);
            now = then;
        }
        return Math.max(1, fastest);
    }

    private static double rounded(double nanos) {
        return Math.round(nanos * 100) / 100.0;
    }

    private void multiply() {
        long x = sink;
        for (int k = 0; k < STEPS; k++) {
            x = x * FACTOR + SUMMAND;
            x ^= x >>> 29;
        }
        sink = x;
    }

    /** Each place is known only when the one before has been read. */
    private void read(int[] places) {
        long x = sink | 1;
        for (int k = 0; k < STEPS; k++) {
            x = x * FACTOR + SUMMAND + places[(int) (x >>> 40) & PLACES - 1];
        }
        sink = x;
    }

    private void copy(byte[] from, byte[] to) {
        CRC32C check = new CRC32C();
        for (int k = 0; k < BLOCKS; k++) {
            System.arraycopy(from, k * BLOCK, to, k * BLOCK, BLOCK);
            check.update(to, k * BLOCK, BLOCK);
        }
        sink += check.getValue();
    }
}
