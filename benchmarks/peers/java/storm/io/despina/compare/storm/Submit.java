package io.despina.compare.storm;

import io.despina.compare.Arrivals;
import io.despina.compare.RelayFeeder;
import io.despina.compare.Settings;
import io.despina.compare.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.storm.Config;
import org.apache.storm.StormSubmitter;
import org.apache.storm.topology.BoltDeclarer;
import org.apache.storm.topology.TopologyBuilder;

/**
 * Submits the run's topologies: {@code SETTINGS}. The scheduler deals components in the order of their names over two workers in
 * turn: {@code a_…} (sources) and {@code c_…} (sinks) share one, {@code b_…} and {@code d_…} are in the other. Jobs have an even
 * number of components where there are several, so each begins in the same worker.
 */
public final class Submit {
    private static final String TOPOLOGY = "topology.";
    /** By work, a job's operators in the order in which they are dealt: what reads from the source is not in its worker. */
    private static final Map<String, List<String>> DEALT = Map.of("fixed_window", List.of(Topology.SOURCE, "windows", "check"),
            "word_count", List.of(Topology.SOURCE, "split", "check", "counts"),
            "manufacturing", List.of(Topology.SOURCE, "sensor_0", "delays", "sensor_1", "pair_0", "sensor_2", "pair_1", "valve_3",
                    "pair_2", "valve_4", "trend_0", "valve_5", "trend_1", "trend_2"));

    private Submit() {
    }

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.read(args[0]);
        String work = settings.text("work");
        TopologyBuilder builder = new TopologyBuilder();
        for (int job = 0; job < settings.number("jobs", 1); job++) {
            switch (work) {
                case "relay", "rates", "slow_sink", "idle" -> relay(settings, builder);
                default -> topology(Topology.of(work), settings, builder, job);
            }
        }
        StormSubmitter.submitTopology(work, config(settings), builder.createTopology());
    }

    /** One pipeline; several are parts of one topology, since each topology would get workers of its own. */
    private static void topology(Topology topology, Settings settings, TopologyBuilder builder, int job) {
        List<String> dealt = DEALT.get(settings.text("work"));
        builder.setSpout(name(dealt, Topology.SOURCE, job), new Stepping.Source(() -> topology.feeder(settings)), 1);
        for (Topology.Operator operator : topology.operators()) {
            List<String> inputs = operator.inputs().stream().map(input -> name(dealt, input, job)).collect(Collectors.toList());
            BoltDeclarer bolt = builder.setBolt(name(dealt, operator.name(), job),
                    new Stepping.Bolt(() -> operator.step(settings, job), new ArrayList<>(inputs)), 1);
            inputs.forEach(bolt::shuffleGrouping);
        }
    }

    private static String name(List<String> dealt, String operator, int job) {
        return String.format("%02d_%c_%s", job, 'a' + dealt.indexOf(operator), operator);
    }

    private static void relay(Settings settings, TopologyBuilder builder) {
        builder.setSpout("a_source", new Stepping.Source(() -> new RelayFeeder(settings, false)), 1);
        builder.setBolt("b_relay", new Relay(settings), 1).shuffleGrouping("a_source");
        builder.setBolt("c_sink", new Stepping.Bolt(() -> Arrivals.step(settings), new ArrayList<>(List.of("b_relay"))), 1)
                .shuffleGrouping("b_relay");
    }

    private static Config config(Settings settings) {
        Config config = new Config();
        config.setNumWorkers(2);
        config.setNumAckers(0);
        for (Map.Entry<String, String> setting : settings.starting(TOPOLOGY).entrySet()) {
            config.put(setting.getKey(), value(setting.getValue()));
        }
        return config;
    }

    private static Object value(String text) {
        if (text.matches("-?\\d+")) {
            return Integer.valueOf(text);
        }
        if (text.matches("-?\\d+\\.\\d+")) {
            return Double.valueOf(text);
        }
        return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false") ? Boolean.valueOf(text) : (Object) text;
    }
}
