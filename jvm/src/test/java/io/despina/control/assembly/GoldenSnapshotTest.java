package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.plan.Plan;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.SnapshotFile;
import io.despina.snapshot.SnapshotStore;
import io.despina.state.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Snapshots that an earlier engine wrote can still be gone on from. They lie in {@code tests/golden}, a folder for each
 * format, and are never written again; {@code -Precord} writes those of a format that has none yet.
 */
class GoldenSnapshotTest {
    private static final Path GOLDEN = Path.of("tests", "golden", "snapshot-" + Manifest.FORMAT);
    private static final Set<String> KEPT = Set.of("scan", "scan of texts, with a row at the end", "aggregate, tumbling",
            "aggregate, tumbling, objects", "aggregate, sliding", "aggregate, trailing", "aggregate, each, objects",
            "join, as of",
            "join, between, left");
    private static final String FILE = "%s/%d.base";
    private static final int CUT = 20;

    static Stream<SnapshotContractTest.Subject> subjects() {
        return SnapshotContractTest.subjects().filter(subject -> KEPT.contains(subject.name()));
    }

    private static String folder(SnapshotContractTest.Subject subject) {
        return subject.name().replaceAll("[^a-z]+", "_");
    }

    @BeforeAll
    static void record() throws Exception {
        if (Boolean.getBoolean("despina.record") && !Files.exists(GOLDEN)) {
            for (SnapshotContractTest.Subject subject : subjects().toList()) {
                write(subject);
            }
        }
    }

    private static List<SnapshotContractTest.Step> steps(Plan plan) {
        return SnapshotContractTest.steps(new Random(1), plan.operator("x").inputs().size());
    }

    private static void write(SnapshotContractTest.Subject subject) throws Exception {
        SnapshotStore store = new LocalStore(GOLDEN);
        Plan plan = SnapshotContractTest.plan(subject);
        var instances = new SnapshotContractTest.Instances(plan, 2, false);
        List<SnapshotContractTest.Step> steps = steps(plan);
        for (SnapshotContractTest.Step step : steps.subList(0, CUT)) {
            instances.take(step);
        }
        List<Manifest.Instance> written = new ArrayList<>();
        for (int k = 0; k < 2; k++) {
            String path = FILE.formatted(folder(subject), k);
            List<State> states = instances.all.get(k).operator().states();
            try (InstanceSnapshot snapshot = new InstanceSnapshot(states,
                    () -> new SnapshotFile.Writer(store.create(path)), Runnable::run, () -> { })) {
                while (snapshot.write() != InstanceSnapshot.SliceResult.DONE) {
                    continue;
                }
                written.add(Manifest.Instance.of(path, snapshot.written().get(), false));
            }
        }
        new Manifest(Manifest.FORMAT, "0.1.0", "g", "", 1, SnapshotContractTest.BUCKETS, Map.of("x",
                new Manifest.Operator(subject.type(), written))).create(store, folder(subject) + "/manifest.json");
        Files.write(GOLDEN.resolve(folder(subject)).resolve("expected.txt"), goneOn(subject, 2));
    }

    private static List<String> goneOn(SnapshotContractTest.Subject subject, int parallelism) throws Exception {
        SnapshotStore store = new LocalStore(GOLDEN);
        Manifest manifest = Manifest.read(store, folder(subject) + "/manifest.json");
        Plan plan = SnapshotContractTest.plan(subject);
        List<SnapshotContractTest.Step> steps = steps(plan);
        return SnapshotContractTest.sorted(SnapshotContractTest.goOn(plan, parallelism, manifest.sections(store, "x"),
                steps.subList(0, CUT), steps.subList(CUT, steps.size())));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void canStillBeGoneOnFrom(SnapshotContractTest.Subject subject) throws Exception {
        List<String> expected = Files.readAllLines(GOLDEN.resolve(folder(subject)).resolve("expected.txt"));
        for (int parallelism = 1; parallelism <= 3; parallelism++) {
            assertEquals(expected, goneOn(subject, parallelism), "at " + parallelism);
        }
    }
}
