package io.despina.operator.database;

import io.despina.operator.Retries;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The databases that operators are tested with. Each test has one that is empty. */
public enum TestDatabase {
    POSTGRESQL(org.postgresql.Driver::new) {
        @Override
        public void prepare(Path folder) throws SQLException {
            PostgresServer server = PostgresServer.shared();
            schema = "s" + SCHEMAS.incrementAndGet();
            server.execute("CREATE SCHEMA " + schema);
            url = server.url() + "?currentSchema=" + schema;
        }

        @Override
        public String allTypes() {
            return "SELECT a::int, b, c, d, e, f, g, h, upper(encode(i, 'hex')), j, k AT TIME ZONE 'UTC', l, m, n FROM t "
                    + "WHERE b IS NOT NULL";
        }
    },
    SQLITE(org.sqlite.JDBC::new) {
        @Override
        public void prepare(Path folder) {
            url = "jdbc:sqlite:" + folder.resolve("plant.db");
        }

        /** What its driver writes of a time is milliseconds since 1970; a numeric is a real. */
        @Override
        public String allTypes() {
            return "SELECT a, b, c, d, e, f, g, h, hex(i), date(j / 1000, 'unixepoch'), "
                    + "strftime('%Y-%m-%d %H:%M:%f', k / 1000.0, 'unixepoch'), "
                    + "strftime('%Y-%m-%d %H:%M:%f', l / 1000.0, 'unixepoch'), '-12.30', "
                    + "'-123456789012345678901234567.125' FROM t WHERE b IS NOT NULL AND m = -12.3 AND n = "
                    + "-123456789012345678901234567.125";
        }
    },
    H2(org.h2.Driver::new) {
        @Override
        public void prepare(Path folder) {
            url = "jdbc:h2:" + folder.resolve("plant") + ";CASE_INSENSITIVE_IDENTIFIERS=TRUE;TIME ZONE=UTC";
        }

        @Override
        public String allTypes() {
            return "SELECT CAST(a AS INT), b, c, d, e, f, g, h, upper(rawtohex(i)), j, CAST(k AS TIMESTAMP), l, m, n FROM t "
                    + "WHERE b IS NOT NULL";
        }
    };

    private static final AtomicInteger SCHEMAS = new AtomicInteger();
    private final Supplier<Driver> driver;
    String url;
    String schema;

    TestDatabase(Supplier<Driver> driver) {
        this.driver = driver;
    }

    /** Makes an empty one. */
    public abstract void prepare(Path folder) throws SQLException;

    /** A query for what a table of all types has, written alike. */
    public abstract String allTypes();

    public String schema() {
        return schema;
    }

    public DatabaseOptions options() {
        return optionsOf("postgres", null);
    }

    public DatabaseOptions optionsOf(String user, DatabaseSecret password) {
        return new DatabaseOptions(url, this != POSTGRESQL ? null : new DatabaseOptions.Login(
                new DatabaseSecret(DatabaseSecret.Where.HERE, user), password), driver, ZoneId.of("UTC"), 0);
    }

    public Connection connect() throws SQLException {
        return this == POSTGRESQL ? DriverManager.getConnection(url, "postgres", "") : DriverManager.getConnection(url);
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    public List<String> rows(String query) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement(); ResultSet found =
                statement.executeQuery(query)) {
            List<String> rows = new ArrayList<>();
            while (found.next()) {
                List<String> columns = new ArrayList<>();
                for (int k = 1; k <= found.getMetaData().getColumnCount(); k++) {
                    columns.add(String.valueOf(found.getString(k)));
                }
                rows.add(String.join(",", columns));
            }
            return rows;
        }
    }

    /** Until some transaction of PostgreSQL's waits for another. */
    public void awaitLock() throws SQLException, InterruptedException {
        while (rows("SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Waits no time, and keeps for how long it would have. */
    public static Retries.Waiting waiting(List<Long> waits) {
        return new Retries.Waiting(waits::add, new Random(1));
    }
}
