package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.spec.Blocking;
import io.despina.spec.BucketMap;
import io.despina.spec.BucketMaps;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.ControlAnswer;
import io.despina.spec.OnError;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import io.despina.state.KeyBuckets;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buckets of keys move between the instances of an operator that counts by key, while two sources send to it. */
class StageMoveTest {
    private static final int INSTANCES = 3;
    private static final int BUCKETS = 8;
    private static final int COUNT = 600;
    private static final long KEYS = 20;
    private static final KeyBuckets DEALING = new KeyBuckets(Bench.NUMBERS, BUCKETS);

    private final Bench bench = new Bench();
    private final BucketMaps maps = new BucketMaps("counts", BucketMap.even(BUCKETS, 2, INSTANCES));
    private final Bench.Diary diary = new Bench.Diary();
    private final List<Counts> opened = new ArrayList<>();
    private final List<ControlAnswer> answers = new ArrayList<>();
    private BucketMap map = maps.first();
    private Random random = new Random(1);
    private long stateBytes = Long.BYTES;
    private long moves;
    private JobHandle job;

    @BeforeEach
    void start() {
        List<TaskSpec> tasks = new ArrayList<>(List.of(source("a", 0), source("b", INSTANCES)));
        IntStream.range(0, INSTANCES).forEach(k -> tasks.add(counts(k)));
        tasks.add(Bench.sink("sink", diary, IntStream.range(0, INSTANCES).map(k -> 2 * INSTANCES + k).toArray()));
        job = bench.start(tasks.toArray(TaskSpec[]::new));
    }

    @AfterEach
    void end() {
        job.kill();
        bench.settle();
        assertTrue(job.ended().isDone());
        assertEquals(0, bench.pool.budget().used());
        assertTrue(opened.stream().allMatch(each -> each.closed));
    }

    private TaskSpec source(String id, int channel) {
        List<ChannelSpec> channels = IntStream.range(0, INSTANCES).mapToObj(k -> Bench.channel(channel + k)).toList();
        Partition byKey = new Partition.Hash(List.of("n"), () -> packet -> DEALING.of(key(packet.getLong(0) % KEYS)),
                BUCKETS, maps);
        return Bench.task(List.of(Bench.stage(id, Few::new, 0, Bench.NUMBERS)), List.of(), List.of(new PortSpec(0, 0,
                Bench.NUMBERS, List.of(new LinkSpec(id, byKey, BufferSpec.DEFAULT, CompressionSpec.DEFAULT, channels)))));
    }

    private TaskSpec counts(int instance) {
        StageSpec stage = new StageSpec("counts", instance, INSTANCES, Counts::new,
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of(Bench.NUMBERS)), OnError.FAIL, List.of(),
                StageSpec.Role.WHOLE);
        return new TaskSpec("counts-" + instance, List.of(stage), List.of(Bench.in(0, instance, INSTANCES + instance)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2 * INSTANCES + instance)), Blocking.NEVER, Schedule.DATA,
                TaskSettings.DEFAULT, maps);
    }

    private static Packet key(long value) {
        return Rows.packet(Bench.NUMBERS, value);
    }

    /** 0, 1, 2 … a few at a time. */
    private final class Few implements Source {
        private Output out;
        private long next;

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public long produce(long now) {
            for (int k = random.nextInt(9); k > 0 && next < COUNT && out.hasRoom(); k--) {
                out.writer().begin().setLong(0, next++);
                out.writer().commit();
            }
            return next == COUNT ? ENDED : now + random.nextInt(2) * Bench.MS;
        }
    }

    private static final class Numbers implements ValueFormat<Long> {
        @Override
        public String schema() {
            return "number";
        }

        @Override
        public void write(Long value, DataOutput out) throws IOException {
            out.writeLong(value);
        }

        @Override
        public Long read(DataInput in) throws IOException {
            return in.readLong();
        }

        @Override
        public long bytes(Long value) {
            return Long.BYTES;
        }
    }

    /** A row for each packet: 1000 times its key, and how many of that key have come. */
    private final class Counts implements Operator {
        private final KeyedTable<Long> counts = new KeyedTable<>("counts", Bench.NUMBERS, BUCKETS, new Numbers());
        private OperatorContext context;
        private boolean closed;

        @Override
        public void open(OperatorContext now) {
            context = now;
            opened.add(this);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            assertFalse(closed);
            Output out = context.output(0);
            Packet packet;
            while (out.hasRoom() && (packet = packets.next()) != null) {
                long of = packet.getLong(0) % KEYS;
                out.writer().begin().setLong(0, of * 1000 + count(key(of)));
                out.writer().commit();
            }
            context.stateBytes(stateBytes);
        }

        private long count(Packet key) {
            int entry = counts.find(key);
            if (entry == KeyedTable.NONE) {
                counts.add(key, 1L);
                return 1;
            }
            counts.set(entry, counts.get(entry) + 1);
            return counts.get(entry);
        }

        @Override
        public List<State> states() {
            return List.of(counts);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void move(Map<Integer, Integer> to) {
        BucketMap next = map.moved(to);
        Set<Integer> all = Set.of(0, 1, 2);
        assertEquals(INSTANCES, job.commands().prepareMove(++moves, "counts", next, all, answers::add));
        assertTrue(answers.stream().allMatch(ControlAnswer::ok), answers::toString);
        answers.clear();
        assertEquals(INSTANCES, job.commands().move(moves, "counts", answers::add));
        map = next;
    }

    private Map<Integer, Integer> some() {
        Map<Integer, Integer> to = new TreeMap<>();
        for (int k = 1 + random.nextInt(BUCKETS); k > 0; k--) {
            to.put(random.nextInt(BUCKETS), random.nextInt(INSTANCES));
        }
        return to;
    }

    private void crank(int times) {
        for (int k = 0; k < times; k++) {
            if (!bench.worker.crank(bench.now)) {
                bench.now += Bench.MS;
            }
        }
    }

    /** Each packet once, those of a key in order, whoever counted them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void rowsAreAsIfNothingHadMoved(int seed) {
        random = new Random(seed);
        move(some());
        for (int k = 0; !job.ended().isDone() && k < 1_000_000; k++) {
            crank(1 + random.nextInt(10));
            if (answers.size() == INSTANCES) {
                move(some());
            }
        }
        assertTrue(moves > 10, moves + " moves");
        Map<Long, Long> counts = new HashMap<>();
        diary.lines().stream().filter(line -> line.matches("\\d+")).map(Long::valueOf).forEach(row ->
                assertEquals(row, row / 1000 * 1000 + counts.merge(row / 1000, 1L, Long::sum), "out of order, or not all"));
        assertEquals(2L * COUNT, counts.values().stream().mapToLong(n -> n).sum());
    }

    @Test
    void whoNeitherGivesNorTakesGoesOnAsItIs() {
        crank(50);
        int before = opened.size();
        move(Map.of(0, 2, 1, 2));
        crank(200);
        assertEquals(INSTANCES, answers.size());
        assertEquals(before + 2, opened.size(), "the second instance has not begun anew");
        assertFalse(opened.get(1).closed && opened.get(0).closed && opened.get(2).closed);
    }

    @Test
    void aJobThatIsKilledMeanwhileLeavesNothing() {
        for (int k = 0; k < 40; k++) {
            crank(1);
            if (answers.size() == INSTANCES || moves == 0) {
                move(some());
            }
        }
    }

    /** Full queues are no reason: a resource that is not prepared deals on by the map before, and nobody hears of it. */
    @Test
    void whereNothingIsKeptNoRoomIsNeeded() {
        long full = bench.pool.budget().bytes();
        bench.pool.budget().take(full);
        BucketMap next = map.moved(Map.of(0, 2));
        assertEquals(0, job.commands().prepareMove(1, "counts", next, Set.of(), answers::add));
        assertEquals(next, maps.behind(SyncMarks.ofMove(1), map));
        bench.pool.budget().give(full);
    }

    @Test
    void isRefusedWithoutRoom() {
        stateBytes = 40 << 20;
        crank(100);
        job.commands().prepareMove(1, "counts", map.moved(Map.of(0, 2)), Set.of(0, 2), answers::add);
        assertFalse(answers.get(0).ok());
        assertTrue(answers.get(0).answer().matches("what instances here that give or get buckets keep, \\d+ bytes, is in memory "
                + "twice for a moment, and there is no room for that; raise memory_bytes \\(\\d+\\)"), answers.get(0).answer());
    }
}
