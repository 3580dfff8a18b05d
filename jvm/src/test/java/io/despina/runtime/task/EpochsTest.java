package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.FrozenEpoch;
import io.despina.runtime.host.JobHandle;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Barriers, the words of tasks about epochs, and tasks that have ended before. */
class EpochsTest {
    private final Bench bench = new Bench();
    private final Bench.Puppet a = new Bench.Puppet();
    private final Bench.Puppet b = new Bench.Puppet();

    /** Snapshots that are written nowhere. */
    private static final class Unwritten implements JobSnapshots {
        @Override
        public int buckets() {
            return 16;
        }

        @Override
        public List<Sections> restored(String operator) {
            return null;
        }

        @Override
        public Path keptFolder(Instance of) {
            return Path.of("log", of.operator(), Integer.toString(of.number()));
        }

        @Override
        public int attempt() {
            return 3;
        }

        @Override
        public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
            return null;
        }
    }

    /** Completes what it is told when the test does; writes down everything. */
    private static final class Slow implements Sink {
        final List<String> lines = new ArrayList<>();
        final ArrayDeque<CompletableFuture<Void>> open = new ArrayDeque<>();

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                lines.add("" + p.getLong(0));
            }
        }

        @Override
        public boolean commits() {
            return true;
        }

        private CompletableFuture<Void> begins(String what) {
            lines.add(what);
            open.add(new CompletableFuture<>());
            return open.getLast();
        }

        @Override
        public CompletableFuture<Void> prepare(long epoch) {
            return begins("prepare " + epoch);
        }

        @Override
        public CompletableFuture<Void> commit(long epoch) {
            return begins("commit " + epoch);
        }

        @Override
        public CompletableFuture<Void> taken() {
            return begins("taken");
        }

        void done() {
            open.remove().complete(null);
        }
    }

    /** Keeps what it takes, and lets it go before a barrier, one by one. */
    private static final class OneByOne implements Operator {
        private final ArrayDeque<Long> kept = new ArrayDeque<>();
        private Output out;

        @Override
        public void open(OperatorContext context) {
            out = context.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                kept.add(p.getLong(0));
            }
        }

        @Override
        public boolean release() {
            if (!kept.isEmpty()) {
                out.writer().begin().setLong(0, kept.poll());
                out.writer().commit();
            }
            return kept.isEmpty();
        }
    }

    /** Writes down what it is told of epochs, and where it keeps what. */
    private static final class Placed implements Source {
        final List<String> lines = new ArrayList<>();

        @Override
        public void open(OperatorContext context) {
            lines.add(context.keptFolder() + " " + context.attempt());
        }

        @Override
        public long produce(long now) {
            return WHEN_WOKEN;
        }

        @Override
        public void barrier(long epoch) {
            lines.add("barrier " + epoch);
        }

        @Override
        public void acknowledge(long epoch) {
            lines.add("acknowledge " + epoch);
        }
    }

    private JobHandle start(TaskSpec... tasks) {
        JobHandle job = bench.resource.deploy(Attempt.first("job"), List.of(tasks), new Unwritten());
        job.start();
        bench.settle();
        return job;
    }

    private void say(Bench.Puppet who, long... numbers) {
        who.script.add(() -> {
            for (long n : numbers) {
                who.number(n);
            }
        });
        bench.pass(200 * Bench.MS);
    }

    private void end(Bench.Puppet who) {
        who.ends = true;
        bench.pass(2 * Bench.MS);
    }

    private static Map<String, Boolean> ended(FrozenEpoch epoch) {
        return epoch.instances().stream().collect(Collectors.toMap(FrozenInstance::operator, FrozenInstance::ended));
    }

    @Test
    void aBarrierWaitsForWhatIsReleasedBeforeIt() {
        Bench.Diary diary = new Bench.Diary();
        JobHandle job = start(Bench.source("a", a, 1),
                Bench.task(List.of(Bench.stage("holds", OneByOne::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2));
        say(a, 1, 2, 3);
        CompletableFuture<FrozenEpoch> frozen = job.epochs().begin(1);
        bench.pass(5 * Bench.MS);
        assertEquals(List.of("1", "2", "3", "prepare"), diary.lines());
        assertTrue(frozen.isDone());
        assertEquals(List.of("a", "holds", "sink"),
                frozen.join().instances().stream().map(FrozenInstance::operator).toList());
        job.kill();
        bench.settle();
    }

    @Test
    void anIdleMarkWaitsForWhatIsReleasedBeforeIt() {
        Bench.Diary diary = new Bench.Diary();
        JobHandle job = start(Bench.source("a", a, 1), Bench.source("b", b, 3),
                Bench.task(List.of(Bench.stage("holds", OneByOne::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2, 3));
        b.script.add(() -> b.out.watermark(7, false));
        say(a, 1, 2, 3);
        a.script.add(() -> a.out.idle());
        bench.pass(5 * Bench.MS);
        assertEquals(List.of("1", "2", "3", "W 7"), diary.lines());
        job.kill();
        bench.settle();
    }

    @Test
    void aSourceIsToldOfBarriersAndOfWhereItKeepsItsLogs() {
        Placed source = new Placed();
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", source, 1), Bench.sink("sink", sink, 1));
        job.epochs().begin(4);
        bench.pass(2 * Bench.MS);
        sink.done();
        job.epochs().complete(4, false);
        bench.settle();
        assertEquals(List.of("log/a/0 3", "barrier 4", "acknowledge 4"), source.lines);
        job.kill();
        bench.settle();
    }

    @Test
    void aSourceThatHasEndedTakesPart() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.source("b", b, 2), Bench.sink("sink", sink, 1, 2));
        say(a, 1);
        end(a);
        say(b, 2);
        CompletableFuture<FrozenEpoch> frozen = job.epochs().begin(1);
        assertEquals("operator `a` and 2 others", job.epochs().unfrozen(1));
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("1", "2", "prepare 1"), sink.lines);
        assertFalse(frozen.isDone(), "the sink has not prepared");
        assertEquals("operator `sink`", job.epochs().unfrozen(1));
        sink.done();
        assertEquals(Map.of("a", true, "b", false, "sink", false), ended(frozen.join()));
        assertEquals("", job.epochs().unfrozen(1));
        assertEquals(Long.MAX_VALUE, job.epochs().committing());
        CompletableFuture<Void> committed = job.epochs().complete(1, false);
        bench.settle();
        assertFalse(committed.isDone());
        assertEquals(1, job.epochs().committing());
        assertEquals("operator `sink`", job.epochs().uncommitted(1));
        sink.done();
        bench.settle();
        assertTrue(committed.isDone());
        assertEquals(Long.MAX_VALUE, job.epochs().committing());
        assertEquals(List.of("1", "2", "prepare 1", "commit 1"), sink.lines);
        job.kill();
        bench.settle();
    }

    @Test
    void aBarrierThatIsCommandedAroundTheEndComesOnce() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.source("b", b, 2), Bench.sink("sink", sink, 1, 2));
        a.ends = true;
        b.ends = true;
        job.epochs().begin(1);
        CompletableFuture<FrozenEpoch> second = job.epochs().begin(2);
        bench.pass(2 * Bench.MS);
        assertTrue(job.settled().isDone());
        sink.open.forEach(each -> each.complete(null));
        assertTrue(second.isDone());
        CompletableFuture<FrozenEpoch> last = job.epochs().begin(3);
        bench.settle();
        sink.open.forEach(each -> each.complete(null));
        assertEquals(Map.of("a", true, "b", true, "sink", true), ended(last.join()));
        assertEquals(List.of("prepare 1", "prepare 2", "prepare 3"), sink.lines.stream().filter(line -> !line.startsWith("W"))
                .toList());
        job.conclude(true);
        bench.settle();
        assertTrue(job.ended().isDone());
    }

    @Test
    void aDroppedEpochIsCommittedWithTheNext() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.sink("sink", sink, 1));
        say(a, 1);
        CompletableFuture<FrozenEpoch> first = job.epochs().begin(1);
        bench.pass(2 * Bench.MS);
        job.epochs().drop(1);
        assertThrows(CancellationException.class, first::join);
        sink.done();
        say(a, 2);
        CompletableFuture<FrozenEpoch> second = job.epochs().begin(2);
        bench.pass(2 * Bench.MS);
        sink.done();
        assertTrue(second.isDone());
        job.epochs().complete(2, false);
        bench.settle();
        assertEquals(List.of("1", "prepare 1", "2", "prepare 2", "commit 1"), sink.lines);
        sink.done();
        bench.settle();
        assertEquals("commit 2", sink.lines.get(sink.lines.size() - 1), "one at a time, in order");
        job.kill();
        bench.settle();
    }

    @Test
    void onlyAtTheEndOfTheJobASinkWaitsUntilItsRowsAreTaken() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.source("b", b, 2), Bench.sink("sink", sink, 1),
                Bench.sink("other", new Bench.Diary(), 2));
        end(a);
        job.epochs().begin(1);
        bench.pass(2 * Bench.MS);
        sink.done();
        CompletableFuture<Void> committed = job.epochs().complete(1, false);
        bench.settle();
        sink.done();
        bench.settle();
        assertTrue(committed.isDone(), "its input has ended, and that of the other has not");
        end(b);
        job.epochs().begin(2);
        bench.pass(2 * Bench.MS);
        sink.done();
        CompletableFuture<Void> last = job.epochs().complete(2, true);
        bench.settle();
        sink.done();
        bench.settle();
        assertEquals(List.of("prepare 1", "commit 1", "prepare 2", "commit 2", "taken"), sink.lines.stream()
                .filter(line -> !line.startsWith("W")).toList());
        assertFalse(last.isDone());
        sink.done();
        bench.settle();
        assertTrue(last.isDone());
        job.conclude(true);
        bench.settle();
        assertTrue(job.ended().isDone());
    }

    @Test
    void aSinkPreparesTheNextEpochWhileItCommitsTheLast() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.sink("sink", sink, 1));
        job.epochs().begin(1);
        bench.pass(2 * Bench.MS);
        sink.done();
        CompletableFuture<Void> committed = job.epochs().complete(1, false);
        bench.settle();
        job.epochs().begin(2);
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("prepare 1", "commit 1", "prepare 2"), sink.lines);
        assertFalse(committed.isDone());
        job.kill();
        bench.settle();
        assertThrows(CompletionException.class, () -> committed.thenRun(() -> { }).join());
        assertThrows(CancellationException.class, () -> job.epochs().begin(3).join());
    }

    @Test
    void aSinkThatCannotPrepareFailsItsTaskByName() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.sink("sink", sink, 1));
        CompletableFuture<FrozenEpoch> frozen = job.epochs().begin(1);
        bench.pass(2 * Bench.MS);
        sink.open.remove().completeExceptionally(new IOException("no space"));
        bench.settle();
        assertTrue(frozen.isCompletedExceptionally());
        assertEquals("sink", job.failure().operatorId());
        assertTrue(job.failure().getMessage().contains("no space"), job.failure().getMessage());
    }

    @Test
    void noEpochOfAJobThatWasCutCanComplete() {
        Slow sink = new Slow();
        JobHandle job = start(Bench.source("a", a, 1), Bench.source("b", b, 2), Bench.sink("sink", sink, 1, 2));
        CompletableFuture<FrozenEpoch> frozen = job.epochs().begin(1);
        job.cut();
        bench.settle();
        assertTrue(frozen.isCompletedExceptionally());
        CompletableFuture<FrozenEpoch> later = job.epochs().begin(2);
        bench.settle();
        sink.open.forEach(each -> each.complete(null));
        bench.settle();
        assertThrows(CompletionException.class, later::join);
        job.kill();
        bench.settle();
        assertTrue(job.ended().isDone());
    }
}
