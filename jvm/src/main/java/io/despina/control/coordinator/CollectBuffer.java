package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.expr.ArrowRows;
import io.despina.expr.Expressions;
import io.despina.link.Attempt;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The rows of one collect sink that Python has not taken yet, as chunks of whole packets. Control connections add chunks, and
 * Python's thread takes them; both sides synchronize on this.
 */
final class CollectBuffer {
    private static final byte[] NOTHING = {};
    /** About the most bytes that one call returns. */
    private static final long CALL_BYTES = 16 << 20;

    /**
     * Whose rows.
     *
     * @param schema   of the rows
     * @param timeZone of the graph
     */
    record Rows(String sink, Schema schema, String timeZone) {
    }

    /** @param from which is told when they are taken; null for nobody */
    private record Chunk(Member from, byte[] packets) {
    }

    private final Attempt attempt;
    private final Rows of;
    private final LongSupplier clock;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private long waitingBytes;
    private long rows;
    private boolean schemaGiven;
    private boolean ended;

    /** @param clock nanoseconds */
    CollectBuffer(Attempt attempt, Rows of, LongSupplier clock) {
        this.attempt = attempt;
        this.of = of;
        this.clock = clock;
    }

    synchronized void add(Member from, byte[] packets) {
        chunks.add(new Chunk(from, packets));
        waitingBytes += packets.length;
        notifyAll();
    }

    /** Takes over what nobody has taken of an attempt that has ended. Before this one runs. */
    synchronized void goOnFrom(CollectBuffer before) {
        synchronized (before) {
            before.chunks.forEach(chunk -> chunks.add(new Chunk(null, chunk.packets)));
            waitingBytes = before.waitingBytes;
            rows = before.rows;
            schemaGiven = before.schemaGiven;
            before.chunks.clear();
            before.waitingBytes = 0;
        }
    }

    /** The job has ended: nothing follows. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits until there are rows or nothing follows, at most that long. */
    synchronized void await(long millis) throws InterruptedException {
        long deadline = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (chunks.isEmpty() && !ended) {
            long left = deadline - clock.getAsLong();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /** Rows taken so far. */
    synchronized long rows() {
        return rows;
    }

    /** Takes at most about 16 MB of rows as an Arrow stream, or nothing; the senders may then send as much again. */
    byte[] take() {
        List<Chunk> next = next();
        if (next == null) {
            return NOTHING;
        }
        try (ArrowRows arrow = Expressions.arrow(of.schema, of.timeZone)) {
            PacketCursor packets = PacketCursor.reusing(of.schema.layout());
            for (Chunk chunk : next) {
                packets.reset(chunk.packets, 0, chunk.packets.length);
                for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
                    arrow.add(packet);
                }
            }
            count(arrow.rows());
            return arrow.take();
        } finally {
            // even after a failure, which the caller gets: a sink that never stops counting these rows would wait for ever
            next.stream().filter(chunk -> chunk.from != null)
                    .forEach(chunk -> chunk.from.send(new Message.Taken(attempt, of.sink, chunk.packets.length)));
        }
    }

    /** The chunks of one call, or null. The call converts them without the lock, so that the network's threads need not wait. */
    private synchronized List<Chunk> next() {
        if (chunks.isEmpty() && schemaGiven) {
            return null;
        }
        schemaGiven = true;
        List<Chunk> next = new ArrayList<>();
        long taken = 0;
        while (!chunks.isEmpty() && taken < CALL_BYTES) {
            Chunk chunk = chunks.remove();
            next.add(chunk);
            taken += chunk.packets.length;
        }
        waitingBytes -= taken;
        return next;
    }

    private synchronized void count(long more) {
        rows += more;
    }
}
