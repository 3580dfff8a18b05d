package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Type.Simple;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketJsonTest {

    private static String text(Type type, Object value) {
        Schema schema = Schema.of(new Column("a", type, true));
        Packet packet = Rows.packet(schema, value);
        return PacketJson.text(schema, packet);
    }

    @Test
    void writesEachTypeAsPeopleReadIt() {
        assertEquals("{\"a\": null}", text(Simple.INT, null));
        assertEquals("{\"a\": -7}", text(Simple.SMALLINT, -7));
        assertEquals("{\"a\": 1.5}", text(Simple.DOUBLE, 1.5));
        assertEquals("{\"a\": \"NaN\"}", text(Simple.DOUBLE, Double.NaN));
        assertEquals("{\"a\": 12.30}", text(new Type.Decimal(10, 2), new BigDecimal("12.30")));
        assertEquals("{\"a\": \"1970-01-01T00:00:01.500Z\"}", text(Simple.TIMESTAMP, 1_500_000L));
        assertEquals("{\"a\": \"1970-01-01T00:01:00\"}", text(Simple.TIMESTAMP_NTZ, 60_000_000L));
        assertEquals("{\"a\": \"1969-12-31\"}", text(Simple.DATE, -1));
        assertEquals("{\"a\": \"AQI=\"}", text(Simple.BINARY, new byte[] {1, 2}));
    }

    @Test
    void escapesWhatJsonDoesNotAllow() {
        assertEquals("{\"a\": \"a\\\"b\\\\c\\n\\u0001é\"}", text(Simple.STRING, "a\"b\\c\n\u0001é"));
    }

    @Test
    void writesNestedValues() {
        assertEquals("{\"a\": [\"x\", null, \"\"]}", text(new Type.Array(Simple.STRING, true), Arrays.asList("x", null, "")));
        assertEquals("{\"a\": [1, 2]}", text(new Type.Array(Simple.INT, false), List.of(1, 2)));
        assertEquals("{\"a\": {\"b\": 1, \"c\": \"x\"}}", text(new Type.Struct(List.of(new Column("b", Simple.INT, false),
                new Column("c", Simple.STRING, true))), List.of(1, "x")));
    }
}
