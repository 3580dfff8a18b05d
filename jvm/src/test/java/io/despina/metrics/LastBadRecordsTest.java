package io.despina.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.metrics.LastBadRecords.BadRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The last bad records wait for whoever asks, within bounds. */
class LastBadRecordsTest {
    private static final long S = 1_000_000_000L;
    private final LastBadRecords records = new LastBadRecords();

    private void add(int number, String text) {
        records.add(new BadRecord("a", 0, number, "why", text));
    }

    @Test
    void whatIsTakenIsGone() {
        add(1, "x");
        add(2, "y");
        assertEquals(List.of(1L, 2L), records.take().stream().map(BadRecord::atMillis).toList());
        assertEquals(List.of(), records.take());
    }

    @Test
    void theOldestMakeRoom() {
        for (int k = 0; k < LastBadRecords.MOST + 7; k++) {
            add(k, "");
        }
        List<BadRecord> taken = records.take();
        assertEquals(LastBadRecords.MOST, taken.size());
        assertEquals(7, taken.get(0).atMillis());
        String half = "x".repeat(LastBadRecords.MOST_CHARACTERS / 2);
        for (int k = 0; k < 4; k++) {
            add(k, half);
        }
        assertEquals(List.of(3L), records.take().stream().map(BadRecord::atMillis).toList());
        add(9, half + half + half);
        assertEquals(1, records.take().size(), "the newest stays, however long");
    }

    @Test
    void asManyASecondAreWantedAsSomebodyMayRead() {
        for (int k = 0; k < LastBadRecords.MOST_PER_S; k++) {
            assertTrue(records.wants(-5 * S + k));
        }
        assertFalse(records.wants(-5 * S + S - 1));
        assertTrue(records.wants(-5 * S + S));
    }
}
