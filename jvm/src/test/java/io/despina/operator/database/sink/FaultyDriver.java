package io.despina.operator.database.sink;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/** A driver whose connections break where the test says. */
final class FaultyDriver implements Driver {
    /** When the next connection breaks. */
    enum Break {
        NONE, BEFORE_COMMIT, AFTER_COMMIT, IN_ROWS
    }

    private final Driver real;
    volatile Break next = Break.NONE;

    FaultyDriver(Driver real) {
        this.real = real;
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        Connection connection = real.connect(url, info);
        return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, with) -> {
                    boolean commits = method.getName().equals("commit");
                    boolean writes = method.getName().equals("unwrap")
                            || method.getName().equals("prepareStatement") && !with[0].toString().contains("despina_epochs");
                    if (commits && next == Break.BEFORE_COMMIT || writes && next == Break.IN_ROWS) {
                        next = Break.NONE;
                        connection.close();
                        throw new SQLException("the connection is gone", "08006");
                    }
                    try {
                        Object answer = method.invoke(connection, with);
                        if (commits && next == Break.AFTER_COMMIT) {
                            next = Break.NONE;
                            connection.close();
                            throw new SQLException("the answer is gone", "08006");
                        }
                        return answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        return real.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
        return real.getPropertyInfo(url, info);
    }

    @Override
    public int getMajorVersion() {
        return real.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return real.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return real.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
    }
}
