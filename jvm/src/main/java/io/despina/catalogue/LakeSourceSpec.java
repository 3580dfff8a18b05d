package io.despina.catalogue;

import io.despina.connect.Connector;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.LakeSource;
import io.despina.operator.connect.LakeSourceOptions;
import io.despina.operator.connect.LakeSourceOptions.Reading;
import io.despina.operator.database.source.FoundTable;
import io.despina.operator.disk.FileAddress;
import io.despina.packet.Schema;
import io.despina.plan.Promise;
import io.despina.plan.ReadsFiles;
import io.despina.plan.Settings;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A source that reads a table of files.
 *
 * @param table where it is, and with which version it begins
 */
public record LakeSourceSpec(Lake lake, LakeAddress table, Schema schema, Reading reading) implements ExecutableSpec,
        ReadsFiles {

    @Override
    public String path() {
        return table.text();
    }

    @Override
    public String userClass() {
        return table.userClass();
    }

    @Override
    public Blocking blocking() {
        return Blocking.ALWAYS;
    }

    @Override
    public boolean canBeSilent() {
        return reading.follow();
    }

    @Override
    public boolean keepsRowsHere() {
        return table.isHere();
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return Promise.of(SourceGuarantee.REPLAYABLE);
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(new SparkGap(lake.title() + " is no part of Spark's own distribution",
                "give what " + lake.connector() + "-spark reads in its place: to_spark(spark, inputs={…})"));
    }

    @Override
    public Map<String, Object> resolved() {
        return table.resolved();
    }

    @Override
    public Probe probe(InstanceContext making) {
        return ConnectorJars.probe(lake.connector(), table.of(making).with("schema", Expressions.parquetSchema(schema)),
                Connector.Use.READ);
    }

    @Override
    public FoundTable table(InstanceContext making, long millis) throws IOException {
        return new FoundTable(Expressions.columns(ConnectorJars.load(lake.connector()).columns(table.of(making))), null,
                List.of());
    }

    @Override
    public Operator make(InstanceContext making) {
        Settings settings = making.plan().settings();
        LakeSourceOptions.Files files = (path, columns, from) -> Expressions.parquet(FileAddress.uri(path),
                new FileRows.Options(columns, Map.of(), Set.of(), settings.timeZone(), settings.ansi()), from);
        return new LakeSource(new LakeSourceOptions(() -> ConnectorJars.load(lake.connector()), table.of(making),
                schema, Expressions::parquetSchema, files, making.operator().assigns(), reading));
    }
}
