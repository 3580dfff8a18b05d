package io.despina.compare.manufacturing;

import io.despina.compare.Meter;
import io.despina.compare.Pace;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import io.despina.compare.Topology;
import io.despina.compare.Topology.Operator;
import java.util.ArrayList;
import java.util.List;

/**
 * DEBS 2012, query 1, as twelve operators between a file of readings and a file of delays: six that find changes of state, three
 * that pair a valve's change with its sensor's, three that follow the delays over 24 hours.
 */
public final class Manufacturing {
    static final String[] PAIRS = {"05-08", "06-09", "07-10"};
    private static final int SENSORS = 3;

    private Manufacturing() {
    }

    public static Topology topology() {
        List<Operator> operators = new ArrayList<>();
        for (int k = 0; k < Records.STATES; k++) {
            int state = k;
            operators.add(new Operator(state(k), List.of(Topology.SOURCE), (settings, job) -> edges(settings, job, state),
                    false));
        }
        List<String> trends = new ArrayList<>();
        for (int k = 0; k < SENSORS; k++) {
            String pair = PAIRS[k];
            operators.add(new Operator("pair_" + k, List.of(state(SENSORS + k), state(k)), (settings, job) -> new Pairing(),
                    false));
            operators.add(new Operator("trend_" + k, List.of("pair_" + k), (settings, job) -> new Trend(pair), false));
            trends.add("trend_" + k);
        }
        operators.add(new Operator("delays", trends, Delays::new, true));
        return new Topology(settings -> new ReadingFile(settings.text("input"),
                new Pace(settings.real("rate_per_s", 0))), operators);
    }

    private static String state(int k) {
        return (k < SENSORS ? "sensor_" : "valve_") + k;
    }

    private static Step edges(Settings settings, int job, int state) {
        return new Edges(state, state == 0 ? new Meter(settings, "readings-" + job, () -> "") : null);
    }
}
