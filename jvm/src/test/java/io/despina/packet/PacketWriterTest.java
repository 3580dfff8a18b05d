package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class PacketWriterTest {
    private static final Schema TEXTS = Schema.of(new Column("a", Type.Simple.STRING, false),
            new Column("b", Type.Simple.STRING, false));

    @Test
    void aLengthThatAnIntDoesNotHoldIsRefused() {
        PacketWriter writer = new PacketWriter(TEXTS.layout(), (open, needed) -> {
            throw new AssertionError("asked for " + needed + " bytes");
        });
        writer.open(new byte[100], 0, 100);
        writer.begin().setBytes(0, new byte[50], 0, 50);
        assertEquals("a packet of at least 2147483705 bytes; max_packet_bytes is at most 268435455",
                assertThrows(IllegalArgumentException.class, () -> writer.reserve(Integer.MAX_VALUE)).getMessage());
    }
}
