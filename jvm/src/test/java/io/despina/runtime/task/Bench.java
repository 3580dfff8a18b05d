package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.host.ResourceOptions;
import io.despina.runtime.worker.Worker;
import io.despina.runtime.worker.Workers;
import io.despina.spec.Blocking;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.OnError;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A resource to be cranked by hand on a clock that stands still, and small operators for it. */
final class Bench {
    static final Schema NUMBERS = Schema.of(new Column("n", Simple.BIGINT, false));
    static final Schema ERRORS = Schema.of(new Column("reason", Simple.STRING, true),
            new Column("operator", Simple.STRING, true), new Column("record", Simple.STRING, true));
    static final long MS = 1_000_000;

    /** Microseconds since 1970 when the clock is at 0. */
    static final long WALL = 1_700_000_000_000_000L;

    /** Nanoseconds; tests move it. */
    long now = 1_000 * MS;
    final SegmentPool pool;
    final Worker worker = new Worker(() -> { });
    /** What the blocking tier would run. */
    final List<FutureTask<?>> openings = new ArrayList<>();
    final Resource resource;

    Bench() {
        this(96L << 20);
    }

    /** The job has ended, and nothing of it is left. */
    void assertClean(JobHandle job) {
        assertTrue(job.ended().isDone(), "ended");
        assertEquals(0, pool.leaks().size(), "segments out");
        assertEquals(0, pool.budget().used(), "bytes in use");
        assertEquals(pool.budget().bytes(), pool.budget().floating(), "bytes not reserved");
    }

    Bench(long memoryBytes) {
        pool = new SegmentPool(new Budget(memoryBytes));
        resource = new Resource(new ResourceOptions(new OneWorker(), new JobLinks.Shared(pool, null, () -> now),
                () -> WALL + now / 1_000));
    }

    private final class OneWorker implements Workers {
        @Override
        public Worker assign(String jobId, TaskSpec task) {
            return worker;
        }

        @Override
        public Worker dedicated(String jobId, TaskSpec task) {
            return worker;
        }

        @Override
        public Future<?> runBlocking(String jobId, TaskSpec task, Runnable work) {
            FutureTask<?> opening = new FutureTask<>(work, null);
            openings.add(opening);
            return opening;
        }

        @Override
        public UnaryOperator<Worker> rotation(TaskSpec task) {
            return UnaryOperator.identity();
        }

        @Override
        public Worker any() {
            return worker;
        }

        @Override
        public void interrupt(Worker home) {
        }

        @Override
        public void release(Worker home) {
        }

        @Override
        public void close() {
        }
    }

    /** Cranks until nothing is left to do at this time. */
    void settle() {
        for (int k = 0; worker.crank(now); k++) {
            if (k > 1_000_000) {
                throw new AssertionError("the tasks never come to rest");
            }
        }
    }

    /** Moves the clock on, timer by timer. */
    void pass(long nanos) {
        long until = now + nanos;
        settle();
        while (worker.nextDeadline() <= until) {
            now = Math.max(now, worker.nextDeadline());
            settle();
        }
        now = until;
        settle();
    }

    JobHandle start(TaskSpec... tasks) {
        JobHandle job = resource.deploy(Attempt.first("job"), List.of(tasks));
        Verdicts.concludeTogether(List.of(job));
        job.start();
        return job;
    }

    // Specs.

    static StageSpec stage(String id, Supplier<Operator> operator, int inputs, Schema... outputs) {
        return new StageSpec(id, 0, 1, operator,
                new StageSpec.Ports(Collections.nCopies(inputs, NUMBERS), List.of(outputs)), OnError.FAIL, List.of(),
                StageSpec.Role.WHOLE);
    }

    /** From port 0 of the stage at {@code rank} into the stage behind it. */
    static StageSpec.Fused next(int rank, String link) {
        return new StageSpec.Fused(0, rank + 1, link, rank);
    }

    static TaskSpec task(List<StageSpec> stages, List<InputSpec> inputs, List<PortSpec> outputs) {
        return new TaskSpec(stages.get(0).operatorId() + "-0", stages, inputs, outputs, Blocking.NEVER, Schedule.DATA,
                TaskSettings.DEFAULT);
    }

    static TaskSpec with(TaskSpec task, Schedule schedule, TaskSettings settings) {
        return new TaskSpec(task.id(), task.stages(), task.inputs(), task.outputs(), task.blocking(), schedule, settings);
    }

    static TaskSpec with(TaskSpec task, Blocking blocking) {
        return new TaskSpec(task.id(), task.stages(), task.inputs(), task.outputs(), blocking, task.schedule(), task.settings());
    }

    static ChannelSpec channel(int id) {
        return ChannelSpec.local(id, "link" + id);
    }

    static InputSpec in(int port, int... channels) {
        List<ChannelSpec> specs = new ArrayList<>();
        for (int id : channels) {
            specs.add(channel(id));
        }
        return new InputSpec(port, specs);
    }

    static PortSpec out(int stage, int port, Schema schema, int channel) {
        return new PortSpec(stage, port, schema, List.of(new LinkSpec("link" + channel, new Partition.Forward(),
                BufferSpec.DEFAULT, CompressionSpec.DEFAULT, List.of(channel(channel)))));
    }

    static TaskSpec source(String id, Source source, int channel) {
        return task(List.of(stage(id, () -> source, 0, NUMBERS)), List.of(), List.of(out(0, 0, NUMBERS, channel)));
    }

    static TaskSpec sink(String id, Operator sink, int... channels) {
        return task(List.of(stage(id, () -> sink, 1)), List.of(in(0, channels)), List.of());
    }

    // Operators.

    /** Says what the test tells it to. */
    static final class Puppet implements Source {
        final List<Runnable> script = new ArrayList<>();
        Output out;
        boolean ends;
        boolean waits;
        long every;
        long produced;
        long held;
        long heldAgain = WHEN_WOKEN;
        Runnable wake;

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
            wake = context::wake;
        }

        void number(long n) {
            out.writer().begin().setLong(0, n);
            out.writer().commit();
        }

        @Override
        public long produce(long now) {
            produced++;
            List<Runnable> todo = List.copyOf(script);
            script.clear();
            todo.forEach(Runnable::run);
            return ends ? ENDED : waits ? WHEN_WOKEN : now + (every > 0 ? every : MS);
        }

        @Override
        public long held(long now) {
            held++;
            return heldAgain;
        }
    }

    /** 0, 1, 2 … as long as there is room. */
    static final class Ascending implements Source {
        final long count;
        Output out;
        long next;

        Ascending(long count) {
            this.count = count;
        }

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public long produce(long now) {
            for (int k = 0; k < 1000 && next < count && out.hasRoom(); k++) {
                out.writer().begin().setLong(0, next++);
                out.writer().commit();
            }
            return next == count ? ENDED : now;
        }
    }

    /** Passes numbers on; fails or complains where told. */
    static class FaultyRelay implements Operator {
        OperatorContext context;
        Output out;
        long failAt = -1;
        long badAt = -1;
        boolean closed;

        @Override
        public void open(OperatorContext context) {
            this.context = context;
            out = context.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            while (out.hasRoom()) {
                Packet packet = packets.next();
                if (packet == null) {
                    return;
                }
                if (packet.getLong(0) == failAt) {
                    throw new IllegalStateException("cannot take " + failAt);
                }
                if (packet.getLong(0) == badAt) {
                    context.badRecord(new ArithmeticException("bad number"), packet);
                } else {
                    out.writer().copy(packet);
                }
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** Writes down everything that it is told. */
    static final class Diary implements Sink {
        final List<String> lines = new ArrayList<>();
        boolean open = true;
        private PacketCursor cursor;

        @Override
        public void process(int port, PacketCursor packets) {
            cursor = packets;
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                lines.add(port == 0 ? "" + p.getLong(0) : port + ":" + p.getLong(0));
            }
        }

        @Override
        public boolean watermark(long watermark) {
            lines.add(watermark == Long.MAX_VALUE ? "W max" : "W " + watermark);
            return true;
        }

        @Override
        public void inputWatermark(int port, long watermark) {
            lines.add("I" + port + (watermark == Long.MAX_VALUE ? " max" : " " + watermark));
        }

        @Override
        public boolean end() {
            lines.add("end");
            return true;
        }

        @Override
        public boolean commits() {
            return true;
        }

        @Override
        public CompletableFuture<Void> prepare(long epoch) {
            lines.add("prepare");
            return DONE;
        }

        @Override
        public CompletableFuture<Void> commit(long epoch) {
            lines.add("commit");
            return DONE;
        }

        @Override
        public void abort() {
            lines.add("abort");
        }

        @Override
        public void close() {
            lines.add("close");
        }

        /** Without watermarks of single inputs. */
        List<String> lines() {
            return lines.stream().filter(line -> !line.startsWith("I")).toList();
        }
    }

    /** Counts packets. */
    static final class Tally implements Operator {
        long taken;

        @Override
        public void process(int port, PacketCursor packets) {
            while (packets.next() != null) {
                taken++;
            }
        }
    }
}
