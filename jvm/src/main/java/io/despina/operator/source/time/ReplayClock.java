package io.despina.operator.source.time;

import io.despina.packet.Packet;
import java.util.concurrent.TimeUnit;

/** When a packet of a replayed stream is due: as long after the first packet as its event time is, divided by the speed. */
public final class ReplayClock {
    private final double speed;
    private final int column;
    private boolean started;
    private long startNanos;
    private long startMicros;

    public ReplayClock(double speed, int column) {
        this.speed = speed;
        this.column = column;
    }

    /** The next packet counts as the first. */
    public void restart() {
        started = false;
    }

    /** @return nanoseconds of the job's clock; a packet without an event time is due at once */
    public long due(Packet packet, long now) {
        if (packet.isNull(column)) {
            return now;
        }
        long micros = packet.getLong(column);
        if (!started) {
            started = true;
            startNanos = now;
            startMicros = micros;
        }
        return startNanos + (long) (TimeUnit.MICROSECONDS.toNanos(micros - startMicros) / speed);
    }
}
