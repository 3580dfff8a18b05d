package io.despina.operator.database;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import java.util.Set;

/** What a database means that does not do what it is told. */
public enum Rejection {
    /** It may take them later: a deadlock, another transaction in between, no room, too many connections. */
    LATER,
    /** It would not do it with any row: the table is another than it was, or its user lacks a right. */
    TABLE,
    /** One of the rows is bad. */
    ROW;

    /** Classes of SQLSTATE: the transaction was rolled back; it lacks a resource. */
    private static final Set<String> LATER_CLASSES = Set.of("40", "53");
    /** A lock was not to be had (PostgreSQL), a statement took too long, the server may only be read, as in a switch to it. */
    private static final Set<String> LATER_STATES = Set.of("55P03", "57014", "25006", "HYT00");
    /** A syntax error or a missing right, a schema, a catalogue, who asks, what it cannot do. */
    private static final Set<String> TABLE_CLASSES = Set.of("42", "3F", "3D", "28", "0A");
    /** SQLite's numbers, whose driver gives no states: busy, locked, full; an error of the statement, read-only. */
    private static final Set<Integer> SQLITE_LATER = Set.of(5, 6, 13);
    private static final Set<Integer> SQLITE_TABLE = Set.of(1, 8);
    private static final int CLASS = 2;
    private static final int PRIMARY = 0xFF;

    public static Rejection of(SQLException why) {
        SQLException cause = cause(why);
        String state = cause.getSQLState();
        if (cause instanceof SQLTransientException || cause instanceof SQLTransactionRollbackException) {
            return LATER;
        }
        if (state == null || state.length() < CLASS) {
            int code = cause.getErrorCode() & PRIMARY;
            return SQLITE_LATER.contains(code) ? LATER : SQLITE_TABLE.contains(code) ? TABLE : ROW;
        }
        String of = state.substring(0, CLASS);
        return LATER_CLASSES.contains(of) || LATER_STATES.contains(state) ? LATER
                : TABLE_CLASSES.contains(of) ? TABLE : ROW;
    }

    /** What a batch of statements failed with has the database's own words behind it. */
    public static SQLException cause(SQLException why) {
        return why instanceof BatchUpdateException && why.getNextException() != null ? why.getNextException() : why;
    }
}
