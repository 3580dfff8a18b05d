package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.metrics.JobSnapshot;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A task in which two stages are fused behind one: what each way sees, and how they end. */
class ForkedChainTest {
    private static final int COUNT = 10_000;
    private static final List<String> ENDED = List.of("W max", "end", "prepare", "commit", "close");

    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary even = new Diary();
    private final Diary odd = new Diary();
    private final Shut gate = new Shut();

    /** Even numbers by port 0, odd ones by port 1. */
    private static final class Split implements Operator {
        private Output[] outputs;

        @Override
        public void open(OperatorContext context) {
            outputs = new Output[] {context.output(0), context.output(1)};
        }

        @Override
        public void process(int port, PacketCursor packets) {
            while (outputs[0].hasRoom() && outputs[1].hasRoom()) {
                Packet packet = packets.next();
                if (packet == null) {
                    return;
                }
                outputs[(int) (packet.getLong(0) % 2)].writer().copy(packet);
            }
        }
    }

    /** Passes on, but lets no signal pass before it is opened, as one that has rows to give before. */
    private static final class Shut implements Operator {
        private final FaultyRelay relay = new FaultyRelay();
        private boolean open = true;

        @Override
        public void open(OperatorContext context) {
            relay.open(context);
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            relay.process(port, packets);
        }

        @Override
        public boolean release() {
            return open;
        }
    }

    /** source → split → even, and split → gate → odd. */
    private TaskSpec forked(Source source) {
        StageSpec split = Bench.stage("split", Split::new, 1, Bench.NUMBERS, Bench.NUMBERS)
                .fusedInto(new StageSpec.Fused(0, 2, "split.even->even", 1))
                .fusedInto(new StageSpec.Fused(1, 3, "split.odd->gate", 1));
        return Bench.task(List.of(Bench.stage("source", () -> source, 0, Bench.NUMBERS).fusedInto(Bench.next(0, "source->split")),
                split, Bench.stage("even", () -> even, 1),
                Bench.stage("gate", () -> gate, 1, Bench.NUMBERS).fusedInto(new StageSpec.Fused(0, 4, "gate->odd", 2)),
                Bench.stage("odd", () -> odd, 1)), List.of(), List.of());
    }

    /** Some turns of the task, of which one that has more to give takes no end. */
    private void turn() {
        for (int k = 0; k < 20; k++) {
            bench.now += Bench.MS;
            bench.worker.crank(bench.now);
        }
    }

    private static List<String> lines(int first) {
        List<String> lines = new ArrayList<>(LongStream.iterate(first, n -> n < COUNT, n -> n + 2).mapToObj(Long::toString)
                .toList());
        lines.addAll(ENDED);
        return lines;
    }

    @Test
    void eachWayHasItsPacketsAndBothSinksCommit() {
        JobHandle job = bench.start(forked(new Ascending(COUNT)));
        bench.settle();
        assertEquals(lines(0), even.lines());
        assertEquals(lines(1), odd.lines());
        assertNull(job.failure());
        JobSnapshot counted = job.counters().snapshot();
        assertEquals(COUNT, counted.links().get("source->split").packets());
        for (String way : List.of("split.even->even", "split.odd->gate", "gate->odd")) {
            assertEquals(COUNT / 2, counted.links().get(way).packets(), way);
        }
        for (String sink : List.of("even", "odd")) {
            assertEquals(COUNT / 2, counted.operators().get(sink).packetsIn());
            assertEquals(COUNT / 2, counted.latency().get(sink).getTotalCount());
        }
        assertEquals(0, bench.pool.budget().used());
    }

    @Test
    void anExactWatermarkKeepsItsPlaceOnEachWay() {
        bench.start(forked(puppet));
        bench.settle();
        puppet.script.addAll(List.of(() -> puppet.number(2), () -> puppet.number(3), () -> puppet.out.watermark(5, true),
                () -> puppet.number(4), () -> puppet.number(1)));
        bench.pass(3 * Bench.MS);
        assertEquals(List.of("2", "W 5", "4"), even.lines());
        assertEquals(List.of("3", "W 5", "1"), odd.lines());
    }

    @Test
    void aMarkHasPassedWhenItHasPassedEveryWay() {
        List<String> answers = new ArrayList<>();
        JobHandle job = bench.start(forked(puppet));
        bench.settle();
        gate.open = false;
        job.commands().sync(1, List.of("even", "odd"), answer -> answers.add(answer.operator()));
        turn();
        assertEquals(List.of(), answers);
        gate.open = true;
        bench.pass(3 * Bench.MS);
        assertEquals(List.of("even", "odd"), answers.stream().sorted().toList());
        job.kill();
        bench.settle();
    }

    @Test
    void whatIsOnTheWaysWhenAJobIsCutCountsAsDropped() {
        JobHandle job = bench.start(forked(puppet));
        bench.settle();
        gate.open = false;
        puppet.script.addAll(List.of(() -> puppet.number(2), () -> puppet.out.idle(), () -> puppet.number(1)));
        turn();
        assertEquals(List.of("2"), even.lines());
        job.kill();
        bench.settle();
        assertEquals(0, bench.pool.budget().used());
    }

    @Test
    void aStageIsBehindOneOther() {
        StageSpec sink = Bench.stage("sink", () -> even, 1);
        StageSpec source = Bench.stage("source", () -> puppet, 0, Bench.NUMBERS);
        for (List<StageSpec> wrong : List.of(List.of(source, sink),
                List.of(source.fusedInto(Bench.next(0, "a")).fusedInto(Bench.next(0, "b")), sink),
                List.of(source.fusedInto(Bench.next(-1, "a")), sink.fusedInto(Bench.next(0, "b"))))) {
            assertThrows(IllegalArgumentException.class, () -> Bench.task(wrong, List.of(), List.of()));
        }
    }
}
