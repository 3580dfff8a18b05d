package io.despina.catalogue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.MarkedRecordSink;
import io.despina.operator.connect.RecordSink;
import io.despina.operator.connect.RecordSinkOptions;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.To;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.registry.Registration;
import io.despina.operator.record.registry.RegistryProbe;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.List;

/**
 * A sink that writes a record for each packet.
 *
 * @param registration of the schema of its records; null without a registry
 */
record RecordSinkSpec(Server server, RecordFormat.Write records, Parts parts, Value value, Leaving leaving,
        Registration registration)
        implements LeavingSpec {

    /**
     * Where the records go.
     *
     * @param connector   its jar's name
     * @param bufferBytes of what is on its way
     * @param marks       whether it keeps a marker of each epoch, in the transaction of its rows
     * @param promise     what it promises of rows that wait for their epoch
     * @param gap         why it does not run on Spark
     */
    record Server(String connector, ConnectorSettings settings, long bufferBytes, boolean marks, Promise<SinkGuarantee> promise,
            SparkGap gap) {
    }

    @Override
    public List<Compiled<?>> code() {
        List<Compiled<?>> code = new ArrayList<>();
        code.add(parts.compiled());
        return code;
    }

    @Override
    public Blocking blocking() {
        return Blocking.ALWAYS;
    }

    @Override
    public Promise<SinkGuarantee> leaves(UserPromises user) {
        boolean loses = server.promise().guarantee() == SinkGuarantee.NONE;
        return leaving.byEpoch() || loses ? server.promise() : Leaving.again("written");
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(server.gap());
    }

    @Override
    public Probe probe(InstanceContext making) {
        return ConnectorJars.probe(server.connector(), server.settings(), server.marks() && leaving.byEpoch()
                ? Connector.Use.WRITE_EPOCHS : Connector.Use.WRITE).and(registration == null ? null
                : new RegistryProbe(registration.place(), registration.subject(), registration.registers()));
    }

    @Override
    public Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
        return server.marks() ? ConnectorJars.leftovers(server.connector(), server.settings(), names, removes) : null;
    }

    @Override
    public Operator make(InstanceContext making) {
        RecordSinkOptions options = new RecordSinkOptions(records, Expressions::formatter, parts, value,
                new To(() -> ConnectorJars.load(server.connector()), server.settings(), server.bufferBytes(), registration));
        return leaving.of(server.marks() && leaving.byEpoch() ? new MarkedRecordSink(options) : new RecordSink(options), making);
    }
}
