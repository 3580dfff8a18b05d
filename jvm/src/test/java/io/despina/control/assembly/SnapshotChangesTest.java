package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.Instances.Step;
import io.despina.control.assembly.SnapshotContractTest.Subject;
import io.despina.operator.Rows;
import io.despina.plan.Plan;
import io.despina.state.Snapshots;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A snapshot of changes has what has changed: of many keys those with a packet, and of much that one key keeps what has come. */
class SnapshotChangesTest {
    private static final int KEYS = 500;
    private static final int PACKETS = 2_000;
    private static final int SLICE = 1 << 16;
    private static final long SECOND = 1_000_000;
    /** Of the changes of one key among many: the heads of sections, and those of the keys' clocks. */
    private static final int OF_A_KEY = 2_000;
    /** Of the changes of a key that keeps much: the elements of a part, and the up to 63 that are in none. */
    private static final int OF_A_PACKET = 24_000;

    private static Instances instances(String name) throws Exception {
        Subject subject = SnapshotContractTest.subjects().filter(each -> each.name().equals(name)).findAny().orElseThrow();
        Plan plan = SnapshotContractTest.plan(subject);
        return new Instances(plan, 1, false);
    }

    private static void take(Instances into, String key, int n, int packets) throws Exception {
        into.take(new Step(0, Rows.row(SnapshotContractTest.BASE, 1L, key, n, 0.5, null), 0, packets));
    }

    /** All packets have an event time that the watermark passes. */
    private static void pass(Instances of) throws Exception {
        of.take(new Step(-1, null, SnapshotContractTest.BASE + SECOND, 1));
    }

    private static int bytes(Instances of, boolean changes) throws Exception {
        try (Snapshots snapshot = new Snapshots(of.all.get(0).operator().states(), SLICE, changes)) {
            return snapshot.all().values().stream().mapToInt(section -> section.length).sum();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "java of a state of fixed width", "python with state", "sort, per key", "scan"})
    void hasTheKeysThatHaveChanged(String name) throws Exception {
        Instances instances = instances(name);
        for (int key = 0; key < KEYS; key++) {
            take(instances, "key " + key, 1, 1);
        }
        int whole = bytes(instances, false);
        assertTrue(whole > KEYS * Integer.BYTES * 4, whole + " bytes");
        take(instances, "key 7", 1, 1);
        int changes = bytes(instances, true);
        assertTrue(changes < OF_A_KEY, changes + " bytes of " + whole);
        instances.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sort of many, per key", "top of many", "pattern of many"})
    void hasOfAKeyWhatHasCome(String name) throws Exception {
        Instances instances = instances(name);
        take(instances, "key", 1, PACKETS);
        pass(instances);
        int whole = bytes(instances, false);
        instances.take(new Step(0, Rows.row(SnapshotContractTest.BASE + 2 * SECOND, (long) PACKETS, "key", 1, 0.5, null), 0, 1));
        instances.take(new Step(-1, null, SnapshotContractTest.BASE + 3 * SECOND, 1));
        int changes = bytes(instances, true);
        assertTrue(changes < Math.min(whole / 3, OF_A_PACKET), changes + " bytes of " + whole);
        instances.close();
    }
}
