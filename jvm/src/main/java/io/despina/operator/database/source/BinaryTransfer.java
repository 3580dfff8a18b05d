package io.despina.operator.database.source;

import java.lang.reflect.InvocationTargetException;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * PostgreSQL's driver gives values as text until a statement has been executed some times, and to parse a number or a time
 * costs more than all else of a row. It is asked for bytes at once, by its {@code PGStatement.setPrepareThreshold}. Its classes
 * are in a jar of the user's.
 */
final class BinaryTransfer {
    private static final String THRESHOLD = "prepareThreshold";
    private static final int AT_ONCE = -1;

    private BinaryTransfer() {
    }

    /** @param url who says there when statements are to be prepared has reasons, as a pool between them and the server */
    static void ask(PreparedStatement statement, String url) throws SQLException {
        if (url.contains(THRESHOLD)) {
            return;
        }
        try {
            Class<?> postgres = Class.forName("org.postgresql.PGStatement", true, statement.getClass().getClassLoader());
            if (statement.isWrapperFor(postgres)) {
                postgres.getMethod("setPrepareThreshold", int.class).invoke(statement.unwrap(postgres), AT_ONCE);
            }
        } catch (InvocationTargetException why) {
            throw why.getCause() instanceof SQLException refused ? refused : new SQLException(why.getCause());
        } catch (ReflectiveOperationException another) {
            return;         // another driver
        }
    }
}
