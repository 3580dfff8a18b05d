package io.despina.catalogue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.PositionSource;
import io.despina.operator.connect.PositionSourceOptions;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.From;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.registry.RegistryProbe;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.registry.RegistryPlace;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.util.List;

/**
 * A source whose server numbers the records.
 *
 * @param connector its jar's name
 * @param bounded   whether it reads to where the partitions end
 * @param gap       why it does not run on Spark
 * @param registry  that has the schemas of the records; null without
 */
record PositionSourceSpec(String connector, ConnectorSettings settings, RecordFormat.Read records, Columns columns, Bounds bounds,
        boolean bounded, SparkGap gap, RegistryPlace registry) implements ExecutableSpec {

    @Override
    public Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return Promise.of(SourceGuarantee.REPLAYABLE);
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(gap);
    }

    @Override
    public Probe probe(InstanceContext making) {
        return ConnectorJars.probe(connector, settings, Connector.Use.READ).and(registry == null ? null
                : new RegistryProbe(registry, null, false));
    }

    @Override
    public Operator make(InstanceContext making) {
        return new PositionSource(new PositionSourceOptions(records, columns, making.operator().assigns(), Expressions::parser,
                bounds, new From(() -> ConnectorJars.load(connector), settings, bounded, registry == null ? null
                        : new PositionSourceOptions.Registry(registry, making.around().senders()))));
    }
}
