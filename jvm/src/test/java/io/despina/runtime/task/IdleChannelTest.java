package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.link.LinkSpec;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A channel that was idle comes back behind the task's watermark: its packets are late wherever a segment was cut. */
class IdleChannelTest {
    private static final long FLUSH_MS = 100;

    private final Bench bench = new Bench();
    private final Puppet ahead = new Puppet();
    private final Puppet behind = new Puppet();
    private final Diary diary = new Diary();

    /** Two sources, one of them idle at 4 and the other at 10, into a relay whose segments leave at the timer only. */
    private void open(Supplier<Operator> relay) {
        PortSpec slow = new PortSpec(0, 0, Bench.NUMBERS, List.of(new LinkSpec("link3", new Partition.Forward(),
                new BufferSpec(64 << 10, FLUSH_MS * Bench.MS, true), CompressionSpec.DEFAULT, List.of(Bench.channel(3)))));
        bench.start(Bench.source("ahead", ahead, 1), Bench.source("behind", behind, 2),
                Bench.task(List.of(Bench.stage("relay", relay, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1, 2)), List.of(slow)),
                Bench.sink("sink", diary, 3));
        say(behind, () -> behind.out.watermark(4, false));
        say(ahead, () -> ahead.out.watermark(10, false));
        bench.pass(2 * FLUSH_MS * Bench.MS);
        say(behind, () -> behind.out.idle());
    }

    private void say(Puppet puppet, Runnable... what) {
        puppet.script.addAll(List.of(what));
        bench.pass(2 * Bench.MS);
    }

    private void holdsLateAfterIdleness(Runnable... wakes) {
        open(FaultyRelay::new);
        say(ahead, () -> ahead.number(11));
        say(behind, wakes);
        bench.pass(2 * FLUSH_MS * Bench.MS);
        assertEquals(List.of("W 4", "11", "W 10", "7"), diary.lines());
    }

    @Test
    void aPacketThatWakesItsChannelComesAfterTheWatermark() {
        holdsLateAfterIdleness(() -> behind.number(7));
    }

    @Test
    void soDoesOneWhoseChannelWasWokenByAWatermark() {
        holdsLateAfterIdleness(() -> behind.out.watermark(5, false), () -> behind.number(7));
    }

    /** Says that segments may pass it by. */
    private static final class PassedBy implements Operator {
        private final FaultyRelay relay = new FaultyRelay();

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
            relay.process(port, packets);
        }
    }

    @Test
    void andWhereSegmentsPassTheTaskBy() {
        open(PassedBy::new);
        say(behind, () -> {
            for (int k = 0; k < 6000; k++) {
                behind.number(7);
            }
        });
        bench.pass(2 * FLUSH_MS * Bench.MS);
        assertEquals(List.of("W 4", "W 10", "7"), diary.lines().subList(0, 3));
        assertEquals(6002, diary.lines().size());
    }

    /** Keeps what it is told of idleness to itself, until it is woken. */
    private static final class Keeping implements Operator {
        private final FaultyRelay relay = new FaultyRelay();

        @Override
        public void open(OperatorContext context) {
            relay.open(context);
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            relay.process(port, packets);
        }

        @Override
        public boolean passesIdle() {
            return false;
        }

        @Override
        public boolean timer(long micros) {
            relay.out.idle();
            return true;
        }
    }

    @Test
    void anOperatorThatKeepsPacketsTellsOfIdlenessItself() {
        Keeping keeping = new Keeping();
        bench.start(Bench.source("behind", behind, 1), Bench.source("ahead", ahead, 2),
                Bench.task(List.of(Bench.stage("keeping", () -> keeping, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 3))),
                Bench.task(List.of(Bench.stage("relay", FaultyRelay::new, 1, Bench.NUMBERS)), List.of(Bench.in(0, 2, 3)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 4))),
                Bench.sink("sink", diary, 4));
        say(behind, () -> behind.out.watermark(4, false), () -> behind.out.idle());
        say(ahead, () -> ahead.out.watermark(10, false));
        assertEquals(List.of("W 4"), diary.lines());
        keeping.relay.context.wake();
        bench.pass(2 * Bench.MS);
        assertEquals(List.of("W 4", "W 10"), diary.lines());
    }

    @Test
    void aChannelThatIsNotBehindWakesWithoutAWord() {
        open(FaultyRelay::new);
        say(behind, () -> behind.out.watermark(10, false));
        say(behind, () -> behind.number(12));
        bench.pass(2 * FLUSH_MS * Bench.MS);
        assertEquals(List.of("W 4", "12", "W 10"), diary.lines());
    }
}
