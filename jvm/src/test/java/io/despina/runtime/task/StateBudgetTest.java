package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Projection;
import io.despina.expr.WindowFacts;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.join.AsOfJoin;
import io.despina.operator.join.JoinOptions;
import io.despina.operator.order.Keys;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.operator.window.FinalAggregate;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Matching;
import io.despina.spec.OnError;
import io.despina.spec.Replay;
import io.despina.spec.Schedule;
import io.despina.state.EventOrder;
import java.io.DataInput;
import java.io.DataOutput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators hold is counted against the resource's memory, fails the job by name when it is too much, and is given back. */
class StateBudgetTest {
    private static final int MEMORY = 4 << 20;
    private static final TaskSettings SETTINGS = new TaskSettings(true, true, 100_000_000L, 64 << 10);
    private static final Projection NUMBER = (inputs, out) -> out.setLong(0, inputs[0].getLong(0));
    private static final Keys BY_NUMBER = new Keys(Bench.NUMBERS, partition -> NUMBER, 256);
    private static final long FEW = 2_000;

    private final Bench bench = new Bench(MEMORY);
    private final Diary diary = new Diary();

    /** Counts packets. */
    private static final class Count implements Aggregation {
        private static final class Value implements Accumulator {
            private long n;

            @Override
            public long bytes() {
                return 24;
            }
        }

        @Override
        public Accumulator create() {
            return new Value();
        }

        @Override
        public void update(Accumulator accumulator, Packet packet) {
            ((Value) accumulator).n++;
        }

        @Override
        public void check(Accumulator accumulator, Packet packet) {
        }

        @Override
        public boolean mayOverflow() {
            return false;
        }

        @Override
        public void merge(Accumulator into, Accumulator from) {
            ((Value) into).n += ((Value) from).n;
        }

        @Override
        public void evaluate(Accumulator accumulator, Packet key, Packet current, WindowFacts window, PacketWriter out) {
            out.setLong(0, ((Value) accumulator).n);
        }

        @Override
        public void write(Accumulator accumulator, DataOutput out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Accumulator read(DataInput in) {
            throw new UnsupportedOperationException();
        }
    }

    private static TaskSpec tight(TaskSpec task) {
        return Bench.with(task, Schedule.DATA, SETTINGS);
    }

    private JobHandle start(Operator operator, int inputs, TaskSpec... sources) {
        TaskSpec[] tasks = new TaskSpec[sources.length + 2];
        List<InputSpec> ports = new java.util.ArrayList<>();
        for (int k = 0; k < sources.length; k++) {
            tasks[k] = tight(sources[k]);
            ports.add(Bench.in(k, k + 1));
        }
        Schema[] outputs = {Bench.NUMBERS, Bench.NUMBERS};
        tasks[sources.length] = tight(Bench.task(List.of(Bench.stage("held", () -> operator, inputs, outputs)), ports,
                List.of(Bench.out(0, 0, Bench.NUMBERS, 9))));
        tasks[sources.length + 1] = tight(Bench.sink("sink", diary, 9));
        return bench.start(tasks);
    }

    private JobHandle grouped(long groups) {
        return start(new FinalAggregate(BY_NUMBER, partition -> new Count()), 1,
                Bench.source("source", new Ascending(groups), 1));
    }

    private static AsOfJoin asOf() {
        JoinOptions.Side side = new JoinOptions.Side(new EventOrder(0, List.of()), BY_NUMBER);
        return new AsOfJoin(new JoinOptions(side, side, Bench.NUMBERS, null, partition -> NUMBER, JoinOptions.How.INNER),
                new Matching.AsOf(Matching.AsOf.ANY_AGE, false, false));
    }

    private void assertAllGivenBack(JobHandle job) {
        assertTrue(job.ended().isDone(), "ended");
        assertEquals(0, bench.pool.budget().held(), "bytes of state");
        assertEquals(0, bench.pool.budget().used(), "bytes in use");
        assertEquals(0, bench.pool.leaks().size(), "segments out");
    }

    /** @param counted what it holds, as a regular expression */
    private void assertTooMuch(JobHandle job, String operator, String counted) {
        assertNotNull(job.failure(), "the job did not fail");
        assertEquals(operator, job.failure().operatorId());
        assertTrue(job.failure().getMessage().matches("operator " + operator + ", instance 0: holds \\d+ bytes of state" + counted
                + ", more than the resource's memory allows \\(memory_bytes=" + MEMORY + ", .*\\); raise memory_bytes"),
                job.failure().getMessage());
        assertAllGivenBack(job);
    }

    @Test
    void fewGroupsFitAndAreGivenBackAtTheEnd() {
        JobHandle job = grouped(FEW);
        bench.settle();
        assertNull(job.failure());
        assertEquals(FEW, diary.lines().stream().filter("1"::equals).count());
        assertTrue(job.counters().snapshot().operators().get("held").state().bytes() > FEW * 24);
        assertAllGivenBack(job);
    }

    @Test
    void groupsWithoutEndFailTheJobByName() {
        JobHandle job = grouped(Long.MAX_VALUE);
        bench.settle();
        assertTooMuch(job, "held", " \\(\\d{5,} keys\\)");
    }

    @Test
    void packetsThatWaitForTheOtherSideAreCounted() {
        Puppet silent = new Puppet();
        JobHandle job = start(asOf(), 2, Bench.source("left", new Ascending(FEW), 1), Bench.source("right", silent, 2));
        bench.pass(10 * Bench.MS);
        long held = bench.pool.budget().held();
        assertTrue(held > FEW * 9 && held < MEMORY / 2, held + " bytes of state");
        job.kill();
        bench.settle();
        assertNull(job.failure());
        assertAllGivenBack(job);
    }

    @Test
    void aSideThatWaitsWithoutEndFailsTheJobByName() {
        JobHandle job = start(asOf(), 2, Bench.source("left", new Ascending(Long.MAX_VALUE), 1),
                Bench.source("right", new Puppet(), 2));
        bench.pass(10 * Bench.MS);
        assertTooMuch(job, "held", " \\(\\d{4,} packets\\)");
    }

    @Test
    void aSourceThatPreloadsIsCounted(@TempDir Path folder) throws Exception {
        assertNull(preloaded(folder, FEW).failure());
        assertEquals(FEW, diary.lines().stream().filter(line -> line.matches("\\d+")).count());
        assertTooMuch(preloaded(folder, 1_000_000), "source", "");
    }

    private JobHandle preloaded(Path folder, long lines) throws Exception {
        StringBuilder text = new StringBuilder();
        for (long k = 0; k < lines; k++) {
            text.append(k).append('\n');
        }
        Path file = Files.writeString(folder.resolve(lines + ".csv"), text);
        Schema schema = Schema.of(new Column("n", Simple.BIGINT, true));
        FileSource source = new FileSource(new FileSourceOptions(file.toString(), new RecordFormat.Read(
                FileFormat.CSV, Map.of(), schema, 0, false, Set.of(), "UTC", true),
                new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, true, 1), null, options -> null));
        TaskSpec task = Bench.task(List.of(Bench.stage("source", () -> source, 0, schema)), List.of(),
                List.of(Bench.out(0, 0, schema, 1)));
        TaskSpec sink = Bench.task(List.of(new StageSpec("sink", 0, 1, () -> diary,
                new StageSpec.Ports(List.of(schema), List.of()), OnError.FAIL, List.of(),
                StageSpec.Role.WHOLE)), List.of(Bench.in(0, 1)), List.of());
        JobHandle job = bench.start(tight(task), tight(sink));
        bench.settle();
        assertAllGivenBack(job);
        return job;
    }

    @Test
    void stateComesBeforeWhatIsQueued() {
        long floating = bench.pool.budget().floating();
        bench.pool.budget().take(floating);
        JobHandle job = grouped(FEW);
        bench.settle();
        assertNull(job.failure());
        bench.pool.budget().give(floating);
        assertAllGivenBack(job);
    }

    /** Says what it holds as the numbers tell it. */
    private static final class Said implements Operator {
        private OperatorContext context;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                context.stateBytes(p.getLong(0));
            }
        }
    }

    @Test
    void whatShrinksIsGivenBackAtOnce() {
        Puppet puppet = new Puppet();
        JobHandle job = start(new Said(), 1, Bench.source("source", puppet, 1));
        bench.settle();
        assertEquals(1 << 20, afterSaying(puppet, 1 << 20));
        assertEquals(4096, afterSaying(puppet, 1));
        assertEquals(4096, afterSaying(puppet, 4096));
        assertEquals(8192, afterSaying(puppet, 4097));
        assertEquals(0, afterSaying(puppet, 0) / (3 * 4096), "small changes may stay charged");
        job.kill();
        bench.settle();
        assertAllGivenBack(job);
    }

    private long afterSaying(Puppet puppet, long bytes) {
        puppet.script.add(() -> puppet.number(bytes));
        bench.pass(2 * Bench.MS);
        return bench.pool.budget().held();
    }
}
