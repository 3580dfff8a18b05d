package io.despina.runtime.task;

import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketJson;
import io.despina.packet.Schema;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;

/**
 * The rows that come to the input ports of a stage, for users who look: some of each region, as text, when the region comes. No
 * region waits for it. While nobody looks, a region costs one read.
 */
final class PortTails {
    /** Who has not asked for so long looks no more. */
    static final long LEASE_NANOS = 5_000_000_000L;
    /** Rows in a tenth of a second. */
    static final int MOST_IN_SLICE = 5;
    static final long SLICE_NANOS = 100_000_000L;
    /** Rows that wait: those of a second. */
    static final int MOST = 50;
    /** Of a row's text. */
    private static final int LONGEST = 4_000;

    private final List<Schema> inputs;
    private final LongSupplier clock;
    /** By port: set by who asks, cleared by the task's thread; null while nobody looks. */
    private final AtomicReferenceArray<Look> looks;

    /** Somebody looks at a port. */
    private final class Look {
        private final int port;
        /** Written by those who ask, read by the task. */
        private volatile long until;
        /** The task's: when the present slice began, and how many rows of it are left. */
        private long since = Long.MIN_VALUE;
        private int left;
        /** Guarded by itself, oldest first. */
        private final Deque<String> rows = new ArrayDeque<>();

        Look(int port) {
            this.port = port;
        }

        void see(byte[] bytes, int from, int to) {
            long now = clock.getAsLong();
            if (now - until > 0) {
                looks.compareAndSet(port, this, null);
                return;
            }
            if (since == Long.MIN_VALUE || now - since >= SLICE_NANOS) {
                since = now;
                left = MOST_IN_SLICE;
            }
            if (left == 0) {
                return;
            }
            Schema schema = inputs.get(port);
            PacketCursor cursor = PacketCursor.reusing(schema.layout());
            cursor.reset(bytes, from, to);
            for (Packet packet = cursor.next(); packet != null; packet = cursor.next()) {
                add(Reason.shortened(PacketJson.brief(schema, packet), LONGEST));
                if (--left == 0) {
                    return;
                }
            }
        }

        private void add(String row) {
            synchronized (rows) {
                rows.add(row);
                if (rows.size() > MOST) {
                    rows.remove();
                }
            }
        }

        List<String> take() {
            synchronized (rows) {
                List<String> taken = List.copyOf(rows);
                rows.clear();
                return taken;
            }
        }
    }

    PortTails(List<Schema> inputs, LongSupplier clock) {
        this.inputs = inputs;
        this.clock = clock;
        looks = new AtomicReferenceArray<>(Math.max(1, inputs.size()));
    }

    /**
     * Takes what has come to a port since the last call, and looks on for a while. The first call finds nothing. Any thread may
     * call it.
     */
    List<String> take(int port) {
        if (port < 0 || port >= inputs.size()) {
            return List.of();
        }
        Look look = looks.get(port);
        if (look == null) {
            look = new Look(port);
            look.until = clock.getAsLong() + LEASE_NANOS;
            looks.compareAndSet(port, null, look);
            return List.of();
        }
        long now = clock.getAsLong();
        boolean stale = now - look.until > 0;       // rows of long ago have not come now
        look.until = now + LEASE_NANOS;
        List<String> rows = look.take();
        return stale ? List.of() : rows;
    }

    /** Packets have come to a port. Only the task's thread calls this. */
    void see(int port, byte[] bytes, int from, int to) {
        Look look = looks.getPlain(port);
        if (look != null) {
            look.see(bytes, from, to);
        }
    }
}
