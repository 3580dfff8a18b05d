package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.packet.Packet;
import io.despina.state.PacketDeque;

/**
 * The latest packets of one group, in [t - size, t] or so many, and their aggregate as t advances: two stacks that merge and
 * never subtract.
 *
 * <pre>
 *   first                    middle           end
 *     │ the front: suffixes    │ the back: one  │
 *     ▼                        ▼                ▼
 *     x3 x4 x5 │ x6 x7 x8 x9 │ y1 y2 y3
 *     └─ the head block      └─ blocks: an accumulator each, of all from the block's first packet up to the middle
 *        with a suffix accumulator per packet
 * </pre>
 *
 * A packet is added to the back. The aggregate is (suffix of the first packet) merged with (back), in this order, so that first
 * and last are right. When the front is used up, all packets become the front; each is updated and merged a constant number of
 * times. Suffixes are kept per block and expanded for one block at a time to save memory. That does not help aggregates that keep
 * all values (collect_list, DISTINCT): each block's suffix holds the values of all blocks after it. A window of few packets is
 * aggregated anew instead.
 */
final class TrailingWindow {
    /**
     * At most so many packets are aggregated anew when one leaves. Measured: there two merges and their garbage cost about as
     * much.
     */
    private static final int FEW = 6;
    private static final int BLOCK = 64;

    private final Aggregation aggregation;
    /** Whether the window continues after a packet that could not be added. */
    private final boolean goesOn;
    private final PacketDeque packets;
    private final Packet view;

    /** The number of packets at the end whose rows are not emitted; a snapshot has them as waiting, and not in the window. */
    private int unemitted;
    /** How many packets, from the first, are in the front. */
    private int front;
    /** Suffix accumulators of the head block; that of the first packet is the last one left. */
    private Accumulator[] spread = {};
    private int spreadLeft;
    /** Suffix accumulators of the blocks after it, the last block first; those from {@link #blocksLeft} on are used up. */
    private Accumulator[] blocks = {};
    private int blocksLeft;
    private Accumulator back;
    private int inBack;
    /** Front and back merged; null if it must be rebuilt. */
    private Accumulator result;
    /** Front and back must be rebuilt. Stays set if a packet could not be added again; the next update then retries. */
    private boolean stale;
    /** The memory of {@link #spread} and {@link #blocks}. */
    private long frontBytes;

    TrailingWindow(Aggregation aggregation, boolean goesOn, PacketDeque packets, Packet view) {
        this.aggregation = aggregation;
        this.goesOn = goesOn;
        this.packets = packets;
        this.view = view;
        back = aggregation.create();
    }

    PacketDeque packets() {
        return packets;
    }

    /** The number of packets whose rows have not been emitted. */
    int unemitted() {
        return unemitted;
    }

    /** Adds the latest packet, whose row is to follow. */
    void add(long time, Packet packet) {
        if (goesOn) {
            aggregation.updateWhole(back, packet);
        } else {
            aggregation.update(back, packet);
        }
        packets.add(time, packet);
        inBack++;
        unemitted++;
        result = null;
    }

    /**
     * Adds the latest packet, whose row is emitted at once, in place of the earliest of more than {@code most}. These leave
     * before it comes: beside them it might not fit where it does without them.
     *
     * @throws RuntimeException if it cannot be added; or if those that stay cannot be aggregated from the first of them on, and
     *                          then it is in the window all the same, because only packets make others leave
     */
    void addInPlace(long most, long time, Packet packet) {
        try {
            evictAllBut(most - 1);
        } catch (RuntimeException bad) {
            aggregation.update(aggregation.create(), packet);
            packets.add(time, packet);
            packets.list(packets.size() - 1);
            throw bad;
        }
        add(time, packet);
        emitted();
    }

    /** The row of the first of the packets without one is emitted. */
    void emitted() {
        packets.list(packets.size() - unemitted);
        unemitted--;
    }

    /** Whether all packets are before {@code from}. */
    boolean isOver(long from) {
        return packets.isEmpty() || packets.lastTime() < from;
    }

    /** Removes the packets before {@code from}. */
    void evict(long from) {
        int removed = 0;
        while (!packets.isEmpty() && packets.firstTime() < from) {
            packets.removeFirst();
            removed++;
        }
        leave(removed);
    }

    /** Removes the earliest packets of more than {@code most}. */
    private void evictAllBut(long most) {
        int removed = 0;
        while (packets.size() > most) {
            packets.removeFirst();
            removed++;
        }
        leave(removed);
    }

    /** So many packets have been removed from the front. */
    private void leave(int removed) {
        if (removed == 0 && !stale) {
            return;
        }
        result = null;
        if (stale || removed >= front) {
            rebuild();
        } else {
            stale = true;
            front -= removed;
            advance(removed);
            stale = false;
        }
    }

    /** The packets were read from a snapshot. Aggregates are rebuilt at the next packet. */
    void restored() {
        stale = true;
    }

    /** Makes all packets the front, or, if they are few, the back. */
    private void rebuild() {
        stale = true;
        split();
        stale = false;
    }

    private void split() {
        int n = packets.size();
        back = aggregation.create();
        inBack = 0;
        result = null;
        spread = new Accumulator[0];
        spreadLeft = 0;
        blocks = new Accumulator[0];
        blocksLeft = 0;
        frontBytes = 0;
        if (n <= FEW) {
            front = 0;
            inBack = n;
            update(back, 0, n);
            return;
        }
        front = n;
        int count = (n + BLOCK - 1) / BLOCK;
        blocks = new Accumulator[count];
        // Only the head block may be partly filled, so that all others end at the middle in whole blocks.
        for (int k = 1; k < count; k++) {
            int from = n - k * BLOCK;
            Accumulator suffix = aggregation.create();
            update(suffix, from, from + BLOCK);
            if (k > 1) {
                aggregation.merge(suffix, blocks[k - 2]);
            }
            blocks[k - 1] = suffix;
            frontBytes += suffix.bytes();
        }
        blocksLeft = count - 1;
        spread(n - blocksLeft * BLOCK);
    }

    private void update(Accumulator accumulator, int from, int to) {
        for (int k = from; k < to; k++) {
            packets.view(k, view);
            aggregation.update(accumulator, view);
        }
    }

    /** Makes the suffixes of the first {@code n} packets. The next block's suffix covers the rest up to the middle. */
    private void spread(int n) {
        spread = new Accumulator[n];
        Accumulator behind = blocksLeft > 0 ? blocks[blocksLeft - 1] : null;
        for (int k = 0; k < n; k++) {
            Accumulator suffix = aggregation.create();
            packets.view(n - 1 - k, view);
            aggregation.update(suffix, view);
            if (behind != null) {
                aggregation.merge(suffix, behind);
            }
            spread[k] = suffix;
            frontBytes += suffix.bytes();
            behind = suffix;
        }
        spreadLeft = n;
    }

    /** Advances the front after {@code removed} packets have left it; the front is not empty. */
    private void advance(int removed) {
        int left = spreadLeft - removed;
        for (int k = Math.max(left, 0); k < spreadLeft; k++) {
            frontBytes -= spread[k].bytes();
            spread[k] = null;
        }
        if (left > 0) {
            spreadLeft = left;
            return;
        }
        while (left <= 0) {
            frontBytes -= blocks[--blocksLeft].bytes();
            blocks[blocksLeft] = null;
            left += BLOCK;
        }
        spread(left);
    }

    /** The aggregate of all packets, until the next change. */
    Accumulator result() {
        if (front == 0) {
            return back;
        }
        if (result == null) {
            if (inBack == 0) {
                return spread[spreadLeft - 1];
            }
            result = aggregation.create();
            aggregation.merge(result, spread[spreadLeft - 1]);
            aggregation.merge(result, back);
        }
        return result;
    }

    /** The memory of packets and accumulators. */
    long bytes() {
        return packets.bytes() + frontBytes + back.bytes() + (result == null ? 0 : result.bytes());
    }
}
