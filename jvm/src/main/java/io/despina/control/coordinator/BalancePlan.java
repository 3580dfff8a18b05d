package io.despina.control.coordinator;

import io.despina.spec.BucketMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which buckets of an operator's keys should move to instances that have less to do: a function of what was counted. The work of
 * an instance is shared out over its buckets by their packets; then, again and again, the bucket moves from the busiest instance
 * to the least busy one that makes the two most alike.
 */
final class BalancePlan {
    /** An instance that is less busy is in nobody's way. */
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
     * @param busy       by instance, the share of a thread's time
     * @param packets    by bucket
     * @param stateBytes of all instances
     * @param resting    buckets that stay where they are, as they have moved a short time ago
     */
    record Load(BucketMap map, List<Double> busy, List<Long> packets, long stateBytes, Set<Integer> resting) {
    }

    private final Load load;
    private final double[] busy;
    /** By bucket: the share of a thread's time that it takes. */
    private final double[] takes;
    private final int[] owners;
    private final Map<Integer, Integer> to = new TreeMap<>();

    private BalancePlan(Load load) {
        this.load = load;
        int buckets = load.map.buckets();
        busy = load.busy.stream().mapToDouble(Double::doubleValue).toArray();
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

    /**
     * What should move.
     *
     * @param worth the least share of a thread's time that must be taken from the busiest instance
     * @return by bucket, the instance that gets it; empty if nothing is worth it
     */
    static Map<Integer, Integer> of(Load load, double worth) {
        double before = load.busy.stream().mapToDouble(Double::doubleValue).max().orElse(0);
        if (before < BUSY) {
            return Map.of();
        }
        BalancePlan plan = new BalancePlan(load);
        while (plan.step()) {
            continue;
        }
        double won = before - Arrays.stream(plan.busy).max().orElse(0);
        return won < worth || won * HORIZON_S < load.stateBytes / BYTES_PER_S ? Map.of() : plan.to;
    }

    /** @return whether a bucket moves */
    private boolean step() {
        int from = 0;
        int least = 0;
        for (int k = 1; k < busy.length; k++) {
            from = busy[k] > busy[from] ? k : from;
            least = busy[k] < busy[least] ? k : least;
        }
        int best = -1;
        double most = busy[from] - LEAST_STEP;
        for (int b = 0; b < takes.length; b++) {
            double then = Math.max(busy[from] - takes[b], busy[least] + takes[b]);
            if (owners[b] == from && !load.resting.contains(b) && !to.containsKey(b) && then < most) {
                best = b;
                most = then;
            }
        }
        if (best >= 0) {
            busy[from] -= takes[best];
            busy[least] += takes[best];
            owners[best] = least;
            to.put(best, least);
        }
        return best >= 0;
    }
}
