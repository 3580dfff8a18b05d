package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.Instances.Step;
import io.despina.plan.Plan;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever operator has keys gives the same rows when their buckets move to other instances, after every few packets. */
class MovedBucketsTest {
    private static final int INSTANCES = 3;
    private static final int EVERY = 4;

    static Stream<SnapshotContractTest.Subject> subjects() {
        return SnapshotContractTest.subjects().filter(subject -> isKeyed(SnapshotContractTest.plan(subject)));
    }

    /** What has a process outside does not move. */
    private static boolean isKeyed(Plan plan) {
        return plan.buckets().containsKey("x") && plan.operator("x").spec().pythonFunction() == null;
    }

    @Test
    void mostSubjectsHaveKeys() {
        assertTrue(subjects().count() > SnapshotContractTest.subjects().count() / 2);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void rowsAreTheSame(SnapshotContractTest.Subject subject) throws Exception {
        Plan plan = SnapshotContractTest.plan(subject);
        List<Step> steps = SnapshotContractTest.steps(new Random(7), subject);
        assertEquals(given(plan, steps, false), given(plan, steps, true));
    }

    private static List<String> given(Plan plan, List<Step> steps, boolean moving) throws Exception {
        Random random = new Random(3);
        Instances instances = new Instances(plan, INSTANCES, false);
        for (int k = 0; k < steps.size(); k++) {
            if (moving && k % EVERY == 0 && instances.areKeyed()) {
                Map<Integer, Integer> to = new TreeMap<>();
                for (int moved = 1 + random.nextInt(SnapshotContractTest.BUCKETS); moved > 0; moved--) {
                    to.put(random.nextInt(SnapshotContractTest.BUCKETS), random.nextInt(INSTANCES));
                }
                instances.move(to, steps.subList(0, k));
            }
            instances.take(steps.get(k));
        }
        instances.end();
        instances.close();
        return SnapshotContractTest.sorted(instances.given());
    }
}
