package io.despina.catalogue;

import io.despina.catalogue.field.SocketFields;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.PositionSource;
import io.despina.operator.connect.PositionSourceOptions;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.From;
import io.despina.operator.record.RecordFormat;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.Map;

/**
 * A source that asks a server over HTTP.
 *
 * @param bounded whether it ends
 * @param promise of rows that left after the last complete epoch
 */
record AskingSpec(Connector connector, RecordFormat.Read records, Columns columns, Bounds bounds, boolean bounded,
        Promise<SourceGuarantee> promise) implements ExecutableSpec {
    private static final ConnectorSettings NONE = new ConnectorSettings(Map.of());

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
        return SocketFields.SOURCE_GAPS;
    }

    @Override
    public Probe probe(InstanceContext making) {
        return millis -> connector.probe(NONE, Connector.Use.READ, millis);
    }

    @Override
    public Operator make(InstanceContext making) {
        return new PositionSource(new PositionSourceOptions(records, columns, making.operator().assigns(), Expressions::parser,
                bounds, new From(() -> connector, NONE, bounded, null)));
    }
}
