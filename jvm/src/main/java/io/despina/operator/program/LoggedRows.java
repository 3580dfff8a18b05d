package io.despina.operator.program;

import io.despina.log.KeptPlaces;
import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import io.despina.operator.CompleteMark;
import io.despina.operator.OperatorContext;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/**
 * Rows that a program gives once, kept in a log: the program hears that they are in when they are durable, and a job that goes on
 * reads from the log what its epoch does not have. Rows are numbered by the program; one that is there already is left out.
 */
public final class LoggedRows implements InputRows, LogOwner {
    private static final byte VERSION = 1;

    /** A queue that the program fills; see {@link InputRows}. */
    public interface Given extends InputRows {
        /** The number of the first row that {@link #next} gave last. */
        long first();

        /** How many those are. */
        int rows();

        /** Rows before that number are in for ever. From any thread. */
        void kept(long row);
    }

    private final Given given;
    private final Schema schema;
    /** What each record begins with: rows of other columns are not to be read as these. */
    private final ByteBuffer head;
    private final long mostBytes;
    private OperatorContext context;
    private Log log;
    /** What earlier attempts left to be read; null when it is read. */
    private LogReader left;
    /** Its current record is to be given. */
    private boolean ahead;
    private CompleteMark mark;
    /** What has come, and is not in the log yet; or null. */
    private byte[] waiting;
    private final KeptPlaces places = new KeptPlaces();

    /** @param mostBytes in the log before the program waits */
    public LoggedRows(Given given, Schema schema, long mostBytes) {
        this.given = given;
        this.schema = schema;
        head = ByteBuffer.allocate(1 + Integer.BYTES).put(VERSION).putInt(schema.sql().hashCode()).flip();
        this.mostBytes = mostBytes;
    }

    @Override
    public long open(OperatorContext opened, long sent, Map<String, String> origin) throws IOException {
        context = opened;
        context.stateBytes(Log.MEMORY_BYTES);
        mark = new CompleteMark(context);
        log = Log.open(LogPlace.of(context.keptFolder(), context.attempt(), "the rows given to `" + context.operatorId() + "`"),
                LogOptions.of(mostBytes), mark.isOfJobBefore() ? new LogRange(0, 0) : LogRange.from(sent), this);
        mark.clear();
        if (context.isRestored() && log.first() > sent) {
            throw new IOException("rows " + sent + " to " + (log.first() - 1) + " given to `" + context.operatorId()
                    + "` are cut from its log, and the epoch from which the job goes on needs them");
        }
        given.kept(log.next());
        if (log.next() <= sent) {
            return sent;
        }
        left = log.reader(sent);
        ahead = left.next();
        return left.number();
    }

    @Override
    public byte[] next() throws IOException {
        if (left != null) {
            if (ahead || left.next()) {
                ahead = false;
                return packets(left);
            }
            left.close();
            left = null;
        }
        while (waiting != null || (waiting = given.next()) != null) {
            long known = Math.min(given.rows(), log.next() - given.first());
            if (known < 0) {
                throw new IOException("rows " + log.next() + " to " + (given.first() - 1) + " for `" + context.operatorId()
                        + "` are missing");
            }
            if (known == given.rows()) {
                waiting = null;
                continue;
            }
            byte[] packets = behind((int) known);
            ByteBuffer content = ByteBuffer.wrap(packets);
            if (log.append(head, content, given.rows() - (int) known) == Log.FULL) {
                return null;
            }
            waiting = null;
            long end = log.next();
            log.whenDurable(end, why -> {
                if (why == null) {
                    given.kept(end);
                }
            });
            return packets;
        }
        return null;
    }

    private byte[] packets(LogReader record) throws IOException {
        int begin = record.from() + head.remaining();
        if (begin > record.to() || !ByteBuffer.wrap(record.bytes(), record.from(), head.remaining()).equals(head)) {
            throw new IOException("rows given to `" + context.operatorId() + "` wait in its log with other columns than "
                    + schema.sql());
        }
        return Arrays.copyOfRange(record.bytes(), begin, record.to());
    }

    /** Those of the rows at hand that follow so many. */
    private byte[] behind(int rows) {
        if (rows == 0) {
            return waiting;
        }
        PacketCursor packets = PacketCursor.reusing(schema.layout());
        packets.reset(waiting, 0, waiting.length);
        int from = 0;
        for (int k = 0; k < rows; k++) {
            from += packets.next().size();
        }
        return Arrays.copyOfRange(waiting, from, waiting.length);
    }

    @Override
    public boolean hasEnded() {
        return left == null && waiting == null && given.hasEnded();
    }

    @Override
    public void barrier(long epoch, long sent) {
        places.barrier(epoch, sent);
        log.turn();
    }

    @Override
    public void acknowledge(long epoch) {
        log.cut(places.complete(epoch));
        mark.set();
    }

    @Override
    public void room() {
        context.wake();
    }

    @Override
    public void warn(String words) {
        context.warn(words);
    }

    @Override
    public void close() throws IOException {
        if (left != null) {
            left.close();
        }
        if (log != null) {
            log.close();
        }
    }
}
