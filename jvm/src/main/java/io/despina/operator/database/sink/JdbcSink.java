package io.despina.operator.database.sink;

import io.despina.connect.Marker;
import io.despina.operator.OperatorContext;
import io.despina.operator.Retries;
import io.despina.operator.RowChange;
import io.despina.operator.database.DatabaseWords;
import io.despina.operator.database.Rejection;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.UnknownCommitException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * Writes rows into a table. Of an epoch, all are in one transaction with its mark; without epochs, those that have gathered are
 * in one, so that they come at least once. A bad row is found by halves: it goes to {@code on_error}, the others are stored.
 */
public final class JdbcSink implements MarkedSink {
    private final JdbcSinkOptions options;
    private final Retries.Waiting waiting;
    private OperatorContext context;
    private TableConnection table;
    private Retries retries;
    private PendingRows pending;
    private BadRows bad;
    /** Those that wait have been written, or are bad. */
    private boolean written;
    /** The epoch whose rows come; 0 without epochs. */
    private long epoch;
    /** Packets of the epoch so far. */
    private long numbered;
    /** Whether rows are written so that a bad one spoils no others: since one was bad. */
    private boolean careful;
    /** Whether the end of a transaction was refused, so that one row must be at fault that was taken before. */
    private boolean early;

    public JdbcSink(JdbcSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    JdbcSink(JdbcSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        begin(opened, false);
        again(() -> table.check());
        retries.reset();
    }

    /** A database that is away may come back until the first epoch leaves; anything else that is wrong is told now. */
    @Override
    public void openForLater(OperatorContext opened) throws Exception {
        begin(opened, true);
        try {
            table.check();
        } catch (SQLException why) {
            if (!table.isPassing(why)) {
                throw why;
            }
            context.warn(DatabaseWords.of(why) + "; rows wait");
        }
    }

    private void begin(OperatorContext opened, boolean marks) {
        context = opened;
        pending = marks && options.to().upserts() ? PendingRows.newest(context.input(0).layout(), options.to().keys())
                : PendingRows.all(context.input(0).layout(), options.batch().rows());
        context.stateBytes(2 * pending.mostBytes());
        bad = new BadRows();
        retries = new Retries(context, options.retryMillis(), waiting);
        table = new TableConnection(options, context, marks);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    /** What is done in a transaction, and again if that was in vain. */
    private interface Work {
        void run() throws SQLException, IOException;
    }

    /** Does it until the database is there and lets it, or the time for that is over. */
    private void again(Work work) throws SQLException, IOException, InterruptedException {
        while (true) {
            try {
                work.run();
                return;
            } catch (SQLException why) {
                if (!table.isPassing(why)) {
                    throw why;
                }
                wait(why);
            }
        }
    }

    private void wait(SQLException why) throws IOException, InterruptedException {
        String words = DatabaseWords.of(why);
        retries.tell(words);
        retries.await(0, words);
    }

    /** Sets the epoch's mark, in the transaction that then has its rows: a transaction of it that was under way has ended. */
    @Override
    public Marker marker(String outbox, long asked) throws Exception {
        while (true) {
            try {
                table.check();
                Marker found = table.claim(outbox, asked, early);
                if (found == Marker.THERE) {
                    retries.reset();
                }
                return found;
            } catch (SQLException why) {
                if (!table.isPassing(why) && Rejection.of(why) != Rejection.ROW) {    // another has just made the sink's row
                    throw table.changed(why);
                }
                wait(why);
            }
        }
    }

    @Override
    public void begin(String outbox, long begun) {
        pending.clear();
        written = false;
        if (begun != epoch) {
            bad.forget();
        }
        epoch = begun;
        numbered = 0;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!handOver()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            long number = numbered++;
            if (bad.isKnown(number)) {
                continue;
            }
            String problem = problem(packet);
            if (problem != null) {
                bad.know(number, epoch > 0);
                context.badRecord(new IllegalArgumentException(problem), packet);
                if (!context.hasRoom()) {
                    return;
                }
                continue;
            }
            if (pending.count() == 0) {
                context.wakeAt(context.wallMicros() + TimeUnit.MILLISECONDS.toMicros(options.batch().flushMillis()));
            }
            // where the last row of a key is bad, the one before it counts
            if (pending.add(packet, number) && (careful || !pending.makesRoom()) && !write()) {
                return;
            }
        }
    }

    /** Why a packet is no row of the table, whatever is in it; null if it is one. */
    private String problem(Packet packet) {
        for (int key : options.to().keys()) {
            if (packet.isNull(key)) {
                return "key `" + context.input(0).column(key).name() + "` is NULL";
            }
        }
        try {
            RowChange.deletes(packet, options.to().op());
            return null;
        } catch (IllegalArgumentException neither) {
            return neither.getMessage();
        }
    }

    /** Writes the rows that wait. @return as of {@link #handOver} */
    private boolean write() throws Exception {
        if (pending.count() > 0 && !written) {
            if (epoch > 0) {
                addToEpoch();
            } else {
                writeNow();
            }
            written = true;
        }
        return handOver();
    }

    /** Without epochs: a transaction of its own. */
    private void writeNow() throws Exception {
        try {
            apart(0, pending.count());
        } catch (SQLException | RuntimeException why) {
            table.undo(why);
            halves(0, pending.count(), asRow(why), this::apart);
        }
        retries.reset();
    }

    private void apart(int from, int to) throws Exception {
        again(() -> {
            table.check();
            table.write(pending, from, to);
            table.commit();
        });
    }

    /** All rows of the epoch are in one transaction. If a row spoils it, it begins anew, with care. */
    private void addToEpoch() throws Exception {
        try {
            if (!careful) {
                table.write(pending, 0, pending.count());
                return;
            }
            all();
        } catch (SQLException | RuntimeException why) {
            table.undo(why);
            if (why instanceof SQLException sql && table.isPassing(sql)) {
                wait(sql);
            } else if (!careful) {
                asRow(why);
                careful = true;
            } else {
                throw why;
            }
            throw new UnknownCommitException(DatabaseWords.of(why), why);
        }
    }

    private void all() throws Exception {
        Part savepoint = (from, to) -> table.writeApart(pending, from, to);
        try {
            savepoint.write(0, pending.count());
        } catch (SQLException | RuntimeException why) {
            halves(0, pending.count(), asRow(why), savepoint);
        }
    }

    /** Writes some of the rows that wait: all of them, or none. */
    private interface Part {
        void write(int from, int to) throws Exception;
    }

    /** Writes rows that could not be written together. */
    private void halves(int from, int to, Exception why, Part part) throws Exception {
        if (to - from == 1) {
            bad.add(from, why);
            return;
        }
        int middle = (from + to) / 2;
        half(from, middle, part);
        half(middle, to, part);
    }

    private void half(int from, int to, Part part) throws Exception {
        try {
            part.write(from, to);
        } catch (SQLException | RuntimeException why) {
            if (epoch == 0) {
                table.undo(why);
            }
            halves(from, to, asRow(why), part);
        }
    }

    /** What is wrong with a row goes to it. Anything else is thrown. */
    private Exception asRow(Exception why) throws Exception {
        if (!(why instanceof SQLException sql)) {
            return why;
        }
        if (epoch > 0 && table.isPassing(sql)) {
            throw sql;
        }
        if (Rejection.of(sql) != Rejection.ROW) {
            throw table.changed(sql);
        }
        return sql;
    }

    /**
     * Hands bad rows to {@code on_error}.
     *
     * @return whether none is left
     */
    private boolean handOver() throws Exception {
        if (!written) {
            return true;
        }
        while (!bad.isEmpty() && context.hasRoom()) {
            int row = bad.row();
            bad.know(pending.number(row), epoch > 0);
            Exception why = bad.take();
            context.badRecord(new IllegalArgumentException(DatabaseWords.of(why), why), pending.row(row));
        }
        if (!bad.isEmpty()) {
            return false;
        }
        pending.clear();
        written = false;
        context.wakeAt(Long.MAX_VALUE);
        return true;
    }

    /** The first row that waits has waited long enough. */
    @Override
    public boolean timer(long micros) throws Exception {
        return write();
    }

    @Override
    public boolean release() throws Exception {
        if (!write()) {
            return false;
        }
        if (epoch > 0) {
            commit();
        }
        return true;
    }

    private void commit() throws Exception {
        try {
            table.commit();
        } catch (SQLException why) {
            table.undo(why);
            if (table.isPassing(why)) {
                wait(why);
            } else if (careful) {
                throw table.changed(why);
            } else {
                careful = true;
                early = true;
            }
            throw new UnknownCommitException(DatabaseWords.of(why), why);
        }
        retries.reset();
        careful = careful && bad.knowsAny();
        early = early && careful;
    }

    @Override
    public void cut() {
        table.cut();
    }

    @Override
    public void close() {
        if (table != null) {
            table.close();
        }
    }
}
