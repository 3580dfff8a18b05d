package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * An operator whose keys have clocks gives the rows that it gives for each key's packets alone, by a watermark after each of
 * them and after each silence.
 */
public final class KeysAlone {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)),
            Timed.columns(2, 1), 256);

    /** All keys are silent for long. */
    private static final Step SILENCE = new Step(0, null, 0);
    private static final long IDLE = 8_000;

    private KeysAlone() {
    }

    /**
     * Plays any stream of any clocks, with silences of all keys.
     *
     * @param operator by the keys of its groups
     * @param reach    how far beyond a key's last packet it may have something open
     */
    public static void compare(Function<Keys, OperatorHarness.Setup> operator, int outputs, long reach, Random random)
            throws Exception {
        Keys keys = random.nextBoolean() ? Timed.BY_K : BY_K_AND_ORD;
        long delay = random.nextInt(12);
        List<Step> steps = Timed.perKey(random, delay);
        for (int silences = random.nextInt(4); silences > 0; silences--) {
            steps.add(random.nextInt(steps.size() + 1), SILENCE);
        }
        OperatorHarness.Setup clocked = operator.apply(keys.with(new Clocks(Timed.BY_K, List.of(0), delay,
                steps.contains(SILENCE) ? IDLE : NEVER)));
        try (OperatorHarness harness = Timed.room(clocked, random).open()) {
            play(harness, steps, random);
            List<List<String>> found = new ArrayList<>();
            for (int port = 0; port < outputs; port++) {
                found.add(sorted(harness.rows(port)));
            }
            assertEquals(alone(operator.apply(keys), outputs, steps, delay, reach), found, steps.toString());
        }
    }

    private static void play(OperatorHarness harness, List<Step> steps, Random random) throws Exception {
        int restarts = random.nextInt(3);
        List<List<Object>> batch = new ArrayList<>();
        for (int k = 0; k <= steps.size(); k++) {
            Step next = k == steps.size() ? SILENCE : steps.get(k);
            if (next == SILENCE || random.nextInt(3) == 0) {
                harness.feed(0, batch);
                batch.clear();
                if (restarts > 0 && random.nextInt(restarts) == 0) {
                    harness.restart();
                }
            }
            if (next != SILENCE) {
                batch.add(next.row());
            } else if (k < steps.size()) {
                harness.passTo(harness.now / 1_000 + 2 * IDLE);
            }
        }
        harness.end();
    }

    /** By output, the rows that each key's packets give by themselves. */
    private static List<List<String>> alone(OperatorHarness.Setup setup, int outputs, List<Step> steps, long delay, long reach)
            throws Exception {
        List<List<List<Object>>> rows = new ArrayList<>();
        for (int port = 0; port < outputs; port++) {
            rows.add(new ArrayList<>());
        }
        Set<Object> keys = new HashSet<>();
        steps.stream().filter(step -> step != SILENCE).forEach(step -> keys.add(Timed.key(step.row())));
        for (Object key : keys) {
            try (OperatorHarness harness = setup.open()) {
                playAlone(harness, steps.stream().filter(step -> step == SILENCE
                        || Objects.equals(Timed.key(step.row()), key)).toList(), delay, reach);
                for (int port = 0; port < outputs; port++) {
                    rows.get(port).addAll(harness.rows(port));
                }
            }
        }
        return rows.stream().map(KeysAlone::sorted).toList();
    }

    private static void playAlone(OperatorHarness harness, List<Step> own, long delay, long reach) throws Exception {
        long greatest = Long.MIN_VALUE;
        long watermark = Long.MIN_VALUE;
        for (Step step : own) {
            if (step != SILENCE) {
                long late = harness.lateCount;
                harness.feed(0, List.of(step.row()));
                greatest = harness.lateCount > late ? greatest : Math.max(greatest, Timed.time(step.row()));
                watermark = Math.max(watermark, Timed.time(step.row()) - delay);
            } else if (greatest != Long.MIN_VALUE) {
                watermark = Math.max(watermark, greatest + reach);
            }
            harness.watermark(watermark);
        }
        harness.watermark(Long.MAX_VALUE).end();
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(Object::toString).sorted().toList();
    }
}
