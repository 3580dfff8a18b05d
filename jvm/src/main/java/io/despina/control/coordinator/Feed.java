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
 * Sends Python's rows to one source, wherever it runs. When {@link #MOST} bytes of packets are ahead of the source, Python waits.
 * One thread of Python feeds; control's threads report the source's resource, what it has taken, and the end.
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
    /** Whether a thread is sending the waiting pieces. */
    private boolean sending;
    private boolean closed;

    /** @param resource the resource that hosts the source */
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
     * Takes the rows of an Arrow stream, none for an empty array, then waits until there is room for more, at most {@code
     * millis}.
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

    /** Sends without the lock but in order: one thread at a time sends, including pieces added meanwhile. */
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

    /** The job is running, and its source runs in that member. */
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
