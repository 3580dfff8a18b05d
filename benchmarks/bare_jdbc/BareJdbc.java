import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.TimeZone;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** What one would write by hand over PostgreSQL's driver: COPY of text, batches of upserts, a cursor. One thread. */
public final class BareJdbc {
    private static final int TRANSACTION = 50_000;
    private static final int BATCH = 1_000;
    private static final int FETCH = 1_000;
    private static final int SEND = 1 << 16;
    private static final int DEVICES = 1_000;

    private final Connection connection;
    private final long start = System.nanoTime();
    private final long warmUp;
    private final long end;
    private long counted;
    private long countedFrom;
    private long countedTo;

    private BareJdbc(Connection connection, double warmUpSeconds, double seconds) {
        this.connection = connection;
        warmUp = start + (long) (warmUpSeconds * 1e9);
        end = warmUp + (long) (seconds * 1e9);
    }

    /** Arguments: append, upsert or cursor; URL; seconds that do not count; those that do; how many keys there are. */
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(arguments[1] + "&reWriteBatchedInserts=true", "postgres", "")) {
            connection.setAutoCommit(false);
            BareJdbc bare = new BareJdbc(connection, Double.parseDouble(arguments[2]), Double.parseDouble(arguments[3]));
            switch (arguments[0]) {
                case "append" -> bare.append();
                case "upsert" -> bare.upsert(Long.parseLong(arguments[4]));
                case "cursor" -> bare.cursor();
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            System.out.printf("{\"per_s\": %.1f}%n", bare.counted / ((bare.countedTo - bare.countedFrom) / 1e9));
        }
    }

    /** @return whether time is over */
    private boolean done(long rows) {
        long now = System.nanoTime();
        if (countedFrom != 0) {
            counted += rows;
            countedTo = now;
        } else if (now >= warmUp) {
            countedFrom = now;
        }
        return now >= end && countedTo > 0;
    }

    private void append() throws SQLException {
        StringBuilder text = new StringBuilder();
        long id = 0;
        do {
            CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY readings FROM STDIN (FORMAT csv)");
            for (int k = 0; k < TRANSACTION; k++, id++) {
                text.append(id).append(',').append(new Timestamp(1_700_000_000_000L + id)).append(",device-").append(id % DEVICES)
                        .append(',').append((double) (id % 977) / 7).append('\n');
                if (text.length() > SEND) {
                    send(copy, text);
                }
            }
            send(copy, text);
            copy.endCopy();
            connection.commit();
        } while (!done(TRANSACTION));
    }

    private static void send(CopyIn copy, StringBuilder text) throws SQLException {
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
        text.setLength(0);
    }

    private void upsert(long keys) throws SQLException {
        Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO latest (id, ts, device, celsius) VALUES "
                + "(?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET ts = EXCLUDED.ts, device = EXCLUDED.device, "
                + "celsius = EXCLUDED.celsius")) {
            long id = 0;
            do {
                for (int k = 0; k < TRANSACTION; k++, id++) {
                    statement.setLong(1, id % keys);
                    statement.setTimestamp(2, new Timestamp(1_700_000_000_000L + id), utc);
                    statement.setString(3, "device-" + id % DEVICES);
                    statement.setDouble(4, (double) (id % 977) / 7);
                    statement.addBatch();
                    if ((k + 1) % BATCH == 0) {
                        statement.executeBatch();
                    }
                }
                connection.commit();
            } while (!done(TRANSACTION));
        }
    }

    private void cursor() throws SQLException {
        Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        double sum = 0;
        boolean over = false;
        while (!over) {
            try (PreparedStatement statement = connection.prepareStatement("SELECT id, ts, device, celsius FROM origin")) {
                statement.setFetchSize(FETCH);
                try (ResultSet rows = statement.executeQuery()) {
                    for (int row = 1; !over && rows.next(); row++) {
                        sum += rows.getLong(1) + rows.getTimestamp(2, utc).getTime() + rows.getString(3).length()
                                + rows.getDouble(4);
                        over = row % TRANSACTION == 0 && done(TRANSACTION);
                    }
                }
            }
        }
        if (sum == 0) {
            throw new IllegalStateException("no rows");
        }
    }
}
