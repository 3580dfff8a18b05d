package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.plan.Plan;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.SnapshotStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Snapshots and savepoints that an earlier engine wrote can still be gone on from. They lie in {@code tests/golden}, a folder for
 * each format, and are never written again; {@code -Precord} writes those of a format that has none yet.
 */
class GoldenSnapshotTest {
    private static final Path ALL = Path.of("tests", "golden");
    private static final Path NEWEST = golden(Manifest.FORMAT);
    private static final Set<String> KEPT = Set.of("scan", "scan of texts, with a row at the end", "aggregate, tumbling",
            "aggregate, tumbling, objects", "aggregate, sliding", "aggregate, trailing", "aggregate, each, objects",
            "join, as of", "join, between, left");
    /** Those that go by the clocks of keys. */
    private static final Set<String> KEPT_PER_KEY = Set.of("scan, per key", "aggregate, tumbling, per key",
            "join, as of, per key", "join, between, full, per key");
    /** The first format of which these lie here. */
    private static final int FIRST_PER_KEY = 4;
    /** Those whose elements are apart. */
    private static final Set<String> KEPT_LISTS = Set.of("aggregate, long lists", "aggregate, sliding, long lists");
    private static final int FIRST_LISTS = 5;
    private static final Set<String> KEPT_MANY = Set.of("sort of many, per key", "top of many", "pattern of many");
    /** Of this format they have their elements in one list. */
    private static final int FIRST_MANY = 6;
    private static final int CUT = 20;
    /** Steps between the three snapshots of a chain, the last of which is at the cut. */
    private static final int EACH = 5;

    /** The first format whose savepoints lie here. */
    private static final int FIRST_SAVEPOINT = 3;

    private static Path golden(int format) {
        return ALL.resolve("snapshot-" + format);
    }

    private static Path savepoint(int format) {
        return ALL.resolve("savepoint-" + format);
    }

    static Stream<SnapshotContractTest.Subject> subjects() {
        return subjects(Manifest.FORMAT);
    }

    private static Stream<SnapshotContractTest.Subject> subjects(int format) {
        return SnapshotContractTest.subjects().filter(subject -> KEPT.contains(subject.name())
                || format >= FIRST_PER_KEY && KEPT_PER_KEY.contains(subject.name())
                || format >= FIRST_LISTS && KEPT_LISTS.contains(subject.name())
                || format >= FIRST_MANY && KEPT_MANY.contains(subject.name()));
    }

    static Stream<Arguments> subjectsOfAllFormats() {
        return subjectsSince(1);
    }

    static Stream<Arguments> savepointsOfAllFormats() {
        return subjectsSince(FIRST_SAVEPOINT);
    }

    private static Stream<Arguments> subjectsSince(int first) {
        return IntStream.rangeClosed(first, Manifest.FORMAT).boxed().flatMap(format ->
                subjects(format).map(subject -> Arguments.of(format, subject)));
    }

    private static String folder(SnapshotContractTest.Subject subject) {
        return subject.name().replaceAll("[^a-z]+", "_");
    }

    @BeforeAll
    static void record() throws Exception {
        if (Boolean.getBoolean("despina.record") && !Files.exists(NEWEST)) {
            for (SnapshotContractTest.Subject subject : subjects().toList()) {
                write(subject);
            }
        }
        if (Boolean.getBoolean("despina.record") && !Files.exists(savepoint(Manifest.FORMAT))) {
            for (SnapshotContractTest.Subject subject : subjects().toList()) {
                Path folder = savepoint(Manifest.FORMAT).resolve(folder(subject));
                writeSavepoint(subject, new LocalStore(folder));
                Files.copy(NEWEST.resolve(folder(subject)).resolve("expected.txt"), folder.resolve("expected.txt"));
            }
        }
    }

    private static void writeSavepoint(SnapshotContractTest.Subject subject, SnapshotStore to) throws IOException {
        SnapshotStore golden = new LocalStore(NEWEST);
        Savepoint.begin(to).write(golden, Manifest.read(golden, folder(subject) + "/manifest.json"));
    }

    private static List<Instances.Step> steps(SnapshotContractTest.Subject subject) {
        return SnapshotContractTest.steps(new Random(1), subject);
    }

    private static void write(SnapshotContractTest.Subject subject) throws Exception {
        SnapshotStore store = new LocalStore(NEWEST);
        Plan plan = SnapshotContractTest.plan(subject);
        var instances = new Instances(plan, 2, false);
        List<Instances.Step> steps = steps(subject);
        EpochFile.Written written = EpochFile.Written.NOTHING;
        for (int k = 0; k < CUT; k++) {
            if (CUT - k == 2 * EACH || CUT - k == EACH) {
                written = write(new EpochFile(store, folder(subject) + "/" + k + ".r" + (written.files().isEmpty() ? ".base"
                        : ".delta"), Runnable::run, written), instances);
            }
            instances.take(steps.get(k));
        }
        written = write(new EpochFile(store, folder(subject) + "/" + CUT + ".r.delta", Runnable::run, written), instances);
        ManifestDraft draft = new ManifestDraft(new Manifest.Origin("0.3.0", "g", "", "", SnapshotContractTest.BUCKETS, 0,
                Map.of(), Map.of()), 1, 1);
        draft.add(written);
        for (int k = 0; k < 2; k++) {
            draft.add("x", k, new ManifestDraft.InstanceFacts(false, Long.MIN_VALUE, Map.of(), List.of()));
        }
        draft.whole(Map.of("x", subject.type()), 1).create(store, folder(subject) + "/manifest.json");
        Files.write(NEWEST.resolve(folder(subject)).resolve("expected.txt"), goneOn(NEWEST, subject, 2));
    }

    private static EpochFile.Written write(EpochFile file, Instances instances) throws Exception {
        List<InstanceSnapshot> all = new ArrayList<>();
        for (int k = 0; k < 2; k++) {
            all.add(file.begin("x", k, instances.all.get(k).operator().states(), () -> { }));
        }
        while (all.stream().filter(GoldenSnapshotTest::writesMore).count() > 0) {
            continue;
        }
        return file.finish().get();
    }

    private static boolean writesMore(InstanceSnapshot snapshot) {
        try {
            return snapshot.write() != InstanceSnapshot.SliceResult.DONE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> goneOn(Path golden, SnapshotContractTest.Subject subject, int parallelism) throws Exception {
        SnapshotStore store = new LocalStore(golden);
        return goneOn(store, Manifest.read(store, folder(subject) + "/manifest.json"), subject, parallelism);
    }

    private static List<String> goneOn(SnapshotStore store, Manifest manifest, SnapshotContractTest.Subject subject,
            int parallelism) throws Exception {
        Plan plan = SnapshotContractTest.plan(subject);
        List<Instances.Step> steps = steps(subject);
        return SnapshotContractTest.sorted(SnapshotContractTest.goOn(plan, parallelism,
                new RestoredStates(store, manifest).of("x"), steps.subList(0, CUT), steps.subList(CUT, steps.size())));
    }

    @ParameterizedTest
    @MethodSource("subjectsOfAllFormats")
    void canStillBeGoneOnFrom(int format, SnapshotContractTest.Subject subject) throws Exception {
        List<String> expected = Files.readAllLines(golden(format).resolve(folder(subject)).resolve("expected.txt"));
        for (int parallelism = 1; parallelism <= 3; parallelism++) {
            assertEquals(expected, goneOn(golden(format), subject, parallelism), "at " + parallelism);
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void soCanASavepointOfIt(SnapshotContractTest.Subject subject, @TempDir Path folder) throws Exception {
        writeSavepoint(subject, new LocalStore(folder));
        assertGoesOn(folder, NEWEST.resolve(folder(subject)), subject);
    }

    @ParameterizedTest
    @MethodSource("savepointsOfAllFormats")
    void soCanASavepointOfItsTime(int format, SnapshotContractTest.Subject subject) throws Exception {
        Path folder = savepoint(format).resolve(folder(subject));
        assertGoesOn(folder, folder, subject);
    }

    private static void assertGoesOn(Path folder, Path expects, SnapshotContractTest.Subject subject) throws Exception {
        SnapshotStore savepoint = new LocalStore(folder);
        List<String> expected = Files.readAllLines(expects.resolve("expected.txt"));
        for (int parallelism = 1; parallelism <= 3; parallelism++) {
            assertEquals(expected, goneOn(savepoint, Savepoint.read(savepoint), subject, parallelism), "at " + parallelism);
        }
    }
}
