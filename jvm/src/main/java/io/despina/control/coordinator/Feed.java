package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.expr.ArrowPackets;
import io.despina.expr.Expressions;
import io.despina.link.Attempt;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Sends Python's rows to one source, wherever it runs. When {@link #MOST} bytes of packets are ahead of the source, Python waits.
 * One thread of Python feeds; control's threads report the source's resource, what it has taken, and the end. Rows are numbered
 * for the life of the job: the next attempt is sent what the one before did not take, and a source that keeps a log says how many
 * it has had before.
 */
public final class Feed {
    /** Bytes of packets on their way before Python waits. */
    static final long MOST = 4 << 20;
    /** The approximate size of a piece of packets; a larger packet is sent alone. */
    private static final int PIECE_BYTES = 1 << 18;
    private static final byte[] NOTHING = {};

    /** Whether more rows may be sent at once, and whether any will be taken. */
    record Status(boolean room, boolean open) {
    }

    /**
     * Whose rows.
     *
     * @param operator the source
     * @param resource which hosts it
     * @param schema   of the rows
     */
    record Of(String operator, String resource, Schema schema) {
    }

    /** @param first its number */
    private record Piece(long first, int rows, byte[] packets, boolean last) {
        long end() {
            return first + rows;
        }
    }

    private final Of of;
    private final LongSupplier clock;
    private final Executor aside;
    private final PacketLayout layout;
    private final ArrowPackets arrow;

    // all below: guarded by this
    private Attempt attempt;
    private String resource;
    private final Deque<Piece> waiting = new ArrayDeque<>();
    /** Sent, and not taken. */
    private final Deque<Piece> sent = new ArrayDeque<>();
    private long onTheWay;
    /** The number of the next row from Python. */
    private long next;
    /** The source has those before it. */
    private long taken;
    private boolean isTakenKnown;
    /** Null before the job runs. */
    private Member to;
    /** Whether a thread is sending the waiting pieces. */
    private boolean sending;
    private boolean closed;

    /**
     * @param clock nanoseconds
     * @param aside encodes and sends what has come before the start: megabytes, which a control connection's thread would be
     *              silent for
     */
    Feed(Attempt attempt, Of of, LongSupplier clock, Executor aside) {
        this.attempt = attempt;
        this.of = of;
        resource = of.resource;
        this.clock = clock;
        this.aside = aside;
        layout = of.schema.layout();
        arrow = Expressions.arrowPackets(of.schema);
    }

    synchronized String resource() {
        return resource;
    }

    /**
     * How many rows the source has, for ever if it keeps a log.
     *
     * @param follow whether the rows that Python gives first are those behind them; else they begin with the first of all
     * @param millis how long to wait until that is known
     * @return -1 if it is not known
     */
    synchronized long taken(boolean follow, long millis) throws InterruptedException {
        long deadline = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isTakenKnown && !closed) {
            long left = deadline - clock.getAsLong();
            if (left <= 0) {
                return -1;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (follow && next == 0) {
            next = taken;
        }
        return taken;
    }

    /** The job goes on as that attempt, with the source in that resource. */
    synchronized void goOn(Attempt as, String in) {
        attempt = as;
        resource = in;
        to = null;
        while (!sent.isEmpty()) {
            waiting.addFirst(sent.removeLast());
        }
    }

    /**
     * Takes the rows of an Arrow stream, none for an empty array, then waits until there is room for more, at most {@code
     * millis}.
     *
     * @throws IllegalArgumentException if they are not of the source's schema
     */
    Status feed(byte[] stream, long millis) throws InterruptedException {
        for (byte[] packets : stream.length == 0 ? List.<byte[]>of() : pieces(stream)) {
            add(packets, count(packets), false);
        }
        return await(millis);
    }

    /** Nothing follows. */
    void end() {
        add(NOTHING, 0, true);
    }

    private int count(byte[] packets) {
        PacketCursor cursor = PacketCursor.reusing(layout);
        cursor.reset(packets, 0, packets.length);
        int rows = 0;
        while (cursor.next() != null) {
            rows++;
        }
        return rows;
    }

    private List<byte[]> pieces(byte[] stream) {
        List<byte[]> pieces = new ArrayList<>();
        PacketWriter writer = new PacketWriter(layout, (open, needed) -> {
            byte[] old = open.bytes();
            int finished = open.position();
            open.move(new byte[Math.max(PIECE_BYTES, needed)], 0, Math.max(PIECE_BYTES, needed));
            if (finished > 0) {
                pieces.add(Arrays.copyOf(old, finished));
            }
        });
        arrow.read(stream, writer);
        if (writer.position() > 0) {
            pieces.add(Arrays.copyOf(writer.bytes(), writer.position()));
        }
        return pieces;
    }

    private void add(byte[] packets, int rows, boolean last) {
        synchronized (this) {
            if (closed) {
                return;
            }
            Piece piece = new Piece(next, rows, packets, last);
            next += rows;
            if (last || piece.end() > taken) {
                waiting.add(piece);
                onTheWay += packets.length;
            }
        }
        send();
    }

    /** Sends without the lock but in order: one thread at a time sends, including pieces added meanwhile. */
    private void send() {
        while (true) {
            Message.Supply supply;
            Member member;
            synchronized (this) {
                if (to == null || sending || waiting.isEmpty()) {
                    return;
                }
                Piece piece = waiting.remove();
                sent.add(piece);
                supply = new Message.Supply(attempt, of.operator, piece.first, piece.rows, piece.packets, piece.last);
                member = to;
                sending = true;
            }
            try {
                member.send(supply);
            } finally {
                synchronized (this) {
                    sending = false;
                }
            }
        }
    }

    private synchronized Status await(long millis) throws InterruptedException {
        long deadline = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!closed && onTheWay >= MOST) {
            long left = deadline - clock.getAsLong();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return new Status(onTheWay < MOST, !closed);
    }

    /** The job is running, and its source runs in that member. */
    void start(Member member) {
        synchronized (this) {
            to = member;
        }
        aside.execute(this::send);
    }

    /** The source has taken the rows before that one. */
    synchronized void supplied(long row) {
        taken = Math.max(taken, row);
        isTakenKnown = true;
        take(sent);
        take(waiting);
        notifyAll();
    }

    private void take(Deque<Piece> from) {
        while (!from.isEmpty() && from.peek().end() <= taken && !from.peek().last) {
            onTheWay -= from.remove().packets.length;
        }
    }

    /** The source takes nothing more. */
    synchronized void close() {
        closed = true;
        waiting.clear();
        sent.clear();
        notifyAll();
    }
}
