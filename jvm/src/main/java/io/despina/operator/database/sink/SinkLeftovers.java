package io.despina.operator.database.sink;

import io.despina.operator.Probe;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseTry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The marks of a {@link JdbcSink}'s outboxes: looks for them, or removes them.
 *
 * @param marks   the table that has them
 * @param sinks   the outboxes
 * @param removes whether they are removed
 */
public record SinkLeftovers(DatabaseOptions database, String marks, List<String> sinks, boolean removes) implements Probe {

    @Override
    public String run(long millis) throws IOException {
        return removes ? DatabaseTry.changed(database, millis, this::look) : DatabaseTry.words(database, millis, this::look);
    }

    private String look(Connection connection) throws SQLException, IOException {
        Marks table = new Marks(marks, "");
        if (!table.isThere(connection)) {
            return "nothing: there is no table " + marks;
        }
        List<String> found = new ArrayList<>();
        for (String sink : sinks) {
            long epoch = table.last(connection, sink);
            if (epoch > 0) {
                found.add(sink + " (epoch " + epoch + ")");
            }
            if (removes) {
                table.remove(connection, sink);
            }
        }
        return found.isEmpty() ? "no row in table " + marks
                : "in table " + marks + " the row" + (found.size() == 1 ? " of " : "s of ") + String.join(", ", found);
    }
}
