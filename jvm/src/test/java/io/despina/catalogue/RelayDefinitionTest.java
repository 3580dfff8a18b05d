package io.despina.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.experiment.DelayingRelay;
import io.despina.plan.Graphs;
import io.despina.plan.PlannedOperator;
import io.despina.spec.Blocking;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RelayDefinitionTest {

    private static PlannedOperator relay(String fields) {
        return Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "x", "{\"type\": \"relay\"" + fields + "}",
                "out", "{\"type\": \"discard_sink\"}"), "s->x", "x->out")).operator("x");
    }

    @Test
    void itsDelaysKeepTheirFractions() {
        assertEquals(new RelayDefinition.RelaySpec(new DelayingRelay.Options(0.4, 2.5, List.of())),
                relay(", \"sleep_ms\": 0.4, \"work_us\": 2.5").spec());
        assertEquals(new RelayDefinition.RelaySpec(new DelayingRelay.Options(0, 0, List.of(new DelayingRelay.Step(10, 0.25)))),
                relay(", \"steps\": [{\"for_ms\": 10, \"sleep_ms\": 0.25}]").spec());
    }

    @Test
    void onlyOneThatSleepsBlocks() {
        assertFalse(relay(", \"work_us\": 2.5").blocks());
        assertTrue(relay(", \"sleep_ms\": 0.4").blocks());
        assertEquals(Blocking.ALWAYS, relay(", \"steps\": [{\"for_ms\": 10, \"sleep_ms\": 0.25}]").spec().blocking());
    }
}
