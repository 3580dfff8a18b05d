package io.despina.buffer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of one resource, in bytes: for segments, queues and state. Channel ends reserve a minimum each; the rest, the
 * floating part, goes to the channels that have load.
 *
 * <p>{@link #tryTake} grants only while all that is in use fits into the floating part; {@link #take} also grants what a
 * caller's reserved minimum covers. If every end takes at most its minimum that way, the sum stays within the budget.
 *
 * <p>State comes before what is queued, since queues drain and state does not: {@link #tryHold} grants as long as all state fits
 * into the floating part, whatever is queued there now. Queues then get no more memory until they have drained. Until then the
 * sum may exceed the budget, by at most what was queued.
 */
public final class Budget {
    /** A packet may be at most this part of the floating memory. */
    private static final int PACKET_SHARE = 4;
    private static final int USUAL_PACKET = 16 << 20;
    /** Packets that a thread may be writing beyond the budget: one that outgrows its segment exists twice for a moment. */
    private static final int MAKING = 2;

    private final long bytes;
    private final int threads;
    /** Any thread reads and writes. */
    private final AtomicLong reserved = new AtomicLong();
    /** Any thread reads and writes: bytes in use, reserved and floating alike. */
    private final AtomicLong used = new AtomicLong();
    /** Any thread reads and writes: bytes of {@link #used} that are state. */
    private final AtomicLong held = new AtomicLong();

    /** Of a resource with one thread. */
    public Budget(long bytes) {
        this(bytes, 1);
    }

    /**
     * @param bytes   {@code memory_bytes} of the resource
     * @param threads of its workers
     */
    public Budget(long bytes, int threads) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("memory_bytes=" + bytes + ": a resource needs memory");
        }
        this.bytes = bytes;
        this.threads = threads;
    }

    /**
     * The default of {@code max_packet_bytes}: 16 MB, or less where memory is small. Then half of the memory may be reserved,
     * and half as much again is enough for packets beyond the budget.
     *
     * @param bytes  {@code memory_bytes} of the smallest resource that takes part
     * @param beyond packets that may be beyond the budget besides those being written, see {@link Overdraft}
     */
    public static int usualPacket(long bytes, int beyond) {
        return (int) Math.min(USUAL_PACKET, bytes / 2 / Math.max(PACKET_SHARE, beyond));
    }

    /**
     * The memory that a process needs for packets beyond the budget, see {@link Overdraft}: half of the budget for those of its
     * ranks, and for each thread the one that it is writing.
     */
    public static long beyond(long bytes, int threads) {
        return bytes / 2 + (long) MAKING * threads * usualPacket(bytes, 0);
    }

    /** A deployment's reserved minima, given back by {@link #close}. */
    public final class Reservation implements AutoCloseable {
        private final long amount;
        private boolean closed;

        private Reservation(long amount) {
            this.amount = amount;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                reserved.addAndGet(-amount);
            }
        }
    }

    /**
     * Reserves the minima of all channel ends of a deployment in this resource.
     *
     * @param who            named in the message
     * @param minima         bytes, the sum over its channel ends
     * @param maxPacketBytes its {@code max_packet_bytes}, or 0 if no channel ends here
     * @param beyond         how many of its packets may be beyond the budget besides those being written, see {@link Overdraft}
     * @throws BudgetException if the minima do not fit, or leave less than four of the largest packets floating, or if that many
     *                         packets do not fit into the memory beyond the budget
     */
    public Reservation reserve(String who, long minima, long maxPacketBytes, int beyond) {
        int packets = beyond + MAKING * threads;
        if (packets * maxPacketBytes > beyond(bytes, threads)) {
            throw new BudgetException("max_packet_bytes=" + maxPacketBytes + " of " + who + ": " + packets
                    + " such packets, which its operators and " + threads + " threads may need beyond the budget, are more than "
                    + "memory_bytes=" + bytes + " allow; lower max_packet_bytes to at most " + beyond(bytes, threads) / packets
                    + ", or raise memory_bytes");
        }
        long before = reserved.getAndAdd(minima);
        long after = before + minima;
        if (after <= bytes && (bytes - after) / PACKET_SHARE >= maxPacketBytes) {
            return new Reservation(minima);
        }
        reserved.addAndGet(-minima);
        long needed = after + PACKET_SHARE * maxPacketBytes;
        if (after > bytes) {
            throw new BudgetException(who + " needs " + minima + " bytes for its channels at the least; of memory_bytes="
                    + bytes + " " + before + " are reserved already: raise memory_bytes to at least " + needed);
        }
        throw new BudgetException("max_packet_bytes=" + maxPacketBytes + " of " + who + " is more than a quarter of the "
                + (bytes - after) + " bytes that are not reserved: raise memory_bytes from " + bytes + " to at least " + needed
                + ", or lower max_packet_bytes to at most " + (bytes - after) / PACKET_SHARE);
    }

    /** Takes {@code amount} if the floating part has that much left. */
    public boolean tryTake(long amount) {
        long seen;
        do {
            seen = used.get();
            if (seen + amount > bytes - reserved.get()) {
                return false;
            }
        } while (!used.compareAndSet(seen, seen + amount));
        return true;
    }

    /** Takes {@code amount} in any case: as part of a reserved minimum, or for memory that is in use already. */
    public void take(long amount) {
        used.addAndGet(amount);
    }

    public void give(long amount) {
        used.addAndGet(-amount);
    }

    /** Whether {@link #tryTake} would grant {@code amount} now. */
    public boolean has(long amount) {
        return used.get() + amount <= bytes - reserved.get();
    }

    /** Takes {@code amount} for state, if all state fits into the floating part. Given back by {@link #giveHeld}. */
    public boolean tryHold(long amount) {
        long seen;
        do {
            seen = held.get();
            if (seen + amount > bytes - reserved.get()) {
                return false;
            }
        } while (!held.compareAndSet(seen, seen + amount));
        used.addAndGet(amount);
        return true;
    }

    public void giveHeld(long amount) {
        held.addAndGet(-amount);
        used.addAndGet(-amount);
    }

    public long bytes() {
        return bytes;
    }

    /** Bytes of state. */
    public long held() {
        return held.get();
    }

    /** Bytes that are not reserved. */
    public long floating() {
        return bytes - reserved.get();
    }

    /** Bytes in use. */
    public long used() {
        return used.get();
    }
}
