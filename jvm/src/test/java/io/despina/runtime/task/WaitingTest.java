package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();
    private final Hesitant hesitant = new Hesitant();

    /** Takes as many packets as it is allowed to. */
    private static final class Hesitant implements Operator {
        private OperatorContext context;
        private Output out;
        private int allowed;
        private int calls;
        /** It takes one packet more at that time; 0 for never. */
        private long allowedAt;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
            out = opened.output(0);
        }

        @Override
        public void process(int port, PacketCursor packets) {
            calls++;
            Packet packet;
            while (allowed > 0 && out.hasRoom() && (packet = packets.next()) != null) {
                out.writer().copy(packet);
                allowed--;
            }
            if (allowedAt > 0) {
                context.wakeAt(allowedAt);
            }
        }

        @Override
        public boolean timer(long micros) {
            if (allowedAt > 0 && micros >= allowedAt) {
                allowed++;
                allowedAt = 0;
            }
            return true;
        }

        @Override
        public boolean waits() {
            return allowed == 0;
        }
    }

    private void start() {
        bench.start(Bench.source("source", puppet, 1), Bench.task(List.of(Bench.stage("it", () -> hesitant, 1, Bench.NUMBERS)),
                List.of(Bench.in(0, 1)), List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Bench.sink("sink", diary, 2));
        bench.settle();
    }

    private void send() {
        puppet.waits = true;
        puppet.script.add(() -> {
            puppet.number(1);
            puppet.number(2);
            puppet.number(3);
        });
        puppet.wake.run();
        bench.pass(500 * Bench.MS);
    }

    @Test
    void itsTimerRingsAllTheSame() {
        start();
        hesitant.allowedAt = hesitant.context.wallMicros() + 800_000;
        send();
        assertEquals(1, hesitant.calls);
        bench.pass(200 * Bench.MS);
        assertEquals(1, hesitant.calls, "it is not time yet");
        bench.pass(200 * Bench.MS);
        assertEquals(List.of("1"), diary.lines());
    }

    @Test
    void isNotCalledBeforeItIsWoken() {
        start();
        send();
        assertEquals(1, hesitant.calls);
        assertEquals(List.of(), diary.lines());
        hesitant.allowed = 2;
        hesitant.context.wake();
        bench.pass(500 * Bench.MS);
        assertEquals(2, hesitant.calls);
        assertEquals(List.of("1", "2"), diary.lines());
        hesitant.allowed = 2;
        hesitant.context.wake();
        bench.pass(500 * Bench.MS);
        assertEquals(List.of("1", "2", "3"), diary.lines());
    }
}
