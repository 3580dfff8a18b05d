package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.metrics.OperatorSnapshot;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.FrozenEpoch;
import io.despina.runtime.host.JobHandle;
import io.despina.spec.OnError;
import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    @TempDir
    Path folder;

    private final Bench bench = new Bench();
    private Random random;
    /** What the sink shows, and up to which epoch; it outlives attempts, as files do. */
    private final List<Long> shown = new ArrayList<>();
    private long shownEpoch;
    /** What the sink has begun elsewhere, and has not done yet. */
    private final Queue<Runnable> later = new ArrayDeque<>();
    private StoredEpochs epochs;
    private long epoch;

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
            assertTrue(epoch <= epochs.complete(), "epoch " + epoch + " is not kept");
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
        /** More states than a snapshot has buffers: it is written in turn with the disk. */
        private final List<NamedNumbers> taken = IntStream.range(0, 5).mapToObj(k -> new NamedNumbers("taken" + k, 0)).toList();

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
                taken.forEach(each -> each.set(0, each.get(0) + 1));
            }
        }

        @Override
        public boolean commits() {
            return true;
        }

        private CompletableFuture<Void> later(Runnable what) {
            if (random.nextInt(4) == 0) {
                what.run();
                return DONE;
            }
            CompletableFuture<Void> done = new CompletableFuture<>();
            later.add(() -> {
                what.run();
                done.complete(null);
            });
            return done;
        }

        @Override
        public CompletableFuture<Void> prepare(long epoch) {
            assertTrue(epoch > shownEpoch && (pending.isEmpty() || epoch > pending.lastKey()), "epoch " + epoch);
            pending.put(epoch, List.copyOf(open));
            open.clear();
            return later(() -> { });
        }

        @Override
        public CompletableFuture<Void> commit(long epoch) {
            assertEquals(epoch, pending.firstKey());
            return later(() -> {
                List<Long> rows = pending.remove(epoch);
                if (epoch > shownEpoch) {
                    shown.addAll(rows);
                    shownEpoch = epoch;
                }
            });
        }

        @Override
        public List<State> states() {
            List<State> all = new ArrayList<>(taken);
            all.add(epochs);
            return all;
        }

        @Override
        public void restored() {
            epochs.restored().forEach(each -> each.forEach((epoch, rows) -> pending.put(Long.parseLong(epoch),
                    rows.isEmpty() ? List.of() : List.of(rows.split(" ")).stream().map(Long::parseLong).toList())));
            assertEquals(1, taken.stream().map(each -> each.get(0)).distinct().count(), "they are of one instant");
        }
    }

    /** A source, and behind it a part of the fold. */
    private TaskSpec holding(String id, Source source, int channel) {
        StageSpec first = Bench.stage(id, () -> source, 0, Bench.NUMBERS).fusedInto(Bench.next(0, null));
        StageSpec part = new StageSpec("counts", 0, 1, Holds::new,
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of(Bench.NUMBERS)), OnError.FAIL, List.of(),
                StageSpec.Role.PARTIAL);
        return Bench.task(List.of(first, part), List.of(), List.of(Bench.out(1, 0, Bench.NUMBERS, channel)));
    }

    private TaskSpec[] specs(boolean fused) {
        StageSpec counts = Bench.stage("counts", Counts::new, 1, Bench.NUMBERS);
        StageSpec sink = Bench.stage("sink", Shown::new, 1);
        List<TaskSpec> tasks = new ArrayList<>(List.of(Bench.source("a", new Ids(0), 1), holding("b", new Ids(1000), 2)));
        if (fused) {
            tasks.add(Bench.task(List.of(counts.fusedInto(Bench.next(0, "counts->sink")), sink), List.of(Bench.in(0, 1, 2)),
                    List.of()));
        } else {
            tasks.add(Bench.task(List.of(counts), List.of(Bench.in(0, 1, 2)), List.of(Bench.out(0, 0, Bench.NUMBERS, 3))));
            tasks.add(Bench.task(List.of(sink), List.of(Bench.in(0, 3)), List.of()));
        }
        return tasks.toArray(TaskSpec[]::new);
    }

    /** One attempt, and what its coordinator does. */
    private final class Run {
        private final JobHandle job;
        private CompletableFuture<FrozenEpoch> frozen;
        private CompletableFuture<Void> committed;
        /** Whether the epoch under way has begun after all inputs had ended. */
        private boolean last;
        private boolean finished;
        /** Whether the epoch that is being committed is the job's last. */
        private boolean concludes;

        Run(Attempt attempt, boolean fused) {
            job = bench.resource.deploy(attempt, List.of(specs(fused)), epochs);
            if (epochs.complete() > 0) {
                committed = job.epochs().complete(epochs.complete(), false);       // perhaps once more
            }
            job.start();
        }

        /** @return whether the job has ended */
        boolean step() {
            bench.now += random.nextInt(2) * Bench.MS;
            for (int k = random.nextInt(6); k > 0; k--) {
                bench.worker.crank(bench.now);
            }
            while (random.nextInt(4) > 0 && epochs.work()) {
                continue;
            }
            while (random.nextInt(3) > 0 && !later.isEmpty()) {
                later.remove().run();
            }
            coordinate();
            return job.ended().isDone();
        }

        private void coordinate() {
            if (committed != null && committed.isDone()) {
                committed.join();
                committed = null;
                if (concludes) {
                    job.conclude(true);
                }
            }
            if (frozen == null) {
                if (random.nextInt(6) == 0 && !concludes) {
                    last = job.settled().isDone();
                    finished = false;
                    frozen = job.epochs().begin(++epoch);
                }
            } else if (epochs.complete() == epoch && committed == null) {
                frozen = null;
                concludes = last;
                committed = job.epochs().complete(epoch, last);
            } else if (!finished && frozen.isDone()) {
                finished = true;
                epochs.finish(frozen.join());
            } else if (!finished && random.nextInt(40) == 0) {
                job.epochs().drop(epoch);
                frozen = null;
            }
        }

        void kill() {
            job.kill();
            bench.settle();
            later.clear();
            epochs.startAgain();
        }
    }

    private void run(long seed) {
        random = new Random(seed);
        shown.clear();
        shownEpoch = 0;
        epoch = 0;
        epochs = new StoredEpochs(folder.resolve(Long.toString(seed)));
        boolean fused = random.nextBoolean();
        Attempt attempt = Attempt.first("job");
        Run run = new Run(attempt, fused);
        for (int kills = random.nextInt(5); kills > 0; kills--) {
            boolean ended = false;
            for (int left = random.nextInt(200); left > 0 && !ended; left--) {
                ended = run.step();
            }
            if (ended) {
                break;
            }
            run.kill();
            attempt = attempt.next();
            run = new Run(attempt, fused);
        }
        for (int steps = 0; !run.step(); steps++) {
            assertTrue(steps < 100_000, "it hangs, seed " + seed);
        }
        assertEquals(null, run.job.failure());
        assertShownOnce(seed);
        assertCounted(run.job.counters().counts().operators(), seed);
        assertEquals(0, bench.pool.leaks().size(), "segments out, seed " + seed);
        assertEquals(0, bench.pool.budget().used(), "bytes in use, seed " + seed);
    }

    private void assertCounted(Map<String, OperatorSnapshot> operators, long seed) {
        for (String source : List.of("a", "b")) {
            assertEquals(COUNT, operators.get(source).packetsOut(), source + ", seed " + seed);
        }
        // the part behind `b` is of the same role here: its packets count where they come, and once more in the fold
        assertEquals(3 * COUNT, operators.get("counts").packetsIn(), "seed " + seed);
        assertEquals(2 * COUNT, operators.get("counts").packetsOut(), "seed " + seed);
        assertEquals(2 * COUNT, operators.get("sink").packetsIn(), "seed " + seed);
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
        for (long seed = 0; seed < 150; seed++) {
            run(seed);
        }
    }
}
