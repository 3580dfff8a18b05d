package io.despina.operator.window;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Random streams of timed packets with watermarks, for operators to be held against naive oracles. */
public final class Timed {
    public static final Schema SCHEMA = Schema.of(new Column("ts", Simple.TIMESTAMP, false),
            new Column("ord", Simple.INT, true), new Column("k", Simple.STRING, true), new Column("v", Simple.BIGINT, false));
    public static final EventOrder ORDER = EventOrder.by(0, 1);
    public static final Schema KEY = Schema.of(new Column("k", Simple.STRING, true));
    public static final Keys BY_K = new Keys(KEY, columns(2), 256);

    /** Event order as the oracle has it; arrival is the order of the list sorted. */
    public static final Comparator<List<Object>> IN_ORDER = Comparator.<List<Object>>comparingLong(Timed::time)
            .thenComparing(row -> (Integer) row.get(1), Comparator.nullsFirst(Comparator.naturalOrder()));

    /** A packet of a port, or (row null) a watermark. */
    public record Step(int port, List<Object> row, long watermark) {
    }

    private Timed() {
    }

    public static long time(List<Object> row) {
        return (Long) row.get(0);
    }

    public static Object key(List<Object> row) {
        return row.get(2);
    }

    public static Compiled<Projection> columns(int... ordinals) {
        return partition -> (inputs, out) -> {
            for (int k = 0; k < ordinals.length; k++) {
                out.setColumn(k, inputs[0], ordinals[k]);
            }
        };
    }

    /** Times wander upwards through 0; some lie further back than the watermark allows. {@code v} tells packets apart. */
    public static List<Step> stream(Random random, int ports) {
        List<Step> steps = new ArrayList<>();
        long now = random.nextInt(60) - 60;
        long greatest = Long.MIN_VALUE;
        long watermark = Long.MIN_VALUE;
        int delay = random.nextInt(12);
        int disorder = random.nextBoolean() ? delay : 1 + 2 * delay;
        int n = random.nextInt(90);
        for (long v = 0; v < n; v++) {
            now += random.nextInt(4);
            long time = now - random.nextInt(disorder + 1);
            greatest = Math.max(greatest, time);
            steps.add(new Step(random.nextInt(ports), Rows.row(time, maybeNull(random, random.nextInt(3)),
                    maybeNull(random, "key" + "x".repeat(random.nextInt(3))), v), 0));
            if (random.nextInt(4) == 0 && greatest - delay > watermark) {
                watermark = greatest - delay;
                steps.add(new Step(0, null, watermark));
            }
        }
        return steps;
    }

    /** Packets whose keys have clocks that are far apart; some lie further back than the delay allows. */
    public static List<Step> perKey(Random random, long delay) {
        String[] keys = {"key", "keyx", "keyxx", null};
        long[] now = random.longs(keys.length, -90, 90).toArray();
        int disorder = (int) (random.nextBoolean() ? delay : 1 + 2 * delay);
        List<Step> steps = new ArrayList<>();
        int n = random.nextInt(120);
        for (long v = 0; v < n; v++) {
            int k = random.nextInt(keys.length);
            now[k] += random.nextInt(5);
            long time = now[k] - random.nextInt(disorder + 1);
            steps.add(new Step(0, Rows.row(time, maybeNull(random, random.nextInt(3)), keys[k], v), 0));
        }
        return steps;
    }

    private static <T> T maybeNull(Random random, T value) {
        return random.nextInt(6) == 0 ? null : value;
    }

    /** The packets of a port that are not late, or those that are, in order of arrival. */
    public static List<List<Object>> packets(List<Step> steps, int port, boolean late) {
        List<List<Object>> packets = new ArrayList<>();
        long watermark = Long.MIN_VALUE;
        for (Step step : steps) {
            if (step.row() == null) {
                watermark = step.watermark();
            } else if (step.port() == port && time(step.row()) < watermark == late) {
                packets.add(step.row());
            }
        }
        return packets;
    }

    /** Plays a stream to its end, in batches, with restarts between them and while watermarks are being worked on. */
    public static void play(OperatorHarness harness, List<Step> steps, Random random) throws Exception {
        play(harness, steps, random, true);
    }

    /** The same with restarts only where the runtime takes snapshots: between steps that the operator is done with. */
    public static void playWhole(OperatorHarness harness, List<Step> steps, Random random) throws Exception {
        play(harness, steps, random, false);
    }

    private static void play(OperatorHarness harness, List<Step> steps, Random random, boolean within) throws Exception {
        int restarts = random.nextInt(3);
        List<List<Object>> batch = new ArrayList<>();
        for (int k = 0; k < steps.size(); k++) {
            Step step = steps.get(k);
            if (step.row() == null) {
                pass(harness, step.watermark(), random, within ? restarts : 0);
                maybeRestart(harness, random, restarts);
                continue;
            }
            batch.add(step.row());
            boolean more = k + 1 < steps.size() && steps.get(k + 1).row() != null
                    && steps.get(k + 1).port() == step.port();
            if (!more || random.nextInt(3) == 0) {
                harness.feed(step.port(), batch);
                batch.clear();
                maybeRestart(harness, random, restarts);
            }
        }
        pass(harness, Long.MAX_VALUE, random, within ? restarts : 0);
        harness.end();
    }

    private static void pass(OperatorHarness harness, long watermark, Random random, int restarts) throws Exception {
        while (!harness.tryWatermark(watermark)) {
            maybeRestart(harness, random, restarts);
        }
        maybeRestart(harness, random, restarts);
    }

    private static void maybeRestart(OperatorHarness harness, Random random, int restarts) throws Exception {
        if (restarts > 0 && random.nextInt(restarts) == 0) {
            harness.restart();
        }
    }

    /** Room for one packet, or for a few. */
    public static OperatorHarness.Setup room(OperatorHarness.Setup setup, Random random) {
        return random.nextBoolean() ? setup.room(1, 1) : setup.room(100, 2);
    }
}
