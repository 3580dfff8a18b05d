package io.despina.operator.source.time;

import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.csv.CsvReader;
import io.despina.packet.Packet;
import io.despina.spec.EventTime;
import io.despina.state.NamedNumbers;
import io.despina.state.State;

/**
 * Makes a source instance's watermarks: the greatest event time written, less the allowed delay. A watermark is sent at the end
 * of a batch, and right before each late packet, so that all operators judge that packet by the same watermark. With time per
 * key it makes none: the operators read the clocks off the packets.
 */
public final class Watermarks implements CsvReader.BeforePacket {
    private static final long NONE = Long.MIN_VALUE;

    private final EventTime options;
    private final Output out;
    /** So great, with time per key, that no watermark is reached. */
    private final long delay;
    /** The watermark as it was at the end of the last batch. */
    private final NamedNumbers reached = new NamedNumbers("event_time", NONE);
    private long watermark = NONE;
    private long sent = NONE;
    /** Packets with a later event time must wait. */
    private long limit = Long.MAX_VALUE;
    private long lastPacket;
    private boolean idle;

    public Watermarks(EventTime options, Output out, long now) {
        this.options = options;
        this.out = out;
        delay = options.isPerKey() ? Long.MAX_VALUE : options.maxDelayMicros();
        lastPacket = now;
    }

    int column() {
        return options.column();
    }

    /** Packets with a later event time than this are held back by {@link #before(long)}. */
    public void limit(long micros) {
        limit = micros;
    }

    /** This packet will be written next. One without an event time is never late. */
    public void before(Packet packet) {
        if (!packet.isNull(options.column())) {
            judge(packet.getLong(options.column()));
        }
    }

    /** A packet with this event time will be written next, if it may; no packet may be open. */
    @Override
    public boolean before(long micros) {
        if (micros > limit) {
            return false;
        }
        judge(micros);
        return true;
    }

    private void judge(long micros) {
        if (micros < watermark) {
            out.watermark(watermark, true);
            sent = watermark;
            return;
        }
        long reached = micros - delay;
        if (reached > watermark && reached < micros + 1) {
            watermark = reached;
        }
    }

    /** The end of a batch. */
    public void batchDone(long now, boolean wrote) {
        if (wrote) {
            lastPacket = now;
            idle = false;
        }
        reached.set(0, watermark);
        if (watermark > sent && !options.isPerKey()) {
            out.watermark(watermark, false);
            sent = watermark;
        }
    }

    /**
     * Reports the source as idle after a long enough silence.
     *
     * @param next when the source would be called anyway
     * @return when to call it
     */
    public long waiting(long now, long next) {
        if (options.idleAfterNanos() == EventTime.NEVER || options.isPerKey() || idle || next == Source.ENDED) {
            return next;
        }
        long silent = now - lastPacket;
        if (silent >= options.idleAfterNanos()) {
            idle = true;
            out.idle();
            return next;
        }
        return Math.min(next, lastPacket + options.idleAfterNanos());
    }

    /** For {@link io.despina.operator.Operator#states}. */
    public State state() {
        return reached;
    }

    /** The state is restored. */
    public void restored() {
        watermark = reached.get(0);
    }
}
