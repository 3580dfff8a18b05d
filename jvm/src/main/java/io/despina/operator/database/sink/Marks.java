package io.despina.operator.database.sink;

import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.operator.HintedException;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.Rejection;
import io.despina.operator.database.TableNames;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The table with a row for each sink that has written epochs: the last of them. A transaction sets it before it writes rows of an
 * epoch, and so has the row to itself: whoever asks waits until the transaction has ended.
 */
final class Marks {
    private static final int NAME = 64;
    private static final String ASK = "let an administrator execute: ";
    private static final int OPERATOR = 255;

    private final String table;
    private final String operator;
    /** The sink whose row is known to have been there. */
    private String known = "";
    /** That whose row a transaction has to itself. */
    private String claimed = "";

    Marks(String table, String operator) {
        this.table = table;
        this.operator = operator.length() > OPERATOR ? operator.substring(0, OPERATOR) : operator;
    }

    private String ddl() {
        return "CREATE TABLE " + table + " (sink VARCHAR(" + NAME + ") PRIMARY KEY, epoch BIGINT NOT NULL, operator VARCHAR("
                + OPERATOR + "), written TIMESTAMP)";
    }

    /**
     * Makes the table if it is not there.
     *
     * @throws IOException if it cannot be made, with what an administrator can do
     */
    void make(Connection connection) throws SQLException, IOException {
        SQLException missing = missing(connection);
        if (missing == null) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(ddl());
            connection.commit();
        } catch (SQLException refused) {
            connection.rollback();
            if (Rejection.of(refused) == Rejection.LATER) {
                throw refused;
            }
            if (missing(connection) != null) {        // and no other sink has made it meanwhile
                throw new HintedException("`epochs_table`: " + DatabaseWords.of(missing) + "; it cannot be made: "
                        + DatabaseWords.of(refused), ASK + ddl() + "; " + grant(connection), refused);
            }
        }
    }

    private String grant(Connection connection) throws SQLException {
        return "GRANT SELECT, INSERT, UPDATE ON " + table + " TO " + connection.getMetaData().getUserName();
    }

    /**
     * Whether it is not there, and can be made; nothing is made or written.
     *
     * @throws IOException if it cannot be made or written, where the database can say so
     */
    boolean isToBeMade(Connection connection, Dialect dialect) throws SQLException, IOException {
        SQLException missing = missing(connection);
        if (missing == null) {
            tryToWrite(connection, dialect);
            return false;
        }
        if (TableRights.NO_RIGHT.equals(missing.getSQLState())) {
            throw new HintedException("`epochs_table`: " + DatabaseWords.of(missing), ASK
                    + grant(connection), missing);
        }
        if (dialect == Dialect.POSTGRESQL && !mayMake(connection)) {
            throw new HintedException("`epochs_table`: " + DatabaseWords.of(missing) + "; no table can be made in its schema",
                    ASK + ddl() + "; " + grant(connection), missing);
        }
        return true;
    }

    private void tryToWrite(Connection connection, Dialect dialect) throws SQLException, IOException {
        if (!dialect.explains()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("EXPLAIN INSERT INTO " + table + " (sink, epoch, operator, written) VALUES (NULL, NULL, NULL, "
                    + "NULL)");
            statement.execute("EXPLAIN UPDATE " + table + " SET epoch = NULL, operator = NULL, written = NULL WHERE sink = "
                    + "NULL");
        } catch (SQLException refused) {
            if (Rejection.of(refused) != Rejection.TABLE) {
                throw refused;
            }
            throw new HintedException("`epochs_table`: " + DatabaseWords.of(refused), ASK
                    + grant(connection), refused);
        }
    }

    private boolean mayMake(Connection connection) throws SQLException {
        String schema = TableNames.schema(connection, table);
        if (schema == null) {
            return false;
        }
        try (PreparedStatement ask = connection.prepareStatement("SELECT has_schema_privilege(?, 'CREATE')")) {
            ask.setString(1, schema);
            try (ResultSet answer = ask.executeQuery()) {
                return answer.next() && answer.getBoolean(1);
            }
        }
    }

    /** Why it cannot be used; null if it can. */
    private SQLException missing(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT sink, epoch, operator, written FROM " + table + " WHERE 1 = 0").close();
            connection.commit();
            return null;
        } catch (SQLException refused) {
            connection.rollback();
            if (Rejection.of(refused) != Rejection.TABLE) {
                throw refused;
            }
            return refused;
        }
    }

    /**
     * Sets the mark of that epoch, in a transaction that it begins.
     *
     * @return ABSENT if it is set now, and was not before; else nothing has changed
     * @throws RefusedException if that of a later epoch is set
     */
    Marker claim(Connection connection, String sink, long epoch) throws SQLException, RefusedException {
        claimed = sink;
        try (PreparedStatement update = connection.prepareStatement("UPDATE " + table
                + " SET epoch = ?, operator = ?, written = CURRENT_TIMESTAMP WHERE sink = ? AND epoch < ?")) {
            update.setLong(1, epoch);
            update.setString(2, operator);
            update.setString(3, sink);
            update.setLong(4, epoch);
            if (update.executeUpdate() == 1) {
                return Marker.ABSENT;
            }
        }
        long last = last(connection, sink);
        if (last > epoch) {
            throw RefusedException.olderState(sink + " of `" + operator + "`", epoch, "`epochs_table` " + table
                    + " says that epoch " + last + " is written");
        }
        if (last > 0) {
            known = sink;
            return Marker.THERE;
        }
        if (known.equals(sink)) {
            return Marker.PRUNED;
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
                + " (sink, epoch, operator, written) VALUES (?, ?, ?, CURRENT_TIMESTAMP)")) {
            insert.setString(1, sink);
            insert.setLong(2, epoch);
            insert.setString(3, operator);
            insert.executeUpdate();
        }
        return Marker.ABSENT;
    }

    /** Whether the table is there, and may be read. */
    boolean isThere(Connection connection) throws SQLException {
        return missing(connection) == null;
    }

    /** The last epoch of that sink; 0 if there is none. */
    long last(Connection connection, String sink) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT epoch FROM " + table + " WHERE sink = ?")) {
            select.setString(1, sink);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    void remove(Connection connection, String sink) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table + " WHERE sink = ?")) {
            delete.setString(1, sink);
            delete.executeUpdate();
        }
    }

    /** The transaction has ended as it should. */
    void committed() {
        known = claimed;
    }
}
