package io.despina.operator.database.source;

import io.despina.operator.Probe;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseTry;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.packet.Schema;
import java.io.IOException;

/** Tries what a {@link JdbcSource} reads: it is there with the columns of the schema, and may be read. */
public record SourceProbe(DatabaseOptions database, From from, Schema schema) implements Probe {

    @Override
    public String run(long millis) throws IOException {
        return DatabaseTry.words(database, millis, connection -> {
            SourceTable found = SourceTable.of(connection, from, schema);
            String narrow = found.narrow().isEmpty() ? "" : ", where " + String.join(", and ", found.narrow()) + ",";
            return (from.table() == null ? "the query" : "table " + from.table()) + narrow;
        });
    }
}
