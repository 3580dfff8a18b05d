package io.despina.operator.database.sink;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Collectors;

/**
 * Writes rows by PostgreSQL's COPY. Its driver is the user's, so its classes are reached by their names: {@code
 * PGConnection.getCopyAPI}, {@code CopyManager.copyIn}, {@code CopyIn.writeToCopy}, {@code endCopy} and {@code cancelCopy}.
 */
final class CopiedRows implements TableWriter {
    private final BinaryRows encoder;
    private final String statement;
    private final Method api;
    private final Method copyIn;
    private final Method send;
    private final Method end;
    private final Method cancel;

    private CopiedRows(BinaryRows encoder, TargetTable table, Class<?> postgres) throws ReflectiveOperationException {
        this.encoder = encoder;
        statement = "COPY " + table.name() + " (" + table.columns().stream().map(TargetTable.Target::quoted)
                .collect(Collectors.joining(", ")) + ") FROM STDIN (FORMAT binary)";
        ClassLoader driver = postgres.getClassLoader();
        api = postgres.getMethod("getCopyAPI");
        copyIn = Class.forName("org.postgresql.copy.CopyManager", true, driver).getMethod("copyIn", String.class);
        Class<?> in = Class.forName("org.postgresql.copy.CopyIn", true, driver);
        send = in.getMethod("writeToCopy", byte[].class, int.class, int.class);
        end = in.getMethod("endCopy");
        cancel = in.getMethod("cancelCopy");
    }

    /** @return null if the driver has no COPY, or the table a column that it cannot give to it */
    static CopiedRows of(Connection connection, TargetTable table, BinaryRows encoder) throws SQLException {
        if (encoder == null) {
            return null;
        }
        try {
            Class<?> postgres = Class.forName("org.postgresql.PGConnection", true, connection.getClass().getClassLoader());
            return connection.isWrapperFor(postgres) ? new CopiedRows(encoder, table, postgres) : null;
        } catch (ReflectiveOperationException other) {
            return null;        // a driver of another make
        }
    }

    @Override
    public void write(Connection connection, PendingRows rows, int from, int to) throws SQLException {
        Object copy = call(copyIn, call(api, connection.unwrap(api.getDeclaringClass())), statement);
        try {
            encoder.begin();
            for (int k = from; k < to; k++) {
                if (encoder.add(rows.row(k))) {
                    send(copy);
                }
            }
            encoder.end();
            send(copy);
        } catch (SQLException | RuntimeException bad) {
            cancel(copy, bad);
            throw bad;
        }
        call(end, copy);
    }

    private void send(Object copy) throws SQLException {
        call(send, copy, encoder.bytes(), 0, encoder.length());
        encoder.clear();
    }

    private void cancel(Object copy, Exception why) {
        try {
            call(cancel, copy);
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }

    private static Object call(Method method, Object of, Object... with) throws SQLException {
        try {
            return method.invoke(of, with);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof SQLException why) {
                throw why;
            }
            throw new SQLException(thrown.getCause());
        } catch (IllegalAccessException hidden) {
            throw new IllegalStateException(hidden);
        }
    }
}
