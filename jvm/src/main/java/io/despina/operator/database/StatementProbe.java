package io.despina.operator.database;

import io.despina.operator.Probe;
import io.despina.packet.Schema;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tries a statement without executing it: where the database can explain it, what it names is there and may be used.
 *
 * @param in   the packets whose columns are its parameters
 * @param gives how many columns its rows have; 0 if it gives none
 */
public record StatementProbe(StatementOptions options, Schema in, int gives) implements Probe {
    private static final Pattern EXPLAINED = Pattern.compile("\\s*(?:SELECT|VALUES|WITH|INSERT|UPDATE|DELETE|MERGE|REPLACE)\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Set<String> EXPLAINS = Set.of("postgresql", "sqlite");

    @Override
    public String run(long millis) throws IOException {
        return DatabaseTry.words(options.database(), millis, this::look);
    }

    private String look(Connection connection) throws SQLException, IOException {
        try (PreparedStatement statement = connection.prepareStatement(options.sql())) {
            GivenColumns.check(statement, gives);
            boolean explained = EXPLAINED.matcher(options.sql()).lookingAt()
                    && EXPLAINS.contains(connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT));
            if (explained) {
                explain(connection);
            }
            return explained ? "the statement" : "the database";
        } catch (SQLException why) {
            if (Database.saysLost(why)) {
                throw why;
            }
            throw new IOException("`statement`: " + DatabaseWords.of(why), why);
        }
    }

    private void explain(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("EXPLAIN " + options.sql())) {
            List<Integer> parameters = options.parameters();
            for (int k = 0; k < parameters.size(); k++) {
                JdbcValues.bindNull(statement, k + 1, in.column(parameters.get(k)).type());
            }
            statement.execute();
        }
    }
}
