package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.RowRange;
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

    /** Of two instances, at a member each. */
    private static final class Kept {
        private final FakeMember near = new FakeMember("near");
        private final FakeMember far = new FakeMember("far");
        private CollectBuffer buffer = begun(1, null);

        private CollectBuffer begun(int attempt, CollectBuffer before) {
            CollectBuffer made = new CollectBuffer(new Attempt("job", attempt), new CollectBuffer.Rows("rows", NUMBERS, "UTC",
                    List.of("near", "far")), System::nanoTime);
            if (before != null) {
                made.goOnFrom(before);
            }
            near.told.clear();
            far.told.clear();
            made.start(List.of(near, far));
            return made;
        }

        void come(int instance, long first, int count, boolean last) {
            buffer.add(near, new Message.Rows(Attempt.first("job"), "rows", CollectBufferTest.rows(count),
                    new RowRange(instance, first, count, last)));
        }

        /** What the host of an instance heard last: rows that are had, and rows that are done with. */
        List<Long> had(FakeMember of) {
            Message.Had had = (Message.Had) of.told.get(of.told.size() - 1);
            return List.of(had.row(), had.done());
        }

        boolean leaves(FakeMember of) {
            return ((Message.Had) of.told.get(of.told.size() - 1)).leaves();
        }
    }

    @Test
    void rowsThatAreHereAlreadyAreLeftOutByTheirNumbers() {
        Kept kept = new Kept();
        assertEquals(List.of(0L, -1L), kept.had(kept.far));
        kept.come(1, 100, 7, false);
        kept.come(1, 103, 6, false);
        kept.come(0, 0, 2, false);
        kept.buffer = kept.begun(2, kept.buffer);
        assertEquals(List.of(109L, 100L), kept.had(kept.far), "the next attempt goes on behind what is here");
        kept.come(1, 90, 20, false);
        assertTrue(kept.buffer.take().length > 0);
        assertEquals(2 + 10, kept.buffer.rows());
        assertEquals(List.of(110L, 100L), kept.had(kept.far));
        assertThrows(IllegalStateException.class, () -> kept.come(0, 3, 1, false));
    }

    @Test
    void whoWaitsForTheEndIsDoneByFetchingAtTheEnd() {
        Kept kept = new Kept();
        kept.come(0, 0, 5, false);
        kept.buffer.take();
        assertEquals(List.of(5L, 0L), kept.had(kept.near));
        kept.come(0, 5, 2, true);
        assertEquals(List.of(5L, 0L), kept.had(kept.near));
        kept.buffer.take();
        assertEquals(List.of(7L, 7L), kept.had(kept.near));
        kept.come(1, 4, 0, true);
        assertEquals(List.of(4L, 4L), kept.had(kept.far));
    }

    @Test
    void whoTakesBatchesSaysWhatIsDone() throws Exception {
        Kept kept = new Kept();
        kept.buffer.done(0, RowPlaces.RowTaker.TAKES);
        kept.come(0, 10, 5, false);
        kept.buffer.take();
        kept.come(0, 15, 2, true);
        kept.buffer.take();
        assertEquals(List.of(17L, 10L), kept.had(kept.near));
        assertEquals("[15, -1]", Arrays.toString(kept.buffer.place(5)));
        assertEquals("[17, -1]", Arrays.toString(kept.buffer.place(7)));
        kept.buffer.done(6, RowPlaces.RowTaker.TAKES);
        assertEquals(List.of(17L, 15L), kept.had(kept.near));
        kept.buffer.done(7, RowPlaces.RowTaker.WAITS);
        assertEquals(List.of(17L, 17L), kept.had(kept.near));
    }

    @Test
    void whatNobodyFetchesIsLeft() throws Exception {
        Kept waits = new Kept();
        waits.come(0, 0, 5, false);
        waits.buffer.take();
        waits.come(0, 5, 5, false);
        waits.buffer.leave();
        assertTrue(waits.leaves(waits.near));
        assertEquals(List.of(5L, 5L), waits.had(waits.near), "the program has them");
        waits.come(0, 10, 5, true);
        assertEquals(0, waits.buffer.take().length + waits.buffer.waitingBytes());
        Kept takes = new Kept();
        takes.come(0, 0, 5, false);
        takes.buffer.take();
        takes.buffer.done(0, RowPlaces.RowTaker.TAKES);
        takes.buffer.leave();
        assertEquals(List.of(5L, 0L), takes.had(takes.near), "it was not done with them");
    }

    @Test
    void rowsBeginWhereTheProgramSays() throws Exception {
        Kept kept = new Kept();
        kept.come(0, 0, 10, false);
        kept.buffer.begin(new long[] {4, -1});
        assertEquals(List.of(4L, 4L), kept.had(kept.near));
        kept.come(0, 10, 1, false);
        kept.come(1, 50, 3, false);
        kept.buffer.take();
        assertEquals(7 + 3, kept.buffer.rows());
        assertEquals("rows of `rows` were fetched before it was said where they begin",
                assertThrows(Refusal.class, () -> kept.buffer.begin(new long[] {4, 5})).getMessage());
        assertEquals("a place of `rows` at parallelism 1 means nothing at 2",
                assertThrows(Refusal.class, () -> new Kept().buffer.begin(new long[] {4})).getMessage());
        Kept gone = new Kept();
        gone.come(0, 10, 1, false);
        assertEquals("rows 4 to 9 of `rows` (instance 0) are gone: a program has said that it had them",
                assertThrows(Refusal.class, () -> gone.buffer.begin(new long[] {4, 0})).getMessage());
        assertTrue(gone.leaves(gone.near));
        assertThrows(Refusal.class, () -> gone.buffer.done(0, RowPlaces.RowTaker.TAKES));
    }
}
