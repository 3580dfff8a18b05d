package io.despina.operator.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.connect.ReadParts.ReadPart;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReadPartsTest {
    private static final long LONG = 1_000_000_000;

    private final ReadParts parts = new ReadParts(LONG);

    @Test
    void aPositionThatMovesWithoutARecordIsKept() {
        parts.add("a/0", "5", true, 0);
        parts.moved("a/0", "9", false, 1);
        assertEquals(Map.of("a/0", "9"), parts.positions());
        assertEquals(Map.of("a/0", "9"), parts.texts());
    }

    @Test
    void itDoesNotWakeASilentPartition() {
        ReadPart part = parts.add("a/0", "5", false, 0);
        parts.times.turn(parts.moved("a/0", "9", false, 1).time, 1);
        assertTrue(part.time.isOut());
        parts.times.turn(parts.of("a/0", "9", 2).time, 2);
        assertFalse(part.time.isOut());
    }

    @Test
    void itDoesNotLeaveOutOneWhoseRecordsWait() {
        ReadPart part = parts.add("a/0", "5", true, 0);
        parts.times.turn(parts.moved("a/0", "9", false, 1).time, 1);
        assertFalse(part.time.isOut());
    }

    @Test
    void aPartitionWhereNoRecordWasIsNotWaitedFor() {
        ReadPart part = parts.add("a/0", "5", true, 0);
        assertFalse(part.time.isOut());
        parts.times.turn(parts.moved("a/0", "9", true, 1).time, 1);
        assertTrue(part.time.isOut());
        assertEquals(Map.of("a/0", "9"), parts.positions());
    }

    @Test
    void oneThatWasWaitedForBeforeStillIs() {
        parts.restore(List.of(Map.of("a/0", "5", "a/0 time", "77")));
        ReadPart part = parts.add("a/0", "5", true, 0);
        parts.times.turn(parts.moved("a/0", "9", true, 1).time, 1);
        assertFalse(part.time.isOut());
    }

    @Test
    void aNewPartitionWithoutARecordIsNotWaitedFor() {
        parts.moved("a/1", "3", false, 1);
        assertEquals(Map.of("a/1", "3"), parts.positions());
        assertTrue(parts.of("a/1", "3", 2).time.isOut());
    }

    @Test
    void rowsOfARecordThatIsGoneAreForgotten() {
        parts.restore(List.of(Map.of("a/0", "5", "a/0 rows", "2")));
        ReadPart part = parts.add("a/0", "5", true, 0);
        assertEquals(2, part.rows);
        parts.moved("a/0", "9", false, 1);
        assertEquals(ReadParts.UNREAD, part.rows);
    }
}
