package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.expr.ArrowPackets;
import io.despina.expr.Expressions;
import io.despina.link.Attempt;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The way of Python's rows to the one source that they are for, wherever it runs: {@link #MOST} bytes of packets ahead of
 * it, then Python waits. One thread of Python's feeds; control's threads say where to, what was taken, and when it is over.
 */
public final class Feed {
    /** Bytes of packets on their way before Python waits. */
    static final long MOST = 4 << 20;
    /** Packets travel in pieces of this size, about; a larger packet alone. */
    private static final int PIECE_BYTES = 1 << 18;
    private static final byte[] NOTHING = {};

    /** How it stands with what follows: whether it may be sent at once, and whether it will be taken at all. */
    record Status(boolean room, boolean open) {
    }

    private final Attempt attempt;
    private final String operator;
    private final String resource;
    private final PacketLayout layout;
    private final ArrowPackets arrow;

    // all below: guarded by this
    private final Deque<Message.Supply> waiting = new ArrayDeque<>();
    private long onTheWay;
    /** Null before the job runs. */
    private Member to;
    /** A thread is sending the first of those that wait; it goes on with the others. */
    private boolean sending;
    private boolean closed;

    /** @param resource the name of the one that hosts the source */
    Feed(Attempt attempt, String operator, String resource, Schema schema) {
        this.attempt = attempt;
        this.operator = operator;
        this.resource = resource;
        layout = schema.layout();
        arrow = Expressions.arrowPackets(schema);
    }

    String resource() {
        return resource;
    }

    /**
     * Takes the rows of an Arrow stream, none for an empty array, then waits until there is room for more, at most for so long.
     *
     * @throws IllegalArgumentException if they are not of the source's schema
     */
    Status feed(byte[] stream, long millis) throws InterruptedException {
        for (byte[] packets : stream.length == 0 ? List.<byte[]>of() : pieces(stream)) {
            add(new Message.Supply(attempt, operator, packets, false));
        }
        return await(millis);
    }

    /** Nothing follows. */
    void end() {
        add(new Message.Supply(attempt, operator, NOTHING, true));
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

    private void add(Message.Supply supply) {
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.add(supply);
            onTheWay += supply.packets().length;
        }
        send();
    }

    /** Without the lock, in order: one thread at a time sends, and what is added meanwhile it sends too. */
    private void send() {
        while (true) {
            Message.Supply next;
            Member member;
            synchronized (this) {
                if (to == null || sending || waiting.isEmpty()) {
                    return;
                }
                next = waiting.remove();
                member = to;
                sending = true;
            }
            try {
                member.send(next);
            } finally {
                synchronized (this) {
                    sending = false;
                }
            }
        }
    }

    private synchronized Status await(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!closed && onTheWay >= MOST) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return new Status(onTheWay < MOST, !closed);
    }

    /** The job runs, and its source there. */
    void start(Member member) {
        synchronized (this) {
            to = member;
        }
        send();
    }

    /** The source has taken so many bytes. */
    synchronized void supplied(long bytes) {
        onTheWay -= bytes;
        notifyAll();
    }

    /** The source takes nothing more. */
    synchronized void close() {
        closed = true;
        waiting.clear();
        notifyAll();
    }
}
