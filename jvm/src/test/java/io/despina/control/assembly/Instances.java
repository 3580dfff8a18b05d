package io.despina.control.assembly;

import io.despina.catalogue.UserCode;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.python.SummingProcess;
import io.despina.python.TwiceProcess;
import io.despina.spec.BucketMap;
import io.despina.spec.Partition;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.WrittenStates;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Instances of one operator, fed as links would feed them. */
final class Instances {
    private static final int BUCKETS = SnapshotContractTest.BUCKETS;
    private static final long NANOS_PER_MICRO = 1_000;
    /** The column of a packet's number. */
    private static final int ID = 1;

    final List<OperatorHarness> all = new ArrayList<>();
    final List<ToIntFunction<Packet>> hashes;
    final PlannedOperator operator;
    private final Plan plan;
    /** By instance, what those before the present ones gave. */
    private final List<List<String>> earlier = new ArrayList<>();
    private BucketMap map;

    /**
     * What comes: packets of an input, or a watermark for all inputs.
     *
     * @param times so many packets come, which differ in their numbers alone
     */
    record Step(int port, List<Object> row, long watermark, int times) {
        private List<List<Object>> rows() {
            return LongStream.range(0, times).mapToObj(this::row).toList();
        }

        private List<Object> row(long which) {
            List<Object> copy = new ArrayList<>(row);
            copy.set(ID, (Long) row.get(ID) * times + which);
            return copy;
        }
    }

    Instances(Plan plan, int count, boolean restored) throws Exception {
        this.plan = plan;
        operator = plan.operator("x");
        map = BucketMap.even(BUCKETS, count);
        hashes = plan.links().stream().filter(link -> link.to().equals("x")).map(link -> hash(link.partition())).toList();
        for (int k = 0; k < count; k++) {
            all.add(instance(k, count, restored));
            earlier.add(new ArrayList<>());
        }
        after(List.of());
    }

    private OperatorHarness instance(int k, int count, boolean restored) throws Exception {
        Schema[] in = operator.inputs().stream().map(PlannedPort::schema).toArray(Schema[]::new);
        Schema[] out = operator.outputs().stream().map(PlannedPort::schema).toArray(Schema[]::new);
        UserCode user = new UserCode(getClass().getClassLoader(),
                (function, log, waker) -> function.kept() == null
                        ? new TwiceProcess(function, "id", waker) : new SummingProcess(function, waker, true));
        Supplier<? extends Operator> made = new OperatorFactory(plan, null, user)
                .supplier(operator);
        OperatorHarness.Setup setup = OperatorHarness.of(made).inputs(in).outputs(out).instance(k, count)
                .skippingBadRecords();
        return restored ? setup.restored().open() : setup.open();
    }

    /** Whether packets of all inputs are dealt out by keys, to several instances. */
    boolean areKeyed() {
        return all.size() > 1 && hashes.stream().allMatch(Objects::nonNull);
    }

    /**
     * Buckets move, as tasks do it at the mark of a move.
     *
     * @param to     by bucket, the instance that gets it
     * @param before the steps so far
     */
    void move(Map<Integer, Integer> to, List<Step> before) throws Exception {
        BucketMap next = map.moved(to);
        List<Sections> written = new ArrayList<>();
        for (OperatorHarness each : all) {
            WrittenStates kept = new WrittenStates(each.release().operator().states());
            while (!kept.write()) {
                continue;
            }
            written.add(kept);
        }
        for (int k = 0; k < all.size(); k++) {
            Set<Integer> givers = map.givers(next, k);
            if (givers.isEmpty() && map.takers(next, k).isEmpty()) {
                continue;
            }
            int self = k;
            List<Sections> from = new ArrayList<>(written);
            from.replaceAll(each -> givers.contains(written.indexOf(each)) || written.indexOf(each) == self ? each : null);
            earlier.get(k).addAll(given(all.get(k), operator.outputs().size()));
            all.get(k).close();
            all.set(k, instance(k, all.size(), true));
            Operator fresh = all.get(k).operator();
            new Share(k, next, map).restore(fresh.states(), from);
            fresh.restored();
        }
        map = next;
        after(before);
    }

    private static ToIntFunction<Packet> hash(Partition partition) {
        return partition instanceof Partition.Hash hash ? hash.key().function() : null;
    }

    void take(Step step) throws Exception {
        if (step.row == null) {
            for (OperatorHarness each : all) {
                each.passTo(step.watermark).watermark(step.watermark);
            }
            return;
        }
        all.get(receiver(step)).feed(step.port, step.rows());
    }

    /** Sets the clocks to where they stand after some steps. */
    Instances after(List<Step> steps) {
        long micros = steps.stream().filter(step -> step.row == null).mapToLong(Step::watermark).max()
                .orElse(SnapshotContractTest.BASE);
        all.forEach(each -> each.now = Math.max(SnapshotContractTest.BASE, micros) * NANOS_PER_MICRO);
        return this;
    }

    private int receiver(Step step) {
        ToIntFunction<Packet> hash = hashes.get(step.port);
        if (hash == null) {
            return (int) ((Long) step.row.get(ID) % all.size());
        }
        Schema schema = operator.inputs().get(step.port).schema();
        byte[] bytes = Rows.encode(schema, List.of(step.row));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        return map.owner(Math.floorMod(hash.applyAsInt(packet), BUCKETS));
    }

    void end() throws Exception {
        for (OperatorHarness each : all) {
            each.end();
        }
    }

    void close() throws Exception {
        for (OperatorHarness each : all) {
            each.close();
        }
    }

    /** What each instance gave, in order. */
    List<List<String>> given() {
        return IntStream.range(0, all.size()).mapToObj(k -> Stream.concat(earlier.get(k).stream(),
                given(all.get(k), operator.outputs().size()).stream()).toList()).toList();
    }

    private static List<String> given(OperatorHarness one, int ports) {
        List<String> given = new ArrayList<>();
        for (int port = 0; port < ports; port++) {
            int at = port;
            one.rows(port).forEach(row -> given.add(at + " " + row));
        }
        given.add("late " + one.lateCount);
        one.badRecords.forEach(bad -> given.add("bad " + bad));
        return given;
    }
}
