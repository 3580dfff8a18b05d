package io.despina.operator.connect;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeReader.VersionFile;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The same of every table of files, in a folder. */
public abstract class LakeTargetContract extends MarkedTargetContract {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));

    protected abstract Connector connector();

    /** The folder in that of the table which says what is in it. */
    protected abstract String log();

    @Override
    protected void prepare() {
        // the sink makes the table
    }

    private ConnectorSettings settings() {
        return new ConnectorSettings(Map.of("path", folder.resolve("table").toString(), "schema",
                Expressions.parquetSchema(NUMBER)));
    }

    @Override
    protected MarkedSink sink() {
        return new LakeSink(new LakeSinkOptions(this::connector, settings(), Expressions::parquetSchema,
                (out, schema) -> Expressions.parquetWriter(out, new FileRowsWriter.Options(schema, Map.of(), "UTC", true)),
                List.of(), new LakeSinkOptions.Roll(60_000, 60_000)));
    }

    @Override
    protected List<Integer> rows() throws Exception {
        List<Integer> found = new ArrayList<>();
        if (!Files.exists(folder.resolve("table").resolve(log()))) {
            return found;
        }
        LakeReader reader = connector().lake(settings());
        for (VersionFile each : reader.all(reader.first()).files()) {
            try (FileRows rows = Expressions.parquet("file:" + each.path(), new FileRows.Options(NUMBER, Map.of(), Set.of(),
                    "UTC", true), 0)) {
                ScratchPackets row = new ScratchPackets(NUMBER);
                while (rows.next()) {
                    rows.write(row.writer());
                    found.add(row.next().getInt(0));
                }
            }
        }
        return found;
    }
}
