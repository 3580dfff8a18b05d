package io.despina.operator.database.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that wait to be written. */
class PendingRowsTest {
    private static final Schema KEYED = Schema.of(new Column("key", Simple.INT, false), new Column("text", Simple.STRING, false));
    private static final String MEGABYTE = "x".repeat(1 << 20);

    private static Packet row(int key, String text) {
        return Rows.packet(KEYED, key, text);
    }

    /** Whether they are full though rows have gone that nobody wants. */
    private static boolean areFull(PendingRows rows, Packet row, long number) {
        return rows.add(row, number) && !rows.makesRoom();
    }

    @Test
    void theLastRowsOfFewKeysAreNeverFull() {
        PendingRows rows = PendingRows.newest(KEYED.layout(), List.of(0));
        for (int k = 0; k < 100; k++) {
            assertFalse(areFull(rows, row(k % 3, k + MEGABYTE), k), "row " + k);
        }
        assertTrue(rows.count() <= rows.mostBytes() / MEGABYTE.length(), rows.count() + " rows");
        for (int k = 1; k <= 3; k++) {
            int last = rows.count() - k;
            assertEquals(100 - k, rows.number(last));
            assertEquals(List.of((100 - k) % 3, (100 - k) + MEGABYTE), Rows.read(rows.row(last), KEYED));
        }
    }

    @Test
    void rowsOfManyKeysFillTheRoomAndAreAllThere() {
        PendingRows rows = PendingRows.newest(KEYED.layout(), List.of(0));
        int added = 0;
        while (!areFull(rows, row(added, MEGABYTE), added)) {
            added++;
        }
        assertEquals(added + 1, rows.count());
        for (int k = 0; k <= added; k++) {
            assertEquals(k, rows.row(k).getInt(0));
        }
        rows.clear();
        assertEquals(0, rows.count());
    }

    @Test
    void whereAllRowsCountTheyAreFullByTheirNumber() {
        PendingRows rows = PendingRows.all(KEYED.layout(), 2);
        Packet same = row(1, "a");
        assertFalse(rows.add(same, 0));
        assertTrue(rows.add(same, 1));
        assertFalse(rows.makesRoom());
        assertEquals(2, rows.count());
    }
}
