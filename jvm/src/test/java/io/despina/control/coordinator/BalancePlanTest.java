package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.spec.BucketMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BalancePlanTest {
    private static final double WORTH = 0.1;
    private static final int BUCKETS = 64;
    private static final int INSTANCES = 4;
    private static final BucketMap EVEN = BucketMap.even(BUCKETS, INSTANCES);

    /** What instances have to do where each bucket takes so much of a thread's time. */
    private static List<Double> busy(BucketMap map, List<Double> takes) {
        List<Double> busy = new ArrayList<>(Collections.nCopies(map.instances(), 0.0));
        for (int b = 0; b < map.buckets(); b++) {
            busy.set(map.owner(b), busy.get(map.owner(b)) + takes.get(b));
        }
        return busy;
    }

    private static List<Long> packets(List<Double> takes) {
        return takes.stream().map(each -> Math.round(each * 1e6)).toList();
    }

    private static Map<Integer, Integer> plan(BucketMap map, List<Double> takes, long stateBytes) {
        return BalancePlan.of(new BalancePlan.Load(map, apart(busy(map, takes)), packets(takes), stateBytes, Set.of()), WORTH);
    }

    private static Map<Integer, Integer> plan(BalancePlan.Busy busy, List<Double> takes, Set<Integer> resting) {
        return BalancePlan.of(new BalancePlan.Load(EVEN, busy, packets(takes), 0, resting), WORTH);
    }

    /** Each instance has a thread of its own. */
    private static BalancePlan.Busy apart(List<Double> instances) {
        return new BalancePlan.Busy(instances, instances, IntStream.range(0, instances.size()).boxed().toList());
    }

    /** Of four instances two run in each of two threads; the second thread has something else to do, too. */
    private static BalancePlan.Busy paired(List<Double> instances, double other) {
        return new BalancePlan.Busy(List.of(instances.get(0) + instances.get(2), instances.get(1) + instances.get(3) + other),
                instances, List.of(0, 1, 0, 1));
    }

    private static double most(BucketMap map, List<Double> takes) {
        return busy(map, takes).stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** The first half of the keys has three quarters of the work. */
    private static List<Double> skewed() {
        return IntStream.range(0, BUCKETS).mapToObj(b -> (b < BUCKETS / 2 ? 0.75 : 0.25) * 2.4 / (BUCKETS / 2)).toList();
    }

    @Test
    void takesFromTheBusiestWhatOthersCanDo() {
        assertEquals(0.9, most(EVEN, skewed()), 0.001);
        Map<Integer, Integer> to = plan(EVEN, skewed(), 1_000);
        assertTrue(most(EVEN.moved(to), skewed()) < 0.65, "of 0.6 at best");
        assertTrue(to.size() < BUCKETS / 3, to.size() + " buckets");
        assertEquals(Map.of(), plan(EVEN.moved(to), skewed(), 1_000), "there is nothing left to do");
    }

    @Test
    void leavesWhatIsEvenOrIdleOrCannotBeShared() {
        assertEquals(Map.of(), plan(EVEN, Collections.nCopies(BUCKETS, 0.05), 0), "even");
        assertEquals(Map.of(), plan(EVEN, skewed().stream().map(each -> each / 2).toList(), 0), "nobody is busy");
        List<Double> one = new ArrayList<>(Collections.nCopies(BUCKETS, 0.0));
        one.set(7, 0.95);
        assertEquals(Map.of(), plan(EVEN, one, 0), "one key has all");
    }

    @Test
    void aLargeStateMovesForMuchAlone() {
        assertTrue(!plan(EVEN, skewed(), 1_000_000_000).isEmpty());
        assertEquals(Map.of(), plan(EVEN, skewed(), 10_000_000_000L));
    }

    @Test
    void instancesThatHaveNoneGetSome() {
        BucketMap two = BucketMap.even(BUCKETS, 2, INSTANCES);
        List<Double> takes = Collections.nCopies(BUCKETS, 1.8 / BUCKETS);
        Map<Integer, Integer> to = plan(two, takes, 0);
        assertEquals(0.45, most(two.moved(to), takes), 0.03);
    }

    /** Neither of the instances that share the busy thread is busy for half of its time. */
    @Test
    void instancesThatShareAThreadAreBusyTogether() {
        List<Double> takes = IntStream.range(0, BUCKETS).mapToObj(b -> (b / 16 % 2 == 0 ? 0.75 : 0.25) / (BUCKETS / 2)).toList();
        List<Double> busy = busy(EVEN, takes);
        assertEquals(List.of(0.375, 0.125, 0.375, 0.125), busy);
        Map<Integer, Integer> to = plan(paired(busy, 0), takes, Set.of());
        List<Double> then = busy(EVEN.moved(to), takes);
        assertEquals(0.5, then.get(0) + then.get(2), 0.03);
        assertEquals(then.get(1), then.get(3), 0.03);
    }

    @Test
    void whatElseAThreadRunsCounts() {
        List<Double> takes = Collections.nCopies(BUCKETS, 1.0 / BUCKETS);
        List<Double> busy = busy(EVEN, takes);
        assertEquals(Map.of(), plan(paired(busy, 0), takes, Set.of()));
        Map<Integer, Integer> to = plan(paired(busy, 0.4), takes, Set.of());
        assertEquals(BUCKETS / 5, to.size(), 2);
        assertTrue(to.values().stream().allMatch(instance -> instance % 2 == 0), to.toString());
    }

    @Test
    void evenLoadWithNoiseMovesNothing() {
        Random random = new Random(1);
        for (int look = 0; look < 1_000; look++) {
            List<Double> busy = IntStream.range(0, INSTANCES).mapToObj(k -> 0.8 + random.nextGaussian() * 0.02).toList();
            List<Long> packets = IntStream.range(0, BUCKETS).mapToObj(b -> 1_000L + random.nextInt(100)).toList();
            assertEquals(Map.of(), BalancePlan.of(new BalancePlan.Load(EVEN, apart(busy), packets, 0, Set.of()), WORTH));
        }
    }

    @Test
    void whatRestsStays() {
        Set<Integer> resting = Set.copyOf(IntStream.range(0, BUCKETS / 2).boxed().toList());
        assertEquals(Map.of(), plan(apart(busy(EVEN, skewed())), skewed(), resting));
    }
}
