package io.despina.operator.record;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import org.junit.jupiter.api.Test;

class ScratchPacketsTest {
    private static final byte[] VALUE = new byte[300];
    /** What fits into the first two regions, of 1 and 2 KB. */
    private static final int PACKETS = 9;

    private final ScratchPackets packets = new ScratchPackets(Schema.of(new Column("value", Simple.STRING, true)));

    private void begin() {
        packets.writer().begin().setBytes(0, VALUE, 0, VALUE.length);
    }

    @Test
    void theyAreReadWhenNoneFollowsThoughOneWasBegunThere() {
        for (int k = 0; k < PACKETS; k++) {
            begin();
            packets.writer().commit();
        }
        begin();        // in a third region; it turns out to be none
        for (int k = 0; k < PACKETS; k++) {
            assertFalse(packets.isRead(), k + " are read");
            assertNotNull(packets.next());
        }
        assertTrue(packets.isRead());
        assertNull(packets.next());
    }
}
