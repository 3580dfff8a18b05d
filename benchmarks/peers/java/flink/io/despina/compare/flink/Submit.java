package io.despina.compare.flink;

import io.despina.compare.Arrivals;
import io.despina.compare.Maker;
import io.despina.compare.RelayFeeder;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import io.despina.compare.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Submits the run's jobs: {@code SETTINGS}. Slot-sharing groups put sources and sinks into one TaskManager and what stands
 * between them into the other, or all into one for the fused row.
 */
public final class Submit {
    static final String ENDS = "ends";
    private static final TypeInformation<byte[]> BYTES = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

    private Submit() {
    }

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.read(args[0]);
        StreamExecutionEnvironment environment = environment(settings);
        String work = settings.text("work");
        for (int job = 0; job < settings.number("jobs", 1); job++) {
            switch (work) {
                case "relay", "rates", "slow_sink", "idle" -> relay(settings, environment);
                default -> topology(Topology.of(work), settings, environment, job);
            }
        }
        environment.executeAsync(work);
    }

    private static StreamExecutionEnvironment environment(Settings settings) {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        environment.setBufferTimeout(Duration.ofMillis(settings.number("buffer_timeout_ms", 100)).toMillis());
        if (reuse(settings)) {
            environment.getConfig().enableObjectReuse();
        }
        return environment;
    }

    private static boolean reuse(Settings settings) {
        return settings.text("object_reuse", "false").equalsIgnoreCase("true");
    }

    /** The group of what stands between sources and sinks. */
    static String middle(Settings settings) {
        return settings.text("fused", "false").equalsIgnoreCase("true") ? ENDS : "middle";
    }

    /** One pipeline; several are parts of one submission that share nothing but their slots. */
    private static void topology(Topology topology, Settings settings, StreamExecutionEnvironment environment, int job) {
        Map<String, DataStream<byte[]>> made = new HashMap<>();
        made.put(Topology.SOURCE, environment.fromSource(new FeedSource<>(new Stepping.Fed(() -> topology.feeder(settings))),
                WatermarkStrategy.noWatermarks(), Topology.SOURCE, BYTES).slotSharingGroup(ENDS));
        for (Topology.Operator operator : topology.operators()) {
            List<String> inputs = operator.inputs();
            DataStream<byte[]> first = made.get(inputs.get(0));
            Maker<Step> step = () -> operator.step(settings, job);
            if (operator.isSink()) {
                for (String other : inputs.subList(1, inputs.size())) {
                    first = first.union(made.get(other));
                }
                first.sinkTo(Stepping.sink(step)).name(operator.name()).slotSharingGroup(ENDS);
            } else {
                SingleOutputStreamOperator<byte[]> out = inputs.size() == 1 ? first.process(Stepping.one(step), BYTES)
                        : first.connect(made.get(inputs.get(1))).process(Stepping.two(step), BYTES);
                made.put(operator.name(), out.name(operator.name()).slotSharingGroup(middle(settings)));
            }
        }
    }

    private static void relay(Settings settings, StreamExecutionEnvironment environment) {
        SingleOutputStreamOperator<byte[]> source = environment.fromSource(
                new FeedSource<>(new Stepping.Fed(() -> new RelayFeeder(settings, reuse(settings)))),
                WatermarkStrategy.noWatermarks(), "source", BYTES).slotSharingGroup(ENDS);
        source.map(new Relay(settings)).returns(BYTES).name("relay").slotSharingGroup(middle(settings))
                .sinkTo(Stepping.sink(() -> Arrivals.step(settings))).name("sink").slotSharingGroup(ENDS);
    }
}
