package io.despina.control.coordinator;

import io.despina.arrow.StreamWriter;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.RowRange;
import io.despina.link.Attempt;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
     * @param hosts    of kept rows: by instance, the name of its resource; else empty
     */
    record Rows(String sink, Schema schema, String timeZone, List<String> hosts) {
    }

    /**
     * @param from  which is told when they are taken; null for nobody
     * @param place null where rows are not kept
     */
    private record Chunk(Member from, byte[] packets, RowRange place) {
    }

    private final Attempt attempt;
    private final Rows of;
    private final LongSupplier clock;
    private final RowPlaces places;
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
        places = new RowPlaces(attempt, of.sink, of.hosts);
    }

    /** Whether they stay where they are until Python has taken them. */
    boolean isKept() {
        return !of.hosts.isEmpty();
    }

    /** The job runs, in these. */
    void start(Collection<Member> members) {
        if (isKept()) {
            List<RowPlaces.Told> told;
            synchronized (this) {
                told = places.start(members);
            }
            told.forEach(RowPlaces.Told::send);
        }
    }

    void add(Member from, Message.Rows rows) {
        RowRange place = rows.place();
        List<RowPlaces.Told> told = List.of();
        synchronized (this) {
            if (place == null) {
                add(new Chunk(from, rows.packets(), null));
            } else {
                addUnknown(new Chunk(null, rows.packets(), place));
                told = place.last() || places.isLeft() ? places.told() : told;
            }
            notifyAll();
        }
        told.forEach(RowPlaces.Told::send);
    }

    private void add(Chunk chunk) {
        chunks.add(chunk);
        waitingBytes += chunk.packets.length;
    }

    /** Adds what is not here already. */
    private void addUnknown(Chunk chunk) {
        int known = places.arrived(chunk.place);
        if (known < chunk.place.rows()) {
            add(behind(chunk, known));
        }
    }

    private Chunk behind(Chunk chunk, int known) {
        if (known == 0) {
            return chunk;
        }
        RowRange place = chunk.place;
        PacketCursor packets = PacketCursor.reusing(of.schema.layout());
        packets.reset(chunk.packets, 0, chunk.packets.length);
        int from = 0;
        for (int k = 0; k < known; k++) {
            from += packets.next().size();
        }
        return new Chunk(null, Arrays.copyOfRange(chunk.packets, from, chunk.packets.length),
                new RowRange(place.instance(), place.first() + known, place.rows() - known, place.last()));
    }

    /**
     * Python does not want the first so many rows that it has fetched again, where they are kept.
     *
     * @param count -1 for all
     * @param how   it goes on
     */
    void done(long count, RowPlaces.RowTaker how) throws Refusal {
        List<RowPlaces.Told> told;
        synchronized (this) {
            places.done(count, how);
            told = places.told();
        }
        told.forEach(RowPlaces.Told::send);
        if (how == RowPlaces.RowTaker.LEAVES) {
            leave();
        }
    }

    /** What Python has not fetched of kept rows waits for the next run of the job. */
    void leave() {
        List<RowPlaces.Told> told;
        synchronized (this) {
            if (!isKept()) {
                return;
            }
            places.leave();
            chunks.clear();
            waitingBytes = 0;
            told = places.told();
        }
        told.forEach(RowPlaces.Told::send);
    }

    /** Where the first so many rows end that Python has fetched. */
    synchronized long[] place(long count) {
        return places.place(count);
    }

    /** Rows begin at that place. Before any is fetched. */
    void begin(long[] place) throws Refusal {
        List<RowPlaces.Told> told;
        synchronized (this) {
            if (rows > 0) {
                throw new Refusal("place", "rows of `" + of.sink + "` were fetched before it was said where they begin",
                        "give the place to the first loop, before job.wait() and job.poll()");
            }
            places.begin(place);
            List<Chunk> came = List.copyOf(chunks);
            chunks.clear();
            waitingBytes = 0;
            came.forEach(this::addUnknown);
            told = places.told();
        }
        told.forEach(RowPlaces.Told::send);
        refuseGone();
    }

    private synchronized void refuseGone() throws Refusal {
        places.refuseGone();
    }

    /** Takes over what nobody has taken of an attempt that has ended. Before this one runs. */
    synchronized void goOnFrom(CollectBuffer before) {
        synchronized (before) {
            before.chunks.forEach(chunk -> chunks.add(new Chunk(null, chunk.packets, chunk.place)));
            waitingBytes = before.waitingBytes;
            rows = before.rows;
            schemaGiven = before.schemaGiven;
            places.goOnFrom(before.places);
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
        while (chunks.isEmpty() && !ended && !places.isGone()) {
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
        try {
            StreamWriter arrow = new StreamWriter(of.schema, of.timeZone);
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
            taken(next).forEach(RowPlaces.Told::send);
        }
    }

    /** What is told to those whose rows they were. */
    private synchronized List<RowPlaces.Told> taken(List<Chunk> next) {
        List<RowPlaces.Told> told = new ArrayList<>();
        for (Chunk each : next) {
            if (each.place != null) {
                places.fetched(each.place);
            } else if (each.from != null) {
                told.add(new RowPlaces.Told(each.from, new Message.Taken(attempt, of.sink, each.packets.length)));
            }
        }
        if (isKept() && !next.isEmpty()) {
            places.fetched(rows);
            told.addAll(places.told());
        }
        return told;
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
