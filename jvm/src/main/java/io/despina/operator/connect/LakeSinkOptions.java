package io.despina.operator.connect;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.FileRowsWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Function;

/**
 * What a sink writes to a table of files.
 *
 * @param settings   fields of the operator
 * @param schemaText of the stream, as Spark's JSON; made where the operator runs
 * @param files      makes a writer of one file
 * @param keys       ordinals of the columns that say which row a packet takes the place of; none if each is added
 */
public record LakeSinkOptions(PositionSourceOptions.Loading connector, ConnectorSettings settings,
        Function<Schema, String> schemaText, Files files, List<Integer> keys, Roll roll) {

    /** Makes a writer of one file. */
    public interface Files {
        FileRowsWriter writer(OutputStream out, Schema schema) throws IOException;
    }

    /**
     * When files end.
     *
     * @param millis      how long rows wait in a job that keeps no state
     * @param retryMillis how long the table may be away
     */
    public record Roll(long millis, long retryMillis) {
    }
}
