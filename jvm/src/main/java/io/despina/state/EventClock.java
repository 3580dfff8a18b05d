package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The clock of a key: how far its event time has come. Its packets move it; so does a silence, to where all has ended that the
 * key had begun.
 */
public class EventClock {
    /** How it is stored. */
    public static final String SCHEMA = "clock";
    /** For {@link #heard}: it has moved on since. */
    private static final long MOVED = Long.MAX_VALUE;

    private long greatest = Long.MIN_VALUE;
    private long watermark = Long.MIN_VALUE;
    /** To where a silence has moved the watermark. */
    private long floor = Long.MIN_VALUE;
    /** When a packet of the key last came, by the wall clock. */
    private long heard;

    protected EventClock() {
    }

    /** The greatest event time of the key, in microseconds; {@link Long#MIN_VALUE} before its first packet. */
    public final long greatest() {
        return greatest;
    }

    /** In microseconds of event time; {@link Long#MAX_VALUE} when the input has ended. */
    public final long watermark() {
        return watermark;
    }

    /** A packet of the key has come. @param wallMicros since 1970 */
    public final void hear(long wallMicros) {
        if (heard != wallMicros) {      // most packets come together with others; and without idle keys it is always 0
            heard = wallMicros;
        }
    }

    /**
     * Moves on to a packet's time, which is greater than all before.
     *
     * @param reached the watermark of that time
     */
    public final void advance(long time, long reached) {
        greatest = time;
        watermark = Math.max(reached, floor);
    }

    /** Whether it has not moved on since the key fell silent. @param since nothing came after this instant of the wall clock */
    public final boolean isSilent(long since) {
        return heard <= since;
    }

    /** Moves on though no packet has come. @param reach microseconds beyond the greatest event time */
    public final void moveOn(long reach) {
        heard = MOVED;
        floor = Math.max(floor, Math.min(EventOrder.plus(greatest, reach), Long.MAX_VALUE - 1));
        watermark = Math.max(watermark, floor);
    }

    /** The input has ended. */
    public final void stop() {
        watermark = Long.MAX_VALUE;
    }

    /** Stores it. */
    public final void write(DataOutput out) throws IOException {
        out.writeLong(greatest);
        out.writeLong(floor);
    }

    /** Reads what {@link #write} has stored; its watermark is to be set by {@link #restored}. */
    public final void read(DataInput in) throws IOException {
        greatest = in.readLong();
        floor = in.readLong();
    }

    /**
     * Follows {@link #read}.
     *
     * @param reached    the watermark of its greatest event time
     * @param wallMicros now: silence is counted from here
     */
    public final void restored(long reached, long wallMicros) {
        watermark = Math.max(reached, floor);
        heard = wallMicros;
    }
}
