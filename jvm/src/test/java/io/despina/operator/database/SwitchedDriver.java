package io.despina.operator.database;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import org.sqlite.JDBC;

/** SQLite as a server that can be switched off: that closes its connections, and refuses others. */
final class SwitchedDriver implements Driver {
    private final Driver sqlite = new JDBC();
    private final List<Connection> open = new ArrayList<>();
    private boolean off;
    int connects;
    Properties properties;

    void off() throws SQLException {
        off = true;
        for (Connection each : open) {
            each.close();
        }
        open.clear();
    }

    void on() {
        off = false;
    }

    @Override
    public Connection connect(String url, Properties given) throws SQLException {
        connects++;
        properties = given;
        if (off) {
            throw new SQLException("connection refused", "08001");
        }
        Connection connection = sqlite.connect(url, new Properties());
        open.add(connection);
        return connection;
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        return sqlite.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
        return sqlite.getPropertyInfo(url, info);
    }

    @Override
    public int getMajorVersion() {
        return sqlite.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return sqlite.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return sqlite.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
    }
}
