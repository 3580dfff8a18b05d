package io.despina.control.resource;

import io.despina.control.protocol.SurveyMessage;
import io.despina.control.protocol.SurveyMessage.Reach;
import io.despina.control.protocol.SurveyMessage.Reached;
import io.despina.control.protocol.SurveyMessage.Surveyed;
import io.despina.wire.Wire;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** What this machine can do, and what is between it and others: measured when it is asked for the first time. Thread-safe. */
final class MachineSurvey {
    private final Wire wire;
    private final LongSupplier clock;
    /** Guarded by this; null before. */
    private Surveyed found;
    /** Guarded by this. */
    private final Map<Reach, Reached> ways = new HashMap<>();

    /** @param clock nanoseconds */
    MachineSurvey(Wire wire, LongSupplier clock) {
        this.wire = wire;
        this.clock = clock;
    }

    /** Takes less than a second, and seconds where another resource cannot be reached. */
    synchronized SurveyMessage answer(SurveyMessage asked) {
        if (asked instanceof Reach reach) {
            return ways.computeIfAbsent(reach, this::reached);
        }
        if (found == null) {
            found = new Surveyed(Runtime.getRuntime().availableProcessors(), LoopMeter.loops());
        }
        return found;
    }

    private Reached reached(Reach to) {
        try {
            WayMeter.Way way = WayMeter.to(wire, to.host(), to.port(), clock);
            return new Reached(to.peer(), way.mbitPerS(), way.roundTripMillis(), null);
        } catch (IOException e) {
            return new Reached(to.peer(), 0, 0, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Reached(to.peer(), 0, 0, "it was interrupted");
        }
    }
}
