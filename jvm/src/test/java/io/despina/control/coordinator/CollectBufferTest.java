package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CollectBufferTest {
    private static final Schema NUMBERS = Schema.of(new Column("n", Type.Simple.BIGINT, false));

    private final CollectBuffer collected = new CollectBuffer(Attempt.first("job"),
            new CollectBuffer.Rows("rows", NUMBERS, "UTC", List.of()), System::nanoTime);
    private final FakeMember member = new FakeMember("far") {
        @Override
        public void send(Message message) {
            assertFalse(Thread.holdsLock(collected), "whoever brings rows would wait while others are converted");
            super.send(message);
        }
    };

    private static byte[] rows(int count) {
        byte[] bytes = new byte[1 << 10];
        PacketWriter writer = new PacketWriter(NUMBERS.layout(), (w, needed) -> {
            throw new AssertionError("no room for " + needed);
        });
        writer.open(bytes, 0, bytes.length);
        for (int k = 0; k < count; k++) {
            writer.begin().setLong(0, k);
            writer.commit();
        }
        return Arrays.copyOf(bytes, writer.position());
    }

    private static Message.Rows sent(byte[] packets) {
        return new Message.Rows(Attempt.first("job"), "rows", packets, null);
    }

    @Test
    void rowsAreConvertedWithoutTheLock() {
        byte[] first = rows(3);
        byte[] second = rows(4);
        collected.add(member, sent(first));
        collected.add(member, sent(second));
        assertEquals(first.length + second.length, collected.waitingBytes());
        assertTrue(collected.take().length > 0);
        assertEquals(7, collected.rows());
        assertEquals(0, collected.waitingBytes());
        assertEquals(List.of(new Message.Taken(Attempt.first("job"), "rows", first.length),
                new Message.Taken(Attempt.first("job"), "rows", second.length)),
                member.told);
        assertEquals(0, collected.take().length);
    }

    @Test
    @Timeout(60)
    void whoWaitsForRowsIsWokenByThemAndByTheEnd() throws Exception {
        collected.await(0);
        collected.add(member, sent(rows(1)));
        collected.await(60_000);
        collected.take();
        Thread waits = new Thread(() -> {
            try {
                collected.await(60_000);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        waits.start();
        while (waits.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        collected.end();
        waits.join();
        collected.await(60_000);
    }

    @Test
    void aSinkMaySendOnThoughWhatItSentCannotBeRead() {
        FakeMember from = new FakeMember("far");
        CollectBuffer broken = new CollectBuffer(Attempt.first("job"), new CollectBuffer.Rows("rows",
                Schema.of(new Column("s", Type.Simple.STRING, false)), "UTC", List.of()), System::nanoTime);
        byte[] malformed = {(byte) 0x7f, 1, 2};
        broken.add(from, sent(malformed));
        assertThrows(RuntimeException.class, broken::take);
        assertTrue(from.told.contains(new Message.Taken(Attempt.first("job"), "rows", malformed.length)), from.told.toString());
    }
}
