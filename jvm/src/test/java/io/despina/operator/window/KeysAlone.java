package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Clocks;
import io.despina.operator.Keys;
import io.despina.operator.OperatorHarness;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/**
 * An operator whose keys have clocks gives the rows that it gives for each key's packets alone, by a watermark after each of
 * them.
 */
public final class KeysAlone {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)),
            Timed.columns(2, 1), 256);

    private KeysAlone() {
    }

    /** Plays any stream of any clocks. @param operator by the keys of its groups */
    public static void compare(Function<Keys, OperatorHarness.Setup> operator, int outputs, Random random) throws Exception {
        Keys keys = random.nextBoolean() ? Timed.BY_K : BY_K_AND_ORD;
        long delay = random.nextInt(12);
        List<Step> steps = Timed.perKey(random, delay);
        OperatorHarness.Setup clocked = operator.apply(keys.with(new Clocks(Timed.BY_K, List.of(0), delay)));
        try (OperatorHarness harness = Timed.room(clocked, random).open()) {
            Timed.playWhole(harness, steps, random);
            List<List<String>> found = new ArrayList<>();
            for (int port = 0; port < outputs; port++) {
                found.add(sorted(harness.rows(port)));
            }
            assertEquals(alone(operator.apply(keys), outputs, steps, delay), found, steps.toString());
        }
    }

    /** By output, the rows that each key's packets give by themselves. */
    private static List<List<String>> alone(OperatorHarness.Setup setup, int outputs, List<Step> steps, long delay)
            throws Exception {
        Map<Object, List<Step>> byKey = new LinkedHashMap<>();
        steps.forEach(step -> byKey.computeIfAbsent("" + Timed.key(step.row()), key -> new ArrayList<>()).add(step));
        List<List<List<Object>>> rows = new ArrayList<>();
        for (int port = 0; port < outputs; port++) {
            rows.add(new ArrayList<>());
        }
        for (List<Step> own : byKey.values()) {
            try (OperatorHarness harness = setup.open()) {
                long watermark = Long.MIN_VALUE;
                for (Step step : own) {
                    harness.feed(0, List.of(step.row()));
                    watermark = Math.max(watermark, Timed.time(step.row()) - delay);
                    harness.watermark(watermark);
                }
                harness.watermark(Long.MAX_VALUE).end();
                for (int port = 0; port < outputs; port++) {
                    rows.get(port).addAll(harness.rows(port));
                }
            }
        }
        return rows.stream().map(KeysAlone::sorted).toList();
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(Object::toString).sorted().toList();
    }
}
