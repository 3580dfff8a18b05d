package io.despina.runtime.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.task.JobSnapshots;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.SnapshotFile;
import io.despina.snapshot.SnapshotStore;
import io.despina.spec.OnError;
import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job of two sources, a fold that has a part behind one of them, and a sink whose snapshots are taken at random and which
 * is killed at random: the next attempt goes on from the last complete snapshot, and in the end every row was shown once.
 */
class TaskSnapshotTest {
    private static final long COUNT = 300;
    private static final int CLASSES = 5;
    private static final int INSTANCES = 4;

    @TempDir
    Path folder;

    private final Bench bench = new Bench();
    private Random random;
    /** What the sink shows, and up to which epoch; it outlives attempts, as files do. */
    private final List<Long> shown = new ArrayList<>();
    private long shownEpoch;
    private final List<Long> acknowledged = new ArrayList<>();

    /** {@code base}, {@code base + 1} …, a few at a time. */
    private final class Ids implements Source {
        private final NamedNumbers next;
        private final long end;
        private Output out;

        Ids(long base) {
            next = new NamedNumbers("next", base);
            end = base + COUNT;
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public long produce(long now) {
            for (int k = random.nextInt(9); k > 0 && next.get(0) < end && out.hasRoom(); k--) {
                out.writer().begin().setLong(0, next.get(0));
                out.writer().commit();
                next.set(0, next.get(0) + 1);
            }
            return next.get(0) == end ? ENDED : now + random.nextInt(2) * Bench.MS;
        }

        @Override
        public List<State> states() {
            return List.of(next);
        }

        @Override
        public void acknowledge(long epoch) {
            acknowledged.add(epoch);
        }
    }

    /** Counts numbers by class: n becomes 1000 n + its count. */
    private static final class Counts implements Operator {
        private final NamedNumbers counts = new NamedNumbers("counts", new long[CLASSES]);
        private Output out;

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            Packet packet;
            while (out.hasRoom() && (packet = packets.next()) != null) {
                long n = packet.getLong(0);
                int of = (int) (n % CLASSES);
                counts.set(of, counts.get(of) + 1);
                out.writer().begin().setLong(0, n * 1000 + counts.get(of));
                out.writer().commit();
            }
        }

        @Override
        public List<State> states() {
            return List.of(counts);
        }
    }

    /** Holds some numbers, which are in no snapshot: it must send them before a barrier and before the end. */
    private static final class Holds implements Operator {
        private static final int MOST = 7;

        private final ArrayDeque<Long> held = new ArrayDeque<>();
        private Output out;

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            Packet packet;
            while ((held.size() < MOST || release()) && (packet = packets.next()) != null) {
                held.add(packet.getLong(0));
            }
        }

        @Override
        public boolean release() {
            while (!held.isEmpty() && out.hasRoom()) {
                out.writer().begin().setLong(0, held.poll());
                out.writer().commit();
            }
            return held.isEmpty();
        }
    }

    /** Shows an epoch's rows when it is committed. */
    private final class Shown implements Sink {
        private final List<Long> open = new ArrayList<>();
        private final TreeMap<Long, List<Long>> pending = new TreeMap<>();
        private final NamedEntries epochs = new NamedEntries("epochs", this::standing);

        private Map<String, String> standing() {
            Map<String, String> standing = new LinkedHashMap<>();
            pending.forEach((epoch, rows) -> standing.put(epoch.toString(),
                    rows.stream().map(Object::toString).collect(Collectors.joining(" "))));
            return standing;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                open.add(p.getLong(0));
            }
        }

        @Override
        public boolean commits() {
            return true;
        }

        @Override
        public void prepare(long epoch) {
            assertTrue(epoch > committed() && (pending.isEmpty() || epoch > pending.lastKey()), "epoch " + epoch);
            pending.put(epoch, List.copyOf(open));
            open.clear();
        }

        @Override
        public void commit(long epoch) {
            if (epoch > shownEpoch) {
                assertEquals(epoch, pending.firstKey());
                shown.addAll(pending.remove(epoch));
                shownEpoch = epoch;
            } else {
                pending.remove(epoch);
            }
        }

        @Override
        public long committed() {
            return shownEpoch;
        }

        @Override
        public List<State> states() {
            return List.of(epochs);
        }

        @Override
        public void restored() {
            epochs.restored().forEach(each -> each.forEach((epoch, rows) -> pending.put(Long.parseLong(epoch),
                    rows.isEmpty() ? List.of() : List.of(rows.split(" ")).stream().map(Long::parseLong).toList())));
        }
    }

    /** Keeps what the instances write, and knows which epochs are complete. */
    private final class Snapshots implements JobSnapshots {
        private final SnapshotStore store = new LocalStore(folder.resolve(Integer.toHexString(random.nextInt())));
        private final Queue<Runnable> disk = new ArrayDeque<>();
        private final Map<Long, Map<Instance, SnapshotFile.Summary>> written = new HashMap<>();
        private long complete;

        @Override
        public int buckets() {
            return 256;
        }

        private String path(long epoch, Instance of) {
            return epoch + "/" + of.operator() + "/" + of.number();
        }

        @Override
        public List<Sections> restored(String operator) throws IOException {
            if (complete == 0) {
                return null;
            }
            Instance only = new Instance(operator, 0);
            return List.of(SnapshotFile.open(store, path(complete, only), written.get(complete).get(only)));
        }

        @Override
        public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
            InstanceSnapshot snapshot = new InstanceSnapshot(states,
                    () -> new SnapshotFile.Writer(store.create(path(epoch, of))), disk::add, waker);
            CompletableFuture<SnapshotFile.Summary> whole = snapshot.written();
            whole.thenAccept(summary -> {
                Map<Instance, SnapshotFile.Summary> all = written.computeIfAbsent(epoch, any -> new HashMap<>());
                all.put(of, summary);
                if (all.size() == INSTANCES) {
                    complete = Math.max(complete, epoch);
                }
            });
            return snapshot;
        }

        void work() {
            for (Runnable next = disk.poll(); next != null && random.nextInt(4) > 0; next = disk.poll()) {
                next.run();
            }
        }
    }

    /** A source, and behind it a part of the fold. */
    private TaskSpec holding(String id, Source source, int channel) {
        StageSpec first = Bench.stage(id, () -> source, 0, Bench.NUMBERS).fusedInto(0, null, 0);
        StageSpec part = new StageSpec("counts", 0, 1, Holds::new,
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of(Bench.NUMBERS)), OnError.FAIL, null, StageSpec.Role.PARTIAL);
        return Bench.task(List.of(first, part), List.of(), List.of(Bench.out(1, 0, Bench.NUMBERS, channel)));
    }

    private TaskSpec[] specs(boolean fused) {
        StageSpec counts = Bench.stage("counts", Counts::new, 1, Bench.NUMBERS);
        StageSpec sink = Bench.stage("sink", Shown::new, 1);
        List<TaskSpec> tasks = new ArrayList<>(List.of(Bench.source("a", new Ids(0), 1), holding("b", new Ids(1000), 2)));
        if (fused) {
            tasks.add(Bench.task(List.of(counts.fusedInto(0, "counts->sink", 0), sink), List.of(Bench.in(0, 1, 2)), List.of()));
        } else {
            tasks.add(Bench.task(List.of(counts), List.of(Bench.in(0, 1, 2)), List.of(Bench.out(0, 0, Bench.NUMBERS, 3))));
            tasks.add(Bench.task(List.of(sink), List.of(Bench.in(0, 3)), List.of()));
        }
        return tasks.toArray(TaskSpec[]::new);
    }

    private void run(long seed) {
        random = new Random(seed);
        shown.clear();
        shownEpoch = 0;
        acknowledged.clear();
        Snapshots snapshots = new Snapshots();
        boolean fused = random.nextBoolean();
        long epoch = 0;
        long told = 0;
        int kills = random.nextInt(4);
        Attempt attempt = Attempt.first("job");
        while (true) {
            JobHandle job = bench.resource.deploy(attempt, List.of(specs(fused)), snapshots);
            Verdicts.concludeTogether(List.of(job));
            job.start();
            if (snapshots.complete > 0) {
                job.commands().complete(snapshots.complete);       // perhaps once more
            }
            int left = kills > 0 ? random.nextInt(120) : Integer.MAX_VALUE;
            // once all have settled the job's end is decided: it is not started again
            for (; (left > 0 || job.settled().isDone()) && !job.ended().isDone(); left--) {
                bench.now += random.nextInt(2) * Bench.MS;
                for (int k = random.nextInt(6); k > 0; k--) {
                    bench.worker.crank(bench.now);
                }
                if (random.nextInt(6) == 0) {
                    job.commands().snapshot(++epoch);
                }
                snapshots.work();
                if (snapshots.complete > told && random.nextBoolean()) {
                    told = snapshots.complete;
                    job.commands().complete(told);
                }
            }
            if (job.ended().isDone()) {
                assertEquals(null, job.failure());
                break;
            }
            kills--;
            job.kill();
            bench.settle();
            snapshots.disk.clear();
            attempt = attempt.next();
        }
        assertShownOnce(seed);
        assertEquals(0, bench.pool.leaks().size(), "segments out, seed " + seed);
        assertEquals(0, bench.pool.budget().used(), "bytes in use, seed " + seed);
    }

    private void assertShownOnce(long seed) {
        List<Long> ids = shown.stream().map(row -> row / 1000).sorted().toList();
        assertEquals(LongStream.concat(LongStream.range(0, COUNT), LongStream.range(1000, 1000 + COUNT)).boxed().toList(), ids,
                "seed " + seed);
        for (int of = 0; of < CLASSES; of++) {
            int each = of;
            List<Long> counts = shown.stream().filter(row -> row / 1000 % CLASSES == each).map(row -> row % 1000).sorted()
                    .toList();
            assertEquals(LongStream.rangeClosed(1, counts.size()).boxed().toList(), counts, "seed " + seed);
        }
    }

    @Test
    void everyRowIsShownOnce() {
        for (long seed = 0; seed < 200; seed++) {
            run(seed);
        }
    }
}
