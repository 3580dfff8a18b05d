package io.despina.operator.database;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sleeper;
import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One connection to a database, made when it is first needed, and again when it was lost. Where the database cannot be reached,
 * the caller waits and tries again, with growing pauses; when that has taken too long, what it does fails, and so does all that
 * follows, with one try at the end of each pause, until the database answers.
 */
public final class Database implements Closeable {

    /** What is done with a connection. It may be done again from its beginning. */
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** The classes of SQLSTATE: connection exceptions; the server shuts down or starts (PostgreSQL's). */
    private static final String CONNECTION = "08";
    private static final String SHUTDOWN = "57P";
    private static final int VALID_SECONDS = 1;
    private static final long FIRST_PAUSE = 50_000_000;
    private static final long LAST_PAUSE = 2_000_000_000;

    private final DatabaseOptions options;
    private final LongSupplier clock;
    private final Sleeper sleeper;
    private final Driver driver;
    /** Of every connection that is made, besides who asks. */
    private final Properties properties = new Properties();
    /** Written by the thread that works with it; {@link #cut} reads it. */
    private volatile Connection connection;
    /** Null while the database answers. */
    private SQLException away;
    private long awaySince;
    private long pause;
    private long nextTry;

    public Database(DatabaseOptions options, OperatorContext context) {
        this(options, context.clock(), TimeUnit.NANOSECONDS::sleep);
    }

    Database(DatabaseOptions options, LongSupplier clock, Sleeper sleeper) {
        this.options = options;
        this.clock = clock;
        this.sleeper = sleeper;
        driver = options.driver().get();
    }

    /**
     * Does {@code work}, as soon as the database can be reached.
     *
     * @throws SQLException if it cannot, or the work fails for another reason
     */
    <T> T call(Work<T> work) throws SQLException, InterruptedException {
        while (true) {
            if (away != null && clock.getAsLong() - nextTry < 0) {
                if (nextTry - awaySince > options.retryNanos()) {
                    throw away;
                }
                sleeper.sleep(nextTry - clock.getAsLong());
            }
            try {
                T result = work.with(connection());
                away = null;
                return result;
            } catch (SQLException bad) {
                if (!isLost(bad)) {
                    away = null;
                    throw bad;
                }
                putOff(bad);
            }
        }
    }

    private void putOff(SQLException why) {
        long now = clock.getAsLong();
        // A connection that has not been used for long is lost easily, so the first other try comes at once.
        pause = away == null ? 0 : Math.max(FIRST_PAUSE, Math.min(2 * pause, LAST_PAUSE));
        awaySince = away == null ? now : awaySince;
        nextTry = now + pause;
        away = why;
    }

    /** Gives the driver a property of its own. */
    public Database with(String name, String value) {
        properties.put(name, value);
        return this;
    }

    /** The connection, which is made if there is none: one try. */
    public Connection connection() throws SQLException {
        if (connection == null) {
            Properties with = new Properties();
            with.putAll(properties);
            DatabaseOptions.Login login = options.login();
            put(with, "user", login == null ? null : login.user());
            put(with, "password", login == null ? null : login.password());
            connection = driver.connect(options.url(), with);
            if (connection == null) {
                throw new SQLException("driver " + driver.getClass().getName() + " takes no URL that begins with `"
                        + beginning(options.url()) + "`; check `url`"
                        + (options.url().startsWith("jdbc:") ? "" : ", which begins with `jdbc:`"));
            }
        }
        return connection;
    }

    /** What tells drivers apart; a password may stand behind it. */
    private static String beginning(String url) {
        int first = url.indexOf(':');
        int second = url.startsWith("jdbc:") ? url.indexOf(':', first + 1) : -1;
        return url.substring(0, 1 + Math.max(first, second));
    }

    private static void put(Properties properties, String key, DatabaseSecret secret) throws SQLException {
        try {
            if (secret != null) {
                properties.put(key, secret.read());
            }
        } catch (IOException missing) {
            throw new SQLException(key + ": " + missing.getMessage(), missing);
        }
    }

    /** Whether the failure is one of the connection. If so, the connection is given up. */
    public boolean isLost(SQLException bad) {
        boolean lost = saysLost(bad) || connection != null && !isValid();
        if (lost) {
            drop();
        }
        return lost;
    }

    /** Whether the failure itself says that the connection is gone. */
    public static boolean saysLost(SQLException bad) {
        String state = bad.getSQLState() == null ? "" : bad.getSQLState();
        return state.startsWith(CONNECTION) || state.startsWith(SHUTDOWN) || bad instanceof SQLRecoverableException
                || bad instanceof SQLTransientConnectionException || bad instanceof SQLNonTransientConnectionException;
    }

    private boolean isValid() {
        try {
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException broken) {
            return false;
        }
    }

    /** Gives the connection up: the next call makes another. */
    public void drop() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException lost) {
            // it was lost before
        }
        connection = null;
    }

    /** From any thread: ends what waits for the database, which sees its connection lost. */
    public void cut() {
        Connection cut = connection;
        try {
            if (cut != null) {
                cut.abort(Runnable::run);
            }
        } catch (SQLException | AbstractMethodError unknown) {
            // a driver that cannot do it waits for its answer
        }
    }

    @Override
    public void close() {
        drop();
    }
}
