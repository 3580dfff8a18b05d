package io.despina.catalogue;

import io.despina.descriptor.Descriptor;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.plan.OperatorPlanner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All operators that a graph can have. */
public final class Catalogue {
    /** In the order of the reference page. */
    private static final List<Definition> ALL = List.of(new GeneratorSourceDefinition(), new FileSourceDefinition(),
            new FileSinkDefinition(), new CollectSinkDefinition(), new ConsoleSinkDefinition(), new DiscardSinkDefinition(),
            new RelayDefinition(), new ProjectDefinition(), new FilterDefinition(), new ExplodeDefinition(),
            new UnionDefinition(), new ScanDefinition(), new AggregateDefinition(), new JoinDefinition());

    private static final Map<OperatorType, OperatorPlanner> PLANNERS = new HashMap<>();

    static {
        ALL.forEach(each -> PLANNERS.put(each.type(), each));
    }

    /** Reads graph files. */
    public static final Descriptor DESCRIPTOR = new Descriptor(types());

    private Catalogue() {
    }

    static List<OperatorType> types() {
        return ALL.stream().map(Definition::type).toList();
    }

    public static OperatorPlanner planner(OperatorType type) {
        return PLANNERS.get(type);
    }

    /** A new instance of a planned operator. */
    public static Operator make(Making making) {
        return ((MakingSpec) making.operator().spec()).make(making);
    }
}
