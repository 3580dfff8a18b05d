package io.despina.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class OrderedUnionTest {

    @Property(tries = 200)
    void packetsLeaveInEventOrder(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(OperatorHarness.of(() -> new OrderedUnion(Timed.ORDER)).inputs(Timed.SCHEMA)
                .outputs(Timed.SCHEMA, Timed.SCHEMA), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> expected = new ArrayList<>(Timed.packets(steps, 0, false));
            expected.sort(Timed.IN_ORDER);
            assertEquals(expected, harness.rows(0), steps::toString);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }
}
