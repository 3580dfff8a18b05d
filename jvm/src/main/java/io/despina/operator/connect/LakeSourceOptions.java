package io.despina.operator.connect;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.FileRows;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * What a source reads of a table of files.
 *
 * @param settings   fields of the operator
 * @param schemaText of the stream, as Spark's JSON; made where the operator runs
 * @param eventTime  or null
 */
public record LakeSourceOptions(PositionSourceOptions.Loading connector, ConnectorSettings settings, Schema schema,
        Function<Schema, String> schemaText, Files files, EventTime eventTime, Reading reading) {

    /** Opens a file. */
    public interface Files {
        /**
         * @param schema of the file
         * @param from   how many rows to pass over
         */
        FileRows open(Path file, Schema schema, long from) throws IOException;
    }

    /**
     * Which versions are read.
     *
     * @param onlyNew     whether the first is left out, and only what those behind it add is read
     * @param follow      whether those behind it are read, without an end
     * @param passesOver  whether one that has changed rows is passed over; else the job fails
     * @param pollMillis  how long it waits for another
     * @param retryMillis how long the table may be away
     */
    public record Reading(boolean onlyNew, boolean follow, boolean passesOver, long pollMillis, long retryMillis) {
    }
}
