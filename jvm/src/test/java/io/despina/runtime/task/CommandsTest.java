package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Commanded;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.Schedule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What users tell tasks while they run. */
class CommandsTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();
    private final List<ControlAnswer> answers = new ArrayList<>();

    /** Gathers numbers until it is told to release them, or to fire. */
    private static final class Gatherer implements Commanded {
        private final List<Long> gathered = new ArrayList<>();
        private OperatorContext context;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
                gathered.add(packet.getLong(0));
            }
        }

        @Override
        public boolean release() {
            leave();
            return true;
        }

        @Override
        public boolean timer(long micros) {
            leave();
            return true;
        }

        private void leave() {
            for (long n : gathered) {
                PacketWriter out = context.output(0).writer().begin();
                out.setLong(0, n);
                out.commit();
            }
            gathered.clear();
        }

        @Override
        public CompletableFuture<String> command(ControlCommand command, String argument) throws IOException {
            switch (argument) {
                case "io" -> throw new IOException("the file is away");
                case "bug" -> throw new IllegalStateException("a fault");
                default -> {
                    if (command == ControlCommand.FIRE) {
                        context.wake();
                    }
                    return CompletableFuture.completedFuture(gathered.size() + " left");
                }
            }
        }
    }

    private JobHandle start(Operator between) {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.task(
                List.of(Bench.stage("between", () -> between, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2));
        bench.settle();
        return job;
    }

    private void say(long... numbers) {
        for (long n : numbers) {
            puppet.script.add(() -> puppet.number(n));
        }
        bench.pass(3 * Bench.MS);
    }

    private int tell(JobHandle job, String operator, ControlCommand command, String argument) {
        return job.commands().tell(operator, command, argument, answers::add);
    }

    @Test
    void whatIsGatheredLeavesAndThenItAnswers() {
        JobHandle job = start(new Gatherer());
        say(1, 2);
        assertEquals(List.of(), diary.lines());
        assertEquals(1, tell(job, "between", ControlCommand.FLUSH, ""));
        bench.settle();
        assertEquals(List.of(new ControlAnswer("between", 0, true, "0 left")), answers);
        assertEquals(List.of("1", "2"), diary.lines());
    }

    @Test
    void rowsLeaveByTheCallThatAnOperatorAsksFor() {
        JobHandle job = start(new Gatherer());
        say(1, 2);
        tell(job, "between", ControlCommand.FIRE, "");
        bench.pass(3 * Bench.MS);
        assertEquals("2 left", answers.get(0).answer());
        assertEquals(List.of("1", "2"), diary.lines());
    }

    @Test
    void whatCannotBeDoneIsAnsweredAndAFaultFails() {
        JobHandle job = start(new Gatherer());
        tell(job, "between", ControlCommand.RELOAD, "io");
        bench.settle();
        assertEquals(List.of(new ControlAnswer("between", 0, false, "the file is away")), answers);
        assertNull(job.failure());
        tell(job, "between", ControlCommand.RELOAD, "bug");
        bench.settle();
        assertEquals("between", job.failure().operatorId());
    }

    /** Waits for something outside before its rows can leave, and for no longer than it likes to. */
    private static final class Patient implements Commanded {
        private OperatorContext context;
        private boolean asked;
        private boolean over;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            while (packets.next() != null) {
                over = false;
            }
        }

        @Override
        public boolean waits() {
            return !over;
        }

        @Override
        public boolean release() {
            if (!asked) {
                asked = true;
                context.wakeAt(context.wallMicros() + 5_000);
            }
            return over;
        }

        @Override
        public boolean timer(long micros) {
            over = true;
            return true;
        }

        @Override
        public CompletableFuture<String> command(ControlCommand command, String argument) {
            return CompletableFuture.completedFuture("it was not waited for any longer");
        }
    }

    @Test
    void timersRingWhileRowsWaitToLeaveBeforeACommand() {
        JobHandle job = start(new Patient());
        tell(job, "between", ControlCommand.FLUSH, "");
        bench.pass(3 * Bench.MS);
        assertEquals(List.of(), answers);
        bench.pass(3 * Bench.MS);
        assertEquals(List.of(new ControlAnswer("between", 0, true, "it was not waited for any longer")), answers);
    }

    @Test
    void nobodyAnswersForAnOperatorThatIsNotHere() {
        assertEquals(0, tell(start(new Gatherer()), "nobody", ControlCommand.FLUSH, ""));
        assertEquals(List.of(), answers);
    }

    @Test
    void aTaskThatHasEndedSaysSo() {
        JobHandle job = start(new Gatherer());
        puppet.ends = true;
        bench.pass(3 * Bench.MS);
        assertTrue(job.ended().isDone());
        tell(job, "source", ControlCommand.FLUSH, "");
        tell(job, "source", ControlCommand.RELOAD, ControlCommand.OPEN);
        assertEquals(List.of(new ControlAnswer("source", 0, false, "its input has ended"),
                new ControlAnswer("source", 0, true, "its input has ended")), answers, "nothing is left to be read anew for");
    }

    @Test
    void aSourceThatIsHeldMakesNothingAndGoesOn() {
        JobHandle job = start(new Bench.FaultyRelay());
        say(1);
        job.commands().setSchedule("source", new Schedule.Held());
        bench.settle();
        long before = puppet.produced;
        say(2, 3);
        assertEquals(before, puppet.produced);
        assertEquals(List.of("1"), diary.lines());
        job.commands().setSchedule("source", null);
        bench.pass(3 * Bench.MS);
        assertEquals(List.of("1", "2", "3"), diary.lines());
    }

    @Test
    void theJobsOwnCommandsFindRoomWhateverUsersSay() {
        JobHandle job = start(new Bench.FaultyRelay());
        for (int k = 0; k < 2_000; k++) {
            tell(job, "between", ControlCommand.FLUSH, "");
            job.commands().status("between", status -> { });
            job.commands().setSchedule("between", k % 2 == 0 ? new Schedule.Periodic(Long.MAX_VALUE / 4) : Schedule.DATA);
        }
        assertFalse(answers.isEmpty(), "some found no room");
        job.epochs().begin(1);
        say(1, 2);
        assertEquals(2_000, answers.size());
        assertEquals(List.of("1", "2"), diary.lines(), "by the last schedule");
    }

    @Test
    void aSourceThatIsHeldCanBeStopped() {
        JobHandle job = start(new Bench.FaultyRelay());
        say(1);
        job.commands().setSchedule("source", new Schedule.Held());
        bench.settle();
        job.stop(10_000, false);
        bench.pass(3 * Bench.MS);
        assertTrue(job.ended().isDone());
        assertNull(job.failure());
    }
}
