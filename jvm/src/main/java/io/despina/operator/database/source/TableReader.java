package io.despina.operator.database.source;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.Retries;
import io.despina.operator.database.Database;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.JdbcValues;
import io.despina.operator.database.Rejection;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.operator.database.source.ReadPosition.Digest;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Reads a table, on a thread that may block, and knows how far it is. */
final class TableReader implements Runnable {
    private static final int BLOCK_BYTES = 1 << 16;
    /** Characters of a bad row, in its message. */
    private static final int SHOWN = 1_000;

    private final JdbcSourceOptions options;
    private final OperatorContext context;
    private final ReadRows rows;
    private final Database database;
    private final Retries retries;
    private final JdbcValues values;
    private final ScratchPacket row;
    private final PacketBlock block = new PacketBlock(0, BLOCK_BYTES);
    /** Of the column alone, to ask from a value on. */
    private final ScratchPacket value;
    /** Null without a column. */
    private final ReadPosition position;
    /** Without a column: rows that were sent before a restart, and those that have come. */
    private long known;
    private long came;
    private Connection looked;
    private SourceTable table;

    TableReader(JdbcSourceOptions options, OperatorContext context, Retries.Waiting waiting) {
        this.options = options;
        this.context = context;
        rows = new ReadRows(context);
        database = new Database(options.database(), context).with("tcpKeepAlive", "true");
        retries = new Retries(context, options.retryMillis(), waiting);
        values = new JdbcValues(options.database().zone());
        row = new ScratchPacket(options.schema().layout(), context.maxPacketBytes());
        int column = options.from().column();
        position = column == From.NONE ? null : new ReadPosition(options.schema().layout(), column);
        value = column == From.NONE ? null
                : new ScratchPacket(Schema.of(new Column("value", options.schema().column(column).type(), false)).layout());
    }

    ReadRows rows() {
        return rows;
    }

    /** Connects and looks at the table. What is wrong with it is told at once. */
    void look() throws SQLException, IOException, InterruptedException {
        while (true) {
            try {
                table();
                retries.reset();
                return;
            } catch (SQLException why) {
                waitOrThrow(why);
            }
        }
    }

    /** Goes on from a place. @param known rows that were sent, where there is no column */
    void seek(Map<String, String> place, long known) {
        if (position != null) {
            position.restore(place);
        }
        this.known = known;
    }

    private Connection table() throws SQLException, IOException {
        Connection connection = database.connection();
        if (connection != looked) {
            try {
                connection.setAutoCommit(false);        // PostgreSQL's driver fetches all rows at once otherwise
                table = SourceTable.of(connection, options.from(), options.schema());
                connection.commit();
            } catch (SQLException | IOException wrong) {
                database.drop();
                throw wrong;
            }
            if (looked == null) {
                table.narrow().forEach(context::warn);
            }
            looked = connection;
        }
        return connection;
    }

    private void waitOrThrow(SQLException why) throws SQLException, IOException, InterruptedException {
        if (rows.isStopped()) {
            throw new InterruptedException();
        }
        if (!database.isLost(why) && Rejection.of(why) != Rejection.LATER) {
            throw why;
        }
        database.drop();
        String words = DatabaseWords.of(why);
        retries.tell(words);
        retries.await(0, words);
    }

    @Override
    public void run() {
        try {
            do {
                read();
                if (options.times().follow()) {
                    rows.pause(options.times().pollMillis());
                }
            } while (options.times().follow() && !rows.isStopped());
            rows.put(new ReadRows.Ended());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (Exception why) {
            fail(why);
        } finally {
            database.close();
        }
    }

    private void fail(Exception why) {
        try {
            rows.put(new ReadRows.Failed(why));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the rows that there are. If the connection breaks, it goes on behind the last one. */
    private void read() throws Exception {
        boolean again = false;
        while (!rows.isStopped()) {
            try {
                ask(table());
                retries.reset();
                return;
            } catch (SQLException why) {
                if (position == null && came > 0) {
                    throw new IOException(DatabaseWords.of(why) + "; the query has no `column` by which it could be read on",
                            why);
                }
                if (Rejection.of(why) == Rejection.TABLE && !again) {
                    again = true;       // somebody may have changed the table: a look at it tells what is wrong, if anything is
                    database.drop();
                } else {
                    waitOrThrow(why);
                }
            }
        }
    }

    private void ask(Connection connection) throws Exception {
        boolean from = position != null && position.hasBegun();
        boolean settled = options.times().follow() && options.times().settleMillis() > 0;
        Timestamp until = settled ? settled(connection) : null;
        try (PreparedStatement statement = connection.prepareStatement(table.statement(from, settled),
                ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            statement.setFetchSize(options.from().fetchRows());
            if (table.isPlain()) {
                BinaryTransfer.ask(statement, options.database().url());
            }
            if (from) {
                bind(statement, 1, position.value());
            }
            if (settled) {
                bind(statement, from ? 2 : 1, micros(until));
            }
            try (ResultSet found = statement.executeQuery()) {
                take(found, from ? new HashMap<>(position.rows()) : Map.of());
            }
        }
        connection.commit();
    }

    /** The time up to which rows are old enough, by the server's clock. */
    private Timestamp settled(Connection connection) throws SQLException {
        long settle = options.times().settleMillis();
        if (!table.hasTime()) {
            return Timestamp.from(Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(context.wallMicros()) - settle));
        }
        try (Statement statement = connection.createStatement();
                ResultSet now = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
            now.next();
            return Timestamp.from(now.getTimestamp(1).toInstant().minusMillis(settle));
        }
    }

    private long micros(Timestamp time) {
        Instant instant = time.toInstant();
        if (options.schema().column(options.from().column()).type() == Type.Simple.TIMESTAMP_NTZ) {
            instant = instant.atZone(options.database().zone()).toLocalDateTime().toInstant(ZoneOffset.UTC);
        }
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
    }

    private void bind(PreparedStatement to, int at, long number) throws SQLException {
        PacketWriter writer = value.begin();
        switch (options.schema().column(options.from().column()).type().width()) {
            case 1 -> writer.setByte(0, (byte) number);
            case Short.BYTES -> writer.setShort(0, (short) number);
            case Integer.BYTES -> writer.setInt(0, (int) number);
            default -> writer.setLong(0, number);
        }
        values.bind(to, at, value.commit(), 0);
    }

    /** @param passed how many rows with each digest have been read before */
    private void take(ResultSet found, Map<Digest, Integer> passed) throws Exception {
        long last = position == null ? 0 : position.value();
        while (found.next()) {
            Packet packet = packet(found);
            if (packet == null || !passed.isEmpty() && position.valueOf(packet) == last && wasRead(packet, passed)) {
                continue;
            }
            came++;
            if (came <= known && position == null) {
                continue;
            }
            if (position != null) {
                position.add(packet);
            }
            if (block.add(packet) && !flush()) {
                return;
            }
        }
        flush();
    }

    private static boolean wasRead(Packet packet, Map<Digest, Integer> passed) {
        Digest digest = Digest.of(packet);
        Integer count = passed.get(digest);
        if (count == null || count == 0) {
            return false;
        }
        passed.put(digest, count - 1);
        return true;
    }

    /** The row; null if it is a bad one, which is then handed on. */
    private Packet packet(ResultSet found) throws Exception {
        String why;
        try {
            values.read(found, options.schema(), row.begin());
            Packet packet = row.commit();
            if (position == null || !packet.isNull(options.from().column())) {
                return packet;
            }
            why = "`column` " + options.schema().column(options.from().column()).name() + " is NULL";
        } catch (SQLException bad) {
            if (Database.saysLost(bad)) {
                throw bad;
            }
            why = DatabaseWords.of(bad);
        } catch (ArithmeticException | IllegalArgumentException bad) {
            why = Reason.of(bad);
        }
        flush();
        rows.put(new ReadRows.BadRow(why, text(found)));
        return null;
    }

    private String text(ResultSet found) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < options.schema().size() && text.length() < SHOWN; k++) {
            text.append(k == 0 ? "" : ", ").append(options.schema().column(k).name()).append(": ")
                    .append(Reason.shortened(String.valueOf(found.getString(k + 1)), SHOWN));
        }
        return Reason.shortened(text.toString(), SHOWN);
    }

    /** @return whether anything more is wanted */
    private boolean flush() throws InterruptedException {
        if (block.isEmpty()) {
            return !rows.isStopped();
        }
        retries.reset();
        byte[] bytes = Arrays.copyOf(block.bytes(), block.length());
        block.clear();
        return rows.put(new ReadRows.Block(bytes, bytes.length));
    }

    /** From the source's thread: ends what the reading thread waits for. @param started whether there is one */
    void end(boolean started) {
        rows.stop();
        if (started) {
            database.cut();
        } else {
            database.close();
        }
    }
}
