package io.despina.control.assembly;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;

/**
 * How a job outlives its coordinator: its resources go on, and another run of it takes it over.
 *
 * @param lostMillis how long they go on without a coordinator; 0 for not at all
 * @param standsBy   whether the run waits for the end of another that has the state, and is not refused
 */
public record Outliving(long lostMillis, boolean standsBy) {
    /** Resources end with their coordinator. */
    public static final Outliving NONE = new Outliving(0, false);
    private static final String LOST = "coordinator_lost_ms";
    private static final long LOST_MILLIS = 10_000;

    static Outliving parse(ObjectNode options) throws Refusal {
        boolean standsBy = options.path("standby").asBoolean();
        if (!options.hasNonNull(LOST)) {
            return standsBy ? new Outliving(LOST_MILLIS, true) : NONE;
        }
        long millis = options.get(LOST).asLong(-1);
        if (millis <= 0) {
            throw new Refusal("options", LOST + "=" + options.get(LOST) + " is no number from 1 on", null);
        }
        return new Outliving(millis, standsBy);
    }

    public boolean isOn() {
        return lostMillis > 0;
    }
}
