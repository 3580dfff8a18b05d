package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.ContractCases.Step;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.plan.Plan;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.MemoryStore;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.SnapshotStore;
import io.despina.spec.BucketMap;
import io.despina.spec.Partition;
import io.despina.state.Share;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A savepoint in the middle of each contract case, of an epoch that is a chain of files: one, two or three instances that go on
 * from it give the rows, the late packets and the bad records of those that nothing stopped.
 */
class CaseSavepointTest {
    private static final int MOST = 3;
    private static final int BUCKETS = 256;
    /** Every ninth case runs; {@code DESPINA_EVERY_CASE=1} runs all. */
    private static final int SHARE = 9;

    static Stream<Path> cases() throws IOException {
        return ContractCases.folders(CaseRestoreTest.WITHOUT_STATE, SHARE);
    }

    /** Instances of an operator, with the links into it. */
    private static final class Instances {
        private final PlannedOperator operator;
        private final List<OperatorHarness> all = new ArrayList<>();
        private final List<ToIntFunction<Packet>> hashes = new ArrayList<>();
        private final long[] watermarks;
        private long passed = Long.MIN_VALUE;
        private int turn;

        Instances(Plan plan, String id, boolean restored) throws Exception {
            operator = plan.operator(id);
            for (int k = 0; k < operator.parallelism(); k++) {
                OperatorHarness.Setup setup = ContractCases.setup(plan, operator).instance(k, operator.parallelism());
                all.add(restored ? setup.restored().open() : setup.open());
            }
            for (PlannedLink link : plan.links()) {
                if (link.to().equals(id)) {
                    hashes.add(link.partition() instanceof Partition.Hash hash ? hash.key().function() : null);
                }
            }
            watermarks = new long[hashes.size()];
            Arrays.fill(watermarks, Long.MIN_VALUE);
        }

        /** @param silent where the clocks stand, and nobody is told: another instance has been */
        void take(Step step, boolean silent) throws Exception {
            if (step.event().row() != null) {
                if (!silent) {
                    all.get(receiver(step)).feed(step.port(), List.of(step.event().row()));
                }
            } else if (step.event().watermark() != null) {
                watermarks[step.link()] = step.event().watermark();
                long least = Arrays.stream(watermarks).min().orElseThrow();
                boolean higher = least > passed;
                passed = Math.max(passed, least);
                for (OperatorHarness each : silent ? List.<OperatorHarness>of() : all) {
                    if (operator.inputs().size() == watermarks.length) {
                        each.inputWatermark(step.port(), step.event().watermark());
                    }
                    if (higher) {
                        each.watermark(least);
                    }
                }
            }
        }

        private int receiver(Step step) {
            ToIntFunction<Packet> hash = hashes.get(step.link());
            if (hash == null || all.size() == 1) {
                return turn++ % all.size();
            }
            Schema schema = operator.inputs().get(step.port()).schema();
            byte[] bytes = Rows.encode(schema, List.of(step.event().row()));
            Packet packet = new Packet(schema.layout());
            packet.wrap(bytes, 0, bytes.length);
            return BucketMap.owner(Math.floorMod(hash.applyAsInt(packet), BUCKETS), BUCKETS, all.size());
        }

        /** What all gave, in one order. */
        List<String> end() throws Exception {
            for (OperatorHarness each : all) {
                each.end();
            }
            return close();
        }

        List<String> close() throws Exception {
            List<String> given = new ArrayList<>();
            for (OperatorHarness each : all) {
                for (int port = 0; port < operator.outputs().size(); port++) {
                    String name = operator.outputs().get(port).name();
                    each.rows(port).forEach(row -> given.add(name + " " + row));
                }
                given.addAll(Collections.nCopies(each.lateCount, "late"));
                each.badRecords.forEach(bad -> given.add("bad " + bad));
                each.close();
            }
            return given;
        }

        EpochFile.Written write(EpochFile file) throws IOException {
            for (int k = 0; k < all.size(); k++) {
                InstanceSnapshot snapshot = file.begin(operator.id(), k, all.get(k).operator().states(), () -> { });
                while (snapshot.write() != InstanceSnapshot.SliceResult.DONE) {
                    continue;
                }
            }
            return file.finish().join();
        }
    }

    private static List<String> sorted(List<String> one, List<String> more) {
        return Stream.concat(one.stream(), more.stream()).sorted().toList();
    }

    /** Takes steps, and a savepoint of two epochs on the way. @return the rows so far */
    private static List<String> cut(Plan plan, String id, List<Step> steps, SnapshotStore savepoint) throws Exception {
        SnapshotStore store = new MemoryStore();
        Instances instances = new Instances(plan, id, false);
        EpochFile.Written written = EpochFile.Written.NOTHING;
        for (int k = 0; k < steps.size(); k++) {
            if (k == steps.size() / 2) {
                written = instances.write(new EpochFile(store, "1.base", Runnable::run));
            }
            instances.take(steps.get(k), false);
        }
        written = instances.write(new EpochFile(store, "2.delta", Runnable::run, written));
        Manifest.Origin origin = new Manifest.Origin("", plan.name(), "", "", BUCKETS, 0, Map.of(), Map.of());
        ManifestDraft draft = new ManifestDraft(origin, 1, 2);
        draft.add(written);
        for (int k = 0; k < instances.all.size(); k++) {
            draft.add(id, k, new ManifestDraft.InstanceFacts(false, Long.MIN_VALUE, Map.of(), List.of()));
        }
        Savepoint.begin(savepoint).write(store, draft.whole(Map.of(id, plan.operator(id).type().word()), 1));
        return instances.close();
    }

    private static List<String> goOn(Plan plan, String id, SnapshotStore savepoint, List<List<Step>> halves) throws Exception {
        Instances instances = new Instances(plan, id, true);
        for (int k = 0; k < instances.all.size(); k++) {
            var operator = instances.all.get(k).operator();
            new Share(k, instances.all.size(), BUCKETS).restore(operator.states(),
                    new RestoredStates(savepoint, Savepoint.read(savepoint)).of(id));
            operator.restored();
        }
        for (Step step : halves.get(0)) {
            instances.take(step, true);
        }
        for (Step step : halves.get(1)) {
            instances.take(step, false);
        }
        return instances.end();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void goesOnFromASavepointAtAnyParallelism(Path folder) throws Exception {
        Plan plan = ContractCases.plan(folder);
        AtomicInteger tried = new AtomicInteger();
        ContractCases.eachFed(plan, (operator, steps) -> tried.addAndGet(tryAll(folder, plan, operator.id(), steps)));
        assertNotEquals(0, tried.get());
    }

    private static int tryAll(Path folder, Plan plan, String id, List<Step> steps) throws Exception {
        Instances undisturbed = new Instances(plan, id, false);
        for (Step step : steps) {
            undisturbed.take(step, false);
        }
        List<String> expected = sorted(undisturbed.end(), List.of());
        List<List<Step>> halves = List.of(steps.subList(0, steps.size() / 2), steps.subList(steps.size() / 2, steps.size()));
        SnapshotStore savepoint = new MemoryStore();
        List<String> before = cut(plan, id, halves.get(0), savepoint);
        int tried = 0;
        for (int parallelism = 1; parallelism <= MOST; parallelism++) {
            Plan at = ContractCases.plan(folder, id, parallelism);
            if (at != null) {
                assertEquals(expected, sorted(before, goOn(at, id, savepoint, halves)), id + " at " + parallelism);
                tried++;
            }
        }
        assertTrue(tried > 0, id);
        return tried;
    }
}
