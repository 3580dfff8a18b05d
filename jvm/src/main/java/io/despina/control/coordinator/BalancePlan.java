package io.despina.control.coordinator;

import io.despina.spec.BucketMap;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Which buckets of an operator's keys should move to instances whose threads have less to do: a function of what was counted. The
 * work of an instance is shared out over its buckets by their packets; then, again and again, the bucket moves from the busiest
 * thread to the least busy one that makes the two most alike.
 */
final class BalancePlan {
    /** A thread that is less busy is in nobody's way. */
    private static final double BUSY = 0.5;
    /** What the last buckets win is not worth that they move. */
    private static final double LEAST_STEP = 0.01;
    /** What is won must come back within so many seconds. */
    private static final double HORIZON_S = 60;
    /** So much of a state is written and read again in a second. */
    private static final double BYTES_PER_S = 100e6;

    /**
     * What was counted.
     *
     * @param busy       what threads and instances had to do
     * @param packets    by bucket
     * @param stateBytes of all instances
     * @param resting    buckets that stay where they are, as they have moved a short time ago
     */
    record Load(BucketMap map, Busy busy, List<Long> packets, long stateBytes, Set<Integer> resting) {
    }

    /**
     * Shares of a thread's time.
     *
     * @param threads   by number, with all tasks of the job that it runs
     * @param instances of the operator
     * @param runs      by instance, the number of the thread that runs it
     */
    record Busy(List<Double> threads, List<Double> instances, List<Integer> runs) {
    }

    private final Load load;
    private final List<Integer> runs;
    private final double[] threads;
    private final double[] busy;
    /** By bucket: the share of a thread's time that it takes. */
    private final double[] takes;
    private final int[] owners;
    private final Map<Integer, Integer> to = new TreeMap<>();

    private BalancePlan(Load load) {
        this.load = load;
        int buckets = load.map.buckets();
        runs = load.busy.runs;
        threads = array(load.busy.threads);
        busy = array(load.busy.instances);
        takes = new double[buckets];
        owners = new int[buckets];
        long[] sent = new long[busy.length];
        for (int b = 0; b < buckets; b++) {
            owners[b] = load.map.owner(b);
            sent[owners[b]] += load.packets.get(b);
        }
        for (int b = 0; b < buckets; b++) {
            takes[b] = sent[owners[b]] == 0 ? 0 : busy[owners[b]] * load.packets.get(b) / sent[owners[b]];
        }
    }

    private static double[] array(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * What should move.
     *
     * @param worth the least share of a thread's time that must be taken from the busiest thread
     * @return by bucket, the instance that gets it; empty if nothing is worth it
     */
    static Map<Integer, Integer> of(Load load, double worth) {
        BalancePlan plan = new BalancePlan(load);
        double before = plan.threads[plan.busiest()];
        if (before < BUSY) {
            return Map.of();
        }
        while (plan.step()) {
            continue;
        }
        double won = before - plan.threads[plan.busiest()];
        return won < worth || won * HORIZON_S < load.stateBytes / BYTES_PER_S ? Map.of() : plan.to;
    }

    /** Of the threads that run instances of the operator. */
    private int busiest() {
        return runs.stream().max(Comparator.comparingDouble(thread -> threads[thread])).orElseThrow();
    }

    /** Who gets a bucket next: of the instances of the least busy thread the least busy one. */
    private int taker() {
        return IntStream.range(0, busy.length).boxed().min(Comparator.<Integer>comparingDouble(k -> threads[runs.get(k)])
                .thenComparingDouble(k -> busy[k])).orElseThrow();
    }

    /** @return whether a bucket moves */
    private boolean step() {
        int from = busiest();
        int taker = taker();
        int least = runs.get(taker);
        int best = -1;
        double most = threads[from] - LEAST_STEP;
        for (int b = 0; b < takes.length; b++) {
            double then = Math.max(threads[from] - takes[b], threads[least] + takes[b]);
            if (runs.get(owners[b]) == from && !load.resting.contains(b) && !to.containsKey(b) && then < most) {
                best = b;
                most = then;
            }
        }
        if (best >= 0) {
            threads[from] -= takes[best];
            threads[least] += takes[best];
            busy[owners[best]] -= takes[best];
            busy[taker] += takes[best];
            owners[best] = taker;
            to.put(best, taker);
        }
        return best >= 0;
    }
}
