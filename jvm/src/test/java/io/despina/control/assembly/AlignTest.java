package io.despina.control.assembly;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlignTest {
    @Test
    void columnsGetTheirOrderAndMayBeNull() throws Exception {
        Schema from = Schema.of(new Column("S", Simple.STRING, false), new Column("B", Simple.BIGINT, false),
                new Column("N", Simple.INT, true), new Column("F", Simple.BOOLEAN, false));
        Schema to = Schema.of(new Column("n", Simple.INT, true), new Column("f", Simple.BOOLEAN, true),
                new Column("s", Simple.STRING, true), new Column("b", Simple.BIGINT, false));
        try (OperatorHarness align = OperatorHarness.of(() -> new AlignColumns(to, List.of(2, 3, 0, 1))).inputs(from).outputs(to)
                .open()) {
            align.feedRow(0, "a", 7L, 1, true).feedRow(0, "", -1L, null, false);
            assertEquals(List.of(row(1, true, "a", 7L), row(null, false, "", -1L)), align.rows(0));
        }
    }
}
