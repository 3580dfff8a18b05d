package io.despina.operator.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelayingRelayTest {
    private static final Schema NUMBERS = Schema.of(new Column("n", Simple.INT, true), new Column("t", Simple.STRING, true));

    @Test
    void sleepsByItsTimetable() throws Exception {
        DelayingRelay.Options steps = new DelayingRelay.Options(0, 0,
                List.of(new DelayingRelay.Step(10, 0), new DelayingRelay.Step(10, 4), new DelayingRelay.Step(1, 0.5)));
        List<Long> slept = new ArrayList<>();
        try (OperatorHarness relay = OperatorHarness.of(() -> new DelayingRelay(steps, slept::add)).inputs(NUMBERS)
                .outputs(NUMBERS).open()) {
            for (long ms : new long[] {100, 109, 110, 119, 120, 500}) {
                relay.now = ms * 1_000_000;
                relay.feedRow(0, 1, "a");
            }
            assertEquals(List.of(4_000_000L, 4_000_000L, 500_000L, 500_000L), slept);
            assertEquals(6, relay.rows(0).size());
        }
    }
}
