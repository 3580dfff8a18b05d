package io.despina.catalogue;

import io.despina.descriptor.Descriptor;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.database.source.FoundTable;
import io.despina.plan.OperatorPlanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All operator types. */
public final class Catalogue {
    /** In the order of the schema and, within a family, of the reference. */
    private static final List<Definition> ALL = List.of(
            new GeneratorSourceDefinition(),
            new FileSourceDefinition(),
            new FileSinkDefinition(),
            new TcpSourceDefinition(),
            new TcpSinkDefinition(),
            new HttpSourceDefinition(),
            new HttpSinkDefinition(),
            new HttpPollSourceDefinition(),
            new HttpStreamSourceDefinition(),
            new WebSocketSourceDefinition(),
            new WebSocketSinkDefinition(),
            new KafkaSourceDefinition(),
            new KafkaSinkDefinition(),
            new MqttSourceDefinition(),
            new MqttSinkDefinition(),
            new NatsSourceDefinition(),
            new NatsSinkDefinition(),
            new ZeroMqSourceDefinition(),
            new ZeroMqSinkDefinition(),
            new RedisSourceDefinition(),
            new RedisSinkDefinition(),
            new OpcUaSourceDefinition(),
            new DeltaSourceDefinition(),
            new DeltaSinkDefinition(),
            new IcebergSourceDefinition(),
            new IcebergSinkDefinition(),
            new ConnectorSourceDefinition(),
            new ConnectorSinkDefinition(),
            new JobSourceDefinition(),
            new JobSinkDefinition(),
            new JdbcSourceDefinition(),
            new JdbcSinkDefinition(),
            new CollectSinkDefinition(),
            new ConsoleSinkDefinition(),
            new DiscardSinkDefinition(),
            new RelayDefinition(), new DelayDefinition(), new ControlDefinition(),
            new ProjectDefinition(),
            new FilterDefinition(),
            new RouteDefinition(),
            new ExplodeDefinition(),
            new UnionDefinition(),
            new DeduplicateDefinition(),
            new ChangesDefinition(),
            new AbsenceDefinition(),
            new ResampleDefinition(),
            new PatternDefinition(),
            new ScanDefinition(),
            new AggregateDefinition(),
            new TopDefinition(),
            new SortDefinition(),
            new LatestDefinition(),
            new JoinDefinition(),
            new LookupDefinition(),
            new GeocodeDefinition(),
            new LocateDefinition(),
            new SqlDefinition(),
            new JavaDefinition(),
            new PythonDefinition(),
            new JavaSourceDefinition(),
            new JavaSinkDefinition(),
            new PythonSourceDefinition(),
            new PythonSinkDefinition(),
            new SparkSourceDefinition());

    /** By the type's word: hashing a whole declaration would cost a starting process milliseconds. */
    private static final Map<String, Definition> BY_WORD = new HashMap<>();

    static {
        for (Definition each : ALL) {
            BY_WORD.put(each.type().word(), each);
        }
    }

    /** Reads graph files. */
    public static final Descriptor DESCRIPTOR = new Descriptor(types());

    private Catalogue() {
    }

    static List<OperatorType> types() {
        List<OperatorType> types = new ArrayList<>();
        for (Definition each : ALL) {
            types.add(each.type());
        }
        return types;
    }

    public static OperatorPlanner planner(OperatorType type) {
        return BY_WORD.get(type.word());
    }

    /** The parts of an operator that its plan divides. */
    public static Halves halves(InstanceContext making) {
        return ((ExecutableSpec) making.operator().spec()).halves(making);
    }

    /** Tries what a planned operator connects to; null if it connects to nothing. */
    public static Probe probe(InstanceContext making) {
        return making.operator().spec() instanceof ExecutableSpec spec ? spec.probe(making) : null;
    }

    /** Looks for what a planned operator has left at a server, or removes it; null if it leaves nothing. */
    public static Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
        return making.operator().spec() instanceof ExecutableSpec spec ? spec.leftovers(making, names, removes) : null;
    }

    /** What a source of a table could read of it. Blocks. @param millis how long, where the driver can be told so */
    public static FoundTable table(InstanceContext making, long millis) throws IOException {
        return ((ExecutableSpec) making.operator().spec()).table(making, millis);
    }

    /** A new instance of a planned operator. */
    public static Operator make(InstanceContext making) {
        return ((ExecutableSpec) making.operator().spec()).make(making);
    }
}
