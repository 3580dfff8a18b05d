package io.despina.delta;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeReader.VersionFile;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.connect.LakeSink;
import io.despina.operator.connect.LakeSinkOptions;
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

/** A Delta table in a folder. */
class DeltaTargetTest extends MarkedTargetContract {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));

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
        return new LakeSink(new LakeSinkOptions(DeltaConnector::new, settings(), Expressions::parquetSchema,
                (out, schema) -> Expressions.parquetWriter(out, new FileRowsWriter.Options(schema, Map.of(), "UTC", true)),
                new LakeSinkOptions.Roll(60_000, 60_000)));
    }

    @Override
    protected List<Integer> rows() throws Exception {
        List<Integer> found = new ArrayList<>();
        if (!Files.exists(folder.resolve("table/_delta_log"))) {
            return found;
        }
        LakeReader reader = new DeltaConnector().lake(settings());
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
