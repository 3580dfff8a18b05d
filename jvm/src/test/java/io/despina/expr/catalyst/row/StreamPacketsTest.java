package io.despina.expr.catalyst.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.descriptor.Ddl;
import io.despina.expr.Expressions;
import io.despina.operator.Rows;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Packets go to Arrow and come back as they were. */
class StreamPacketsTest {

    private static Schema schema(String ddl) {
        try {
            return Ddl.parse(ddl);
        } catch (Ddl.DdlException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] arrow(Schema schema, List<List<Object>> rows) {
        return Batches.stream(schema, "Europe/Rome", rows);
    }

    private static List<List<Object>> back(Schema schema, byte[] stream) {
        PacketWriter writer = Rows.growing(schema);
        Expressions.arrowPackets(schema).read(stream, writer);
        return Rows.decode(schema, writer.bytes(), 0, writer.position());
    }

    @Test
    void everyTypeComesBackAsItWas() {
        Schema schema = schema("a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT NOT NULL, f FLOAT, g DOUBLE, h DATE, i "
                + "TIMESTAMP, j TIMESTAMP_NTZ, k STRING, l BINARY, m DECIMAL(9, 2), n DECIMAL(30, 4), o ARRAY<STRING>, p "
                + "MAP<STRING, INT>, q STRUCT<x: INT, y: ARRAY<DOUBLE>>");
        List<List<Object>> rows = List.of(
                Rows.row(true, (byte) 1, (short) 2, 3, 4L, 5f, 6.5, 19_000, 1_700_000_000_000_001L, -1L, "é", new byte[] {1, -1},
                        new BigDecimal("-7.25"), new BigDecimal("12345678901234567890.1234"), List.of("a", ""), Map.of("k", 1),
                        List.of(1, List.of(0.5))),
                Rows.row(null, null, null, null, -4L, null, null, null, null, null, null, null, null, null, null, null, null));
        byte[] packets = Rows.encode(schema, rows);
        assertEquals(Rows.decode(schema, packets, 0, packets.length), back(schema, arrow(schema, rows)));
    }

    @Test
    void otherColumnsAreRefused() {
        Schema schema = schema("n BIGINT");
        assertTrue(assertThrows(IllegalArgumentException.class, () -> back(schema, arrow(schema("n INT"), List.of())))
                .getMessage().contains("not of"));
        assertThrows(IllegalArgumentException.class, () -> back(schema, arrow(schema("m BIGINT"), List.of())));
        assertThrows(IllegalArgumentException.class, () -> back(schema, new byte[] {1, 2, 3}));
    }

    @Test
    void aNullWhereNoneMayBeIsRefusedByColumn() {
        byte[] stream = arrow(schema("n BIGINT"), List.of(Rows.row((Object) null)));
        String why = assertThrows(IllegalArgumentException.class, () -> back(schema("n BIGINT NOT NULL"), stream)).getMessage();
        assertEquals("column `n` is NOT NULL but has no value", why);
    }
}
