package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class GroupAggregateTest {

    @Property(tries = 200)
    void aRowPerGroupAtTheEnd(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(OperatorHarness
                .of(() -> new FinalAggregate(Timed.BY_K, partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA), random).open()) {
            Timed.play(harness, steps, random);

            Map<Object, List<Object>> groups = new LinkedHashMap<>();
            steps.stream().map(Step::row).filter(row -> row != null)
                    .forEach(row -> groups.computeIfAbsent(Timed.key(row), k -> new ArrayList<>()).add(row.get(3)));
            List<List<Object>> expected = new ArrayList<>();
            groups.forEach((key, all) -> expected.add(Rows.row(key, 0L, 0L, null, (long) all.size(), all.toString())));
            assertEquals(expected, harness.rows(0));
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void withoutGroupsThereIsOneRowOfNothing() throws Exception {
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new FinalAggregate(Keys.none(), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            harness.end();
            assertEquals(List.of(Rows.row(null, 0L, 0L, null, 0L, "[]")), harness.rows(0));
        }
    }

    @Property(tries = 200)
    void aRowPerPacketInEventOrder(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        List<Step> steps = Timed.stream(random, 1);
        boolean timed = random.nextInt(4) > 0;
        EventOrder order = timed ? Timed.ORDER : null;
        try (OperatorHarness harness = Timed.room(OperatorHarness
                .of(() -> new EachAggregate(order, Timed.BY_K, partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA), random).open()) {
            Timed.play(harness, steps, random);

            List<List<Object>> packets = new ArrayList<>(timed ? Timed.packets(steps, 0, false)
                    : steps.stream().map(Step::row).filter(row -> row != null).toList());
            if (timed) {
                packets.sort(Timed.IN_ORDER);
                assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
            }
            Map<Object, List<Object>> groups = new LinkedHashMap<>();
            List<List<Object>> expected = new ArrayList<>();
            for (List<Object> row : packets) {
                List<Object> all = groups.computeIfAbsent(Timed.key(row), k -> new ArrayList<>());
                all.add(row.get(3));
                expected.add(Rows.row(Timed.key(row), 0L, 0L, row.get(3), (long) all.size(), all.toString()));
            }
            assertEquals(expected, harness.rows(0));
        }
    }
}
