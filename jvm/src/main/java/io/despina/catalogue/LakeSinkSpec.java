package io.despina.catalogue;

import io.despina.connect.Connector;
import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.LakeSink;
import io.despina.operator.connect.LakeSinkOptions;
import io.despina.plan.Promise;
import io.despina.plan.Settings;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;

/**
 * A sink that appends to a table of files.
 *
 * @param table where it is, and how it is partitioned
 * @param keys  ordinals of the columns that say which row a packet takes the place of; none if each is added
 */
public record LakeSinkSpec(Lake lake, LakeAddress table, List<Integer> keys, LakeSinkOptions.Roll roll, Leaving leaving)
        implements LeavingSpec {

    @Override
    public Blocking blocking() {
        return Blocking.ALWAYS;
    }

    @Override
    public Promise<SinkGuarantee> leaves(UserPromises user) {
        return leaving.byEpoch() || keys.isEmpty() ? leaving.marked("written") : Promise.of(SinkGuarantee.IDEMPOTENT);
    }

    @Override
    public boolean keepsRowsHere() {
        return leaving.byEpoch() || table.isHere();
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(new SparkGap(lake.title() + " is no part of Spark's own distribution", "write the frame that the graph "
                + "gives by " + lake.connector() + "-spark: df.write.format(\"" + lake.connector() + "\"); or stub the sink"));
    }

    @Override
    public Map<String, Object> resolved() {
        return table.resolved();
    }

    @Override
    public String userClass() {
        return table.userClass();
    }

    @Override
    public Probe probe(InstanceContext making) {
        return ConnectorJars.probe(lake.connector(), table.of(making).with("schema",
                Expressions.parquetSchema(making.input(0).schema())), leaving.byEpoch() ? Connector.Use.WRITE_EPOCHS
                : Connector.Use.WRITE);
    }

    @Override
    public Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
        return ConnectorJars.leftovers(lake.connector(), table.of(making), names, removes);
    }

    @Override
    public Operator make(InstanceContext making) {
        Settings settings = making.plan().settings();
        LakeSinkOptions.Files files = (out, schema) -> Expressions.parquetWriter(out, new FileRowsWriter.Options(schema,
                lake.writing(), settings.timeZone(), settings.ansi()));
        return leaving.of(new LakeSink(new LakeSinkOptions(() -> ConnectorJars.load(lake.connector()),
                table.of(making), Expressions::parquetSchema, files, keys, roll)), making);
    }
}
