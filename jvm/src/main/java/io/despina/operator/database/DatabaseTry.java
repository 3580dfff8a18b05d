package io.despina.operator.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Connects to a database once, to look at it, or to change something. */
public final class DatabaseTry {
    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String SQLITE = "jdbc:sqlite:";
    private static final String H2 = "jdbc:h2:";
    /** SQLite's SQLITE_OPEN_READONLY and SQLITE_OPEN_READWRITE: a file that is not there is not made. */
    private static final String READ_ONLY = "1";
    private static final String READ_WRITE = "2";

    private DatabaseTry() {
    }

    /** What is looked at. */
    public interface Look<T> {
        T at(Connection connection) throws SQLException, IOException;
    }

    /** @return what was found, in words for the user, and where */
    public static String words(DatabaseOptions options, long millis, Look<String> look) throws IOException {
        return of(options, millis, look) + " at " + options.url();
    }

    /** The same, and what is done there stays. */
    public static String changed(DatabaseOptions options, long millis, Look<String> change) throws IOException {
        return of(options, millis, READ_WRITE, connection -> {
            String words = change.at(connection);
            connection.commit();
            return words;
        }) + " at " + options.url();
    }

    /**
     * @param millis how long the driver may wait, where it can be told so
     * @return what was found
     * @throws IOException what is wrong, with the field
     */
    public static <T> T of(DatabaseOptions options, long millis, Look<T> look) throws IOException {
        return of(options, millis, READ_ONLY, look);
    }

    /**
     * A connection to a database that is there, for the caller to close. One try.
     *
     * @param millis how long the driver may wait for each answer, where it can be told so
     */
    public static Connection connect(DatabaseOptions options, long millis) throws SQLException {
        Database database = new Database(options, () -> 0, TimeUnit.NANOSECONDS::sleep);
        limit(database, options.url(), READ_WRITE, Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millis)));
        return database.connection();
    }

    private static <T> T of(DatabaseOptions options, long millis, String sqlite, Look<T> look) throws IOException {
        try (Database database = new Database(options, () -> 0, TimeUnit.NANOSECONDS::sleep)) {
            limit(database, options.url(), sqlite, Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millis)));
            Connection connection = connected(database, options.url());
            try {
                return look.at(connection);
            } finally {
                connection.rollback();
            }
        } catch (SQLException why) {
            throw new IOException(DatabaseWords.of(why), why);
        }
    }

    private static Connection connected(Database database, String url) throws IOException {
        try {
            Connection connection = database.connection();
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException why) {
            throw new IOException("`url` " + url + ": " + DatabaseWords.of(why), why);
        }
    }

    /** Some drivers make a database that is not there. */
    private static void limit(Database database, String url, String sqlite, long seconds) {
        if (url.startsWith(POSTGRESQL)) {
            for (String each : new String[] {"loginTimeout", "connectTimeout", "socketTimeout"}) {
                database.with(each, Long.toString(seconds));
            }
        } else if (url.startsWith(SQLITE)) {
            database.with("open_mode", sqlite);
        } else if (url.startsWith(H2)) {
            database.with("IFEXISTS", "TRUE");
        }
    }
}
