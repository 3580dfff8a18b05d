package io.despina.operator.record;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.util.List;
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

    @Test
    void aRecordIsWrittenAtOnceIfItsPacketIsSurelyShort() {
        Column text = new Column("value", Simple.STRING, true);
        Column number = new Column("n", Simple.BIGINT, true);
        Column list = new Column("list", new Type.Array(new Type.Struct(List.of(number)), true), true);
        int most = 1 << 10;
        int alone = ScratchPackets.shortRecord(Schema.of(text), most);
        assertTrue(alone > 60 && alone <= most / 16, alone + " bytes");
        Column another = new Column("m", Simple.BIGINT, true);
        assertTrue(ScratchPackets.shortRecord(Schema.of(number, another, text), most) < alone);
        assertTrue(ScratchPackets.shortRecord(Schema.of(number, text), 4) < 0);
        assertTrue(ScratchPackets.shortRecord(Schema.of(text, list), most) < 0);
    }
}
