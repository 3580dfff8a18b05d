package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.FrozenEpoch;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mark that passes through a graph, between packets and between the barriers of epochs. */
class SyncTest {
    private static final List<String> ALL = List.of("a", "b", "behind", "between", "sink");

    private final Bench bench = new Bench();
    private final Puppet a = new Puppet();
    private final Puppet b = new Puppet();
    private final Gate gate = new Gate();
    private final Diary diary = new Diary();
    private final List<String> answers = new ArrayList<>();
    private JobHandle job;

    @AfterEach
    void end() {
        if (job != null) {
            job.kill();
            bench.settle();
        }
    }

    /** Passes on, but lets no signal pass before it is opened. */
    private static final class Gate implements Operator {
        private OperatorContext context;
        private boolean open = true;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
                context.output(0).writer().copy(packet);
            }
        }

        @Override
        public boolean waits() {
            return !open;
        }

        @Override
        public boolean release() {
            return open;
        }

        @Override
        public boolean timer(long micros) {
            open = true;
            return true;
        }
    }

    private void sync(long number) {
        assertEquals(ALL.size(), job.commands().sync(number, ALL, this::answered));
    }

    private void answered(ControlAnswer answer) {
        assertTrue(answer.ok());
        answers.add(answer.operator() + (answer.answer().isEmpty() ? "" : ": " + answer.answer()));
    }

    /** a and b meet at the sink; b's way leads through two operators in one task. */
    private TaskSpec[] tasks() {
        List<StageSpec> fused = List.of(Bench.stage("between", () -> gate, 1, Bench.NUMBERS)
                .fusedInto(Bench.next(0, "between->behind")),
                Bench.stage("behind", Bench.FaultyRelay::new, 1, Bench.NUMBERS));
        return new TaskSpec[] {Bench.source("a", a, 1), Bench.source("b", b, 2),
            Bench.task(fused, List.of(Bench.in(0, 2)), List.of(Bench.out(1, 0, Bench.NUMBERS, 3))),
            Bench.sink("sink", diary, 1, 3)};
    }

    private void start() {
        job = bench.start(tasks());
        bench.settle();
    }

    private void say(Puppet who, long number) {
        who.script.add(() -> who.number(number));
        bench.pass(3 * Bench.MS);
    }

    @Test
    void allAnswerWhenTheMarkHasPassed() {
        start();
        say(a, 1);
        sync(1);
        assertEquals(List.of(), answers, "before the tasks run");
        bench.settle();
        assertEquals(ALL, answers.stream().sorted().toList());
        assertEquals(List.of("1"), diary.lines(), "no epoch is made");
    }

    @Test
    void theMarkStaysBehindThePacketsBeforeIt() {
        start();
        gate.open = false;
        sync(1);
        say(a, 1);
        say(b, 2);
        assertEquals(List.of("a", "b"), answers);
        assertEquals(List.of(), diary.lines(), "what follows a mark waits where others have not had it");
        gate.context.wake();
        bench.pass(3 * Bench.MS);
        assertEquals(ALL, answers.stream().sorted().toList());
        assertEquals(List.of("1", "2"), diary.lines());
    }

    @Test
    void marksAndBarriersKeepTheirOrder(@TempDir Path folder) {
        StoredEpochs epochs = new StoredEpochs(folder);
        job = bench.resource.deploy(Attempt.first("job"), List.of(tasks()), epochs);
        job.start();
        bench.settle();
        gate.open = false;
        CompletableFuture<FrozenEpoch> first = job.epochs().begin(1);
        sync(1);
        bench.settle();
        assertFalse(diary.lines().contains("prepare"));
        gate.context.wake();
        bench.pass(3 * Bench.MS);
        assertEquals(ALL, answers.stream().sorted().toList());
        assertEquals(List.of("prepare"), diary.lines());
        assertFalse(first.isCompletedExceptionally());
        answers.clear();
        sync(2);
        job.epochs().begin(2);
        sync(3);
        bench.settle();
        assertEquals(2 * ALL.size(), answers.size());
        assertEquals(List.of("prepare", "prepare"), diary.lines());
    }

    @Test
    void aSourceThatHasEndedKeepsNoMarkBack() {
        start();
        say(b, 1);
        b.ends = true;
        bench.pass(3 * Bench.MS);
        sync(1);
        bench.settle();
        assertEquals(List.of("a", "b: its input has ended", "behind: its input has ended", "between: its input has ended",
                "sink"), answers.stream().sorted().toList());
    }

    @Test
    void whatEndsWhileAMarkIsOnItsWayAnswers() {
        start();
        gate.open = false;
        sync(1);
        bench.settle();
        job.kill();
        bench.settle();
        assertEquals(ALL, answers.stream().map(each -> each.replace(": its input has ended", "")).sorted().toList());
    }

    @Test
    void marksAreTakenWhateverElseWaits() {
        start();
        List<ControlAnswer> told = new ArrayList<>();
        for (int k = 0; k < 2_000; k++) {
            job.commands().tell("a", ControlCommand.FLUSH, "", told::add);
        }
        assertFalse(told.isEmpty(), "some found no room");
        sync(1);
        bench.settle();
        assertEquals(ALL.size(), answers.size());
    }
}
