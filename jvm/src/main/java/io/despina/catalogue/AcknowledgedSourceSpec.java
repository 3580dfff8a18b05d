package io.despina.catalogue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.AcknowledgedSource;
import io.despina.operator.connect.AcknowledgedSourceOptions;
import io.despina.operator.connect.AcknowledgedSourceOptions.Bounds;
import io.despina.operator.connect.AcknowledgedSourceOptions.From;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.PositionSourceOptions;
import io.despina.operator.connect.PositionSourceOptions.Columns;
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
 * A source whose server forgets a record once it is acknowledged.
 *
 * @param connector its jar's name
 * @param gap       why it does not run on Spark
 * @param registry  that has the schemas of the records; null without
 */
record AcknowledgedSourceSpec(String connector, ConnectorSettings settings, RecordFormat.Read records, Columns columns,
        Bounds bounds, Promise<SourceGuarantee> promise, SparkGap gap, RegistryPlace registry) implements ExecutableSpec {

    @Override
    public Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return promise;
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
    public Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
        return ConnectorJars.leftovers(connector, settings, names, removes);
    }

    @Override
    public Operator make(InstanceContext making) {
        return new AcknowledgedSource(new AcknowledgedSourceOptions(records, columns, making.operator().assigns(),
                Expressions::parser, bounds, new From(() -> ConnectorJars.load(connector), settings, registry == null
                        ? null : new PositionSourceOptions.Registry(registry, making.around().senders()))));
    }
}
