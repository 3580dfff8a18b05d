package io.despina.compare.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.jet.config.EdgeConfig;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Edge;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.Vertex;
import io.despina.compare.RelayFeeder;
import io.despina.compare.Settings;
import io.despina.compare.Topology;
import java.util.HashMap;
import java.util.Map;

/** The DAG of each work. */
final class Works {
    private Works() {
    }

    static DAG dag(Settings settings, Address ends, Address middle, int job) {
        String work = settings.text("work");
        return switch (work) {
            case "relay", "rates", "slow_sink", "idle" -> relay(settings, ends, middle);
            default -> topology(Topology.of(work), settings, new Address[] {ends, middle}, job);
        };
    }

    private static DAG relay(Settings settings, Address ends, Address middle) {
        DAG dag = new DAG();
        Vertex source = dag.newVertex("source", on(ends, ProcessorSupplier.of(
                () -> new Stepping.Source(() -> new RelayFeeder(settings, false)))));
        Vertex relay = dag.newVertex("relay", on(middle, ProcessorSupplier.of(() -> new Relaying.Relay(settings))));
        Vertex sink = dag.newVertex("sink", on(ends, ProcessorSupplier.of(() -> new Relaying.Sink(settings))));
        dag.edge(edge(settings, source, 0, relay, 0, middle));
        dag.edge(edge(settings, relay, 0, sink, 0, ends));
        return dag;
    }

    private static DAG topology(Topology topology, Settings settings, Address[] members, int job) {
        DAG dag = new DAG();
        Map<String, Vertex> made = new HashMap<>();
        Map<String, Integer> outputs = new HashMap<>();
        made.put(Topology.SOURCE, dag.newVertex(Topology.SOURCE, on(members[0], ProcessorSupplier.of(
                () -> new Stepping.Source(() -> topology.feeder(settings))))));
        for (Topology.Operator operator : topology.operators()) {
            Address member = operator.isSink() ? members[0] : members[1];
            Vertex vertex = dag.newVertex(operator.name(), on(member, ProcessorSupplier.of(
                    () -> new Stepping.Processing(() -> operator.step(settings, job)))));
            made.put(operator.name(), vertex);
            for (int input = 0; input < operator.inputs().size(); input++) {
                String from = operator.inputs().get(input);
                int output = outputs.merge(from, 1, Integer::sum) - 1;
                dag.edge(edge(settings, made.get(from), output, vertex, input, member));
            }
        }
        return dag;
    }

    /** One instance, on that member. */
    static ProcessorMetaSupplier on(Address member, ProcessorSupplier supplier) {
        return ProcessorMetaSupplier.forceTotalParallelismOne(supplier, member);
    }

    /** All packets to that member's one instance, with the edge settings of the run. */
    static Edge edge(Settings settings, Vertex from, int out, Vertex to, int in, Address member) {
        EdgeConfig config = new EdgeConfig();
        if (settings.number("queue_size", 0) > 0) {
            config.setQueueSize(settings.number("queue_size"));
        }
        if (settings.number("packet_limit", 0) > 0) {
            config.setPacketSizeLimit(settings.number("packet_limit"));
        }
        return Edge.from(from, out).to(to, in).distributeTo(member).allToOne(to.getName()).setConfig(config);
    }
}
