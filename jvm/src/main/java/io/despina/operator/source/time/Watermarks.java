package io.despina.operator.source.time;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.record.csv.CsvReader;
import io.despina.packet.Packet;
import io.despina.spec.EventTime;
import io.despina.spec.Replay;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Makes a source instance's watermarks: the greatest event time written, less the allowed delay. A watermark is sent at the end
 * of a batch, and right before each late packet, so that all operators judge that packet by the same watermark. With time per
 * key it makes none: the operators read the clocks off the packets.
 *
 * <p>A source that advances is silent from its last batch on, while it has nothing more to send. When that has lasted for longer
 * than {@link EventTime#advanceAfterNanos}, the watermark is what the packets make it, plus the rest of that time. It never goes
 * back: a packet that then comes behind it is late.
 */
public final class Watermarks implements CsvReader.BeforePacket {
    private static final long NONE = Long.MIN_VALUE;
    /** A silent source looks at the clock so often in the time that it waits before it advances, within the bounds below. */
    private static final int LOOKS = 4;
    private static final long LEAST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MOST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Added to an instant it does not overflow. */
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    private final EventTime options;
    private final Output out;
    private final LongSupplier clock;
    /** How fast event time goes on while the source is silent. */
    private final double speed;
    /** The silence by the wall clock after which the watermark advances. */
    private final long patience;
    /** So great, with time per key, that no watermark is reached. */
    private final long delay;
    /** Null for a source whose packets are all of one part. */
    private PartTimes parts;
    /**
     * At the end of the last batch: the watermark and {@link #seen}. The first two numbers are so great for a source that is idle
     * or has ended that at another parallelism the least of each is that of the active ones.
     */
    private final NamedNumbers reached = new NamedNumbers("event_time", NONE, NONE, NONE, NONE);
    private static final long IDLE = Long.MAX_VALUE;
    /** What the packets make the watermark. */
    private long seen = NONE;
    /** At least {@link #seen}; greater if the wall clock has moved it. */
    private long watermark = NONE;
    private long sent = NONE;
    /** Packets with a later event time must wait. */
    private long limit = Long.MAX_VALUE;
    private long lastPacket;
    private boolean idle;
    /** It is restored as idle, and has not said so. */
    private boolean resumesIdle;

    /** @param clock nanoseconds of the job's clock */
    public Watermarks(EventTime options, Output out, LongSupplier clock) {
        this(options, out, clock, Replay.AS_FAST_AS_POSSIBLE);
    }

    /** @param replay at whose pace event time goes on while the source is silent */
    public Watermarks(EventTime options, Output out, LongSupplier clock, Replay replay) {
        this.options = options;
        this.out = out;
        this.clock = clock;
        speed = replay.isByEventTime() ? replay.speed() : 1;
        patience = (long) Math.min(options.advanceAfterNanos() / speed, FOR_EVER);
        delay = options.isPerKey() ? Long.MAX_VALUE : options.maxDelayMicros();
        lastPacket = clock.getAsLong();
    }

    /** From now on the packets are of several parts, and what they make the watermark is the least of the parts'. */
    public void divide(PartTimes into) {
        parts = into;
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
        }
        long made = micros - delay;
        if (made < micros + 1) {
            reach(parts == null ? made : parts.reach(made));
        }
    }

    private void reach(long made) {
        if (made > seen) {
            seen = made;
            if (made > watermark) {
                watermark = made;
            }
        }
    }

    /** The end of a batch. @param now when it began */
    public void batchDone(long now, boolean wrote) {
        if (wrote) {
            // to read takes time, and a source that has read was not silent meanwhile
            lastPacket = options.advances() ? clock.getAsLong() : now;
            idle = false;
        }
        if (parts != null) {
            reach(parts.least(now));
        }
        send();
        if (resumesIdle) {
            resumesIdle = false;
            idle &= parts == null || parts.areAllOut();
            if (idle) {
                out.idle();     // behind the watermark, which says that a channel is active
            }
        }
    }

    private void send() {
        keep();
        if (watermark > sent && !options.isPerKey()) {
            out.watermark(watermark, false);
            sent = watermark;
        }
    }

    /**
     * Goes on with the clock after a long enough silence, and reports the source as idle after one.
     *
     * @param next when the source would be called anyway
     * @return when to call it
     */
    public long waiting(long now, long next) {
        if (next == Source.ENDED) {
            idle = true;
            keep();
            return next;
        }
        long then = parts == null ? next : Math.min(next, parts.nextSilence());
        return options.isPerKey() ? next : idle(now, advance(now, then));
    }

    /** The source has nothing that it could read. */
    public void nothingToRead() {
        idle = true;
        keep();
        out.idle();
    }

    private long advance(long now, long next) {
        if (!options.advances() || seen == NONE || next <= now) {
            return next;
        }
        long start = lastPacket + patience;
        if (now < start) {
            return Math.min(next, start);
        }
        long moved = seen + TimeUnit.NANOSECONDS.toMicros((long) ((now - start) * speed));
        if (moved > watermark) {
            watermark = moved;
            send();
            if (idle) {
                out.idle();     // a watermark says that a channel is active
            }
        }
        return Math.min(next, now + Math.max(LEAST_LOOK_NANOS, Math.min(patience / LOOKS, MOST_LOOK_NANOS)));
    }

    private long idle(long now, long next) {
        if (idle) {
            return next;
        }
        if (parts != null && parts.areAllOut()) {
            nothingToRead();
            return next;
        }
        if (options.idleAfterNanos() == NEVER) {
            return next;
        }
        long silent = now - lastPacket;
        if (silent >= options.idleAfterNanos()) {
            idle = true;
            keep();
            out.idle();
            return next;
        }
        return Math.min(next, lastPacket + options.idleAfterNanos());
    }

    private void keep() {
        reached.set(0, idle ? IDLE : watermark);
        reached.set(1, idle ? IDLE : seen);
        reached.set(2, watermark);
        reached.set(3, seen);
    }

    /** For {@link io.despina.operator.Operator#states}. */
    public State state() {
        return reached;
    }

    /** The state is restored. Silence counts from now on: what comes next may have waited while the job was down. */
    public void restored() {
        idle = reached.get(0) == IDLE;
        resumesIdle = idle;
        watermark = reached.get(idle ? 2 : 0);
        seen = reached.get(idle ? 3 : 1);
    }
}
