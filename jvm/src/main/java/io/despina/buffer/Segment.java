package io.despina.buffer;

import java.util.Arrays;

/**
 * The unit that moves: a pooled byte array with packets, or a signal between them. Exactly one thread owns a segment at
 * a time; queues hand it over, so its fields need no ordering of their own. The last owner calls {@link #release}.
 */
public final class Segment {
    /** The value of an END after the whole input. */
    public static final long COMPLETE = 0;
    /** The value of an END after a stop: packets in flight are processed, open windows do not fire. */
    public static final long STOPPED = 1;

    /** Of {@link #checksum}. */
    public static final long UNKNOWN = -1;

    /** How many bytes are overwritten one by one, and then copied: Java's quick compiler makes a slow loop of a fill. */
    private static final int POISONED_SINGLY = 64;

    /** Where released segments go. */
    interface Home {
        void takeBack(Segment segment);

        default boolean isBeyondBudget() {
            return false;
        }
    }

    private final Home home;
    private final byte[] bytes;
    private boolean released;

    /** Set by the producer before handing over. */
    public SegmentKind kind = SegmentKind.DATA;
    /** The region of {@link #bytes} that holds packets. */
    public int start;
    public int end;
    /** Packets in the region. */
    public int packets;
    /** A watermark in microseconds of event time, a barrier's epoch, or how the channel ended. */
    public long value;
    /** Of a watermark: a late packet follows, so it must not be merged with a later one. */
    public boolean exact;
    /** Due time of the oldest packet, nanoseconds of the job's clock. */
    public long origin;
    /** CRC32C of the region as it came over the wire; {@link #UNKNOWN} if it was written here. */
    public long checksum = UNKNOWN;

    Segment(Home home, byte[] bytes) {
        this.home = home;
        this.bytes = bytes;
    }

    public byte[] bytes() {
        if (released) {
            throw new IllegalStateException("segment used after its release");
        }
        return bytes;
    }

    /** Size of the array, in bytes: what this segment counts for in the budget. */
    public int capacity() {
        return bytes.length;
    }

    /** Bytes of packets. */
    public int size() {
        return end - start;
    }

    /** Gives the segment back; it must not be used afterwards. */
    public void release() {
        if (released) {
            throw new IllegalStateException("segment released twice");
        }
        released = true;
        home.takeBack(this);
    }

    /** Whether its memory is beyond the budget, so that others wait for it: see {@link Overdraft}. */
    public boolean isBeyondBudget() {
        return home.isBeyondBudget();
    }

    Home home() {
        return home;
    }

    /** Overwrites the bytes, so that a read after the release is recognizably wrong. */
    void overwrite(byte poison) {
        int done = Math.min(bytes.length, POISONED_SINGLY);
        Arrays.fill(bytes, 0, done, poison);
        while (done < bytes.length) {
            int more = Math.min(done, bytes.length - done);
            System.arraycopy(bytes, 0, bytes, done, more);
            done += more;
        }
    }

    /** Takes a pooled segment into use again. */
    Segment renew() {
        released = false;
        kind = SegmentKind.DATA;
        start = 0;
        end = 0;
        packets = 0;
        value = 0;
        exact = false;
        origin = 0;
        checksum = UNKNOWN;
        return this;
    }
}
