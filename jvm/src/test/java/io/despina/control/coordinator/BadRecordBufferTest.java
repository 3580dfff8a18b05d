package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.despina.descriptor.Place;
import io.despina.metrics.LastBadRecords.BadRecord;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Of each operator the last thousand bad records wait for Python, with their places in the graph. */
class BadRecordBufferTest {
    private final BadRecordBuffer buffer = new BadRecordBuffer(2, Map.of("a", new Place(9, 3, 5, "/operators/a")));

    private static BadRecord record(String operator, long at, String text) {
        return new BadRecord(operator, 1, at, "no number", text);
    }

    private static List<Long> times(ArrayNode taken) {
        return taken.valueStream().map(each -> each.get("at_ms").longValue()).toList();
    }

    @Test
    void eachIsToldWithItsPlaceAndAttempt() {
        buffer.add(List.of(record("a", 7, "{}"), record("b", 8, "")));
        assertEquals("[{\"at_ms\":7,\"operator\":\"a\",\"instance\":1,\"attempt\":2,\"reason\":\"no number\",\"record\":\"{}\","
                + "\"line\":3,\"column\":5,\"pointer\":\"/operators/a\"},"
                + "{\"at_ms\":8,\"operator\":\"b\",\"instance\":1,\"attempt\":2,\"reason\":\"no number\",\"record\":\"\"}]",
                buffer.take().toString());
        assertEquals("[]", buffer.take().toString());
    }

    @Test
    void oneOperatorTakesNoRoomOfAnother() {
        buffer.add(List.of(record("b", -1, "")));
        for (int k = 0; k < BadRecordBuffer.MOST + 3; k++) {
            buffer.add(List.of(record("a", k, "")));
        }
        List<Long> times = times(buffer.take());
        assertEquals(BadRecordBuffer.MOST + 1, times.size());
        assertEquals(List.of(-1L, 3L), times.subList(0, 2));
    }

    @Test
    void longOnesMakeRoomForEachOther() {
        String third = "x".repeat(BadRecordBuffer.MOST_CHARACTERS / 3);
        buffer.add(List.of(record("a", 1, third), record("b", 2, third), record("a", 3, third)));
        assertEquals(List.of(2L, 3L), times(buffer.take()));
        buffer.add(List.of(record("a", 4, "")));
        assertEquals(List.of(4L), times(buffer.take()));
    }

    @Test
    void whatAnAttemptHasLeftComesWithItsNumber() {
        BadRecordBuffer next = new BadRecordBuffer(3, Map.of());
        buffer.add(List.of(record("a", 1, "")));
        next.goOnFrom(buffer);
        next.add(List.of(record("a", 2, "")));
        assertEquals(List.of(2, 3), next.take().valueStream().map(each -> each.get("attempt").intValue()).toList());
        assertEquals("[]", buffer.take().toString());
    }
}
