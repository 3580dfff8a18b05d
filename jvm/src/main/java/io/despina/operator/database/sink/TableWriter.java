package io.despina.operator.database.sink;

import java.sql.Connection;
import java.sql.SQLException;

/** Writes rows within a transaction that another begins and ends. */
interface TableWriter {

    /**
     * Writes rows {@code from} to {@code to}, without the last.
     *
     * @throws SQLException             if the database does not take one of them, or cannot be reached
     * @throws IllegalArgumentException if the value of one does not fit its column
     * @throws ArithmeticException      the same
     */
    void write(Connection connection, PendingRows rows, int from, int to) throws SQLException;
}
