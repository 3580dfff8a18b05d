package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.SegmentKind;
import io.despina.link.Attempt;
import io.despina.link.PortOutput;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.Blocking;
import io.despina.spec.OnError;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TaskTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Puppet other = new Puppet();
    private final Diary diary = new Diary();

    private void say(Puppet puppet, Runnable... what) {
        puppet.script.addAll(List.of(what));
        bench.pass(2 * Bench.MS);
    }

    private static List<String> numbers(long count) {
        return LongStream.range(0, count).mapToObj(Long::toString).toList();
    }

    @Test
    void aSourceThatWaitsIsCalledWhenItIsWokenAndNotBefore() {
        puppet.waits = true;
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.pass(60_000 * Bench.MS);
        assertEquals(1, puppet.produced);
        puppet.script.add(() -> puppet.number(7));
        bench.pass(60_000 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        job.commands().wake("source");
        bench.settle();
        assertEquals(2, puppet.produced);
        puppet.ends = true;
        job.commands().wake("source");
        bench.settle();
        assertEquals("7", diary.lines().get(0));
        bench.assertClean(job);
    }

    @Test
    void aSourceHasItselfCalledFromAnotherThreadAndEvenAfterItsEnd() throws InterruptedException {
        puppet.waits = true;
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.pass(60_000 * Bench.MS);
        puppet.script.add(() -> puppet.number(7));
        puppet.ends = true;
        Thread other = new Thread(puppet.wake);
        other.start();
        other.join();
        bench.settle();
        assertEquals(2, puppet.produced);
        assertEquals("7", diary.lines().get(0));
        puppet.wake.run();
        bench.settle();
        assertEquals(2, puppet.produced);
        bench.assertClean(job);
    }

    @Test
    void aPipelineEndsWithEverythingCommitted() {
        JobHandle job = bench.start(Bench.source("source", new Ascending(10_000), 1), Bench.task(
                List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2));
        bench.settle();
        List<String> expected = new ArrayList<>(numbers(10_000));
        expected.addAll(List.of("W max", "end", "prepare", "commit", "close"));
        assertEquals(expected, diary.lines());
        bench.assertClean(job);
        assertEquals(10_000, job.counters().snapshot().operators().get("relay").packetsIn());
        assertEquals(10_000, job.counters().snapshot().operators().get("relay").packetsOut());
        assertEquals(10_000, job.counters().snapshot().links().get("link2").packets());
        assertEquals(10_000, job.counters().snapshot().latency().get("sink").getTotalCount());
    }

    @Test
    void aFusedChainDoesTheSame() {
        JobHandle job = bench.start(fused(new Ascending(10_000), new FaultyRelay(), diary));
        bench.settle();
        List<String> expected = new ArrayList<>(numbers(10_000));
        expected.addAll(List.of("W max", "end", "prepare", "commit", "close"));
        assertEquals(expected, diary.lines());
        bench.assertClean(job);
        assertEquals(10_000, job.counters().snapshot().links().get("source->relay").packets());
        assertEquals(10_000, job.counters().snapshot().links().get("relay->sink").packets());
        assertEquals(10_000, job.counters().snapshot().latency().get("sink").getTotalCount());
    }

    /** Says that segments may pass it by, and counts those that do not. */
    private static final class PassedBy implements Operator {
        private final FaultyRelay relay = new FaultyRelay();
        private int calls;

        @Override
        public void open(OperatorContext context) {
            relay.open(context);
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            calls++;
            relay.process(port, packets);
        }
    }

    private int callsToPassOn(boolean batchScheduling, boolean objectReuse) {
        PassedBy relay = new PassedBy();
        Diary sink = new Diary();
        JobHandle job = bench.start(Bench.source("source", new Ascending(50_000), 1), Bench.with(Bench.task(
                List.of(Bench.stage("relay", () -> relay, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Schedule.DATA,
                new TaskSettings(batchScheduling, objectReuse, 100_000_000L, 16 << 20)),
                Bench.sink("sink", sink, 2));
        bench.settle();
        assertEquals(numbers(50_000), sink.lines().subList(0, 50_000));
        assertEquals(50_000, job.counters().snapshot().operators().get("relay").packetsIn());
        assertEquals(50_000, job.counters().snapshot().operators().get("relay").packetsOut());
        bench.assertClean(job);
        return relay.calls;
    }

    @Test
    void segmentsPassARelayByUnlessEachPacketIsToBeHandled() {
        int segments = 50_000 * 9 / (64 << 10);
        assertTrue(callsToPassOn(true, true) < segments);
        assertTrue(callsToPassOn(true, false) >= segments);
        assertTrue(callsToPassOn(false, true) >= 50_000);
    }

    private static TaskSpec fused(io.despina.operator.Source source, FaultyRelay relay, Diary sink) {
        return Bench.task(List.of(Bench.stage("source", () -> source, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "source->relay")),
                Bench.stage("relay", () -> relay, 1, Bench.NUMBERS).fusedInto(Bench.next(1, "relay->sink")),
                Bench.stage("sink", () -> sink, 1)), List.of(), List.of());
    }

    @Test
    void anExactWatermarkKeepsItsPlaceInAFusedChain() {
        bench.start(fused(puppet, new FaultyRelay(), diary));
        bench.settle();
        say(puppet, () -> puppet.number(1), () -> puppet.out.watermark(5, false), () -> puppet.number(6),
                () -> puppet.out.watermark(6, true), () -> puppet.number(2), () -> puppet.number(7),
                () -> puppet.out.watermark(7, false));
        assertEquals(List.of("1", "6", "W 6", "2", "7", "W 7"), diary.lines());
    }

    @Test
    void anExactWatermarkKeepsItsPlaceAcrossALink() {
        bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.settle();
        say(puppet, () -> puppet.number(1), () -> puppet.number(6), () -> puppet.out.watermark(6, true), () -> puppet.number(2),
                () -> puppet.number(7), () -> puppet.out.watermark(7, false));
        assertEquals(List.of("1", "6", "W 6", "2", "7", "W 7"), diary.lines());
    }

    @Test
    void theWatermarkIsTheLeastOverTheChannelsAndIdleOnesAreLeftOut() {
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.sink("sink", diary, 1, 2));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(10, false));
        assertEquals(List.of(), diary.lines());
        say(other, () -> other.out.watermark(4, false));
        assertEquals(List.of("W 4"), diary.lines());
        say(other, () -> other.out.idle());
        assertEquals(List.of("W 4", "W 10"), diary.lines());
        say(other, () -> other.number(8), () -> other.out.watermark(9, false));
        say(puppet, () -> puppet.out.watermark(20, false));
        assertEquals(List.of("W 4", "W 10", "8"), diary.lines());
        say(other, () -> other.out.watermark(15, false));
        assertEquals(List.of("W 4", "W 10", "8", "W 15"), diary.lines());
    }

    @Test
    void anInputThatEndedIsLeftOutOfTheLeast() {
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.sink("sink", diary, 1, 2));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(10, false));
        other.ends = true;
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("W 10"), diary.lines());
    }

    @Test
    void eachPortHasAWatermarkOfItsOwn() {
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.task(
                List.of(Bench.stage("join", () -> diary, 2)), List.of(Bench.in(0, 1), Bench.in(1, 2)), List.of()));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(10, false));
        say(other, () -> other.number(3), () -> other.out.watermark(4, false));
        other.ends = true;
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("I0 10", "1:3", "I1 4", "W 4", "I1 max", "W 10"), diary.lines);
    }

    @Test
    void aPortThatFallsIdleHoldsTheOtherBackNoMore() {
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.task(
                List.of(Bench.stage("join", () -> diary, 2)), List.of(Bench.in(0, 1), Bench.in(1, 2)), List.of()));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(100, false));
        say(other, () -> other.out.watermark(10, false));
        say(other, () -> other.out.idle());
        assertEquals(List.of("I0 100", "I1 10", "W 10", "W 100"), diary.lines);
    }

    @Test
    void aPortWhoseLastActiveInputEndsHoldsTheOtherBackNoMore() {
        Puppet third = new Puppet();
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.source("c", third, 3), Bench.task(
                List.of(Bench.stage("join", () -> diary, 2)), List.of(Bench.in(0, 1), Bench.in(1, 2, 3)), List.of()));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(100, false));
        say(third, () -> third.out.idle());
        say(other, () -> other.out.watermark(10, false));
        other.ends = true;
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("I0 100", "I1 10", "W 10", "W 100"), diary.lines);
    }

    @Test
    void aBarrierWaitsForAllInputsAndNothingOvertakesIt() {
        List<String> seen = new ArrayList<>();
        FaultyRelay relay = new FaultyRelay();
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.task(
                List.of(Bench.stage("relay", () -> relay, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1, 2)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 3))), Bench.sink("sink", diary, 3));
        bench.settle();
        say(puppet, () -> puppet.number(1), () -> ((PortOutput) puppet.out).signal(SegmentKind.BARRIER, 1),
                () -> puppet.number(2));
        assertEquals(List.of("1"), diary.lines());
        say(other, () -> other.number(10));
        assertEquals(List.of("1", "10"), diary.lines());
        say(other, () -> ((PortOutput) other.out).signal(SegmentKind.BARRIER, 1), () -> other.number(11));
        seen.addAll(diary.lines().subList(2, 4));
        seen.sort(null);
        assertEquals(List.of("11", "2"), seen);
    }

    @Test
    void aBarrierAndWhatIsBeforeItPassAClosedGate() {
        for (Schedule schedule : List.of(new Schedule.Periodic(3_600_000 * Bench.MS), new Schedule.Count(1_000))) {
            Puppet from = new Puppet();
            Diary to = new Diary();
            JobHandle job = bench.start(Bench.source("source", from, 1), Bench.with(Bench.task(
                    List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                    List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), schedule, TaskSettings.DEFAULT), Bench.sink("sink", to, 2));
            bench.settle();
            say(from, () -> from.number(1));
            assertEquals(List.of(), to.lines());
            say(from, () -> from.number(2), () -> ((PortOutput) from.out).signal(SegmentKind.BARRIER, 1));
            assertEquals(List.of("1", "2"), to.lines());
            say(from, () -> from.number(3));
            assertEquals(List.of("1", "2"), to.lines());
            job.kill();
            bench.settle();
        }
    }

    @Test
    void aBarrierDoesNotWaitForAnInputThatEnds() {
        bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.sink("sink", diary, 1, 2));
        bench.settle();
        say(puppet, () -> ((PortOutput) puppet.out).signal(SegmentKind.BARRIER, 1), () -> puppet.number(2));
        assertEquals(List.of(), diary.lines());
        other.ends = true;
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("2"), diary.lines());
    }

    @Test
    void anExceptionFailsTheJobByName() {
        FaultyRelay relay = new FaultyRelay();
        relay.failAt = 3;
        List<TaskFailedException> told = new ArrayList<>();
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.task(
                List.of(Bench.stage("relay", () -> relay, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2));
        job.onFailure(told::add);
        bench.settle();
        say(puppet, () -> puppet.number(1));
        assertEquals(List.of(), told);
        say(puppet, () -> puppet.number(2), () -> puppet.number(3), () -> puppet.number(4));
        assertEquals(1, told.size());
        assertEquals("relay", told.get(0).operatorId());
        assertEquals("operator relay, instance 0: cannot take 3", told.get(0).getMessage());
        assertEquals(List.of("1", "abort", "close"), diary.lines());
        assertTrue(relay.closed);
        bench.assertClean(job);
    }

    @Test
    void anOperatorThatCannotBeOpenedFailsTheJobByName() {
        JobHandle job = bench.start(Bench.source("source", new Ascending(100), 1), Bench.task(
                List.of(Bench.stage("broken", () -> {
                    throw new IllegalArgumentException("no such file");
                }, 1)), List.of(Bench.in(0, 1)), List.of()));
        bench.settle();
        assertEquals("operator broken, instance 0: no such file", job.failure().getMessage());
        bench.assertClean(job);
    }

    @Test
    void badRecordsAreSkippedAndCounted() {
        JobHandle job = badAt3(OnError.SKIP, List.of());
        assertNull(job.failure());
        assertEquals(List.of("0", "1", "2", "4"), diary.lines().subList(0, 4));
        assertEquals(1, job.counters().snapshot().operators().get("relay").errors());
        assertEquals("bad number: {\"n\": 3}", job.counters().snapshot().operators().get("relay").skipped());
    }

    @Test
    void badRecordsFailTheJobUnlessTheGraphSaysOtherwise() {
        assertEquals("operator relay, instance 0: bad number; record: {\"n\": 3}",
                badAt3(OnError.FAIL, List.of()).failure().getMessage());
    }

    @Test
    void badRecordsLeaveByThePortErrors() {
        List<String> letters = new ArrayList<>();
        TaskSpec dead = new TaskSpec("dead-0", List.of(new StageSpec("dead", 0, 1, () -> new Letters(letters),
                new StageSpec.Ports(List.of(Bench.ERRORS), List.of()), OnError.FAIL, List.of(),
                StageSpec.Role.WHOLE)), List.of(Bench.in(0, 3)), List.of(),
                Blocking.NEVER, Schedule.DATA, TaskSettings.DEFAULT);
        JobHandle job = badAt3(OnError.DEAD_LETTER, List.of(dead));
        assertNull(job.failure());
        assertEquals(List.of("bad number", "relay", "{\"n\": 3}"), letters);
    }

    private record Letters(List<String> letters) implements io.despina.operator.Operator {
        @Override
        public void process(int port, io.despina.packet.PacketCursor packets) {
            for (var p = packets.next(); p != null; p = packets.next()) {
                for (int k = 0; k < 3; k++) {
                    letters.add(new String(p.copyOfValue(k), java.nio.charset.StandardCharsets.UTF_8));
                }
            }
        }
    }

    private JobHandle badAt3(OnError onError, List<TaskSpec> more) {
        FaultyRelay relay = new FaultyRelay();
        relay.badAt = 3;
        StageSpec stage = new StageSpec("relay", 0, 1, () -> relay,
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of(Bench.NUMBERS, Bench.ERRORS), 1), onError, List.of(),
                StageSpec.Role.WHOLE);
        List<PortSpec> outputs = new ArrayList<>(List.of(Bench.out(0, 0, Bench.NUMBERS, 2)));
        if (!more.isEmpty()) {
            outputs.add(Bench.out(0, 1, Bench.ERRORS, 3));
        }
        List<TaskSpec> tasks = new ArrayList<>(List.of(Bench.source("source", new Ascending(5), 1),
                Bench.task(List.of(stage), List.of(Bench.in(0, 1)), outputs), Bench.sink("sink", diary, 2)));
        tasks.addAll(more);
        JobHandle job = bench.start(tasks.toArray(TaskSpec[]::new));
        bench.settle();
        bench.assertClean(job);
        return job;
    }

    @Test
    void stopWorksOffWhatIsInFlightAndFiresNoWindow() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.settle();
        say(puppet, () -> puppet.number(1), () -> puppet.out.watermark(1, false));
        job.stop(10_000, false);
        bench.settle();
        assertEquals(List.of("1", "W 1", "prepare", "commit", "close"), diary.lines());
        bench.assertClean(job);
    }

    @Test
    void stopWithFlushIsLikeTheEndOfTheInput() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.settle();
        say(puppet, () -> puppet.number(1));
        job.stop(10_000, true);
        bench.settle();
        assertEquals(List.of("1", "W max", "end", "prepare", "commit", "close"), diary.lines());
        bench.assertClean(job);
    }

    @Test
    void aStoppedInputHoldsOpenWindowsBack() {
        JobHandle job = bench.start(Bench.source("a", puppet, 1), Bench.source("b", other, 2), Bench.sink("sink", diary, 1, 2));
        bench.settle();
        say(puppet, () -> puppet.out.watermark(100, false));
        say(other, () -> other.out.watermark(50, false));
        job.stop(10_000, false);
        bench.settle();
        assertEquals(List.of("W 50", "prepare", "commit", "close"), diary.lines());
    }

    /** A task that takes nothing before it is given another schedule. */
    private static TaskSpec held(TaskSpec task) {
        return Bench.with(task, new Schedule.Periodic(Long.MAX_VALUE / 4), TaskSettings.DEFAULT);
    }

    @Test
    void whatDoesNotDrainInTimeIsCutShortAndSinksCommitWhatTheyHave() {
        int fromNobody = 2;
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1, fromNobody));
        bench.settle();
        say(puppet, () -> puppet.number(1));
        job.stop(50, false);
        bench.pass(49 * Bench.MS);
        assertTrue(!job.ended().isDone());
        bench.pass(2 * Bench.MS);
        bench.assertClean(job);
        assertNull(job.failure());
        assertTrue(job.isCut());
        assertEquals(List.of("1", "prepare", "commit", "close"), diary.lines());
        assertEquals(0, job.undelivered());
    }

    @Test
    void sinksCommitWhenTheyAreToldAndNotBefore() {
        JobHandle job = bench.resource.deploy(Attempt.first("waits"), List.of(Bench.source("source", new Ascending(2), 1),
                Bench.sink("sink", diary, 1)));
        job.start();
        bench.settle();
        assertTrue(job.settled().isDone());
        assertEquals(List.of("0", "1", "W max", "end"), diary.lines());
        CompletableFuture<?> frozen = job.epochs().begin(1);
        assertTrue(!frozen.isDone());
        bench.settle();
        assertTrue(frozen.isDone());
        assertEquals(List.of("0", "1", "W max", "end", "prepare"), diary.lines());
        CompletableFuture<?> committed = job.epochs().complete(1, true);
        assertTrue(!committed.isDone());
        bench.settle();
        assertTrue(committed.isDone());
        assertTrue(!job.ended().isDone());
        job.conclude(true);
        bench.settle();
        assertEquals(List.of("0", "1", "W max", "end", "prepare", "commit", "close"), diary.lines());
        bench.assertClean(job);
    }

    @Test
    void aSinkThatHasPreparedLeavesItsRowsWhenTheJobIsKilled() {
        JobHandle job = bench.resource.deploy(Attempt.first("waits"), List.of(Bench.source("source", new Ascending(1), 1),
                Bench.sink("sink", diary, 1)));
        job.start();
        bench.settle();
        job.epochs().begin(1);
        bench.settle();
        job.kill();
        bench.settle();
        assertEquals(List.of("0", "W max", "end", "prepare", "abort", "close"), diary.lines());
        bench.assertClean(job);
    }

    @Test
    void aSinkThatDoesNotTakeHoldsTheSourceBackAndMemoryStaysFlat() {
        Bench small = new Bench(66L << 20);
        Bench.Tally tally = new Bench.Tally();
        Ascending source = new Ascending(20_000_000);
        JobHandle job = small.start(Bench.source("source", source, 1), Bench.task(
                List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), held(Bench.sink("sink", tally, 2)));
        small.pass(100 * Bench.MS);
        long held = source.next;
        long used = small.pool.budget().used();
        small.pass(10_000 * Bench.MS);
        assertEquals(held, source.next, "nothing is produced while nothing is taken");
        assertEquals(used, small.pool.budget().used());
        assertTrue(used < 4 << 20, used + " bytes queued");
        job.commands().setSchedule("sink", Schedule.DATA);
        small.settle();
        assertTrue(job.ended().isDone());
        assertEquals(20_000_000, tally.taken);
        assertEquals(0, small.pool.budget().used());
    }

    @Test
    void aSinkThatKnowsItsPacketsDueTimesTellsTheirLatency() {
        Sink knowing = new Sink() {
            private OperatorContext context;

            @Override
            public void open(OperatorContext context) {
                this.context = context;
            }

            @Override
            public void process(int port, PacketCursor packets) {
                for (long later = 0; packets.next() != null; later += 15 * Bench.MS) {
                    context.latency(later, 1);
                }
            }
        };
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", knowing, 1));
        bench.settle();
        say(puppet, () -> puppet.out.due(bench.now - 40 * Bench.MS), () -> puppet.number(1), () -> puppet.number(2));
        assertEquals(40.0, job.counters().snapshot().latency().get("sink").getMinValue() / 1e6, 0.5);
        var latency = job.counters().snapshot().packetLatency().get("sink");
        assertEquals(2, latency.getTotalCount());
        assertEquals(25.0, latency.getMinValue() / 1e6, 0.5);
        assertEquals(40.0, latency.getMaxValue() / 1e6, 0.5);
        job.counters().reset();
        assertTrue(job.counters().snapshot().packetLatency().isEmpty());
    }

    @Test
    void latencyCountsFromTheDueTime() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
        bench.settle();
        say(puppet, () -> puppet.out.due(bench.now - 40 * Bench.MS), () -> puppet.number(1), () -> puppet.number(2));
        var latency = job.counters().snapshot().latency().get("sink");
        assertEquals(2, latency.getTotalCount());
        assertEquals(40.0, latency.getMaxValue() / 1e6, 0.5);
        job.counters().reset();
        assertTrue(job.counters().snapshot().latency().isEmpty());
        assertEquals(0, job.counters().snapshot().operators().get("sink").packetsIn());
        say(puppet, () -> puppet.number(3));
        assertEquals(1, job.counters().snapshot().operators().get("sink").packetsIn());
        assertEquals(1, job.counters().snapshot().links().get("link1").packets());
    }

    @Test
    void unlinkedPortsDropAndCount() {
        JobHandle job = bench.start(Bench.task(List.of(Bench.stage("source", () -> new Ascending(5000), 0, Bench.NUMBERS)),
                List.of(), List.of()));
        bench.settle();
        assertEquals(5000, job.counters().snapshot().operators().get("source").dropped());
        assertEquals(0, job.counters().snapshot().operators().get("source").packetsOut());
        bench.assertClean(job);
    }

    @Test
    void theExperimentsSwitchesChangeHowNotWhat() {
        TaskSettings slow = new TaskSettings(false, false, 100_000_000L, 16 << 20);
        JobHandle job = bench.start(Bench.source("source", new Ascending(500), 1),
                Bench.with(Bench.task(List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Schedule.DATA, slow), Bench.sink("sink", diary, 2));
        bench.settle();
        assertEquals(numbers(500), diary.lines().subList(0, 500));
        bench.assertClean(job);
        assertTrue(job.counters().snapshot().operators().get("relay").runs() >= 500, "a run for each packet");
    }
}
