package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Instances 0 and 1 of three are in one resource, 2 is in another. */
class MoveRoomTest {
    private static final BucketMap BEFORE = BucketMap.even(8, 2, 3);

    private static ControlAnswer says(int instance, long bytes, long room) {
        return new ControlAnswer("sums", instance, true, bytes + " " + room);
    }

    private static String lacking(Map<Integer, Integer> to, long bytes, long room) {
        return MoveRoom.lacking(BEFORE, BEFORE.moved(to), List.of(says(0, bytes, 0), says(1, 0, 0), says(2, 0, room)),
                List.of("near", "near", "far"));
    }

    @Test
    void whatComesFromElsewhereNeedsRoom() {
        assertEquals("", lacking(Map.of(0, 2), 1_000, 500), "a bucket of four, doubled");
        assertEquals("what would come to `far`, up to 500 bytes, has no room there: 499 bytes are left for states; "
                + "raise memory_bytes", lacking(Map.of(0, 2), 1_000, 499));
        assertEquals("", lacking(Map.of(0, 2, 1, 2, 2, 2, 3, 2), 1_000, 1_000), "no more than there is");
    }

    @Test
    void whatStaysInTheResourceNeedsNone() {
        assertEquals("", lacking(Map.of(0, 1), 1_000, 0));
    }
}
