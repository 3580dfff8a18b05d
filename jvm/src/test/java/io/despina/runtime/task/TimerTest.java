package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.keyed.Delay;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerTest {
    private static final long MICROS = 1_000;
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();
    private final Bench.Tally tally = new Bench.Tally();
    private final Alarm alarm = new Alarm();

    /** A packet sets its timer to so many milliseconds later. When it rings, it says its number some times. */
    private static final class Alarm implements Operator {
        private final List<Long> rang = new ArrayList<>();
        private final List<Long> origins = new ArrayList<>();
        private OperatorContext context;
        private Output out;
        private long number;
        private long times = 1;
        private long said;
        private int calls;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
            out = opened.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (var packet = packets.next(); packet != null; packet = packets.next()) {
                number = packet.getLong(0);
                context.wakeAt(context.wallMicros() + number * MICROS);
            }
        }

        @Override
        public boolean timer(long micros) {
            calls++;
            if (said == 0) {
                rang.add(micros - Bench.WALL);
                origins.add(context.origin());
            }
            for (; said < times && out.hasRoom(); said++) {
                out.writer().begin().setLong(0, number);
                out.writer().commit();
            }
            boolean done = said == times;
            said = done ? 0 : said;
            return done;
        }
    }

    private StageSpec ringing() {
        return Bench.stage("alarm", () -> alarm, 1, Bench.NUMBERS);
    }

    private TaskSpec alone() {
        return Bench.task(List.of(ringing()), List.of(Bench.in(0, 1)), List.of(Bench.out(0, 0, Bench.NUMBERS, 2)));
    }

    private void say(long number) {
        puppet.waits = true;
        puppet.script.add(() -> puppet.number(number));
        puppet.wake.run();
        bench.pass(3 * Bench.MS);
    }

    /** An operator that takes the rest of what has come when it rings knows how old that is. */
    @Test
    void whenItRingsItKnowsWhenThePacketsWereDueThatCameLast() {
        bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", diary, 2));
        bench.settle();
        long due = bench.now - 40 * Bench.MS;
        puppet.waits = true;
        puppet.script.add(() -> {
            puppet.out.due(due);
            puppet.number(5);
        });
        puppet.wake.run();
        bench.pass(20 * Bench.MS);
        assertEquals(List.of(due), alarm.origins);
    }

    @Test
    void ringsThoughNoPacketComes() {
        bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", diary, 2));
        bench.settle();
        long asked = bench.now / 1_000 + 500 * MICROS;
        say(500);
        bench.pass(400 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        bench.pass(200 * Bench.MS);
        assertEquals(List.of("500"), diary.lines());
        assertTrue(alarm.rang.get(0) >= asked && alarm.rang.get(0) < asked + 3 * MICROS, alarm.rang + " " + asked);
        bench.pass(2_000 * Bench.MS);
        assertEquals(1, alarm.calls);
    }

    @Test
    void aLaterCallMovesIt() {
        bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", diary, 2));
        bench.settle();
        say(100);
        say(300);
        bench.pass(200 * Bench.MS);
        assertEquals(0, alarm.calls);
        bench.pass(200 * Bench.MS);
        assertEquals(List.of("300"), diary.lines());
    }

    @Test
    void ringsBetweenTheTicksOfASchedule() {
        bench.start(Bench.source("source", puppet, 1),
                Bench.with(alone(), new Schedule.Periodic(1_000 * Bench.MS), TaskSettings.DEFAULT), Bench.sink("sink", diary, 2));
        bench.settle();
        say(1_500);
        bench.pass(1_100 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        bench.pass(1_450 * Bench.MS);
        assertEquals(List.of("1500"), diary.lines());
    }

    @Test
    void ringsBehindASourceOfItsTaskThatWaits() {
        StageSpec source = Bench.stage("source", () -> puppet, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "link"));
        bench.start(Bench.task(List.of(source, ringing()), List.of(), List.of(Bench.out(1, 0, Bench.NUMBERS, 2))),
                Bench.sink("sink", diary, 2));
        bench.settle();
        say(500);
        bench.pass(400 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        bench.pass(200 * Bench.MS);
        assertEquals(List.of("500"), diary.lines());
    }

    @Test
    void whatFindsTheOutputFullGoesOnWhenThereIsRoom() {
        alarm.times = 1_000_000;
        bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", tally, 2));
        bench.settle();
        say(50);
        bench.pass(5_000 * Bench.MS);
        assertEquals(1_000_000, tally.taken);
        assertEquals(1, alarm.rang.size());
        assertTrue(alarm.calls > 1);
    }

    @Test
    void ringsWhenAnotherThreadWakesTheOperator() throws InterruptedException {
        bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", diary, 2));
        bench.settle();
        say(500);
        wakeFromElsewhere();
        bench.pass(3 * Bench.MS);
        assertEquals(List.of("500"), diary.lines());
        bench.pass(600 * Bench.MS);
        assertEquals(List.of("500", "500"), diary.lines(), "what it asked for still comes");
    }

    @Test
    void ringsForEachOfAFusedChainThatIsWoken() throws InterruptedException {
        StageSpec source = Bench.stage("source", () -> puppet, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "link"));
        bench.start(Bench.task(List.of(source, ringing()), List.of(), List.of(Bench.out(1, 0, Bench.NUMBERS, 2))),
                Bench.sink("sink", diary, 2));
        bench.settle();
        say(500);
        wakeFromElsewhere();
        bench.pass(3 * Bench.MS);
        assertEquals(List.of("500"), diary.lines());
    }

    private void wakeFromElsewhere() throws InterruptedException {
        Thread other = new Thread(alarm.context::wake);
        other.start();
        other.join();
    }

    @Test
    void doesNotRingAfterTheEnd() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), alone(), Bench.sink("sink", diary, 2));
        bench.settle();
        say(500);
        puppet.ends = true;
        puppet.wake.run();
        bench.pass(1_000 * Bench.MS);
        assertTrue(job.ended().isDone());
        assertEquals(0, alarm.calls);
    }

    private TaskSpec delaying(long millis) {
        return Bench.task(List.of(Bench.stage("delay", () -> new Delay(millis * MICROS), 1, Bench.NUMBERS)),
                List.of(Bench.in(0, 1)), List.of(Bench.out(0, 0, Bench.NUMBERS, 2)));
    }

    @Test
    void theEndWaitsForWhatIsHeldBack() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), delaying(500), Bench.sink("sink", diary, 2));
        bench.settle();
        say(7);
        puppet.script.add(() -> puppet.out.watermark(9, false));
        puppet.ends = true;
        puppet.wake.run();
        bench.pass(400 * Bench.MS);
        assertEquals(List.of(), diary.lines());
        assertFalse(job.ended().isDone());
        bench.pass(200 * Bench.MS);
        assertEquals("7", diary.lines().get(0));
        assertTrue(job.ended().isDone());
    }

    @Test
    void whatIsHeldWhenAJobIsCutIsCounted() {
        JobHandle job = bench.start(Bench.source("source", puppet, 1), delaying(500), Bench.sink("sink", diary, 2));
        bench.settle();
        say(7);
        say(8);
        job.cut();
        bench.pass(10 * Bench.MS);
        assertEquals(List.of("prepare", "commit", "close"), diary.lines());
        assertEquals(2, job.counters().snapshot().operators().get("delay").state().held());
    }
}
